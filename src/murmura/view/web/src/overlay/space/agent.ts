/** What the selected agent sees and wants in space: a ball cut by a cone, lines to its neighbours, forces. */

import type { Inspection, Vector } from "../../net/protocol";
import type { Looks } from "../../panel/settings";
import { across, add, times, unit, type Vec } from "../../render/space/vectors";
import { ruleColor } from "../agent";
import { seenAt, traceLine, traceRing, type SpaceLines } from "./lines";

const ARROW = 70; // px for the strongest force
const SPOKES = 16; // of the cone
const DASHES: Record<string, number[]> = { cohesion: [5, 4] };

const vec = ([x, y, z = 0]: Vector): Vec => [x, y, z];

/** `at` is the agent's position in the picture; `wrap` are the sides along which the world wraps, else 0. */
export function drawSpaceAgent(lines: SpaceLines, agent: Inspection, at: Vec, looks: Looks, wrap: Vec): void {
  const { context, light } = lines;
  const p = seenAt(lines, at);
  if (p.far <= 0) return;
  context.save();
  if (looks.wedge) drawCone(lines, agent, at);
  if (looks.circle) drawReach(lines, agent, at);
  if (looks.links) drawLinks(lines, agent, at, wrap);
  if (looks.forces) drawForces(lines, agent, at, p.scale);
  context.strokeStyle = light ? "#1b2433" : "#ffffff";
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(p.x, p.y, 11, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

function drawReach(lines: SpaceLines, { perception }: Inspection, at: Vec): void {
  const { context, light, gaze } = lines;
  context.lineWidth = 1;
  context.setLineDash([3, 5]);
  context.strokeStyle = light ? "rgb(30 50 80 / 0.5)" : "rgb(200 220 255 / 0.42)";
  context.beginPath();
  for (const normal of [gaze.ahead, [0, 0, 1] as Vec]) traceRing(lines, at, perception.radius, normal);
  context.stroke();
  context.setLineDash([]);
}

/** The edge of its field of view: a cone around its heading; behind a wide one is the blind part. */
export function traceCone(lines: SpaceLines, at: Vec, ahead: Vec, half: number, radius: number, spokes: number): void {
  if (half >= Math.PI) return;
  const rim = add(at, times(ahead, radius * Math.cos(half)));
  const wide = radius * Math.sin(half);
  const [u, v] = across(ahead);
  traceRing(lines, rim, wide, ahead);
  for (let k = 0; k < spokes; k++) {
    const angle = (2 * Math.PI * k) / spokes;
    traceLine(lines, at, add(rim, add(times(u, wide * Math.cos(angle)), times(v, wide * Math.sin(angle)))));
  }
}

function drawCone(lines: SpaceLines, { perception, velocity }: Inspection, at: Vec): void {
  const { context, light } = lines;
  const half = (Math.min(360, perception.field_of_view) * Math.PI) / 360;
  context.lineWidth = 1;
  context.strokeStyle = light ? "rgb(40 90 160 / 0.4)" : "rgb(150 195 255 / 0.34)";
  context.beginPath();
  traceCone(lines, at, unit(vec(velocity)), half, perception.radius, SPOKES);
  context.stroke();
}

function drawLinks(lines: SpaceLines, agent: Inspection, at: Vec, wrap: Vec): void {
  const { context } = lines;
  const here = vec(agent.position);
  const ends = new Map(agent.neighbors.map(({ id, x, y, z = 0 }) => {
    const way = [x, y, z].map((value, axis) => {
      const d = value - here[axis];
      return wrap[axis] > 0 ? d - wrap[axis] * Math.round(d / wrap[axis]) : d;
    });
    return [id, add(at, [way[0], way[1], way[2]])];
  }));
  for (const name of ["cohesion", "alignment", "separation"]) {
    const rule = agent.rules[name];
    if (!rule) continue;
    context.strokeStyle = ruleColor(name);
    context.setLineDash(DASHES[name] ?? []);
    // Hundreds of lines from one point would merge into a blot.
    context.globalAlpha = (name === "separation" ? 0.95 : 0.7) * Math.min(1, Math.max(0.13, 40 / rule.neighbors.length));
    context.lineWidth = name === "separation" ? 2 : 1.2;
    context.beginPath();
    for (const id of rule.neighbors) {
      const end = ends.get(id);
      if (end) traceLine(lines, at, end);
    }
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawForces(lines: SpaceLines, agent: Inspection, at: Vec, scale: number): void {
  const forces = Object.entries(agent.rules).map(([name, rule]) => [ruleColor(name), vec(rule.force)] as const);
  const largest = Math.max(1e-9, ...forces.map(([, force]) => Math.hypot(...force)), Math.hypot(...agent.steering));
  const longest = ARROW / scale / largest; // u per unit of force
  for (const [color, force] of forces) drawArrow(lines, at, times(force, longest), color, 2);
  drawArrow(lines, at, times(vec(agent.steering), longest), lines.light ? "#10151f" : "#ffffff", 3);
}

function drawArrow(lines: SpaceLines, from: Vec, way: Vec, color: string, width: number): void {
  const { context } = lines;
  const [a, b] = [seenAt(lines, from), seenAt(lines, add(from, way))];
  const size = Math.hypot(b.x - a.x, b.y - a.y);
  if (b.far <= 0 || size < 3) return;
  const [ux, uy] = [(b.x - a.x) / size, (b.y - a.y) / size];
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = width;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x - ux * 6, b.y - uy * 6);
  context.stroke();
  context.beginPath();
  context.moveTo(b.x, b.y);
  context.lineTo(b.x - ux * 8 - uy * 4, b.y - uy * 8 + ux * 4);
  context.lineTo(b.x - ux * 8 + uy * 4, b.y - uy * 8 - ux * 4);
  context.fill();
}
