import { expect, test } from "vitest";
import { visible, type Camera } from "../../src/render/camera";
import { camerasOf, copiesBeside, filling, inWorld, nearestCopy } from "../../src/render/tiles";
import { copiesOf } from "../../src/overlay/copies";

const SHAPES = [
  [1440, 900],
  [1280, 720],
  [390, 844],
  [844, 390],
  [1000, 1000],
] as const;

test("a wrapping world leaves no part of the window empty, whatever its shape", () => {
  for (const world of [
    { width: 1600, height: 1000 },
    { width: 500, height: 500 },
  ])
    for (const [width, height] of SHAPES) {
      const view = { width, height };
      const camera = filling(world, view);
      const [beside, above] = copiesBeside(camera, view, world);
      const [left, top, right, bottom] = visible(camera, view);
      // Everything is drawn within half a world of the centre, and once more for each copy; 1 % are no more than rounding.
      expect((beside + 0.51) * world.width).toBeGreaterThanOrEqual((right - left) / 2);
      expect((above + 0.51) * world.height).toBeGreaterThanOrEqual((bottom - top) / 2);
      // No side loses more than it must: at most three eighths of the shorter one are out of view.
      expect(Math.min((right - left) / world.width, (bottom - top) / world.height)).toBeGreaterThanOrEqual(0.624);
    }
});

test("a window of the world's shape shows the world exactly once", () => {
  const [world, view] = [
    { width: 1600, height: 1000 },
    { width: 1440, height: 900 },
  ];
  const camera = filling(world, view);
  expect(copiesBeside(camera, view, world)).toEqual([0, 0]);
  expect(visible(camera, view)).toEqual([0, 0, 1600, 1000].map((side) => expect.closeTo(side, 6) as number));
});

test("positions find their nearest copy and the way back", () => {
  const world = { width: 100, height: 60 };
  expect(nearestCopy({ x: 95, y: 5, z: 3 }, { x: 210, y: 58 }, world)).toEqual({ x: 195, y: 65, z: 3 });
  expect(nearestCopy({ x: 95, y: 5 }, { x: 210, y: 58 }, null)).toEqual({ x: 95, y: 5 });
  expect(inWorld({ x: -5, y: 125 }, world)).toEqual({ x: 95, y: 5 });
});

test("objects are drawn in every copy in view, and beside an edge on both sides of it", () => {
  const [world, view] = [
    { width: 100, height: 100 },
    { width: 1000, height: 1000 },
  ];
  const camera: Camera = { x: 50, y: 50, zoom: 10 };
  const lines = { context: null as never, camera, view, light: false };
  const at = (x: number, y: number) =>
    copiesOf({ kind: "threat", x, y, radius: 1 }, lines, world).map((thing) =>
      "x" in thing ? [thing.x, thing.y] : [],
    );
  expect(at(50, 50)).toEqual([[50, 50]]);
  expect(at(99, 50).sort()).toEqual([
    [-1, 50],
    [99, 50],
  ]);
  const wide = { ...lines, camera: { ...camera, zoom: 4 } };
  const wall = { kind: "wall" as const, points: [[40, 50] as [number, number], [60, 50] as [number, number]] };
  expect(copiesOf(wall, wide, world)).toHaveLength(9);
  expect(copiesOf({ kind: "wind", speed: 1, direction: 0 }, lines, world)).toHaveLength(1);
  expect(camerasOf(camera, view, world)).toEqual([camera]);
});
