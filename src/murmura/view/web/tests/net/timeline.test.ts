import { expect, it } from "vitest";
import { decodeFrame } from "../../src/net/protocol";
import { blend, SLOTS, Timeline } from "../../src/net/timeline";
import { makeFrame } from "../frames";

const frame = (step: number, epoch = 1, count = 1, roster = 0) =>
  decodeFrame(
    makeFrame(
      Array.from({ length: count }, () => [0, 0, 0]),
      { step, epoch, roster },
    ),
  );

it("moves evenly although frames arrive unevenly", () => {
  const timeline = new Timeline();
  const shown: number[] = [];
  let next = 0;
  for (let tick = 0; tick < 600; tick++) {
    const now = tick / 120;
    if (now >= next) {
      timeline.push(frame(Math.round(now * 60)), now);
      next = now + (tick % 3 === 0 ? 0.02 : 0.045);
    }
    shown.push(timeline.sample(now)?.step ?? 0);
  }
  const moves = shown.slice(240).map((step, k, all) => (k > 0 ? step - all[k - 1] : 0.5));
  expect(Math.min(...moves)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...moves)).toBeLessThan(1.5); // 0.5 would be perfect
});

it("never interpolates across a reset or a change of the number of agents", () => {
  const timeline = new Timeline();
  timeline.push(frame(100), 0);
  timeline.push(frame(102), 0.03);
  timeline.push(frame(0, 2), 0.06);
  expect(timeline.sample(0.06)).toMatchObject({ alpha: 1, step: 0 });
  timeline.push(frame(2, 2, 5), 0.09);
  const moment = timeline.sample(0.1);
  expect(moment?.from).toBe(moment?.to);
});

it("never interpolates between two agents after a birth and a death", () => {
  const timeline = new Timeline();
  timeline.push(frame(10, 1, 5, 1), 0);
  timeline.push(frame(12, 1, 5, 2), 0.03);
  const moment = timeline.sample(0.04);
  expect(moment?.from).toBe(moment?.to);
});

it("never overwrites a frame that may still be shown", () => {
  const timeline = new Timeline();
  const slots = [0, 1, 2, 3, 4, 5, 5].map((step, k) => {
    timeline.push(frame(step), k * 0.03);
    return timeline.newest?.slot;
  });
  expect(new Set(slots.slice(3, 3 + SLOTS)).size).toBe(SLOTS);
  expect(slots[6]).toBe(slots[5]); // the same step again replaces its frame
});

it("takes the shorter way round", () => {
  expect(blend(95, 5, 0.5, 100)).toBe(100);
  expect(blend(95, 5, 0.5, 0)).toBe(50);
});
