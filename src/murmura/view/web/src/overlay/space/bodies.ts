/** Animals close up in space: parts, bars and symbols as in the plane, at the position and scale of each body. */

import type { Body, Frame } from "../../net/protocol";
import { aheadAt, placeAt, placeOf } from "../../net/space_frames";
import type { Moment } from "../../net/timeline";
import type { Size } from "../../render/camera";
import { project, type Gaze } from "../../render/space/camera";
import { dot } from "../../render/space/vectors";
import { drawBody, MOST_BODIES, type BodyLook, type Shown } from "../bodies";
import { MOST_CROWD } from "../all_agents";
import type { SpaceLines } from "./lines";

const LEAST_PX = 7; // half the length of a body; the parts of a smaller one would not be visible
const SHORTEST = 0.35; // for a body that flies straight at the camera, so that its parts stay apart

export type CloseBox = [left: number, top: number, right: number, bottom: number, low: number, high: number];

/** The box around the animals seen close up, rounded to a grid so that it changes rarely; null: none, or too many. */
export function closeBoxOf(frame: Frame, gaze: Gaze, view: Size, half: number): CloseBox | null {
  const { space } = frame;
  if (!space || frame.stride !== 1 || frame.count > MOST_CROWD) return null;
  const ends = [
    [Infinity, -Infinity],
    [Infinity, -Infinity],
    [Infinity, -Infinity],
  ];
  let near = 0;
  for (let k = 0; k < frame.count && near <= MOST_BODIES; k++) {
    const { x, y, z } = placeOf(frame, space, k);
    const p = project(gaze, [x, y, z]);
    if (
      p.far < 0.55 * gaze.clear ||
      half * p.scale < LEAST_PX ||
      p.x < 0 ||
      p.y < 0 ||
      p.x > view.width ||
      p.y > view.height
    )
      continue;
    near++;
    [x, y, z].forEach((value, axis) => {
      ends[axis] = [Math.min(ends[axis][0], value), Math.max(ends[axis][1], value)];
    });
  }
  if (near === 0 || near > MOST_BODIES) return null;
  const step = 8 * half;
  const [[left, right], [top, bottom], [low, high]] = ends.map(([least, most]) => [
    step * Math.floor(least / step),
    step * Math.ceil(most / step),
  ]);
  return [left, top, right, bottom, low, high];
}

export function drawSpaceBodies(lines: SpaceLines, moment: Moment, bodies: Body[], half: number, look: BodyLook): void {
  const { frame } = moment.to;
  if (frame.stride !== 1) return;
  const { context, light, gaze } = lines;
  const shown: { body: Body; far: number; at: Shown }[] = [];
  for (const body of bodies) {
    const place = body.row < frame.count ? placeAt(moment, body.row) : null;
    if (!place) continue;
    const p = project(gaze, [place.x, place.y, place.z]);
    const size = half * p.scale * Math.sqrt(body.gene_size ?? 1);
    if (p.far < 0.55 * gaze.clear || size < LEAST_PX || lines.isHidden([place.x, place.y, place.z])) continue;
    const ahead = aheadAt(moment, body.row);
    const [across, down] = [dot(ahead, gaze.right), -dot(ahead, gaze.up)];
    shown.push({
      body,
      far: p.far,
      at: { p, heading: Math.atan2(down, across), size, length: Math.max(SHORTEST, Math.hypot(across, down)) },
    });
  }
  context.save();
  for (const { body, at } of shown.sort((a, b) => b.far - a.far)) drawBody({ context, light }, at, body, look);
  context.restore();
}
