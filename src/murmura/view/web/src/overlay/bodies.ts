/**
 * Animals close up: evolved parts, size, health and energy, and small symbols for their activity.
 *
 * The server describes the animals in the window if there are few. Positions come from the frames, so that bodies move as
 * smoothly as the flock.
 */

import { toScreen } from "../render/camera";
import { nearestCopy } from "../render/tiles";
import { agentPosition, type Body, type Frame, type Point } from "../net/protocol";
import { blend, type Moment } from "../net/timeline";
import type { Lines } from "./lines";

/** With more animals in the window, their parts would be too small to see. */
export const MOST_BODIES = 120;
const BARS_PX = 9; // half the length from which bars are drawn

/** Whether a rectangle of the world contains animals, but only a few. */
export function holdsFew(frame: Frame, [left, top, right, bottom]: readonly number[]): boolean {
  if (frame.stride !== 1) return false;
  let inside = 0;
  for (let k = 0; k < frame.count && inside <= MOST_BODIES; k++) {
    const { x, y } = agentPosition(frame, k);
    if (x >= left && x <= right && y >= top && y <= bottom) inside++;
  }
  return inside > 0 && inside <= MOST_BODIES;
}

export interface BodyLook {
  half: number; // half the length of an agent [px]
  stances: string[];
  sexes: boolean; // whether sexes matter in this scenario
}

export function drawBodies(lines: Lines, moment: Moment, bodies: Body[], look: BodyLook): void {
  const { frame } = moment.to;
  if (frame.stride !== 1 || look.half < 5) return;
  lines.context.save();
  for (const body of bodies) {
    if (body.row >= frame.count) continue;
    const { at, heading } = placeOf(moment, body.row);
    const size = look.half * Math.sqrt(body.gene_size ?? 1);
    const near = nearestCopy(at, lines.camera, frame.wraps ? frame : null);
    drawBody(lines, { p: toScreen(lines.camera, lines.view, near), heading, size, length: 1 }, body, look);
  }
  lines.context.restore();
}

function placeOf({ from, to, alpha }: Moment, row: number): { at: Point; heading: number } {
  const [a, b] = [agentPosition(from.frame, row), agentPosition(to.frame, row)];
  const [w, h] = to.frame.wraps ? [to.frame.width, to.frame.height] : [0, 0];
  const heading = (((to.frame.words[2 * row + 1] & 0xff) + 0.5) / 256) * 2 * Math.PI;
  return { at: { x: blend(a.x, b.x, alpha, w), y: blend(a.y, b.y, alpha, h) }, heading };
}

type Surface = Pick<Lines, "context" | "light">;

/** The position and size of a body in the window [px]; `length` below 1 is the foreshortening of one that flies towards or away from the camera. */
export interface Shown {
  p: Point;
  heading: number; // [rad] clockwise from the right
  size: number;
  length: number;
}

export function drawBody(surface: Surface, shown: Shown, body: Body, look: Pick<BodyLook, "stances" | "sexes">): void {
  drawParts(surface, shown, body);
  drawSigns(surface, shown.p, shown.size, body, look);
}

