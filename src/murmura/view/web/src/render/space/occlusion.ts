/** Whether an obstacle lies between the eye and a place: for words and signs, which are drawn above the picture. */

import type { SceneObject } from "../../net/protocol";
import type { Box } from "./camera";
import { meshOf } from "./solids";
import { add, cross, dot, minus, times, type Vec } from "./vectors";

interface Shell {
  middle: Vec;
  reach: number; // of its farthest corner from the middle
  facets: [Vec, Vec, Vec][]; // counter-clockwise seen from outside
}

const shells = new WeakMap<readonly SceneObject[], Shell[]>();

export function isHidden(things: readonly SceneObject[], box: Box, eye: Vec, at: Vec): boolean {
  const found = shells.get(things) ?? things.map((thing) => shellOf(thing, box));
  shells.set(things, found);
  const way = minus(at, eye);
  return found.some((shell) => isNear(shell, eye, way) && shell.facets.some((facet) => meets(facet, eye, way)));
}

function shellOf(thing: SceneObject, box: Box): Shell {
  const { corners, solid } = meshOf([thing], box);
  const places = Array.from({ length: solid }, (_, k): Vec => [corners[6 * k], corners[6 * k + 1], corners[6 * k + 2]]);
  const middle = times(places.reduce(add, [0, 0, 0]), 1 / Math.max(1, solid));
  const facets = Array.from({ length: solid / 3 }, (_, k): [Vec, Vec, Vec] => [
    places[3 * k],
    places[3 * k + 1],
    places[3 * k + 2],
  ]);
  return { middle, reach: Math.max(0, ...places.map((place) => Math.hypot(...minus(place, middle)))), facets };
}

/** Whether a line of sight comes near to something: most do not, and need no look at its facets. */
function isNear({ middle, reach }: Shell, eye: Vec, way: Vec): boolean {
  const there = minus(middle, eye);
  const k = Math.min(1, Math.max(0, dot(there, way) / Math.max(1e-12, dot(way, way))));
  return Math.hypot(...minus(there, times(way, k))) <= reach;
}

/** Whether a line of sight meets the outer side of a facet on its way (Möller and Trumbore 1997). */
function meets([a, b, c]: [Vec, Vec, Vec], eye: Vec, way: Vec): boolean {
  const [one, other, from] = [minus(b, a), minus(c, a), minus(eye, a)];
  const p = cross(way, other);
  const size = dot(one, p);
  if (size <= 1e-12) return false;
  const [q, u] = [cross(from, one), dot(from, p)];
  const [v, t] = [dot(way, q), dot(other, q)];
  return u >= 0 && v >= 0 && u + v <= size && t > 0 && t < size;
}
