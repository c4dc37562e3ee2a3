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

it("says when it cannot keep up with time, and when it can again", () => {
  const pacing = new Pacing();
  for (let k = 0; k < 30; k++) {
    pacing.took(0.1, 1);
    pacing.take(0.1, 0.02);
  }
  expect(pacing.isBehind).toBe(true);
  pacing.running = false;
  expect(pacing.isBehind).toBe(false);
  pacing.running = true;
  pacing.begin();
  for (let k = 0; k < 30; k++) pacing.take(0.1, 0.2);
  expect(pacing.isBehind).toBe(false);
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
