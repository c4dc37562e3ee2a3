/** Rings, balls and marks of a 3-D world. */

import type { Point } from "../../net/protocol";
import { parseHex } from "../../render/palettes";
import { project, type Box, type Gaze, type Projection } from "../../render/space/camera";
import type { Primitives, Rgb, Stroke } from "../../render/space/primitives/primitives";
import type { Size } from "../../render/camera";
import { across, add, times, type Vec } from "../../render/space/vectors";

const ROUND = 48; // corners of a ring

export interface SpaceLines {
  draw: Primitives;
  context: CanvasRenderingContext2D; // for labels and symbols
  gaze: Gaze;
  view: Size; // CSS px
  box: Box;
  light: boolean;
  guides: boolean; // lines from things to the ground
  /** Whether an obstacle hides a position. */
  isHidden: (at: Vec) => boolean;
}

export function rgbOf(hex: string): Rgb {
  const [r, g, b] = parseHex(hex);
  return [Math.round(255 * r), Math.round(255 * g), Math.round(255 * b)];
}

/** A position in space; halfway up if it has no height. */
export function vecOf({ x, y, z }: Point, box: Box): Vec {
  return [x, y, z ?? box.low[2] + box.sides[2] / 2];
}

export function seenAt(lines: SpaceLines, at: Vec): Projection {
  return project(lines.gaze, at);
}

/** A circle around a position, perpendicular to a direction. */
export function drawRing({ draw }: SpaceLines, at: Vec, radius: number, normal: Vec, stroke: Stroke): void {
  const [u, v] = across(normal);
  drawArc(draw, at, times(u, radius), times(v, radius), 1, stroke);
}

/** An arc from twelve o'clock, facing the camera, that shows how much of something is left. */
export function drawGauge({ draw, gaze }: SpaceLines, at: Vec, radius: number, share: number, stroke: Stroke): void {
  drawArc(draw, at, times(gaze.up, radius), times(gaze.right, radius), Math.min(1, Math.max(0, share)), stroke);
}

function drawArc(draw: Primitives, at: Vec, u: Vec, v: Vec, share: number, stroke: Stroke): void {
  const count = Math.ceil(ROUND * share);
  let before = add(at, u);
  for (let k = 1; k <= count; k++) {
    const angle = (2 * Math.PI * share * k) / count;
    const point = add(at, add(times(u, Math.cos(angle)), times(v, Math.sin(angle))));
    draw.line(before, point, stroke);
    before = point;
  }
}

/** A line parallel to the window, from a position to one that is some CSS px to the right and up. */
export function drawSegment(
  { draw, gaze }: SpaceLines,
  at: Vec,
  scale: number,
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
  stroke: Stroke,
): void {
  const end = (x: number, y: number): Vec => add(at, add(times(gaze.right, x / scale), times(gaze.up, y / scale)));
  draw.line(end(ax, ay), end(bx, by), stroke);
}

/** A ball with a light side. */
export function drawBall({ draw }: SpaceLines, at: Vec, radius: number, rgb: Rgb, solid = 0.16): void {
  draw.disc(at, radius, rgb, 0.35 * solid, solid);
}

/** A dashed line from a position down to the floor, which shows what it is above. */
export function drawStalk(lines: SpaceLines, at: Vec, rgb: Rgb, alpha: number): void {
  const { draw, box, guides } = lines;
  if (!guides) return;
  const foot: Vec = [at[0], at[1], box.low[2]];
  draw.line(at, foot, { rgb, alpha, width: 1, dash: [2, 4] });
  drawRing(lines, foot, 0.008 * Math.max(box.sides[0], box.sides[1]), [0, 0, 1], { rgb, alpha, width: 1 });
}
