import { describe, expect, it } from "vitest";
import type { Pair } from "../../src/net/protocol";
import { APPLE, appleLeft } from "../../src/render/apple";
import { hunterOutline, setKinds } from "../../src/render/hunter_shapes";
import { things } from "../../src/render/looks_of_things";

const area = (corners: readonly Pair[]) =>
  corners.reduce((sum, [x, y], k) => {
    const [nextX, nextY] = corners[(k + 1) % corners.length];
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
const span = (corners: readonly Pair[]) => Math.max(...corners.map(([, y]) => Math.abs(y)));

describe("the apple", () => {
  it("is full from below, as far as something is left", () => {
    expect(area(appleLeft(1))).toBeCloseTo(area(APPLE));
    expect(area(appleLeft(0))).toBeCloseTo(0);
    const shares = [0.2, 0.5, 0.8].map((share) => area(appleLeft(share)) / area(APPLE));
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares[0]).toBeGreaterThan(0.05);
    expect(Math.min(...appleLeft(0.5).map(([, y]) => y))).toBeCloseTo(
      (Math.min(...APPLE.map(([, y]) => y)) + Math.max(...APPLE.map(([, y]) => y))) / 2,
    );
  });
});

describe("hunters", () => {
  const wings = "M1 0 .2 1.4 -1 0 .2-1.4z";
  setKinds({ "": { outline: wings, body: "bird" }, shark: { outline: wings, body: "fish" } });
  const hawk = { species: "hawk", id: 0 };
  const half = 0.5 / things.hunter.wings.hertz;

  it("beat their wings, deeper in an attack, and fold them in a stoop", () => {
    const at = (state: string, seconds: number) => span(hunterOutline({ ...hawk, state }, seconds));
    expect(at("scanning", 0)).toBeCloseTo(1.4);
    expect(at("scanning", half)).toBeLessThan(1.2);
    expect(at("attacking", half)).toBeLessThan(at("scanning", half));
    expect(at("diving", 0)).toBeLessThan(0.6);
    expect(at("ambush", half)).toBeCloseTo(1.4);
  });

  it("swim from the tail", () => {
    const [nose, , tail] = hunterOutline({ species: "shark", id: 0, state: "hunting" }, 0.4);
    expect(nose[1]).toBeCloseTo(0);
    expect(Math.abs(tail[1])).toBeGreaterThan(0.05);
  });
});
