/** Two small maps of a 3-D world, from above and from the south, and a compass with the axes x, y and z. */

import type { Gaps, Size } from "../camera";
import type { Frame, Point } from "../../net/protocol";
import type { Space } from "../../net/space_frames";
import type { Box, Gaze } from "./camera";
import { dot, type Vec } from "./vectors";
import { say } from "../../text/language";

const WIDTH = 132; // px
const HIGHEST = 132;
const MOST = 0.26; // of the window's width
const GAP = 8;
const DOTS = 1500;
const KEPT_MS = 200;
const FINE = 2; // px of a map's layer per CSS px
const COMPASS = 26; // px: the length of an axis

export interface SideMap {
  name: "from above" | "from the south";
  axes: [number, number]; // the horizontal and the vertical axis
  x: number;
  y: number;
  width: number;
  height: number;
  scale: number; // px per u
}

/** The positions of the maps: bottom right, the view from above over the one from the south. */
export function mapsOf(view: Size, gaps: Gaps, { sides }: Box): SideMap[] {
  const scale = Math.min(Math.min(WIDTH, MOST * view.width) / sides[0], HIGHEST / Math.max(sides[1], sides[2]));
  const right = view.width - gaps.right - 16;
  let below = view.height - gaps.bottom - 16;
  const place = (name: SideMap["name"], axes: [number, number]): SideMap => {
    const [width, height] = [sides[axes[0]] * scale, sides[axes[1]] * scale];
    below -= height;
    const map = { name, axes, x: right - width, y: below, width, height, scale };
    below -= GAP;
    return map;
  };
  return [place("from the south", [0, 2]), place("from above", [0, 1])];
}

/** The position of a point of a map, with the third coordinate unchanged; null outside all maps. */
export function throughMaps(maps: SideMap[], p: Point, { low }: Box, now: Vec): Vec | null {
  for (const { x, y, width, height, scale, axes } of maps) {
    const [dx, dy] = [p.x - x, y + height - p.y];
    if (dx < 0 || dy < 0 || dx > width || dy > height) continue;
    const place: [number, number, number] = [...now];
    place[axes[0]] = low[axes[0]] + dx / scale;
    place[axes[1]] = low[axes[1]] + dy / scale;
    return place;
  }
  return null;
}

export interface MapScene {
  context: CanvasRenderingContext2D;
  gaze: Gaze;
  box: Box;
  light: boolean;
  target: Vec; // the target of the view
}

/** The dots of a map, cached for a while: drawing thousands in every picture would cost more than the flock. */
interface Layer {
  canvas: HTMLCanvasElement;
  key: string;
  time: number; // [ms]
}

export class Maps {
  private readonly layers = new Map<string, Layer>();

  draw(scene: MapScene, maps: SideMap[], frame: Frame, space: Space): void {
    for (const map of maps) drawOne(scene, map, this.dots(scene, map, frame, space));
  }

  private dots({ box, light }: MapScene, map: SideMap, frame: Frame, space: Space): HTMLCanvasElement {
    const now = performance.now();
    const key = `${map.width} ${map.height} ${String(light)} ${frame.epoch}`;
    const layer = this.layers.get(map.name) ?? { canvas: document.createElement("canvas"), key: "", time: 0 };
    this.layers.set(map.name, layer);
    if (layer.key === key && now - layer.time < KEPT_MS) return layer.canvas;
    Object.assign(layer, { key, time: now });
    paintDots(layer.canvas, box, light, map, frame, space);
    return layer.canvas;
  }
}

