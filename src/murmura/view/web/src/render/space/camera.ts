/**
 * The camera of a 3-D world.
 *
 * x points east, y north and z up. An orbit is a target, the distance of the eye from it, and two angles;
 * a gaze is the camera that renders: an eye, three directions, and the point where its axis meets the
 * window, which panels may partly cover.
 */

import { NO_GAPS, type Gaps, type Size } from "../camera";
import type { Point } from "../../net/protocol";
import { add, cross, dot, minus, mix, times, unit, type Vec } from "./vectors";

export const VIEW_ANGLE = (42 * Math.PI) / 180; // of the shorter side of the free window
const STEEPEST = (89 * Math.PI) / 180;
const CLEAR = 0.32; // of the distance from the eye to its target
const LEAST_FREE = 0.25; // of a side: if panels leave less, they cover the world

export interface Orbit {
  target: Vec; // [u]
  distance: number; // [u] from there to the eye
  turn: number; // [rad] azimuth of the eye: 0 is east, counter-clockwise seen from above
  tilt: number; // [rad] elevation of the eye
}

export interface Gaze {
  eye: Vec;
  right: Vec;
  up: Vec;
  ahead: Vec;
  focal: number; // CSS px per u at a distance of 1 u
  centre: Point; // CSS px
  clear: number; // [u] bodies nearer than this shrink, because they would hide the target
}

export interface Projection extends Point {
  far: number; // [u] along the gaze; negative: behind the eye
  scale: number; // CSS px per u there
}

/** The centre and the sides of the area that panels leave free [CSS px]. */
export function freeRoom(view: Size, gaps: Gaps = NO_GAPS): { centre: Point; room: Size } {
  const side = (whole: number, before: number, behind: number): [number, number] =>
    whole - before - behind < LEAST_FREE * whole
      ? [whole, whole / 2]
      : [whole - before - behind, before + (whole - before - behind) / 2];
  const [width, x] = side(view.width, gaps.left, gaps.right);
  const [height, y] = side(view.height, gaps.top, gaps.bottom);
  return { centre: { x, y }, room: { width, height } };
}

export function gazeOf(orbit: Orbit, view: Size, gaps: Gaps = NO_GAPS): Gaze {
  const [a, t] = [orbit.turn, orbit.tilt];
  const back: Vec = [Math.cos(t) * Math.cos(a), Math.cos(t) * Math.sin(a), Math.sin(t)];
  const { centre, room } = freeRoom(view, gaps);
  return {
    eye: add(orbit.target, times(back, orbit.distance)),
    right: [-Math.sin(a), Math.cos(a), 0],
    up: [-Math.sin(t) * Math.cos(a), -Math.sin(t) * Math.sin(a), Math.cos(t)],
    ahead: times(back, -1),
    focal: Math.min(room.width, room.height) / 2 / Math.tan(VIEW_ANGLE / 2),
    centre,
    clear: CLEAR * orbit.distance,
  };
}

/** A gaze from an eye in a direction, with a roll to the left [rad]. */
export function gazeAlong(eye: Vec, ahead: Vec, like: Gaze, lean = 0): Gaze {
  const level = unit(cross(ahead, Math.abs(ahead[2]) > 0.999 ? like.up : [0, 0, 1]));
  const upright = cross(level, ahead);
  const [c, s] = [Math.cos(lean), Math.sin(lean)];
  return {
    ...like,
    eye,
    ahead,
    right: add(times(level, c), times(upright, s)),
    up: add(times(upright, c), times(level, -s)),
  };
}

/** Interpolate between two gazes. */
export function easedGaze(from: Gaze, to: Gaze, seconds: number, settle: number): Gaze {
  const k = 1 - Math.exp(-seconds / settle);
  const ahead = unit(mix(from.ahead, to.ahead, k));
  const right = unit(cross(ahead, mix(from.up, to.up, k)));
  return { ...to, eye: mix(from.eye, to.eye, k), ahead, right, up: cross(right, ahead) };
}

export function project(gaze: Gaze, [x, y, z]: Vec): Projection {
  const d: Vec = [x - gaze.eye[0], y - gaze.eye[1], z - gaze.eye[2]];
  const far = dot(d, gaze.ahead);
  const scale = gaze.focal / Math.max(far, 1e-3);
  return { x: gaze.centre.x + dot(d, gaze.right) * scale, y: gaze.centre.y - dot(d, gaze.up) * scale, far, scale };
}

