import { expect, it } from "vitest";
import { eased, fitted, panned, toScreen, toWorld, visible, zoomedAt } from "../../src/render/camera";

const view = { width: 1200, height: 800 };
const world = { width: 1600, height: 1000 };

it("screen and world coordinates convert both ways", () => {
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
it("fitting avoids the area that panels cover", () => {
  const gaps = { left: 260, top: 40, right: 300, bottom: 70 };
  const camera = fitted(world, view, gaps);
  const from = toScreen(camera, view, { x: 0, y: 0 });
  const to = toScreen(camera, view, { x: 1600, y: 1000 });
  expect(from.x).toBeGreaterThanOrEqual(gaps.left);
  expect(from.y).toBeGreaterThanOrEqual(gaps.top);
  expect(to.x).toBeLessThanOrEqual(view.width - gaps.right);
  expect(to.y).toBeLessThanOrEqual(view.height - gaps.bottom);
  expect((from.x + to.x) / 2).toBeCloseTo((gaps.left + view.width - gaps.right) / 2);
});
it("panels that leave too little space cover the world", () => {
  expect(fitted(world, view, { left: 600, top: 0, right: 590, bottom: 0 })).toEqual(fitted(world, view));
});
it("zooming keeps the position under the pointer fixed", () => {
  const camera = fitted(world, view);
  const at = { x: 100, y: 700 };
  const before = toWorld(camera, view, at);
  const after = toWorld(zoomedAt(camera, view, at, 3, [0.1, 40]), view, at);
  expect(after.x).toBeCloseTo(before.x);
  expect(after.y).toBeCloseTo(before.y);
  expect(zoomedAt(camera, view, at, 1e9, [0.1, 40]).zoom).toBe(40);
});
it("panning moves the world with the pointer", () => {
  expect(panned({ x: 0, y: 0, zoom: 2 }, 10, -4)).toEqual({ x: -5, y: 2, zoom: 2 });
});
it("easing reaches its goal", () => {
  const goal = { x: 10, y: 20, zoom: 4 };
  const near = eased({ x: 0, y: 0, zoom: 1 }, goal, 5);
  expect(near.x).toBeCloseTo(10);
  expect(near.zoom).toBeCloseTo(4);
});
