import { describe, expect, it } from "vitest";
import { agentHeading, decodeFrame } from "../../../src/net/protocol";
import { aheadOf, kindOf, middleOf, placeAt, placeOf, rollOf } from "../../../src/net/space_frames";
import {
  easedOrbit,
  fittedOrbit,
  freeRoom,
  gazeAlong,
  gazeOf,
  meets,
  project,
  rayThrough,
  turned,
  zoomedTo,
  type Orbit,
} from "../../../src/render/space/camera";
import { FlockMotion } from "../../../src/render/space/flock_motion";
import { mapsOf, throughMaps } from "../../../src/render/space/maps";
import { boxOf, gridStep, settingOf } from "../../../src/render/space/scene";
import { dot, minus, unit, type Vec } from "../../../src/render/space/vectors";
import { unpackFrames } from "../../../src/standalone/unpack";
import { compass, side } from "../../../src/text/words";
import { makeSpaceFrame } from "../../frames";

const VIEW = { width: 1000, height: 700 };
const BOX = { low: [0, 0, 0], sides: [1200, 1000, 400] } as const;
const near = (a: Vec, b: Vec, digits = 4) => {
  a.forEach((value, axis) => {
    expect(value).toBeCloseTo(b[axis], digits);
  });
};

describe("frames in space", () => {
  const EAST = 255 | (128 << 8); // the corner of the octahedron towards +x
  const frame = decodeFrame(
    makeSpaceFrame(
      [
        [0, 65535, 32768, EAST, 31 | (31 << 5) | (3 << 10), 200],
        [65535, 0, 0, 128 | (128 << 8), 0, 7],
      ],
      { wrapsZ: true },
    ),
  );
  const space = frame.space ?? expect.fail("no depth");

  it("are read field by field", () => {
    expect(frame).toMatchObject({ count: 2, width: 1600, height: 1000, wraps: false });
    expect(space).toMatchObject({ floor: -5, depth: 500, wrapsZ: true });
    expect(placeOf(frame, space, 0)).toMatchObject({ x: -10, y: 1020 });
    expect(placeOf(frame, space, 0).z).toBeCloseTo(245, 1);
    expect(placeOf(frame, space, 1)).toEqual({ x: 1590, y: 20, z: -5 });
    near(aheadOf(frame.words[1]), [1, 0, 0], 1);
    near(aheadOf(frame.words[3]), [0, 0, 1], 1);
    expect(agentHeading(frame, 0)).toBeCloseTo(0, 1);
    expect([kindOf(space, 0), kindOf(space, 1), space.looks[2], space.looks[5]]).toEqual([3, 0, 200, 7]);
    expect(rollOf(space, 0)).toBeCloseTo(Math.PI / 2, 6);
    expect(rollOf(space, 1)).toBeCloseTo(-Math.PI / 2, 6);
  });

  it("that are truncated are refused", () => {
    expect(() => decodeFrame(makeSpaceFrame([[1, 1, 1, 1, 1, 1]]).slice(0, 74))).toThrow(/75 bytes/);
  });

  it("are interpolated across the edge of axes that wrap, and of no others", () => {
    const [a, b] = [
      makeSpaceFrame([[100, 0, 65000, EAST, 0, 0]], { wrapsZ: true }),
      makeSpaceFrame([[60000, 0, 500, EAST, 0, 0]], { wrapsZ: true }),
    ].map(decodeFrame);
    const at = placeAt(
      { from: { frame: a, time: 0, slot: 0 }, to: { frame: b, time: 1, slot: 1 }, alpha: 0.5, step: 1 },
      0,
    );
    expect(at?.z).toBeGreaterThan(495 - 6);
    expect(at?.x).toBeCloseTo(-10 + (60100 / 2 / 65535) * 1600, 0);
  });

  it("find the centre of a flock that extends across the edge", () => {
    const flock = decodeFrame(
      makeSpaceFrame(
        [
          [0, 0, 1000, EAST, 0, 0],
          [0, 0, 64535, EAST, 0, 0],
        ],
        { wrapsZ: true },
      ),
    );
    const z = flock.space ? middleOf(flock, flock.space).z : NaN;
    expect(Math.min(Math.abs(z + 5), Math.abs(z - 495))).toBeLessThan(1);
  });

  it("are unpacked as they were packed", () => {
    const header = new Uint8Array(makeSpaceFrame([])).slice(0, 64);
    new DataView(header.buffer).setUint32(8, 1, true);
    const planes = Uint8Array.of(100, 0, 50, 0, 25, 0, 10, 20, 3, 9, 5, 4);
    const [one] = unpackFrames(header, planes, 1).map(decodeFrame);
    expect([one.words[0] & 0xffff, one.words[0] >>> 16, one.words[1] & 0xffff].map((value) => value >> 3)).toEqual([
      100, 50, 25,
    ]);
    expect([(one.words[1] >>> 16) & 255, one.words[1] >>> 24].map((value) => value >> 2)).toEqual([10, 20]);
    expect(one.space && [kindOf(one.space, 0), one.space.looks[0] & 31, one.space.looks[2] >> 4]).toEqual([5, 7, 4]);
  });
});

