/** Draws objects of the world: obstacles, attractors, repulsors, food, carcasses, hunters, territories, wind. */

import { toScreen } from "../render/camera";
import { disc, gauge, tracePath, type Lines } from "./lines";
import type { PointerMode, Predator, SceneObject } from "../net/protocol";
import { predatorShape } from "../render/hunter_shapes";
import { say } from "../text/language";

export interface Hand {
  x: number;
  y: number;
  z?: number; // in a 3-D world
  mode: PointerMode;
}

type Kind<K extends SceneObject["kind"]> = Extract<SceneObject, { kind: K }>;

/** Everything but the wind, which moves; from bottom to top. */
export function drawScenery(lines: Lines, things: SceneObject[]): void {
  for (const thing of things) if (thing.kind === "territory") drawTerritory(lines, thing);
  for (const thing of things) {
    switch (thing.kind) {
      case "circle": case "wall": case "polygon": drawObstacle(lines, thing); break;
      case "attractor": ring(lines, { x: thing.x, y: thing.y, mode: thing.strength < 0 ? "repel" : "attract" }, thing.radius); break;
      case "threat": ring(lines, { x: thing.x, y: thing.y, mode: "scare" }, thing.radius); break;
      case "food": drawFood(lines, thing); break;
      case "carcass": drawCarcass(lines, thing); break;
    }
  }
  for (const thing of things) if (thing.kind === "predator") drawPredator(lines, thing);
}

function drawObstacle(lines: Lines, shape: Kind<"circle" | "wall" | "polygon">): void {
  const { context, camera, view, light } = lines;
  context.fillStyle = light ? "rgb(70 80 100 / 0.30)" : "rgb(140 158 200 / 0.17)";
  context.strokeStyle = light ? "rgb(50 60 80 / 0.75)" : "rgb(190 205 240 / 0.65)";
  context.lineJoin = context.lineCap = "round";
  context.lineWidth = shape.kind === "wall" ? 4 : 1.5;
  context.beginPath();
  if (shape.kind === "circle") {
    disc(context, toScreen(camera, view, shape), shape.radius * camera.zoom);
  } else {
    tracePath(lines, shape.points);
    if (shape.kind === "polygon") context.closePath();
  }
  if (shape.kind !== "wall") context.fill();
  context.stroke();
}

const POINTER_COLORS = { attract: "255 209 128", repel: "120 180 255", scare: "255 120 100", none: "0 0 0" };
const POINTER_INKS = { attract: "168 84 12", repel: "28 84 170", scare: "170 40 24", none: "0 0 0" };

/** An attractor is a warm ring, a repulsor a cool dashed one; a threat is crossed out. */
export function ring({ context, camera, view, light }: Lines, hand: Hand, radius: number): void {
  const p = toScreen(camera, view, hand);
  const size = Math.max(14, radius * camera.zoom);
  const rgb = (light ? POINTER_INKS : POINTER_COLORS)[hand.mode];
  const glow = context.createRadialGradient(p.x, p.y, 0, p.x, p.y, size);
  glow.addColorStop(0, `rgb(${rgb} / 0.20)`);
  glow.addColorStop(0.6, `rgb(${rgb} / 0.05)`);
  glow.addColorStop(1, `rgb(${rgb} / 0)`);
  context.fillStyle = glow;
  disc(context, p, size);
  context.fill();
  context.strokeStyle = `rgb(${rgb} / 0.75)`;
  context.lineWidth = 1.5;
  context.setLineDash(hand.mode === "attract" ? [] : [5, 5]);
  disc(context, p, 9);
  if (hand.mode === "scare") {
    context.moveTo(p.x - 5, p.y - 5);
    context.lineTo(p.x + 5, p.y + 5);
    context.moveTo(p.x + 5, p.y - 5);
    context.lineTo(p.x - 5, p.y + 5);
  }
  context.stroke();
  context.setLineDash([]);
}

/** Seeds in a disc, and a ring that shows how much is left. */
function drawFood({ context, camera, view, light }: Lines, food: Kind<"food">): void {
  const p = toScreen(camera, view, food);
  const size = Math.max(7, food.radius * camera.zoom);
  const share = food.capacity > 0 ? food.amount / food.capacity : 0;
  const rgb = light ? "22 110 74" : "126 226 168";
  context.fillStyle = `rgb(${rgb} / ${(0.08 + 0.2 * share).toFixed(3)})`;
  disc(context, p, size);
  context.fill();
  context.strokeStyle = `rgb(${rgb} / 0.28)`;
  context.lineWidth = 2;
  context.stroke();
  context.strokeStyle = `rgb(${rgb} / 0.95)`;
  gauge(context, p, size, share);
  context.stroke();
  context.fillStyle = `rgb(${rgb} / 0.9)`;
  const seeds = Math.round(12 * share);
  for (let k = 0; k < seeds; k++) {
    const [angle, far] = [k * 2.39996, 0.78 * size * Math.sqrt((k + 0.5) / 12)]; // the golden angle
    disc(context, { x: p.x + far * Math.cos(angle), y: p.y + far * Math.sin(angle) }, Math.max(1, size * 0.06));
    context.fill();
  }
}

