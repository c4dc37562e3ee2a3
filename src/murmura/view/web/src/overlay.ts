/** Lines over the flock: obstacles, attractors, the hand, the density grid, the minimap. */

import { toScreen, visible, type Size } from "./camera";
import type { Stage } from "./overlay_agent";
import { isObject, type Frame, type Json, type JsonObject, type Pair, type PointerMode } from "./protocol";

const MINIMAP_WIDTH = 168;
const MINIMAP_DOTS = 2500;

export interface Hand {
  x: number;
  y: number;
  mode: PointerMode;
}

const numbers = (item: JsonObject, ...keys: string[]) => keys.map((key) => Number(item[key] ?? 0));
const list = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);

export function drawObstacles(stage: Stage, scenario: JsonObject): void {
  const { context, camera, view, light } = stage;
  context.fillStyle = light ? "rgb(70 80 100 / 0.30)" : "rgb(140 158 200 / 0.17)";
  context.strokeStyle = light ? "rgb(50 60 80 / 0.75)" : "rgb(190 205 240 / 0.65)";
  context.lineJoin = context.lineCap = "round";
  for (const shape of list(scenario.obstacles)) {
    context.beginPath();
    context.lineWidth = 1.5;
    if ("radius" in shape) {
      const [x, y, radius] = numbers(shape, "x", "y", "radius");
      const p = toScreen(camera, view, { x, y });
      context.arc(p.x, p.y, radius * camera.zoom, 0, 2 * Math.PI);
      context.fill();
    } else {
      tracePath(stage, (shape.points ?? []) as Pair[]);
      if (shape.kind === "wall") {
        context.lineWidth = 4;
      } else {
        context.closePath();
        context.fill();
      }
    }
    context.stroke();
  }
}

export function tracePath({ context, camera, view }: Stage, points: Pair[]): void {
  points.forEach(([x, y], k) => {
    const p = toScreen(camera, view, { x, y });
    if (k === 0) context.moveTo(p.x, p.y);
    else context.lineTo(p.x, p.y);
  });
}

/** A pull is a warm ring with inward marks, a push a cool dashed one; threats are crossed. */
export function drawAttractors(stage: Stage, scenario: JsonObject): void {
  const rules = isObject(scenario.rules) ? scenario.rules : {};
  const points = isObject(rules.attractors) ? list(rules.attractors.points) : [];
  for (const point of points) {
    const [x, y, strength, radius] = numbers(point, "x", "y", "strength", "radius");
    ring(stage, { x, y, mode: strength < 0 ? "repel" : "attract" }, radius);
  }
  for (const threat of isObject(rules.fear) ? list(rules.fear.threats) : []) {
    const [x, y, radius] = numbers(threat, "x", "y", "radius");
    ring(stage, { x, y, mode: "scare" }, radius);
  }
}

const HAND_COLORS = { attract: "255 209 128", repel: "120 180 255", scare: "255 120 100", none: "0 0 0" };
const HAND_INKS = { attract: "168 84 12", repel: "28 84 170", scare: "170 40 24", none: "0 0 0" };

export function ring({ context, camera, view, light }: Stage, hand: Hand, radius: number): void {
  const p = toScreen(camera, view, hand);
  const size = Math.max(14, radius * camera.zoom);
  const rgb = (light ? HAND_INKS : HAND_COLORS)[hand.mode];
  const glow = context.createRadialGradient(p.x, p.y, 0, p.x, p.y, size);
  glow.addColorStop(0, `rgb(${rgb} / 0.20)`);
  glow.addColorStop(0.6, `rgb(${rgb} / 0.05)`);
  glow.addColorStop(1, `rgb(${rgb} / 0)`);
  context.fillStyle = glow;
  context.beginPath();
  context.arc(p.x, p.y, size, 0, 2 * Math.PI);
  context.fill();
  context.strokeStyle = `rgb(${rgb} / 0.75)`;
  context.lineWidth = 1.5;
  context.setLineDash(hand.mode === "attract" ? [] : [5, 5]);
  context.beginPath();
  context.arc(p.x, p.y, 9, 0, 2 * Math.PI);
  if (hand.mode === "scare") {
    context.moveTo(p.x - 5, p.y - 5);
    context.lineTo(p.x + 5, p.y + 5);
    context.moveTo(p.x + 5, p.y - 5);
    context.lineTo(p.x - 5, p.y + 5);
  }
  context.stroke();
  context.setLineDash([]);
}

