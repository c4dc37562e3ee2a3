import { expect, it } from "vitest";
import type { SceneObject } from "../../../src/net/protocol";
import { isHidden } from "../../../src/render/space/occlusion";
import { PrimitiveBatch, ROW } from "../../../src/render/space/primitives/primitive_batch";
import type { Vec } from "../../../src/render/space/vectors";

const BOX = { low: [0, 0, 0], sides: [100, 80, 60] } as const;
const EYE: Vec = [50, -100, 30];
const ball: SceneObject = { kind: "circle", x: 50, y: 40, z: 30, radius: 10 };

it.each<[string, SceneObject[], Vec, boolean]>([
  ["behind a ball", [ball], [50, 70, 30], true],
  ["in front of it", [ball], [50, 20, 30], false],
  ["beside it", [ball], [75, 70, 30], false],
  ["above it", [ball], [50, 70, 55], false],
  ["behind a rotated box", [{ kind: "box", low: [40, 35, 20], high: [60, 45, 40], turn: 45 }], [50, 70, 30], true],
  ["behind the second of two", [{ ...ball, x: 10 }, ball], [50, 70, 30], true],
  [
    "behind a wall",
    [
      {
        kind: "wall",
        points: [
          [0, 40],
          [100, 40],
        ],
      },
    ],
    [20, 70, 5],
    true,
  ],
  [
    "in a tank, seen from outside through its glass",
    [{ kind: "plane", point: [0, 5, 0], normal: [0, 1, 0] }],
    [50, 70, 30],
    false,
  ],
  ["behind an attractor", [{ kind: "attractor", x: 50, y: 40, z: 30, radius: 10, strength: 1 }], [50, 70, 30], false],
])("hidden or not: %s", (_, things, at, hidden) => {
  expect(isHidden(things, BOX, EYE, at)).toBe(hidden);
});

it("a camera inside a ball can look out of it", () => {
  expect(isHidden([ball], BOX, [50, 40, 30], [50, 70, 30])).toBe(false);
});

it("a batch grows and keeps its content, including colours", () => {
  const batch = new PrimitiveBatch();
  for (let k = 0; k < 200; k++)
    batch.line([k, 0, 0], [0, k, 0], { rgb: [255, 128, k], alpha: 1, width: 2, dash: [3, 4] });
  expect(batch.lines.count).toBe(200);
  const row = batch.lines.numbers.subarray(150 * ROW, 151 * ROW);
  expect([...row.subarray(0, 9)]).toEqual([150, 0, 0, 0, 150, 0, 2, 3, 4]);
  expect([...new Uint8Array(row.buffer, row.byteOffset + 36, 4)]).toEqual([255, 128, 150, 255]);
  batch.face(
    [
      [0, 0, 0],
      [1, 0, 0],
      [1, 1, 0],
      [0, 1, 0],
    ],
    [1, 2, 3],
    1,
  );
  batch.face(
    [
      [0, 0, 0],
      [1, 0, 0],
      [1, 1, 0],
    ],
    [1, 2, 3],
    0.5,
  );
  expect([batch.solid.count, batch.translucent.count]).toEqual([2, 1]);
  batch.clear();
  expect([batch.lines.count, batch.solid.count, batch.translucent.count]).toEqual([0, 0, 0]);
});