function paintDots(
  canvas: HTMLCanvasElement,
  box: Box,
  light: boolean,
  { width, height, scale, axes: [across, up] }: SideMap,
  frame: Frame,
  space: Space,
): void {
  Object.assign(canvas, { width: Math.ceil(FINE * width), height: Math.ceil(FINE * height) });
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(FINE, FINE);
  context.fillStyle = light ? "rgb(40 60 100 / 0.75)" : "rgb(190 212 255 / 0.8)";
  const low = [frame.left, frame.top, space.floor];
  const sides = [frame.width, frame.height, space.depth];
  const every = Math.max(1, Math.floor(frame.count / DOTS));
  const share = (k: number, axis: number) =>
    axis === 2 ? frame.words[2 * k + 1] & 0xffff : axis === 1 ? frame.words[2 * k] >>> 16 : frame.words[2 * k] & 0xffff;
  for (let k = 0; k < frame.count; k += every) {
    const x = low[across] - box.low[across] + (share(k, across) / 65535) * sides[across];
    const y = low[up] - box.low[up] + (share(k, up) / 65535) * sides[up];
    context.fillRect(x * scale, height - y * scale, 1, 1);
  }
}

function drawOne({ context, gaze, box, light, target }: MapScene, map: SideMap, dots: HTMLCanvasElement): void {
  const {
    x: x0,
    y: y0,
    width,
    height,
    scale,
    axes: [across, up],
  } = map;
  const at = (place: Vec): Point => ({
    x: x0 + (place[across] - box.low[across]) * scale,
    y: y0 + height - (place[up] - box.low[up]) * scale,
  });
  context.save();
  context.beginPath();
  context.rect(x0, y0, width, height);
  context.fillStyle = light ? "rgb(255 255 255 / 0.72)" : "rgb(8 11 22 / 0.66)";
  context.fill();
  context.clip();
  context.drawImage(dots, x0, y0, dots.width / FINE, dots.height / FINE);
  drawEye(context, at(gaze.eye), at(target), light);
  context.restore();
  context.strokeStyle = light ? "rgb(40 60 100 / 0.35)" : "rgb(160 185 240 / 0.3)";
  context.lineWidth = 1;
  context.strokeRect(x0 + 0.5, y0 + 0.5, width - 1, height - 1);
  context.font = "10px system-ui, sans-serif";
  context.textAlign = "left";
  context.fillStyle = light ? "rgb(24 32 46 / 0.85)" : "rgb(232 237 248 / 0.8)";
  context.fillText(say(map.name), x0 + 5, y0 + 12);
}

/** The line from the eye to its target. */
function drawEye(context: CanvasRenderingContext2D, eye: Point, target: Point, light: boolean): void {
  context.strokeStyle = context.fillStyle = light ? "#c2410c" : "#ffb35c";
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(eye.x, eye.y);
  context.lineTo(target.x, target.y);
  context.stroke();
  context.beginPath();
  context.arc(target.x, target.y, 2.5, 0, 2 * Math.PI);
  context.fill();
}

const AXES: { name: string; way: Vec; onDark: string; onLight: string }[] = [
  { name: "x", way: [1, 0, 0], onDark: "#ff9d8a", onLight: "#a8321b" },
  { name: "y", way: [0, 1, 0], onDark: "#9fe3b4", onLight: "#1b6e48" },
  { name: "z", way: [0, 0, 1], onDark: "#9cc7ff", onLight: "#1c54aa" },
];

/** The axes in perspective; those that point away are drawn first. */
export function drawCompass({ context, gaze, light }: MapScene, at: Point): void {
  const shown = AXES.map((axis) => ({
    ...axis,
    x: dot(axis.way, gaze.right),
    y: -dot(axis.way, gaze.up),
    far: dot(axis.way, gaze.ahead),
  }));
  context.font = "600 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.lineCap = "round";
  for (const { name, x, y, far, onDark, onLight } of shown.sort((a, b) => b.far - a.far)) {
    context.strokeStyle = context.fillStyle = light ? onLight : onDark;
    context.globalAlpha = far > 0.4 ? 0.6 : 1;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(at.x, at.y);
    context.lineTo(at.x + COMPASS * x, at.y + COMPASS * y);
    context.stroke();
    const grown = COMPASS + 9;
    context.fillText(name, at.x + grown * x, at.y + grown * y + 4);
  }
  context.globalAlpha = 1;
}