/** The direction of the ray through a point of the window. */
export function rayThrough(gaze: Gaze, p: Point): Vec {
  const [across, above] = [(p.x - gaze.centre.x) / gaze.focal, (gaze.centre.y - p.y) / gaze.focal];
  return unit(add(gaze.ahead, add(times(gaze.right, across), times(gaze.up, above))));
}

/** Where the ray through a point of the window meets the plane through a position that faces the eye. */
export function meets(gaze: Gaze, p: Point, place: Vec): Vec {
  const ray = rayThrough(gaze, p);
  const far = Math.max(1e-3, dot(minus(place, gaze.eye), gaze.ahead));
  return add(gaze.eye, times(ray, far / Math.max(1e-6, dot(ray, gaze.ahead))));
}

export interface Box {
  low: Vec;
  sides: Vec;
}

export function cornersOf({ low, sides }: Box): Vec[] {
  return Array.from({ length: 8 }, (_, k): Vec => [
    low[0] + (k & 1) * sides[0],
    low[1] + ((k >> 1) & 1) * sides[1],
    low[2] + (k >> 2) * sides[2],
  ]);
}

export function middle({ low, sides }: Box): Vec {
  return add(low, times(sides, 0.5));
}

/** The nearest orbit that shows the whole world in the free area; with `air` below 0 its corners may stick out. */
export function fittedOrbit(box: Box, view: Size, gaps: Gaps, turn: number, tilt: number, air: number): Orbit {
  const { centre, room } = freeRoom(view, gaps);
  const corners = cornersOf(box);
  const fits = (distance: number): boolean => {
    const gaze = gazeOf({ target: middle(box), distance, turn, tilt }, view, gaps);
    return corners.every((corner) => {
      const p = project(gaze, corner);
      return (
        p.far > 0 &&
        Math.abs(p.x - centre.x) * (1 + air) <= room.width / 2 &&
        Math.abs(p.y - centre.y) * (1 + air) <= room.height / 2
      );
    });
  };
  let [near, far] = [1e-3, 20 * Math.max(...box.sides)];
  for (let k = 0; k < 40; k++) {
    const half = (near + far) / 2;
    if (fits(half)) far = half;
    else near = half;
  }
  return { target: middle(box), distance: far, turn, tilt };
}

export function turned(orbit: Orbit, by: number, up: number): Orbit {
  return { ...orbit, turn: orbit.turn + by, tilt: Math.min(STEEPEST, Math.max(-STEEPEST, orbit.tilt + up)) };
}

/** Moved parallel to the window by some CSS px at the depth of the target. */
export function slid(orbit: Orbit, gaze: Gaze, dx: number, dy: number): Orbit {
  const scale = orbit.distance / gaze.focal;
  return { ...orbit, target: add(orbit.target, add(times(gaze.right, -dx * scale), times(gaze.up, dy * scale))) };
}

/** Zoomed by a factor towards a point of the window. */
export function zoomedTo(orbit: Orbit, gaze: Gaze, at: Point, factor: number, limits: [number, number]): Orbit {
  const distance = Math.min(limits[1], Math.max(limits[0], orbit.distance / factor));
  const under = meets(gaze, at, orbit.target);
  return { ...orbit, distance, target: mix(orbit.target, under, 1 - distance / orbit.distance) };
}

/** Interpolate between two orbits, the shorter way round; distance changes by ratio, so that it looks even. */
export function easedOrbit(from: Orbit, to: Orbit, seconds: number, settle = 0.14): Orbit {
  const k = 1 - Math.exp(-seconds / settle);
  return {
    target: mix(from.target, to.target, k),
    distance: from.distance * (to.distance / from.distance) ** k,
    turn: from.turn + (to.turn - from.turn) * k,
    tilt: from.tilt + (to.tilt - from.tilt) * k,
  };
}

/** The visible difference of two orbits: 0 if they are the same. */
export function apart(a: Orbit, b: Orbit): number {
  return (
    Math.hypot(...minus(a.target, b.target)) / b.distance +
    Math.abs(Math.log(a.distance / b.distance)) +
    Math.abs(a.turn - b.turn) +
    Math.abs(a.tilt - b.tilt)
  );
}
