/** A wrapping world has no edges: the window shows copies of it side by side. Pure functions. */

import { visible, type Camera, type Size } from "./camera";
import type { Point } from "../net/protocol";

const MOST_CROP = 1.6; // how many times larger than the whole world's picture a filling one may be
const LEAST = 1e-6;

/** The camera that fills the whole window, also behind panels: they come and go over a picture that stays. */
export function filling(world: Size, view: Size): Camera {
  const [across, along] = [view.width / world.width, view.height / world.height];
  const zoom = Math.max(LEAST, Math.min(Math.max(across, along), MOST_CROP * Math.min(across, along)));
  return { x: world.width / 2, y: world.height / 2, zoom };
}

/** The copy of a coordinate that is nearest to another one. */
export function nearest(value: number, to: number, side: number): number {
  return value - side * Math.round((value - to) / side);
}

/** The copy of a position that is nearest to another one; without a wrapping world, the position itself. */
export function nearestCopy<P extends Point>(p: P, to: Point, world: Size | null): P {
  return world ? { ...p, x: nearest(p.x, to.x, world.width), y: nearest(p.y, to.y, world.height) } : p;
}

/** A position of any copy, in the world itself. */
export function inWorld<P extends Point>(p: P, world: Size): P {
  const { width, height } = world;
  return { ...p, x: p.x - width * Math.floor(p.x / width), y: p.y - height * Math.floor(p.y / height) };
}

/** How many copies of everything are in view on each side of the one nearest to the centre of the window. */
export function copiesBeside({ zoom }: Camera, view: Size, world: Size): [number, number] {
  const beside = (window: number, side: number) => Math.max(0, Math.ceil(window / (2 * zoom * side) - 0.5 - 0.01));
  return [beside(view.width, world.width), beside(view.height, world.height)];
}

/** Cameras that draw the copies of the world in view, or of a part of it: left, top, right, bottom [u]. */
export function camerasOf(camera: Camera, view: Size, world: Size, part?: readonly number[]): Camera[] {
  const [left, top, right, bottom] = visible(camera, view);
  const [from_x, from_y, to_x, to_y] = part ?? [0, 0, world.width, world.height];
  const found: Camera[] = [];
  const slack = part ? 0 : 1 / camera.zoom; // less than a pixel of the next copy is not worth drawing
  for (let row = first(top - to_y + slack, world.height); from_y + row * world.height < bottom - slack; row++)
    for (let column = first(left - to_x + slack, world.width); from_x + column * world.width < right - slack; column++)
      found.push({ ...camera, x: camera.x - column * world.width, y: camera.y - row * world.height });
  return found;
}

function first(gap: number, side: number): number {
  return Math.ceil(gap / side);
}