describe("the view in space", () => {
  const orbit: Orbit = { target: [600, 500, 200], distance: 900, turn: -Math.PI / 2, tilt: 0.3 };
  const gaze = gazeOf(orbit, VIEW);

  it("shows its target in the centre, x to the right and z up", () => {
    expect(project(gaze, orbit.target)).toMatchObject({
      x: expect.closeTo(500, 6) as number,
      y: expect.closeTo(350, 6) as number,
    });
    expect(project(gaze, orbit.target).far).toBeCloseTo(900, 6);
    expect(project(gaze, [700, 500, 200]).x).toBeGreaterThan(500);
    expect(project(gaze, [600, 500, 260]).y).toBeLessThan(350);
    for (const [a, b] of [
      [gaze.right, gaze.up],
      [gaze.up, gaze.ahead],
      [gaze.ahead, gaze.right],
    ])
      expect(dot(a, b)).toBeCloseTo(0, 9);
  });

  it("maps positions to the window and back, at any depth", () => {
    for (const place of [
      [100, 900, 30],
      [600, 500, 200],
      [1100, 200, 380],
    ] as const) {
      const p = project(gaze, place);
      near(meets(gaze, p, place), place, 6);
      expect(dot(rayThrough(gaze, p), unit(minus(place, gaze.eye)))).toBeCloseTo(1, 9);
    }
  });

  it("shows the whole world in the area that panels leave free", () => {
    const gaps = { left: 300, top: 40, right: 0, bottom: 80 };
    const { centre, room } = freeRoom(VIEW, gaps);
    const whole = gazeOf(fittedOrbit(BOX, VIEW, gaps, 1, 0.4, 0), VIEW, gaps);
    const seen = [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
      project(whole, [(k & 1) * 1200, ((k >> 1) & 1) * 1000, (k >> 2) * 400]),
    );
    const reach = Math.max(
      ...seen.map((p) =>
        Math.max((2 * Math.abs(p.x - centre.x)) / room.width, (2 * Math.abs(p.y - centre.y)) / room.height),
      ),
    );
    expect(reach).toBeGreaterThan(0.99);
    expect(reach).toBeLessThan(1.001);
  });

  it("keeps the position under the pointer fixed while zooming, and never turns upside down", () => {
    const at = { x: 820, y: 160 };
    const under = meets(gaze, at, orbit.target);
    const closer = zoomedTo(orbit, gaze, at, 2, [1, 1e5]);
    expect(closer.distance).toBeCloseTo(450, 6);
    expect(project(gazeOf(closer, VIEW), under)).toMatchObject({
      x: expect.closeTo(at.x, 3) as number,
      y: expect.closeTo(at.y, 3) as number,
    });
    expect(turned(orbit, 0, 9).tilt).toBeLessThan(Math.PI / 2);
    expect(easedOrbit(orbit, closer, 60)).toMatchObject({ distance: expect.closeTo(450, 6) as number });
  });

  it("banks with the animal that it follows: in a left bank, the left side is down", () => {
    const leaning = gazeAlong([0, 0, 100], [1, 0, 0], gaze, 0.5); // flies east, so that north is on its left
    expect(project(leaning, [100, 30, 100]).x).toBeLessThan(gaze.centre.x);
    expect(leaning.up[1]).toBeGreaterThan(0.4);
    near(leaning.right, [0, -Math.cos(0.5), Math.sin(0.5)], 6);
  });
});

