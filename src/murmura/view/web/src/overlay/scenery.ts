/** Draws objects of the world: obstacles, attractors, repulsors, food, carcasses, hunters, territories, wind. */

import { toScreen } from "../render/camera";
import { disc, gauge, shapeAt, tracePath, type Lines } from "./lines";
import type { Pair, Point, PointerMode, Predator, SceneObject } from "../net/protocol";
import { APPLE, appleLeft, appleSize, LEAF } from "../render/apple";
import { hunterOutline } from "../render/hunter_shapes";
import { attacks, ink, isBait, shade, themed, things } from "../render/looks_of_things";
import { say } from "../text/language";

export interface Hand {
  x: number;
  y: number;
  z?: number; // in a 3-D world
  mode: PointerMode;
}

type Kind<K extends SceneObject["kind"]> = Extract<SceneObject, { kind: K }>;

/** Everything but the wind, which moves; from bottom to top. */
export function drawScenery(lines: Lines, things: SceneObject[], seconds = 0): void {
  for (const thing of things) if (thing.kind === "territory") drawTerritory(lines, thing);
  for (const thing of things) {
    switch (thing.kind) {
      case "circle":
      case "wall":
      case "polygon":
        drawObstacle(lines, thing);
        break;
      case "attractor":
        drawAttractor(lines, thing);
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
  for (const thing of things) if (thing.kind === "predator") drawPredator(lines, thing, seconds);
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

/** What attracts for good is a warm roost, or food where nobody eats. */
function drawAttractor(lines: Lines, { x, y, radius, strength }: Kind<"attractor">): void {
  if (strength < 0) {
    ring(lines, { x, y, mode: "repel" }, radius);
    return;
  }
  const p = toScreen(lines.camera, lines.view, { x, y });
  const bait = isBait(strength);
  const rgb = shade((bait ? things.food : things.roost).rgb, lines.light).join(" ");
  glow(lines.context, p, Math.max(14, radius * lines.camera.zoom), rgb, 0.16);
  if (bait) {
    drawApple(lines, p, 1.3 * things.food.size.least, 1);
    return;
  }
  lines.context.strokeStyle = lines.context.fillStyle = `rgb(${rgb} / 0.6)`;
  lines.context.lineWidth = 1.3;
  disc(lines.context, p, 8);
  lines.context.stroke();
  disc(lines.context, p, 2.5);
  lines.context.fill();
}

function glow(context: CanvasRenderingContext2D, p: Point, size: number, rgb: string, alpha: number): void {
  const light = context.createRadialGradient(p.x, p.y, 0, p.x, p.y, size);
  light.addColorStop(0, `rgb(${rgb} / ${alpha})`);
  light.addColorStop(0.6, `rgb(${rgb} / ${alpha / 4})`);
  light.addColorStop(1, `rgb(${rgb} / 0)`);
  context.fillStyle = light;
  disc(context, p, size);
  context.fill();
}

/** The hand and what repels or frightens: a ring, dashed if it drives away; a threat is crossed out. */
export function ring({ context, camera, view, light }: Lines, hand: Hand, radius: number): void {
  const p = toScreen(camera, view, hand);
  const rgb = hand.mode === "none" ? "0 0 0" : shade(things.pointer[hand.mode], light).join(" ");
  glow(context, p, Math.max(14, radius * camera.zoom), rgb, 0.2);
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

/** An apple, and around it how far it feeds. */
function drawFood(lines: Lines, food: Kind<"food">): void {
  const { context, camera, view, light } = lines;
  const p = toScreen(camera, view, food);
  const reach = food.radius * camera.zoom;
  const share = food.capacity > 0 ? food.amount / food.capacity : 0;
  const rgb = shade(things.food.rgb, light).join(" ");
  context.fillStyle = `rgb(${rgb} / ${(0.05 + 0.15 * share).toFixed(3)})`;
  disc(context, p, Math.max(things.food.size.least, reach));
  context.fill();
  drawApple(lines, p, appleSize(reach), share);
}

function drawApple({ context, light }: Lines, p: Point, size: number, share: number): void {
  context.fillStyle = ink(things.food.rgb, light, 0.3);
  shapeAt(context, p, size, APPLE);
  context.fill();
  context.fillStyle = ink(things.food.rgb, light, 0.95);
  shapeAt(context, p, size, appleLeft(share));
  context.fill();
  shapeAt(context, p, size, LEAF);
  context.fill();
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

/** Shape by kind, shadow by height, an attack as a ring, state as text, energy as a bar. */
function drawPredator(lines: Lines, hunter: Predator, seconds: number): void {
  const { context, camera, view, light } = lines;
  const looks = things.hunter;
  const p = toScreen(camera, view, hunter);
  const size = Math.min(looks.size.most, Math.max(looks.size.least, looks.size.share * camera.zoom));
  const high = Math.min(1, Math.max(0, hunter.altitude ?? 0));
  const angry = attacks(hunter.state);
  drawIntent(lines, hunter);
  const [c, s] = [Math.cos(hunter.heading), Math.sin(hunter.heading)];
  const body = hunterOutline(hunter, seconds).map(([x, y]): Pair => [c * x - s * y, s * x + c * y]);
  const large = size * (1 + 0.35 * high);
  if (high > 0.02) {
    context.save();
    context.translate(p.x + 0.6 * size * high, p.y + 1.2 * size * high);
    context.fillStyle = "rgb(0 0 0 / 0.28)";
    shapeAt(context, { x: 0, y: 0 }, large, body);
    context.fill();
    context.restore();
  }
  shapeAt(context, p, large, body);
  context.fillStyle = ink(angry ? looks.attacking : looks.calm, light);
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = ink(looks.rim, light, 0.5);
  context.stroke();
  if (angry) {
    context.lineWidth = 1.5;
    context.strokeStyle = ink(looks.ring, light, 0.7);
    disc(context, p, size * 1.7);
    context.stroke();
  }
  drawCaption(lines, hunter, p, size);
}

function drawCaption({ context, view, light }: Lines, hunter: Predator, p: Point, size: number): void {
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
