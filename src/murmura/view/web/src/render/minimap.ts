/** A small map of the world, shown when the window shows only a part of it. */

import { visible, type Camera, type Gaps, type Size } from "./camera";
import type { Lines } from "../overlay/lines";
import type { Frame, Point } from "../net/protocol";

const WIDTH = 168; // px
const HIGHEST = 170;
const MOST = 0.3; // of the window's width, for small screens
const DOTS = 2500;

export interface MapPlace {
  x: number;
  y: number;
  width: number;
  height: number;
  scale: number; // px per u
}

export function needsMap(camera: Camera, view: Size, world: Size): boolean {
  const [left, top, right, bottom] = visible(camera, view);
  return right - left < 0.8 * world.width || bottom - top < 0.8 * world.height;
}

/** The position of the map: bottom right, clear of the dock and the panel. */
export function mapPlace(view: Size, world: Size, gaps: Gaps): MapPlace {
  const scale = Math.min(Math.min(WIDTH, MOST * view.width) / world.width, HIGHEST / world.height);
  const [width, height] = [world.width * scale, world.height * scale];
  return { x: view.width - gaps.right - width - 16, y: view.height - gaps.bottom - height - 16, width, height, scale };
}

/** The world position of a point of the map, or null outside it. */
export function throughMap(place: MapPlace, p: Point): Point | null {
  const [x, y] = [p.x - place.x, p.y - place.y];
  return x >= 0 && y >= 0 && x <= place.width && y <= place.height ? { x: x / place.scale, y: y / place.scale } : null;
}

export function drawMap({ context, camera, view, light }: Lines, place: MapPlace, frame: Frame): void {
  const { x: x0, y: y0, width, height, scale } = place;
  context.save();
  context.beginPath();
  context.rect(x0, y0, width, height);
  context.clip();
  context.fillStyle = light ? "rgb(255 255 255 / 0.82)" : "rgb(10 14 28 / 0.82)";
  context.fillRect(x0, y0, width, height);
  context.fillStyle = light ? "rgb(40 60 100 / 0.7)" : "rgb(170 200 255 / 0.75)";
  const every = Math.max(1, Math.floor(frame.count / DOTS));
  for (let k = 0; k < frame.count; k += every) {
    const word = frame.words[2 * k];
    const x = (frame.left + ((word & 0xffff) / 65535) * frame.width) * scale;
    const y = (frame.top + ((word >>> 16) / 65535) * frame.height) * scale;
    context.fillRect(x0 + x, y0 + y, 1, 1);
  }
  const [left, top, right, bottom] = visible(camera, view);
  context.strokeStyle = light ? "#c2410c" : "#ffb35c";
  context.lineWidth = 1.5;
  context.strokeRect(x0 + left * scale, y0 + top * scale, (right - left) * scale, (bottom - top) * scale);
  context.strokeStyle = light ? "rgb(40 60 100 / 0.3)" : "rgb(160 185 240 / 0.3)";
  context.lineWidth = 1;
  context.strokeRect(x0 + 0.5, y0 + 0.5, width - 1, height - 1);
  context.restore();
}