describe("the motion of a flock", () => {
  const PICTURE = 1 / 60; // [s]
  /** Two animals, their middle at a height of a torus from -5 to 495 [u]. */
  const pairAt = (z: number) =>
    decodeFrame(
      makeSpaceFrame(
        [z - 20, z + 20].map((height) => [0, 0, (((height + 505) % 500) / 500) * 65535, 0, 0, 0]),
        { wrapsZ: true },
      ),
    );
  /** They climb 60 u/s. There are six pictures to a frame. */
  const climbing = (start: number) => {
    const flock = new FlockMotion([1600, 1000, 500]);
    for (let k = 0; k < 120; k++) {
      const [from, to] = [0, 6].map((later, slot) => ({ frame: pairAt(start + k - (k % 6) + later), time: 0, slot }));
      flock.note({ from, to, alpha: (k % 6) / 6, step: k }, PICTURE);
    }
    return flock;
  };
  const still = (z: number) => ({
    from: { frame: pairAt(z), time: 0, slot: 0 },
    to: { frame: pairAt(z), time: 0, slot: 0 },
    alpha: 1,
    step: 1,
  });

  it("is its speed in real time, also across the seam", () => {
    for (const start of [100, 383]) near(climbing(start).velocity, [0, 0, 60], 0);
  });

  it("knows nothing of a jump, nor of the flock before", () => {
    const flock = climbing(100);
    flock.note(still(420), PICTURE);
    near(flock.velocity, [0, 0, 60], 0);
    flock.forget();
    flock.note(still(430), PICTURE);
    near(flock.velocity, [0, 0, 0]);
  });
});

it("a press on a small map moves to that position and keeps the third coordinate", () => {
  const maps = mapsOf(VIEW, { left: 0, top: 0, right: 0, bottom: 0 }, BOX);
  const [side_, above] = maps;
  near(throughMaps(maps, { x: above.x, y: above.y }, BOX, [1, 2, 3]) ?? [0, 0, 0], [0, 1000, 3], 6);
  near(throughMaps(maps, { x: side_.x + side_.width, y: side_.y }, BOX, [1, 2, 3]) ?? [0, 0, 0], [1200, 2, 400], 6);
  expect(throughMaps(maps, { x: 5, y: 5 }, BOX, [1, 2, 3])).toBeNull();
});

it("the scenario determines what its world looks like", () => {
  const world = { width: 1200, height: 900, depth: 500, boundary: "wrap" };
  expect(boxOf({ world: { ...world, depth: null } })).toBeNull();
  expect(boxOf({ world })?.sides).toEqual([1200, 900, 500]);
  expect(settingOf({ world })).toBe("nowhere");
  expect(settingOf({ world: { ...world, boundary_z: "soft" } })).toBe("air");
  expect(settingOf({ world: { ...world, boundary_z: "soft" }, display: { shape: "fish" } })).toBe("water");
  expect([1200, 120, 3].map((width) => gridStep({ low: [0, 0, 0], sides: [width, 1, 1] }))).toEqual([200, 20, 0.5]);
});

it("descriptions in space use north, up and right correctly", () => {
  expect(compass([0, 1])).toBe("south");
  expect(compass([0, 1, 0])).toBe("north");
  expect(compass([1, 0, 0.5])).toBe("east upwards");
  expect(compass([1, 0, -2])).toBe("east steeply downwards");
  expect(side([1, 0, 0], [0, -1, 0])).toBe("right");
  expect(side([1, 0], [0, 1])).toBe("right");
  expect(side([1, 0, 0], [0.1, 0, 2])).toBe("up");
});
