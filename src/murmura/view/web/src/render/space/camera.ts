/**
 * Where the window looks into a world with a depth.
 *
 * x points east, y north and z up. An orbit is a place that is looked at, how far away the eye is, and from which side;
 * a gaze is what pictures are made with, wherever it comes from: an eye, three directions, and where its axis meets the
 * window, which panels may cover in part.
 */

import { NO_GAPS, type Gaps, type Size } from "../camera";
import type { Point } from "../../net/protocol";
import { add, cross, dot, minus, mix, times, unit, type Vec } from "./vectors";

export const VIEW_ANGLE = (42 * Math.PI) / 180; // of the shorter side of the free window
const STEEPEST = (89 * Math.PI) / 180;
const CLEAR = 0.32; // of the way from the eye to what it looks at
const LEAST_FREE = 0.25; // of a side: where panels leave less, they lie over the world

export interface Orbit {
  target: Vec; // [u]
  distance: number; // [u] from there to the eye
  turn: number; // [rad] from which side: 0 from the east, counter-clockwise as seen from above
  tilt: number; // [rad] how high above the level
}

export interface Gaze {
  eye: Vec;
  right: Vec;
  up: Vec;
  ahead: Vec;
  focal: number; // CSS px: so large is a thing of 1 u at a distance of 1 u
  centre: Point; // CSS px
  clear: number; // [u] bodies nearer than this would hide what is looked at, and dwindle
}

export interface Projection extends Point {
  far: number; // [u] along the gaze; below 0 it is behind the eye
  scale: number; // CSS px per u there
}

/** The middle of what panels leave free, and its sides [CSS px]. */
export function freeRoom(view: Size, gaps: Gaps = NO_GAPS): { centre: Point; room: Size } {
  const side = (whole: number, before: number, behind: number): [number, number] =>
    whole - before - behind < LEAST_FREE * whole ? [whole, whole / 2] : [whole - before - behind, before + (whole - before - behind) / 2];
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

/** A gaze from an eye in a direction, upright unless it leans to the left [rad]. */
export function gazeAlong(eye: Vec, ahead: Vec, like: Gaze, lean = 0): Gaze {
  const level = unit(cross(ahead, Math.abs(ahead[2]) > 0.999 ? like.up : [0, 0, 1]));
  const upright = cross(level, ahead);
  const [c, s] = [Math.cos(lean), Math.sin(lean)];
  return { ...like, eye, ahead, right: add(times(level, c), times(upright, s)), up: add(times(upright, c), times(level, -s)) };
}

/** Part of the way from one gaze to another. */
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

/** The direction into which a point of the window looks. */
export function rayThrough(gaze: Gaze, p: Point): Vec {
  const [across, above] = [(p.x - gaze.centre.x) / gaze.focal, (gaze.centre.y - p.y) / gaze.focal];
  return unit(add(gaze.ahead, add(times(gaze.right, across), times(gaze.up, above))));
}

/** Where the ray through a point of the window meets the plane through a place that faces the eye. */
export function meets(gaze: Gaze, p: Point, place: Vec): Vec {
  const ray = rayThrough(gaze, p);
  const far = Math.max(1e-3, dot(minus(place, gaze.eye), gaze.ahead));
  return add(gaze.eye, times(ray, far / Math.max(1e-6, dot(ray, gaze.ahead))));
}

export interface Box { low: Vec; sides: Vec }

export function cornersOf({ low, sides }: Box): Vec[] {
  return Array.from({ length: 8 }, (_, k): Vec => [low[0] + (k & 1) * sides[0], low[1] + ((k >> 1) & 1) * sides[1], low[2] + (k >> 2) * sides[2]]);
}

export function middle({ low, sides }: Box): Vec {
  return add(low, times(sides, 0.5));
}

/** As near as the world can be and still be whole in the free window; with `air` below 0 its corners may stick out. */
export function fittedOrbit(box: Box, view: Size, gaps: Gaps, turn: number, tilt: number, air: number): Orbit {
  const { centre, room } = freeRoom(view, gaps);
  const corners = cornersOf(box);
  const fits = (distance: number): boolean => {
    const gaze = gazeOf({ target: middle(box), distance, turn, tilt }, view, gaps);
    return corners.every((corner) => {
      const p = project(gaze, corner);
      return p.far > 0 && Math.abs(p.x - centre.x) * (1 + air) <= room.width / 2 && Math.abs(p.y - centre.y) * (1 + air) <= room.height / 2;
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

/** Moved along the window by so many CSS px of what is looked at. */
export function slid(orbit: Orbit, gaze: Gaze, dx: number, dy: number): Orbit {
  const scale = orbit.distance / gaze.focal;
  return { ...orbit, target: add(orbit.target, add(times(gaze.right, -dx * scale), times(gaze.up, dy * scale))) };
}

/** Nearer by a factor, towards what is under a point of the window. */
export function zoomedTo(orbit: Orbit, gaze: Gaze, at: Point, factor: number, limits: [number, number]): Orbit {
  const distance = Math.min(limits[1], Math.max(limits[0], orbit.distance / factor));
  const under = meets(gaze, at, orbit.target);
  return { ...orbit, distance, target: mix(orbit.target, under, 1 - distance / orbit.distance) };
}

/** Part of the way from one orbit to another, the short way round; distance moves by ratio, so that it feels even. */
export function easedOrbit(from: Orbit, to: Orbit, seconds: number, settle = 0.14): Orbit {
  const k = 1 - Math.exp(-seconds / settle);
  return {
    target: mix(from.target, to.target, k),
    distance: from.distance * (to.distance / from.distance) ** k,
    turn: from.turn + (to.turn - from.turn) * k,
    tilt: from.tilt + (to.tilt - from.tilt) * k,
  };
}

/** How far two orbits are from each other, as the eye sees it: 0 for the same one. */
export function apart(a: Orbit, b: Orbit): number {
  return Math.hypot(...minus(a.target, b.target)) / b.distance + Math.abs(Math.log(a.distance / b.distance)) + Math.abs(a.turn - b.turn) + Math.abs(a.tilt - b.tilt);
}
