import { expect, it } from "vitest";

import { Pacing } from "../../src/standalone/pacing";

it("takes steps as time passes, and keeps the rest", () => {
  const pacing = new Pacing();
  expect([0.05, 0.05, 0.05, 0.05].map((seconds) => pacing.take(seconds, 0.1))).toEqual([0, 1, 0, 1]);
  pacing.speed = 4;
  expect(pacing.take(0.1, 0.1)).toBe(4);
  expect(pacing.take(100, 0.001)).toBe(16); // no more between two pictures, and no debt of more
  expect(pacing.take(0, 0.001)).toBe(0);
});

it("takes the steps that were asked for while paused, in pieces", () => {
  const pacing = new Pacing();
  pacing.step(20);
  expect([pacing.take(1, 0.1), pacing.take(1, 0.1), pacing.take(1, 0.1)]).toEqual([16, 4, 0]);
  expect(pacing.report).toEqual({ steps_per_second: 0, running: false, speed: 1 });
  pacing.step(3);
  pacing.begin();
  expect(pacing.take(1, 0.1)).toBe(0);
});
