/** Objects of a world with a depth: obstacles, attractors, repulsors, food, carcasses and home ranges. */

import type { PointerMode, SceneObject, Triple } from "../../net/protocol";
import { boxCorners } from "../../render/space/solids";
import { across, add, times, unit, type Vec } from "../../render/space/vectors";
import { gauge } from "../lines";
import { drawBall, drawStalk, seenAt, traceFace, traceLine, traceRing, vecOf, type SpaceLines } from "./lines";

type Kind<K extends SceneObject["kind"]> = Extract<SceneObject, { kind: K }>;

const UP: Vec = [0, 0, 1];
const EDGES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]] as const;
const FACES = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]] as const;
const POINTER_COLORS = { attract: "255 209 128", repel: "120 180 255", scare: "255 120 100", none: "0 0 0" };
const POINTER_INKS = { attract: "168 84 12", repel: "28 84 170", scare: "170 40 24", none: "0 0 0" };

/** Everything but hunters and wind. */
export function drawSpaceScenery(lines: SpaceLines, things: SceneObject[]): void {
  for (const thing of things) {
    switch (thing.kind) {
      case "territory": drawTerritory(lines, thing); break;
      case "circle": drawSphere(lines, thing); break;
      case "cylinder": drawCylinder(lines, thing); break;
      case "box": drawBox(lines, thing); break;
      case "plane": drawPlane(lines, thing); break;
      case "wall": case "polygon": drawWalls(lines, thing); break;
      case "attractor": drawField(lines, vecOf(thing, lines.box), thing.strength < 0 ? "repel" : "attract", thing.radius); break;
      case "threat": drawField(lines, vecOf(thing, lines.box), "scare", thing.radius); break;
      case "food": drawFood(lines, thing); break;
      case "carcass": drawCarcass(lines, thing); break;
    }
  }
}

function stone({ context, light }: SpaceLines): string {
  context.fillStyle = light ? "rgb(70 80 100 / 0.16)" : "rgb(150 168 210 / 0.11)";
  context.strokeStyle = light ? "rgb(50 60 80 / 0.7)" : "rgb(190 205 240 / 0.6)";
  context.lineWidth = 1.3;
  context.lineJoin = "round";
  return light ? "70 80 100" : "150 168 210";
}

function drawSphere(lines: SpaceLines, thing: Kind<"circle">): void {
  const { context, gaze } = lines;
  const at = vecOf(thing, lines.box);
  drawBall(lines, at, thing.radius, stone(lines), 0.42);
  context.beginPath();
  traceRing(lines, at, thing.radius, gaze.ahead);
  traceRing(lines, at, thing.radius, UP);
  context.stroke();
}

function drawCylinder(lines: SpaceLines, { x, y, radius, bottom, top }: Kind<"cylinder">): void {
  const { context, box, gaze } = lines;
  stone(lines);
  const ends: Vec[] = [[x, y, bottom ?? box.low[2]], [x, y, top ?? box.low[2] + box.sides[2]]];
  const aside = times(unit([gaze.right[0], gaze.right[1], 0]), radius);
  const back = times(aside, -1);
  context.beginPath();
  traceFace(lines, [add(ends[0], aside), add(ends[1], aside), add(ends[1], back), add(ends[0], back)]);
  context.fill();
  context.beginPath();
  for (const end of ends) traceRing(lines, end, radius, UP);
  for (const side of [aside, back]) traceLine(lines, add(ends[0], side), add(ends[1], side));
  context.stroke();
}

function drawBox(lines: SpaceLines, box: Kind<"box">): void {
  const { context } = lines;
  stone(lines);
  const corners = boxCorners(box);
  context.beginPath();
  for (const face of FACES) traceFace(lines, face.map((k) => corners[k]));
  context.fill();
  context.beginPath();
  for (const [a, b] of EDGES) traceLine(lines, corners[a], corners[b]);
  context.stroke();
}

