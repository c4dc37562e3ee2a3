import { expect, it } from "vitest";
import { eased, fitted, opening, panned, toScreen, toWorld, visible, zoomedAt } from "../src/camera";

const view = { width: 1200, height: 800 };
const world = { width: 1600, height: 1000 };

it("screen and world are inverse", () => {
  const camera = { x: 300, y: 200, zoom: 1.7 };
  const p = toWorld(camera, view, toScreen(camera, view, { x: 12, y: 34 }));
  expect(p.x).toBeCloseTo(12);
  expect(p.y).toBeCloseTo(34);
});
it("fitting shows the whole world", () => {
  const [left, top, right, bottom] = visible(fitted(world, view), view);
  expect(left).toBeLessThanOrEqual(0);
  expect(top).toBeLessThanOrEqual(0);
  expect(right).toBeGreaterThanOrEqual(1600);
  expect(bottom).toBeGreaterThanOrEqual(1000);
});
it("begins nearer where a narrow window would be mostly empty", () => {
  expect(opening(world, view)).toEqual(fitted(world, view));
  const phone = { width: 390, height: 800 };
  expect(opening(world, phone).zoom).toBeCloseTo(1.9 * fitted(world, phone).zoom);
});
it("zooming keeps what is under the pointer", () => {
  const camera = fitted(world, view);
  const at = { x: 100, y: 700 };
  const before = toWorld(camera, view, at);
  const after = toWorld(zoomedAt(camera, view, at, 3, [0.1, 40]), view, at);
  expect(after.x).toBeCloseTo(before.x);
  expect(after.y).toBeCloseTo(before.y);
  expect(zoomedAt(camera, view, at, 1e9, [0.1, 40]).zoom).toBe(40);
});
it("panning moves the world with the hand", () => {
  expect(panned({ x: 0, y: 0, zoom: 2 }, 10, -4)).toEqual({ x: -5, y: 2, zoom: 2 });
});
it("easing arrives", () => {
  const goal = { x: 10, y: 20, zoom: 4 };
  const near = eased({ x: 0, y: 0, zoom: 1 }, goal, 5);
  expect(near.x).toBeCloseTo(10);
  expect(near.zoom).toBeCloseTo(4);
});
