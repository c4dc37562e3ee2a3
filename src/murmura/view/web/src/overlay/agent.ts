/** Draws what the selected agent sees, and the forces on it. */

import { toScreen, type Size } from "../render/camera";
import type { Lines } from "./lines";
import type { Inspection, Point, Vector } from "../net/protocol";
import type { Looks } from "../panel/settings";

/** Red, blue and green are conventional for these rules; colour-blind readers can tell them apart by their dashes. */
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

/**
 * `at` is the current position in the picture: the report is up to a tenth of a second old.
 * `wrap` are the sides of a wrapping world, where a neighbour may be across the edge.
 */
export function drawAgent(stage: Lines, agent: Inspection, at: Point, looks: Looks, wrap: Size | null): void {
  const { context, camera, view } = stage;
  const place = toScreen(camera, view, at);
  context.save();
  if (looks.wedge) drawWedge(stage, agent, place);
  if (looks.circle) drawCircle(stage, agent, place);
  if (looks.links) drawLinks(stage, agent, place, wrap);
  if (looks.forces) drawForces(stage, agent, place);
  context.strokeStyle = stage.light ? "#1b2433" : "#ffffff";
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(place.x, place.y, 11, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

function drawCircle({ context, camera, light }: Lines, agent: Inspection, place: Point): void {
  context.lineWidth = 1;
  context.setLineDash([3, 5]);
  context.strokeStyle = light ? "rgb(30 50 80 / 0.55)" : "rgb(200 220 255 / 0.45)";
  context.beginPath();
  context.arc(place.x, place.y, agent.perception.radius * camera.zoom, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
}

function drawWedge({ context, camera, light }: Lines, agent: Inspection, place: Point): void {
  const radius = agent.perception.radius * camera.zoom;
  const heading = Math.atan2(agent.velocity[1], agent.velocity[0]);
  const half = (Math.min(360, agent.perception.field_of_view) * Math.PI) / 360;
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

/** From an agent to a neighbour, the shorter way if the world wraps [u]. */
export function wayTo(agent: Inspection, neighbor: Point, wrap: Size | null): Point {
  let [x, y] = [neighbor.x - agent.position[0], neighbor.y - agent.position[1]];
  if (wrap) {
    x -= wrap.width * Math.round(x / wrap.width);
    y -= wrap.height * Math.round(y / wrap.height);
  }
  return { x, y };
}

function drawLinks({ context, camera }: Lines, agent: Inspection, place: Point, wrap: Size | null): void {
  const places = new Map(
    agent.neighbors.map((neighbor) => {
      const way = wayTo(agent, neighbor, wrap);
      return [neighbor.id, { x: place.x + way.x * camera.zoom, y: place.y + way.y * camera.zoom }];
    }),
  );
  // Cohesion first and separation last: the rarest is on top. Lines to the same neighbour are side by side, so that all are visible.
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
      if (to) line(context, place, to, (lane - 1) * 3);
    }
    context.stroke();
  });
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function line(context: CanvasRenderingContext2D, a: Point, b: Point, offset: number): void {
  const d = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [nx, ny] = [(-(b.y - a.y) / d) * offset, ((b.x - a.x) / d) * offset];
  context.moveTo(a.x + nx, a.y + ny);
  context.lineTo(b.x + nx, b.y + ny);
}

function drawForces({ context, light }: Lines, agent: Inspection, place: Point): void {
  const forces = Object.entries(agent.rules).map(([name, rule]) => [ruleColor(name), rule.force] as const);
  const largest = Math.max(1e-9, ...forces.map(([, f]) => Math.hypot(...f)), Math.hypot(...agent.steering));
  for (const [color, force] of forces) arrow(context, place, force, ARROW / largest, color, 2);
  arrow(context, place, agent.steering, ARROW / largest, light ? "#10151f" : "#ffffff", 3);
}

function arrow(
  context: CanvasRenderingContext2D,
  from: Point,
  force: Vector,
  scale: number,
  color: string,
  width: number,
): void {
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
