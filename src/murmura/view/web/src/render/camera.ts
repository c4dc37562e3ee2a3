/** The camera of a plane: pure functions between world [u] and screen [CSS px]. y grows downwards in both. */

import type { Point } from "../net/protocol";

export interface Camera {
  x: number;
  y: number;
  zoom: number; // CSS px per u
}

export interface Size {
  width: number;
  height: number;
}

export function toScreen(camera: Camera, view: Size, p: Point): Point {
  return {
    x: (p.x - camera.x) * camera.zoom + view.width / 2,
    y: (p.y - camera.y) * camera.zoom + view.height / 2,
  };
}

export function toWorld(camera: Camera, view: Size, p: Point): Point {
  return {
    x: (p.x - view.width / 2) / camera.zoom + camera.x,
    y: (p.y - view.height / 2) / camera.zoom + camera.y,
  };
}

/** Widths covered by panels at the sides of the window [CSS px]. */
export interface Gaps {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const NO_GAPS: Gaps = { left: 0, top: 0, right: 0, bottom: 0 };
const LEAST_FREE = 0.25; // of a side: if panels leave less, they cover the world

/** The camera that fits the whole world into the free area, with a small margin. */
export function fitted(world: Size, view: Size, gaps: Gaps = NO_GAPS, air = 0.02): Camera {
  const [width, across] = freeOf(view.width, gaps.left, gaps.right);
  const [height, above] = freeOf(view.height, gaps.top, gaps.bottom);
  const zoom = Math.max(1e-6, Math.min(width / world.width, height / world.height) * (1 - air));
  return { x: world.width / 2 - across / zoom, y: world.height / 2 - above / zoom, zoom };
}

/** The free length of a side, and the offset of its centre from that of the window. */
function freeOf(side: number, before: number, behind: number): [number, number] {
  const free = side - before - behind;
  return free < LEAST_FREE * side ? [side, 0] : [free, (before - behind) / 2];
}

/** Zoom by a factor around the point `at`. `limits` are px per u. */
export function zoomedAt(camera: Camera, view: Size, at: Point, factor: number, limits: [number, number]): Camera {
  const zoom = Math.min(limits[1], Math.max(limits[0], camera.zoom * factor));
  const fixed = toWorld(camera, view, at);
  return {
    x: fixed.x - (at.x - view.width / 2) / zoom,
    y: fixed.y - (at.y - view.height / 2) / zoom,
    zoom,
  };
}

export function panned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom };
}

/** Interpolate between two cameras; zoom changes by ratio, so that it looks even. */
export function eased(from: Camera, to: Camera, seconds: number, settle = 0.12): Camera {
  const k = 1 - Math.exp(-seconds / settle);
  return {
    x: from.x + (to.x - from.x) * k,
    y: from.y + (to.y - from.y) * k,
    zoom: from.zoom * (to.zoom / from.zoom) ** k,
  };
}

/** The visible part of the world, as [left, top, right, bottom]. */
export function visible(camera: Camera, view: Size): [number, number, number, number] {
  const a = toWorld(camera, view, { x: 0, y: 0 });
  const b = toWorld(camera, view, { x: view.width, y: view.height });
  return [a.x, a.y, b.x, b.y];
}
