import { describe, expect, it } from "vitest";
import type { SceneObject } from "../../../src/net/protocol";
import { boxCorners, meshOf } from "../../../src/render/space/solids";
import { cross, dot, minus, type Vec } from "../../../src/render/space/vectors";

const BOX = { low: [0, 0, 0], sides: [100, 80, 60] } as const;

function facetsOf(...things: SceneObject[]): { corners: Vec[]; facing: Vec; solid: boolean }[] {
  const { corners, solid } = meshOf(things, BOX);
  const vec = (k: number): Vec => [corners[k], corners[k + 1], corners[k + 2]];
  return Array.from({ length: corners.length / 18 }, (_, k) => ({
    corners: [0, 6, 12].map((n) => vec(18 * k + n)),
    facing: vec(18 * k + 3),
    solid: 3 * k < solid,
  }));
}

/** Six times the enclosed volume, by the divergence theorem: positive only if all facets face outwards and none is missing. */
function volumeOf(thing: SceneObject): number {
  return facetsOf(thing).reduce((sum, { corners: [a, b, c] }) => sum + dot(a, cross(b, c)), 0) / 6;
}

describe("solids", () => {
  it.each<[SceneObject, number, number]>([
    [{ kind: "circle", x: 50, y: 40, z: 30, radius: 10 }, (4 / 3) * Math.PI * 1000, 0.03],
    [{ kind: "circle", x: 50, y: 40, radius: 10 }, (4 / 3) * Math.PI * 1000, 0.03],
    [{ kind: "cylinder", x: 50, y: 40, radius: 10 }, Math.PI * 100 * 60, 0.01],
    [{ kind: "cylinder", x: 50, y: 40, radius: 10, bottom: 20, top: 30 }, Math.PI * 100 * 10, 0.01],
    [{ kind: "box", low: [10, 10, 10], high: [30, 20, 15] }, 1000, 1e-6],
    [{ kind: "box", low: [30, 10, 15], high: [10, 20, 10] }, 1000, 1e-6],
    [{ kind: "box", low: [10, 10, 10], high: [30, 20, 15], turn: 30 }, 1000, 1e-6],
    [
      {
        kind: "polygon",
        points: [
          [0, 0],
          [20, 0],
          [20, 10],
          [0, 10],
        ],
      },
      200 * 60,
      1e-6,
    ],
    [
      {
        kind: "polygon",
        points: [
          [0, 10],
          [20, 10],
          [20, 0],
          [0, 0],
        ],
      },
      200 * 60,
      1e-6,
    ],
    [
      {
        kind: "polygon",
        points: [
          [0, 0],
          [20, 0],
          [20, 10],
          [10, 2],
          [0, 10],
        ],
      },
      120 * 60,
      1e-6,
    ],
  ])("%j is closed and faces outwards", (thing, volume, error) => {
    expect(volumeOf(thing) / volume).toBeGreaterThan(1 - error);
    expect(volumeOf(thing) / volume).toBeLessThan(1 + 1e-6);
  });

  it("clip a plane to the world, opaque from the centre and transparent from behind, whatever the sign of its normal", () => {
    for (const normal of [
      [0, 0, 1],
      [0, 0, -1],
    ] as const) {
      const facets = facetsOf({ kind: "plane", point: [999, -999, 10], normal: [...normal] });
      expect(facets.filter(({ solid }) => solid).map(({ facing }) => facing[2])).toEqual([1, 1]);
      expect(facets.filter(({ solid }) => !solid).map(({ facing }) => facing[2])).toEqual([-1, -1]);
      const areas = facets.map(({ corners: [a, b, c] }) => Math.hypot(...cross(minus(b, a), minus(c, a))) / 2);
      expect(areas.reduce((sum, each) => sum + each, 0)).toBeCloseTo(2 * 100 * 80, 0);
    }
    expect(facetsOf({ kind: "plane", point: [0, 0, -20], normal: [0, 0, 1] })).toEqual([]);
    expect(facetsOf({ kind: "plane", point: [0, 0, 0], normal: [0, 0, 1] })).toHaveLength(4); // on the floor
  });

  it("rotate a box about its vertical axis, counter-clockwise seen from above", () => {
    const [first] = boxCorners({ kind: "box", low: [10, 10, 10], high: [30, 20, 15], turn: 90 });
    first.forEach((value, axis) => {
      expect(value).toBeCloseTo([25, 5, 10][axis], 9);
    });
  });

  it("show a wall from both sides, and no attractors", () => {
    const facings = facetsOf({
      kind: "wall",
      points: [
        [0, 0],
        [10, 0],
      ],
    }).map(({ facing }) => facing[1]);
    expect(facings.sort()).toEqual([-1, -1, 1, 1]);
    expect(facetsOf({ kind: "attractor", x: 1, y: 1, radius: 5, strength: 1 })).toEqual([]);
  });
});
