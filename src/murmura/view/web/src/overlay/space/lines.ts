/** Lines, rings and solids of a world with a depth, in perspective. */

import type { Point } from "../../net/protocol";
import { project, type Box, type Gaze, type Projection } from "../../render/space/camera";
import type { Size } from "../../render/camera";
import { across, add, times, type Vec } from "../../render/space/vectors";

const NEAREST = 0.02; // of the distance from the eye to the centre of the world: nearer parts of lines are clipped
const ROUND = 48; // corners of a ring

export interface SpaceLines {
  context: CanvasRenderingContext2D;
  gaze: Gaze;
  view: Size; // CSS px
  box: Box;
  light: boolean;
}

/** A position in space; halfway up if it has no height. */
export function vecOf({ x, y, z }: Point, box: Box): Vec {
  return [x, y, z ?? box.low[2] + box.sides[2] / 2];
}

export function seenAt(lines: SpaceLines, at: Vec): Projection {
  return project(lines.gaze, at);
}

/** A straight line; the part behind the eye is clipped. */
export function traceLine({ context, gaze, box }: SpaceLines, a: Vec, b: Vec): void {
  const least = NEAREST * Math.max(...box.sides) * 0.1;
  let [p, q] = [project(gaze, a), project(gaze, b)];
  if (p.far < least && q.far < least) return;
  const cut = (near: Vec, far: Vec, d0: number, d1: number): Projection => {
    const k = (least - d0) / (d1 - d0);
    return project(gaze, [near[0] + (far[0] - near[0]) * k, near[1] + (far[1] - near[1]) * k, near[2] + (far[2] - near[2]) * k]);
  };
  if (p.far < least) p = cut(a, b, p.far, q.far);
  else if (q.far < least) q = cut(b, a, q.far, p.far);
  context.moveTo(p.x, p.y);
  context.lineTo(q.x, q.y);
}

/** A circle around a position, perpendicular to a direction. */
export function traceRing(lines: SpaceLines, at: Vec, radius: number, normal: Vec): void {
  const [u, v] = across(normal);
  let before: Vec | null = null;
  for (let k = 0; k <= ROUND; k++) {
    const angle = (2 * Math.PI * k) / ROUND;
    const point = add(at, add(times(u, radius * Math.cos(angle)), times(v, radius * Math.sin(angle))));
    if (before) traceLine(lines, before, point);
    before = point;
  }
}

/** A polygon to be filled; skipped if a corner is behind the eye. */
export function traceFace({ context, gaze }: SpaceLines, corners: readonly Vec[]): void {
  const shown = corners.map((corner) => project(gaze, corner));
  if (shown.some((p) => p.far <= 0)) return;
  shown.forEach((p, k) => { if (k === 0) context.moveTo(p.x, p.y); else context.lineTo(p.x, p.y); });
  context.closePath();
}

/** A ball, as a disc with a light side. */
export function drawBall(lines: SpaceLines, at: Vec, radius: number, rgb: string, solid = 0.16): void {
  const { context } = lines;
  const p = seenAt(lines, at);
  if (p.far <= radius) return; // the eye is inside
  const size = radius * lines.gaze.focal / Math.sqrt(p.far * p.far - radius * radius);
  const shade = context.createRadialGradient(p.x - 0.35 * size, p.y - 0.4 * size, 0, p.x, p.y, size);
  shade.addColorStop(0, `rgb(${rgb} / ${(0.35 * solid).toFixed(3)})`);
  shade.addColorStop(1, `rgb(${rgb} / ${solid})`);
  context.fillStyle = shade;
  context.beginPath();
  context.arc(p.x, p.y, size, 0, 2 * Math.PI);
  context.fill();
}

/** A dashed line from a position down to the floor, which shows what it is above. */
export function drawStalk(lines: SpaceLines, at: Vec, style: string): void {
  const { context, box } = lines;
  const foot: Vec = [at[0], at[1], box.low[2]];
  context.save();
  context.strokeStyle = style;
  context.lineWidth = 1;
  context.setLineDash([2, 4]);
  context.beginPath();
  traceLine(lines, at, foot);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  traceRing(lines, foot, 0.008 * Math.max(box.sides[0], box.sides[1]), [0, 0, 1]);
  context.stroke();
  context.restore();
}