/** Ribs along a spine, and a ring that shows how much is left. */
function drawCarcass({ context, camera, view, light }: Lines, carcass: Kind<"carcass">): void {
  const p = toScreen(camera, view, carcass);
  const share = carcass.capacity > 0 ? carcass.amount / carcass.capacity : 0;
  context.strokeStyle = light ? "rgb(120 60 40 / 0.9)" : "rgb(226 170 150 / 0.85)";
  context.lineWidth = 1.6;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(p.x - 6, p.y);
  context.lineTo(p.x + 6, p.y);
  for (const x of [-3.5, 0, 3.5]) {
    context.moveTo(p.x + x - 1, p.y - 4);
    context.quadraticCurveTo(p.x + x + 1.5, p.y, p.x + x - 1, p.y + 4);
  }
  context.stroke();
  context.lineWidth = 1.5;
  gauge(context, p, 9, share);
  context.stroke();
}

function drawTerritory({ context, camera, view, light }: Lines, land: Kind<"territory">): void {
  const p = toScreen(camera, view, land);
  context.strokeStyle = light ? "rgb(150 70 20 / 0.5)" : "rgb(255 180 120 / 0.4)";
  context.fillStyle = light ? "rgb(150 70 20 / 0.04)" : "rgb(255 180 120 / 0.035)";
  context.lineWidth = 1.5;
  context.setLineDash([10, 8]);
  disc(context, p, land.radius * camera.zoom);
  context.fill();
  context.stroke();
  context.setLineDash([]);
}

/** The centre of a label: entirely in the window while its object is. */
export function inside(x: number, width: number, window: number): number {
  const least = width / 2 + 4;
  return x < 0 || x > window ? x : Math.min(Math.max(x, least), Math.max(least, window - least));
}

const AFTER_PREY = /hunt|chas|dive|diving|attack|stoop|pursu|strik/;
const BUSY = /feed|eat|mat|fight/;

/** Its current fright radius and its target. */
function drawIntent({ context, camera, view, light }: Lines, hunter: Predator): void {
  const p = toScreen(camera, view, hunter);
  const rgb = light ? "156 31 16" : "255 140 110";
  if (hunter.fright !== undefined && hunter.fright > 0) {
    context.strokeStyle = `rgb(${rgb} / 0.4)`;
    context.fillStyle = `rgb(${rgb} / 0.05)`;
    context.lineWidth = 1;
    context.setLineDash([3, 6]);
    disc(context, p, hunter.fright * camera.zoom);
    context.fill();
    context.stroke();
  }
  if (hunter.target_x !== undefined && hunter.target_y !== undefined) {
    const q = toScreen(camera, view, { x: hunter.target_x, y: hunter.target_y });
    context.strokeStyle = `rgb(${rgb} / 0.85)`;
    context.lineWidth = 1.4;
    context.setLineDash([7, 4]);
    context.beginPath();
    context.moveTo(p.x, p.y);
    context.lineTo(q.x, q.y);
    context.stroke();
    context.setLineDash([]);
    disc(context, q, 7);
    context.stroke();
  }
  context.setLineDash([]);
}

/** Shape by kind, shadow by height, state as a ring and as text, energy as a bar. */
function drawPredator({ context, camera, view, light }: Lines, hunter: Predator): void {
  const p = toScreen(camera, view, hunter);
  const size = Math.min(34, Math.max(11, 12 * camera.zoom));
  const high = Math.min(1, Math.max(0, hunter.altitude ?? 0));
  const shape = predatorShape(hunter.species);
  drawIntent({ context, camera, view, light }, hunter);
  const paint = (x: number, y: number, fill: string) => {
    context.save();
    context.translate(x, y);
    context.rotate(hunter.heading);
    context.scale(size * (1 + 0.35 * high), size * (1 + 0.35 * high));
    context.fillStyle = fill;
    context.fill(shape);
    context.restore();
  };
  if (high > 0.02) paint(p.x + 0.6 * size * high, p.y + 1.2 * size * high, "rgb(0 0 0 / 0.28)");
  const angry = AFTER_PREY.test(hunter.state);
  paint(p.x, p.y, light ? (angry ? "#9c1f10" : "#4a2b12") : angry ? "#ff7a5c" : "#ffd9a8");
  context.lineWidth = angry ? 2 : 1.2;
  context.strokeStyle = light ? `rgb(156 31 16 / ${angry ? 0.9 : 0.35})` : `rgb(255 140 110 / ${angry ? 0.9 : 0.35})`;
  context.setLineDash(BUSY.test(hunter.state) ? [2, 4] : angry ? [] : [6, 6]);
  disc(context, p, size * 1.7);
  context.stroke();
  context.setLineDash([]);
  const [w, top] = [size * 2.2, p.y + size * 1.9];
  context.fillStyle = light ? "rgb(20 30 50 / 0.25)" : "rgb(220 230 255 / 0.25)";
  context.fillRect(p.x - w / 2, top, w, 3);
  context.fillStyle = hunter.energy < 0.25 ? (light ? "#9c1f10" : "#ff7a5c") : light ? "#1b6e48" : "#7ee2a8";
  context.fillRect(p.x - w / 2, top, w * Math.min(1, Math.max(0, hunter.energy)), 3);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = light ? "#18202e" : "#e8edf8";
  const words = `${say(hunter.species)} · ${say(hunter.state)}`;
  context.fillText(words, inside(p.x, context.measureText(words).width, view.width), top + 16);
}
