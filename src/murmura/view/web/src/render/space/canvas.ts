/** Paints a flock in space without WebGL2: sky, ground, the frame of the world, and bodies of two strokes each. */

import type { Moment } from "../../net/timeline";
import { aheadOf, placeAt, rollOf } from "../../net/space_frames";
import { colorTable } from "../palettes";
import type { Scene } from "../picture";
import { cornersOf, project, type Gaze } from "./camera";
import { bodyHalf, gridStep, leastHalf, type SpaceScene } from "./scene";
import { add, cross, times, unit, type Vec } from "./vectors";

const MOST_DRAWN = 8000;
const EDGES = [
  [0, 1],
  [2, 3],
  [0, 2],
  [1, 3],
  [0, 4],
  [1, 5],
  [2, 6],
  [3, 7],
  [4, 5],
  [6, 7],
  [4, 6],
  [5, 7],
] as const;
type Space = Scene & { space: SpaceScene };

export function paintSpace(context: CanvasRenderingContext2D, moment: Moment | null, scene: Space): void {
  drawBackdrop(context, scene);
  drawFrame(context, scene);
  if (moment?.to.frame.space) drawBodies(context, moment, scene);
}

const COLORS = {
  air: { dark: ["#10142b", "#5a3340", "#241e26"], light: ["#c6d8ea", "#f6e2cf", "#d6cfbb"] },
  water: { dark: ["#0f4a56", "#04202c", "#072a33"], light: ["#eaf8fa", "#a9cdd6", "#bcd3cd"] },
  nowhere: { dark: ["#10152a", "#08080f", "#08080f"], light: ["#eef2f8", "#e6e4e2", "#e6e4e2"] },
};

/** The sky above the horizon, and the ground or water below. */
function drawBackdrop(context: CanvasRenderingContext2D, { view, space: { gaze, setting }, light }: Space): void {
  const [high, low, ground] = COLORS[setting][light ? "light" : "dark"];
  const level = unit([gaze.ahead[0], gaze.ahead[1], 0]);
  const horizon = project(gaze, add(gaze.eye, times(level, 1e6))).y;
  const sky = context.createLinearGradient(0, Math.min(0, horizon - view.height), 0, horizon);
  sky.addColorStop(0, high);
  sky.addColorStop(1, low);
  context.fillStyle = sky;
  context.fillRect(0, 0, view.width, view.height);
  if (setting === "nowhere") return;
  const land = context.createLinearGradient(0, horizon, 0, horizon + view.height);
  land.addColorStop(0, low);
  land.addColorStop(0.35, ground);
  context.fillStyle = land;
  context.fillRect(0, horizon, view.width, view.height);
}

function drawFrame(context: CanvasRenderingContext2D, { space: { gaze, box }, light, open }: Space): void {
  if (open) return;
  context.strokeStyle = light ? "rgb(40 50 72 / 0.3)" : "rgb(190 205 240 / 0.25)";
  context.lineWidth = 1;
  context.beginPath();
  const corners = cornersOf(box);
  for (const [a, b] of EDGES) stroke(context, gaze, corners[a], corners[b]);
  context.stroke();
  context.globalAlpha = 0.45;
  context.beginPath();
  const step = gridStep(box);
  const [x0, y0, z] = box.low;
  const [x1, y1] = [x0 + box.sides[0], y0 + box.sides[1]];
  for (let x = x0 + step; x < x1; x += step) stroke(context, gaze, [x, y0, z], [x, y1, z]);
  for (let y = y0 + step; y < y1; y += step) stroke(context, gaze, [x0, y, z], [x1, y, z]);
  context.stroke();
  context.globalAlpha = 1;
}

function stroke(context: CanvasRenderingContext2D, gaze: Gaze, a: Vec, b: Vec): void {
  const [p, q] = [project(gaze, a), project(gaze, b)];
  if (p.far <= 0 || q.far <= 0) return;
  context.moveTo(p.x, p.y);
  context.lineTo(q.x, q.y);
}

/** From far to near: a stroke from nose to tail, and one across the wings or fins. */
function drawBodies(context: CanvasRenderingContext2D, moment: Moment, scene: Space): void {
  const { frame } = moment.to;
  const { gaze, box, shape } = scene.space;
  const { space } = frame;
  if (!space) return;
  const table = colorTable(scene.mode, scene.palette, scene.speciesColors, scene.light, scene.own);
  const every = Math.max(1, Math.ceil(frame.count / MOST_DRAWN));
  const [half, least] = [bodyHalf(box, shape, scene.size, frame.count), leastHalf(scene, frame.count)];
  const shown: { k: number; at: Vec; far: number; size: number }[] = [];
  for (let k = 0; k < frame.count; k += every) {
    const place = placeAt(moment, k);
    if (!place) return;
    const p = project(gaze, [place.x, place.y, place.z]);
    if (p.far > 0)
      shown.push({ k, at: [place.x, place.y, place.z], far: p.far, size: Math.max(half, least / p.scale) });
  }
  for (const { k, at, size } of shown.sort((a, b) => b.far - a.far)) {
    const ahead = aheadOf(frame.words[2 * k + 1]);
    const level = unit(cross([0, 0, 1], ahead));
    const roll = rollOf(space, k);
    const left =
      shape === "fish"
        ? cross(ahead, level)
        : add(times(level, Math.cos(roll)), times(cross(ahead, level), -Math.sin(roll)));
    const shade = 4 * shadeOf(scene, space.looks, k, ahead);
    context.strokeStyle = `rgb(${table[shade]} ${table[shade + 1]} ${table[shade + 2]})`;
    context.lineWidth = 1.3;
    context.beginPath();
    stroke(context, gaze, add(at, times(ahead, size)), add(at, times(ahead, -size)));
    stroke(context, gaze, add(at, times(left, 1.4 * size)), add(at, times(left, -1.4 * size)));
    context.stroke();
  }
}

function shadeOf(scene: Scene, looks: Uint8Array, k: number, ahead: Vec): number {
  const packed = looks[3 * k] | (looks[3 * k + 1] << 8);
  if (scene.mode === "heading") return Math.floor((Math.atan2(ahead[1], ahead[0]) / (2 * Math.PI) + 1) * 256) & 255;
  if (scene.mode === "species") return packed >> 10;
  return scene.mode === "speed" ? Math.round(((packed & 31) / 31) * 255) : looks[3 * k + 2];
}