/** Fins and a tail, spikes, eyes, antennae, a shell and a glow: as many as the animal has. */
function drawParts({ context, light }: Surface, { p, heading, size, length }: Shown, body: Body): void {
  const count = (name: keyof Body) => Math.min(6, Math.round(Number(body[name] ?? 0)));
  context.save();
  context.translate(p.x, p.y);
  context.rotate(heading);
  context.scale(size * length, size);
  context.lineWidth = 1.2 / size;
  context.strokeStyle = light ? "rgb(30 40 60 / 0.85)" : "rgb(235 240 255 / 0.85)";
  context.fillStyle = light ? "rgb(30 40 60 / 0.35)" : "rgb(235 240 255 / 0.35)";
  context.beginPath();
  for (let k = 0; k < count("part_glow"); k++) arc(context, -0.2, 0, 0.95 + 0.22 * k);
  context.globalAlpha = 0.4;
  context.stroke();
  context.globalAlpha = 1;
  context.beginPath();
  for (let k = 0; k < count("part_fin"); k++) {
    const x = 0.15 - 0.4 * Math.floor(k / 2);
    const side = k % 2 === 0 ? 1 : -1;
    triangle(context, [x, 0.25 * side], [x - 0.5, 0.95 * side], [x - 0.45, 0.3 * side]);
  }
  for (let k = 0; k < count("part_tail"); k++)
    triangle(context, [-0.5, 0], [-1.3 - 0.2 * k, 0.35], [-1.3 - 0.2 * k, -0.35]);
  context.fill();
  context.stroke();
  context.beginPath();
  for (let k = 0; k < count("part_spike"); k++) {
    const x = 0.45 - 0.28 * k;
    for (const side of [1, -1]) stroke(context, x, 0.2 * side, x - 0.1, 0.62 * side);
  }
  for (let k = 0; k < count("part_antenna"); k++)
    stroke(context, 0.8, 0, 1.5, (k % 2 === 0 ? 1 : -1) * (0.3 + 0.2 * Math.floor(k / 2)));
  for (let k = 0; k < count("part_shell"); k++) arc(context, -0.2, 0, 0.5 + 0.12 * k);
  context.stroke();
  context.beginPath();
  for (let k = 0; k < count("part_eye"); k++)
    arc(context, 0.5 - 0.16 * Math.floor(k / 2), (k % 2 === 0 ? 1 : -1) * 0.16, 0.1);
  context.fillStyle = light ? "#10151f" : "#ffffff";
  context.fill();
  context.restore();
}

type Corner = [number, number];

function triangle(context: CanvasRenderingContext2D, a: Corner, b: Corner, c: Corner): void {
  context.moveTo(...a);
  context.lineTo(...b);
  context.lineTo(...c);
  context.closePath();
}

function stroke(context: CanvasRenderingContext2D, ax: number, ay: number, bx: number, by: number): void {
  context.moveTo(ax, ay);
  context.lineTo(bx, by);
}

function arc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** Symbols for sex, courting, fighting, feeding and fear, and bars for energy and health. */
export function signsOf(body: Body, { stances, sexes }: Pick<BodyLook, "stances" | "sexes">): string {
  const stance = stances[body.stance ?? -1] ?? "";
  const mating = body.mating_state;
  const signs = sexes ? [body.gender === 1 ? "♂" : "♀"] : [];
  if (mating === 5) signs.push("⚔");
  else if (mating === 3 || mating === 4 || stance === "mating") signs.push("♥");
  if (body.feeding_state === 3) signs.push("●");
  if (stance === "hunting") signs.push("▲");
  if (body.panic_level > 0.3 || stance === "fleeing") signs.push("!");
  return signs.join("");
}

function drawSigns(
  { context, light }: Surface,
  p: Point,
  size: number,
  body: Body,
  look: Pick<BodyLook, "stances" | "sexes">,
): void {
  const top = p.y - size * 1.5 - 4;
  if (size >= BARS_PX) {
    const width = Math.max(16, 2 * size);
    bar(context, p.x, top, width, body.energy, light ? "#1b6e48" : "#7ee2a8", light);
    if (body.health !== undefined) bar(context, p.x, top - 4, width, body.health, light ? "#9c1f10" : "#ff9a86", light);
  }
  const signs = signsOf(body, look);
  if (signs === "") return;
  context.font = `${Math.round(Math.min(16, Math.max(10, size)))}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.fillStyle = light ? "#18202e" : "#e8edf8";
  context.fillText(signs, p.x, top - 6);
}

function bar(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  share: number,
  color: string,
  light: boolean,
): void {
  context.fillStyle = light ? "rgb(20 30 50 / 0.25)" : "rgb(220 230 255 / 0.22)";
  context.fillRect(x - width / 2, y, width, 2.5);
  context.fillStyle = color;
  context.fillRect(x - width / 2, y, width * Math.min(1, Math.max(0, share)), 2.5);
}