/** A plane: a piece of it as large as the world, with lines across. */
function drawPlane(lines: SpaceLines, { point, normal }: Kind<"plane">): void {
  const { context, box } = lines;
  stone(lines);
  const [u, v] = across(unit(normal));
  const reach = 0.5 * Math.max(...box.sides);
  const at = (a: number, b: number): Vec => add(point, add(times(u, a * reach), times(v, b * reach)));
  context.beginPath();
  traceFace(lines, [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)]);
  context.fill();
  context.globalAlpha = 0.4;
  context.beginPath();
  for (let k = -4; k <= 4; k++) {
    traceLine(lines, at(k / 4, -1), at(k / 4, 1));
    traceLine(lines, at(-1, k / 4), at(1, k / 4));
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** Walls and polygons stand upright from floor to ceiling. */
function drawWalls(lines: SpaceLines, { kind, points }: Kind<"wall" | "polygon">): void {
  const { context, box } = lines;
  stone(lines);
  const [low, high] = [box.low[2], box.low[2] + box.sides[2]];
  const pieces = points.slice(1).map((end, k) => [points[k], end] as const);
  if (kind === "polygon" && points.length > 2) pieces.push([points[points.length - 1], points[0]]);
  for (const [[ax, ay], [bx, by]] of pieces) {
    const corners: Triple[] = [[ax, ay, low], [bx, by, low], [bx, by, high], [ax, ay, high]];
    context.beginPath();
    traceFace(lines, corners);
    context.fill();
    context.beginPath();
    corners.forEach((corner, k) => { traceLine(lines, corner, corners[(k + 1) % 4]); });
    context.stroke();
  }
}

/** An attractor, repulsor or threat: a glowing ball, a mark at its centre, and a line to the ground. */
export function drawField(lines: SpaceLines, at: Vec, mode: PointerMode, radius: number, near = false): void {
  const { context, light, gaze } = lines;
  const p = seenAt(lines, at);
  if (p.far <= 0) return;
  const rgb = (light ? POINTER_INKS : POINTER_COLORS)[mode];
  const size = Math.max(14, radius * p.scale);
  const glow = context.createRadialGradient(p.x, p.y, 0, p.x, p.y, size);
  glow.addColorStop(0, `rgb(${rgb} / ${near ? 0.22 : 0.1})`);
  glow.addColorStop(0.6, `rgb(${rgb} / ${near ? 0.06 : 0.03})`);
  glow.addColorStop(1, `rgb(${rgb} / 0)`);
  context.fillStyle = glow;
  context.beginPath();
  context.arc(p.x, p.y, size, 0, 2 * Math.PI);
  context.fill();
  drawStalk(lines, at, `rgb(${rgb} / 0.5)`);
  context.strokeStyle = `rgb(${rgb} / ${near ? 0.85 : 0.55})`;
  context.lineWidth = 1.3;
  context.setLineDash(mode === "attract" ? [] : [5, 5]);
  context.beginPath();
  traceRing(lines, at, 9 / p.scale, gaze.ahead);
  traceRing(lines, at, 9 / p.scale, UP);
  if (mode === "scare") {
    context.moveTo(p.x - 5, p.y - 5);
    context.lineTo(p.x + 5, p.y + 5);
    context.moveTo(p.x + 5, p.y - 5);
    context.lineTo(p.x - 5, p.y + 5);
  }
  context.stroke();
  context.setLineDash([]);
}

function drawTerritory(lines: SpaceLines, thing: Kind<"territory">): void {
  const { context, light } = lines;
  const at = vecOf(thing, lines.box);
  drawBall(lines, at, thing.radius, light ? "150 70 20" : "255 180 120", 0.05);
  context.strokeStyle = light ? "rgb(150 70 20 / 0.5)" : "rgb(255 180 120 / 0.4)";
  context.lineWidth = 1.3;
  context.setLineDash([10, 8]);
  context.beginPath();
  traceRing(lines, at, thing.radius, UP);
  traceRing(lines, at, thing.radius, [1, 0, 0]);
  traceRing(lines, at, thing.radius, [0, 1, 0]);
  context.stroke();
  context.setLineDash([]);
}

function drawFood(lines: SpaceLines, thing: Kind<"food">): void {
  const { context, light } = lines;
  const at = vecOf(thing, lines.box);
  const p = seenAt(lines, at);
  if (p.far <= 0) return;
  const rgb = light ? "22 110 74" : "126 226 168";
  const share = thing.capacity > 0 ? thing.amount / thing.capacity : 0;
  drawStalk(lines, at, `rgb(${rgb} / 0.5)`);
  drawBall(lines, at, thing.radius, rgb, 0.1 + 0.2 * share);
  context.strokeStyle = `rgb(${rgb} / 0.95)`;
  context.lineWidth = 2;
  gauge(context, p, Math.max(7, thing.radius * p.scale), share);
  context.stroke();
}

function drawCarcass(lines: SpaceLines, thing: Kind<"carcass">): void {
  const { context, light } = lines;
  const p = seenAt(lines, vecOf(thing, lines.box));
  if (p.far <= 0) return;
  context.strokeStyle = light ? "rgb(120 60 40 / 0.9)" : "rgb(226 170 150 / 0.85)";
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(p.x - 6, p.y);
  context.lineTo(p.x + 6, p.y);
  for (const x of [-3.5, 0, 3.5]) {
    context.moveTo(p.x + x, p.y - 4);
    context.lineTo(p.x + x, p.y + 4);
  }
  context.stroke();
  gauge(context, p, 9, thing.capacity > 0 ? thing.amount / thing.capacity : 0);
  context.stroke();
}
