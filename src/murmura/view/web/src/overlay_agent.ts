/** What the chosen agent sees and wants, drawn around it. */

import { toScreen, type Camera, type Size } from "./camera";
import type { Inspection, Pair, Point } from "./protocol";
import type { Looks } from "./settings";

/** Red, blue and green as everywhere in the field; told apart by dash as well, for those who cannot by colour. */
const RULES: Record<string, { color: string; dash: number[] }> = {
  separation: { color: "#ff6b6b", dash: [] },
  alignment: { color: "#5aa9ff", dash: [] },
  cohesion: { color: "#3fd68b", dash: [5, 4] },
  boundary: { color: "#c9a26b", dash: [] },
  fear: { color: "#ff9f43", dash: [] },
  flee: { color: "#ff9f43", dash: [] },
  chase: { color: "#f368e0", dash: [] },
  attractors: { color: "#ffd166", dash: [] },
};
const ARROW = 70; // px for the strongest force

export function ruleColor(name: string): string {
  return RULES[name]?.color ?? "#a9b4cc";
}

export interface Stage {
  context: CanvasRenderingContext2D;
  camera: Camera;
  view: Size;
  light: boolean;
}

/** `at` is where the agent is in the picture now: the report is up to a tenth of a second old. */
export function drawAgent(stage: Stage, agent: Inspection, at: Point, looks: Looks): void {
  const { context, camera, view } = stage;
  const place = toScreen(camera, view, at);
  const shift = { x: at.x - agent.position[0], y: at.y - agent.position[1] };
  context.save();
  if (looks.vision) drawPerception(stage, agent, place);
  if (looks.neighbors) drawLinks(stage, agent, place, shift);
  if (looks.forces) drawForces(stage, agent, place);
  context.strokeStyle = stage.light ? "#1b2433" : "#ffffff";
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(place.x, place.y, 11, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

function drawPerception({ context, camera, light }: Stage, agent: Inspection, place: Point): void {
  const radius = agent.perception.radius * camera.zoom;
  const heading = Math.atan2(agent.velocity[1], agent.velocity[0]);
  const half = (Math.min(360, agent.perception.field_of_view) * Math.PI) / 360;
  context.lineWidth = 1;
  context.setLineDash([3, 5]);
  context.strokeStyle = light ? "rgb(30 50 80 / 0.5)" : "rgb(200 220 255 / 0.4)";
  context.beginPath();
  context.arc(place.x, place.y, radius, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
  const wedge = context.createRadialGradient(place.x, place.y, 0, place.x, place.y, radius);
  wedge.addColorStop(0, light ? "rgb(40 90 160 / 0.22)" : "rgb(150 195 255 / 0.22)");
  wedge.addColorStop(1, light ? "rgb(40 90 160 / 0.05)" : "rgb(150 195 255 / 0.04)");
  context.fillStyle = wedge;
  context.beginPath();
  if (half < Math.PI) context.moveTo(place.x, place.y);
  context.arc(place.x, place.y, radius, heading - half, heading + half);
  context.closePath();
  context.fill();
}

function drawLinks(stage: Stage, agent: Inspection, place: Point, shift: Point): void {
  const { context, camera, view } = stage;
  const places = new Map(agent.neighbors.map(({ id, x, y }) => [id, toScreen(camera, view, { x: x + shift.x, y: y + shift.y })]));
  const reach = agent.perception.radius * camera.zoom * 1.5;
  // Cohesion first and separation last: the rarest lies on top. Beside each other, so that all can be seen.
  ["cohesion", "alignment", "separation"].forEach((name, lane) => {
    const rule = agent.rules[name];
    if (!rule) return;
    context.strokeStyle = ruleColor(name);
    context.setLineDash(RULES[name].dash);
    context.globalAlpha = name === "separation" ? 0.95 : 0.75;
    context.lineWidth = name === "separation" ? 2 : 1.3;
    context.beginPath();
    for (const id of rule.neighbors) {
      const to = places.get(id);
      if (to && Math.hypot(to.x - place.x, to.y - place.y) < reach) line(context, place, to, (lane - 1) * 3);
    }
    context.stroke();
  });
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function line(context: CanvasRenderingContext2D, a: Point, b: Point, aside: number): void {
  const d = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [nx, ny] = [(-(b.y - a.y) / d) * aside, ((b.x - a.x) / d) * aside];
  context.moveTo(a.x + nx, a.y + ny);
  context.lineTo(b.x + nx, b.y + ny);
}

function drawForces({ context, light }: Stage, agent: Inspection, place: Point): void {
  const forces = Object.entries(agent.rules).map(([name, rule]) => [ruleColor(name), rule.force] as const);
  const largest = Math.max(1e-9, ...forces.map(([, f]) => Math.hypot(...f)), Math.hypot(...agent.steering));
  for (const [color, force] of forces) arrow(context, place, force, ARROW / largest, color, 2);
  arrow(context, place, agent.steering, ARROW / largest, light ? "#10151f" : "#ffffff", 3);
}

function arrow(context: CanvasRenderingContext2D, from: Point, force: Pair, scale: number, color: string, width: number): void {
  const [dx, dy] = [force[0] * scale, force[1] * scale];
  const size = Math.hypot(dx, dy);
  if (size < 2) return;
  const [ux, uy] = [dx / size, dy / size];
  const tip = { x: from.x + dx + ux * 12, y: from.y + dy + uy * 12 };
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = width;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(from.x + ux * 12, from.y + uy * 12);
  context.lineTo(tip.x - ux * 6, tip.y - uy * 6);
  context.stroke();
  context.beginPath();
  context.moveTo(tip.x, tip.y);
  context.lineTo(tip.x - ux * 8 - uy * 4, tip.y - uy * 8 + ux * 4);
  context.lineTo(tip.x - ux * 8 + uy * 4, tip.y - uy * 8 - ux * 4);
  context.fill();
}
