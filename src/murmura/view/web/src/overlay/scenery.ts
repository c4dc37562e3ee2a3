/** Draws objects of the world: obstacles, attractors, repulsors, food, carcasses, hunters, territories, wind. */

import { toScreen } from "../render/camera";
import { disc, gauge, tracePath, type Lines } from "./lines";
import type { PointerMode, Predator, SceneObject } from "../net/protocol";
import { predatorShape } from "../render/hunter_shapes";
import { attacks, ink, shade, themed, things } from "../render/looks_of_things";
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
      case "circle":
      case "wall":
      case "polygon":
        drawObstacle(lines, thing);
        break;
      case "attractor":
        ring(lines, { x: thing.x, y: thing.y, mode: thing.strength < 0 ? "repel" : "attract" }, thing.radius);
        break;
      case "threat":
        ring(lines, { x: thing.x, y: thing.y, mode: "scare" }, thing.radius);
        break;
      case "food":
        drawFood(lines, thing);
        break;
      case "carcass":
        drawCarcass(lines, thing);
        break;
    }
  }
  for (const thing of things) if (thing.kind === "predator") drawPredator(lines, thing);
}

function drawObstacle(lines: Lines, shape: Kind<"circle" | "wall" | "polygon">): void {
  const { context, camera, view, light } = lines;
  const looks = things.obstacle;
  context.fillStyle = ink(looks.fill, light, themed(looks.fill_alpha, light));
  context.strokeStyle = ink(looks.line, light, themed(looks.line_alpha, light));
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

/** An attractor is a warm ring, a repulsor a cool dashed one; a threat is crossed out. */
export function ring({ context, camera, view, light }: Lines, hand: Hand, radius: number): void {
  const p = toScreen(camera, view, hand);
  const size = Math.max(14, radius * camera.zoom);
  const rgb = hand.mode === "none" ? "0 0 0" : shade(things.pointer[hand.mode], light).join(" ");
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
  const rgb = shade(things.food.rgb, light).join(" ");
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
  const { rgb, alpha, width, spine, ribs, rib, gauge: rim } = things.carcass;
  context.strokeStyle = ink(rgb, light, themed(alpha, light));
  context.lineWidth = width;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(p.x - spine, p.y);
  context.lineTo(p.x + spine, p.y);
  for (const x of ribs) {
    context.moveTo(p.x + x - 1, p.y - rib);
    context.quadraticCurveTo(p.x + x + 1.5, p.y, p.x + x - 1, p.y + rib);
  }
  context.stroke();
  context.lineWidth = 1.5;
  gauge(context, p, rim, share);
  context.stroke();
}

function drawTerritory({ context, camera, view, light }: Lines, land: Kind<"territory">): void {
  const p = toScreen(camera, view, land);
  const { rgb, line_alpha, fill_alpha } = things.home;
  context.strokeStyle = ink(rgb, light, themed(line_alpha, light));
  context.fillStyle = ink(rgb, light, themed(fill_alpha, light));
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

/** Its current fright radius and its target. */
function drawIntent({ context, camera, view, light }: Lines, hunter: Predator): void {
  const p = toScreen(camera, view, hunter);
  const { ring, dash } = things.hunter;
  if (hunter.fright !== undefined && hunter.fright > 0) {
    context.strokeStyle = ink(ring, light, 0.4);
    context.fillStyle = ink(ring, light, 0.05);
    context.lineWidth = 1;
    context.setLineDash(dash.fright);
    disc(context, p, hunter.fright * camera.zoom);
    context.fill();
    context.stroke();
  }
  if (hunter.target_x !== undefined && hunter.target_y !== undefined) {
    const q = toScreen(camera, view, { x: hunter.target_x, y: hunter.target_y });
    context.strokeStyle = ink(ring, light, 0.85);
    context.lineWidth = 1.4;
    context.setLineDash(dash.target);
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
  const angry = attacks(hunter.state);
  paint(p.x, p.y, ink(angry ? things.hunter.attacking : things.hunter.calm, light));
  context.lineWidth = angry ? 2 : 1.2;
  context.strokeStyle = ink(things.hunter.ring, light, angry ? 0.9 : 0.35);
  context.setLineDash(angry ? [] : things.hunter.dash.calm);
  disc(context, p, size * 1.7);
  context.stroke();
  context.setLineDash([]);
  const [w, top] = [size * 2.2, p.y + size * 1.9];
  context.fillStyle = ink(things.energy.trough, light, 0.25);
  context.fillRect(p.x - w / 2, top, w, 3);
  context.fillStyle = ink(hunter.energy < 0.25 ? things.energy.low : things.energy.full, light);
  context.fillRect(p.x - w / 2, top, w * Math.min(1, Math.max(0, hunter.energy)), 3);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = light ? "#18202e" : "#e8edf8";
  const words = `${say(hunter.species)} · ${say(hunter.state)}`;
  context.fillText(words, inside(p.x, context.measureText(words).width, view.width), top + 16);
}