/** Whether a scenario holds anything that is drawn as lines. */
export function hasThings(scenario: JsonObject): boolean {
  const rules = isObject(scenario.rules) ? scenario.rules : {};
  const count = (rule: Json | undefined, key: string) => (isObject(rule) ? list(rule[key]).length : 0);
  return list(scenario.obstacles).length + count(rules.attractors, "points") + count(rules.fear, "threats") > 0;
}

/** Agents for each square of a coarse grid, counted on every picture that is a new frame. */
export function drawDensity({ context, camera, view, light }: Stage, frame: Frame, cells = 40): void {
  const cell = frame.width / cells;
  const rows = Math.max(1, Math.ceil(frame.height / cell));
  const counts = new Uint32Array(cells * rows);
  for (let k = 0; k < frame.count; k++) {
    const word = frame.words[2 * k];
    const column = Math.min(cells - 1, ((word & 0xffff) * cells) >> 16);
    const row = Math.min(rows - 1, Math.floor(((word >>> 16) / 65536) * (frame.height / cell)));
    counts[column + cells * row]++;
  }
  const most = Math.max(1, ...counts);
  counts.forEach((count, k) => {
    if (count === 0) return;
    const p = toScreen(camera, view, { x: frame.left + (k % cells) * cell, y: frame.top + Math.floor(k / cells) * cell });
    context.fillStyle = `rgb(${light ? "30 80 150" : "120 190 255"} / ${(0.05 + 0.4 * (count / most) ** 0.6).toFixed(3)})`;
    context.fillRect(p.x, p.y, cell * camera.zoom - 1, cell * camera.zoom - 1);
  });
}

/** Whether the window shows only a part of the world, so that a map helps. */
export function needsMinimap({ camera, view }: Pick<Stage, "camera" | "view">, world: Size): boolean {
  const [left, top, right, bottom] = visible(camera, view);
  return right - left < 0.8 * world.width || bottom - top < 0.8 * world.height;
}

/** Where the window is in the world. */
export function drawMinimap({ context, camera, view, light }: Stage, world: Size, frame: Frame, rightGap: number): void {
  const [left, top, right, bottom] = visible(camera, view);
  const scale = MINIMAP_WIDTH / world.width;
  const height = Math.min(170, world.height * scale);
  const [x0, y0] = [view.width - rightGap - MINIMAP_WIDTH - 16, view.height - height - 84]; // above the dock
  context.fillStyle = light ? "rgb(255 255 255 / 0.82)" : "rgb(10 14 28 / 0.82)";
  context.fillRect(x0, y0, MINIMAP_WIDTH, height);
  context.fillStyle = light ? "rgb(40 60 100 / 0.7)" : "rgb(170 200 255 / 0.75)";
  const every = Math.max(1, Math.floor(frame.count / MINIMAP_DOTS));
  for (let k = 0; k < frame.count; k += every) {
    const word = frame.words[2 * k];
    const x = (frame.left + ((word & 0xffff) / 65535) * frame.width) * scale;
    const y = (frame.top + ((word >>> 16) / 65535) * frame.height) * scale;
    if (x >= 0 && y >= 0 && x < MINIMAP_WIDTH && y < height) context.fillRect(x0 + x, y0 + y, 1, 1);
  }
  context.save();
  context.beginPath();
  context.rect(x0, y0, MINIMAP_WIDTH, height);
  context.clip();
  context.strokeStyle = light ? "#c2410c" : "#ffb35c";
  context.lineWidth = 1.5;
  context.strokeRect(x0 + left * scale, y0 + top * scale, (right - left) * scale, (bottom - top) * scale);
  context.restore();
}
