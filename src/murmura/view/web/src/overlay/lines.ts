/** The drawing context of all overlays, and the strokes they share. */

import { toScreen, type Camera, type Size } from "../render/camera";
import type { Pair, Point } from "../net/protocol";

export interface Lines {
  context: CanvasRenderingContext2D;
  camera: Camera;
  view: Size; // CSS px
  light: boolean;
}

export function tracePath({ context, camera, view }: Lines, points: Pair[]): void {
  points.forEach(([x, y], k) => {
    const p = toScreen(camera, view, { x, y });
    if (k === 0) context.moveTo(p.x, p.y);
    else context.lineTo(p.x, p.y);
  });
}

export function disc(context: CanvasRenderingContext2D, p: Point, radius: number): void {
  context.beginPath();
  context.arc(p.x, p.y, radius, 0, 2 * Math.PI);
}

/** An arc from twelve o'clock that shows how much of something is left. */
export function gauge(context: CanvasRenderingContext2D, p: Point, radius: number, share: number): void {
  context.beginPath();
  context.arc(p.x, p.y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, Math.max(0, share)));
}

/** A closed shape around a place, `size` CSS px a unit. */
export function shapeAt(context: CanvasRenderingContext2D, p: Point, size: number, corners: readonly Pair[]): void {
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(p.x + size * x, p.y + size * y);
  context.closePath();
}
