import { expect, it } from "vitest";
import { eachSight, evenly, sightsOf, within, type Crowd, type Sight } from "../../src/overlay/sight";

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

function crowdOf(count: number, width: number, height: number, wraps: boolean): Crowd {
  const next = random(5);
  return {
    count,
    xs: Float32Array.from({ length: count }, () => next() * width),
    ys: Float32Array.from({ length: count }, () => next() * height),
    headings: Float32Array.from({ length: count }, () => next() * 6.28),
    kinds: Uint8Array.from({ length: count }, (_, k) => k % 2),
    wrap: wraps ? { width, height } : null,
  };
}

/** All pairs, directly from the definition. */
function slow(crowd: Crowd, sights: Sight[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < crowd.count; i++) {
    const sight = sights[Math.min(sights.length - 1, crowd.kinds[i])];
    const seen: [number, number][] = [];
    for (let j = 0; j < crowd.count; j++) {
      let [dx, dy] = [crowd.xs[j] - crowd.xs[i], crowd.ys[j] - crowd.ys[i]];
      if (crowd.wrap) {
        dx -= crowd.wrap.width * Math.round(dx / crowd.wrap.width);
        dy -= crowd.wrap.height * Math.round(dy / crowd.wrap.height);
      }
      const d = Math.hypot(dx, dy);
      const turn = Math.abs(Math.atan2(dy, dx) - crowd.headings[i]) % (2 * Math.PI);
      if (i !== j && d <= sight.radius && Math.min(turn, 2 * Math.PI - turn) <= sight.half) seen.push([d, j]);
    }
    seen.sort((a, b) => a[0] - b[0]);
    found.push(...seen.slice(0, sight.nearest).map(([, j]) => `${i} ${j}`));
  }
  return found.sort();
}

const WIDE: Sight = { radius: 30, half: Math.PI, cosine: -1, nearest: Infinity };
const NARROW: Sight = { radius: 22, half: 2, cosine: Math.cos(2), nearest: 4 };

it.each([
  [200, 120, true],
  [200, 120, false],
  [50, 50, true],
  [31, 200, true],
])("agrees with brute force (%i x %i, wraps: %s)", (width, height, wraps) => {
  const crowd = crowdOf(150, width, height, wraps);
  const found: string[] = [];
  eachSight(crowd, [...Array(150).keys()], [WIDE, NARROW], Infinity, (me, other) => found.push(`${me} ${other}`));
  expect(found.sort()).toEqual(slow(crowd, [WIDE, NARROW]));
  expect(found.length).toBeGreaterThan(300);
});
it("stops when there are enough lines", () => {
  let count = 0;
  eachSight(crowdOf(150, 200, 120, false), [...Array(150).keys()], [WIDE], 50, () => count++);
  expect(count).toBeGreaterThanOrEqual(50);
  expect(count).toBeLessThan(120);
});
it("picks evenly from those in view", () => {
  const crowd = crowdOf(1000, 100, 100, false);
  expect(evenly(within(crowd, [0, 0, 100, 100]), 10)).toHaveLength(100);
  for (const k of within(crowd, [20, 30, 60, 70])) {
    expect(crowd.xs[k]).toBeGreaterThanOrEqual(20);
    expect(crowd.ys[k]).toBeLessThanOrEqual(70);
  }
});
it("a species may have its own sight", () => {
  const scenario = {
    perception: { radius: 50, field_of_view: 270, nearest: null },
    species: [{ values: {} }, { values: { "perception.radius": 90, "perception.nearest": 7 } }],
  };
  const [first, second] = sightsOf(scenario);
  expect(first).toMatchObject({ radius: 50, nearest: Infinity });
  expect(first.cosine).toBeCloseTo(Math.cos((135 * Math.PI) / 180));
  expect(second).toMatchObject({ radius: 90, nearest: 7 });
});
