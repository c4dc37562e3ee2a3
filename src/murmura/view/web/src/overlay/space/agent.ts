/** Draws what the selected agent sees in space (a ball cut by a cone), lines to its neighbours, and its forces. */

import type { Inspection, Vector } from "../../net/protocol";
import type { Looks } from "../../panel/settings";
import type { Rgb, Stroke } from "../../render/space/primitives/primitives";
import { across, add, times, unit, type Vec } from "../../render/space/vectors";
import { ruleColor } from "../agent";
import { drawRing, drawSegment, rgbOf, seenAt, type SpaceLines } from "./lines";

const ARROW = 70; // px for the strongest force
const SPOKES = 16; // of the cone
const DASHES: Partial<Record<string, readonly [number, number]>> = { cohesion: [5, 4] };

const vec = ([x, y, z = 0]: Vector): Vec => [x, y, z];

/** `at` is the agent's position in the picture; `wrap` are the sides along which the world wraps, else 0. */
export function drawSpaceAgent(lines: SpaceLines, agent: Inspection, at: Vec, looks: Looks, wrap: Vec): void {
  const p = seenAt(lines, at);
  if (p.far <= 0) return;
  if (looks.wedge) drawOwnCone(lines, agent, at);
  if (looks.circle) drawReach(lines, agent, at);
  if (looks.links) drawLinks(lines, agent, at, wrap);
  if (looks.forces) drawForces(lines, agent, at, p.scale);
  drawRing(lines, at, 11 / p.scale, lines.gaze.ahead, {
    rgb: rgbOf(lines.light ? "#1b2433" : "#ffffff"),
    alpha: 1,
    width: 1.5,
  });
}

function drawReach(lines: SpaceLines, { perception }: Inspection, at: Vec): void {
  const stroke: Stroke = {
    ...(lines.light ? { rgb: [30, 50, 80], alpha: 0.5 } : { rgb: [200, 220, 255], alpha: 0.42 }),
    width: 1,
    dash: [3, 5],
  };
  for (const normal of [lines.gaze.ahead, [0, 0, 1] as Vec]) drawRing(lines, at, perception.radius, normal, stroke);
}

/** The edge of its field of view: a cone around its heading, or around its blind angle if the view is wide. */
export function drawCone(
  lines: SpaceLines,
  at: Vec,
  ahead: Vec,
  half: number,
  radius: number,
  spokes: number,
  stroke: Stroke,
): void {
  if (half >= Math.PI) return;
  const rim = add(at, times(ahead, radius * Math.cos(half)));
  const wide = radius * Math.sin(half);
  const [u, v] = across(ahead);
  drawRing(lines, rim, wide, ahead, stroke);
  for (let k = 0; k < spokes; k++) {
    const angle = (2 * Math.PI * k) / spokes;
    lines.draw.line(at, add(rim, add(times(u, wide * Math.cos(angle)), times(v, wide * Math.sin(angle)))), stroke);
  }
}

function drawOwnCone(lines: SpaceLines, { perception, velocity }: Inspection, at: Vec): void {
  const half = (Math.min(360, perception.field_of_view) * Math.PI) / 360;
  const stroke: Stroke = {
    ...(lines.light ? { rgb: [40, 90, 160], alpha: 0.4 } : { rgb: [150, 195, 255], alpha: 0.34 }),
    width: 1,
  };
  drawCone(lines, at, unit(vec(velocity)), half, perception.radius, SPOKES, stroke);
}

function drawLinks(lines: SpaceLines, agent: Inspection, at: Vec, wrap: Vec): void {
  const here = vec(agent.position);
  const ends = new Map(
    agent.neighbors.map(({ id, x, y, z = 0 }) => {
      const way = [x, y, z].map((value, axis) => {
        const d = value - here[axis];
        return wrap[axis] > 0 ? d - wrap[axis] * Math.round(d / wrap[axis]) : d;
      });
      return [id, add(at, [way[0], way[1], way[2]])];
    }),
  );
  for (const name of ["cohesion", "alignment", "separation"]) {
    const rule = agent.rules[name];
    if (!rule) continue;
    const dash = DASHES[name];
    // Hundreds of lines from one point would merge into a blot.
    const alpha = (name === "separation" ? 0.95 : 0.7) * Math.min(1, Math.max(0.13, 40 / rule.neighbors.length));
    const stroke: Stroke = {
      rgb: rgbOf(ruleColor(name)),
      alpha,
      width: name === "separation" ? 2 : 1.2,
      ...(dash && { dash }),
    };
    for (const id of rule.neighbors) {
      const end = ends.get(id);
      if (end) lines.draw.line(at, end, stroke);
    }
  }
}

function drawForces(lines: SpaceLines, agent: Inspection, at: Vec, scale: number): void {
  const forces = Object.entries(agent.rules).map(([name, rule]) => [ruleColor(name), vec(rule.force)] as const);
  const largest = Math.max(1e-9, ...forces.map(([, force]) => Math.hypot(...force)), Math.hypot(...agent.steering));
  const longest = ARROW / scale / largest; // u per unit of force
  for (const [color, force] of forces) drawArrow(lines, at, times(force, longest), rgbOf(color), 2);
  drawArrow(lines, at, times(vec(agent.steering), longest), rgbOf(lines.light ? "#10151f" : "#ffffff"), 3);
}

function drawArrow(lines: SpaceLines, from: Vec, way: Vec, rgb: Rgb, width: number): void {
  const tip = add(from, way);
  const [a, b] = [seenAt(lines, from), seenAt(lines, tip)];
  const size = Math.hypot(b.x - a.x, b.y - a.y);
  if (b.far <= 0 || size < 3) return;
  const [ux, uy] = [(b.x - a.x) / size, (a.y - b.y) / size]; // up is positive
  const stroke: Stroke = { rgb, alpha: 1, width };
  lines.draw.line(from, tip, stroke);
  for (const side of [1, -1])
    drawSegment(lines, tip, b.scale, [0, 0], [-ux * 8 - side * uy * 4, -uy * 8 + side * ux * 4], stroke);
}
