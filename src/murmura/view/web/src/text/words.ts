/** Describes what an agent sees and where it steers, and why. */

import { isObject, type Inspection, type Json, type Vector } from "../net/protocol";
import { humanized } from "../panel/controls/schema";

const COMPASS = ["east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east"];
const NEGLIGIBLE = 1e-6;

export function length(vector: Vector): number {
  return Math.hypot(...vector);
}

/** In a plane y grows downwards, so a positive y is south; in space, seen from above, it grows upwards. */
export function compass([x, y, z]: Vector): string {
  const eighth = Math.round(Math.atan2(z === undefined ? y : -y, x) / (Math.PI / 4));
  return COMPASS[(eighth + 8) % 8] + slope(x, y, z ?? 0);
}

/** "up" or "down", unless the vertical part is small. */
function slope(x: number, y: number, z: number): string {
  const steep = Math.abs(z) / Math.max(1e-9, Math.hypot(x, y));
  if (steep < 0.27) return "";
  return `${steep > 1 ? " steeply" : ""} ${z > 0 ? "upwards" : "downwards"}`;
}

/** The direction of a force relative to the agent. */
export function side(velocity: Vector, force: Vector): string {
  const [z = 0] = force.slice(2);
  if (force.length === 3 && Math.abs(z) > 1.5 * Math.hypot(force[0], force[1])) return z > 0 ? "up" : "down";
  const ahead = velocity[0] * force[0] + velocity[1] * force[1];
  const right = (velocity[0] * force[1] - velocity[1] * force[0]) * (force.length === 3 ? -1 : 1);
  const angle = Math.atan2(right, ahead) / (Math.PI / 4);
  if (Math.abs(angle) <= 0.5) return "ahead";
  if (Math.abs(angle) >= 3.5) return "back";
  const hand = angle > 0 ? "right" : "left";
  if (Math.abs(angle) < 1.5) return `ahead and ${hand}`;
  return Math.abs(angle) > 2.5 ? `back and ${hand}` : hand;
}

const REASONS: Record<string, (count: number) => string> = {
  separation: (n) => `to move away from ${count(n, "neighbour")} that ${n === 1 ? "is" : "are"} too close`,
  alignment: (n) => `to match the velocity of ${count(n, "neighbour")}`,
  cohesion: (n) => `to move towards ${n === 1 ? "" : "the centre of "}${count(n, "neighbour")}`,
  boundary: () => "because the edge is near",
  containment: () => "because it would soon leave the world",
  avoid_obstacles: () => "because an obstacle is in the way",
  attractors: () => "because of an attractor or repulsor",
  fear: () => "because it is afraid",
  flee: (n) => `to flee from ${count(n, "hunter")}`,
  chase: (n) => `to catch one of ${count(n, "prey", "prey")}`,
  noise: () => "at random",
  wind: () => "because of the wind",
};

function count(n: number, one: string, many = `${one}s`): string {
  return n === 1 ? `one ${one}` : `${n} ${many}`;
}

export interface RuleForce {
  name: string;
  strength: number;
  text: string;
}

/** The force of each rule, the strongest first, without negligible ones. */
export function ruleForces(agent: Inspection): RuleForce[] {
  return Object.entries(agent.rules)
    .map(([name, { force, neighbors }]) => {
      const strength = length(force);
      const reason = REASONS[name]?.(neighbors.length) ?? "";
      const text =
        strength > NEGLIGIBLE
          ? `pulls ${side(agent.velocity, force)} ${reason}`.trim()
          : `counts ${count(neighbors.length, "neighbour")}, but does not pull`;
      return { name, strength, text, acts: strength > NEGLIGIBLE || neighbors.length > 0 };
    })
    .filter(({ acts }) => acts)
    .sort((a, b) => b.strength - a.strength);
}

export function describe(agent: Inspection): string[] {
  const seen = agent.neighbors.length;
  const { field_of_view: view } = agent.perception;
  const radius = Number(agent.perception.radius.toFixed(1));
  const lines = [
    `Flies ${compass(agent.velocity)} at ${length(agent.velocity).toFixed(1)}.`,
    seen === 0
      ? `Sees no neighbours within ${radius} u.`
      : `Sees ${count(seen, "neighbour")} within ${radius} u${view < 360 ? `, ${view}° around its heading` : ""}.`,
  ];
  lines.push(...hunted(agent));
  const wanted = ruleForces(agent);
  const turn = length(agent.steering);
  if (turn < NEGLIGIBLE) lines.push("No force acts on it: it keeps its course.");
  else
    lines.push(
      `Overall it steers ${side(agent.velocity, agent.steering)}${wanted[0] ? `, mostly because of ${humanized(wanted[0].name).toLowerCase()}` : ""}.`,
    );
  return lines;
}

/** What it flees from, and what pursues it. */
function hunted({ hunters = [] }: Inspection): string[] {
  return hunters.map(({ id, kind, state, distance, frightens, hunts }) => {
    const name = `${humanized(kind).toLowerCase()} ${id} (${humanized(state).toLowerCase()}), ${distance.toFixed(0)} u away`;
    return hunts ? `Hunted by ${name}${frightens ? ", and flees from it" : ", unaware of it"}.` : `Flees from ${name}.`;
  });
}

/** Net steering, state and target as table rows. */
export function facts(agent: Inspection): [string, string][] {
  const rows: [string, string][] = [["Net steering", shown(length(agent.steering))]];
  const targets = Object.entries(agent.target ?? {}).filter(([, value]) => !(typeof value === "number" && value < 0)); // -1: none
  for (const [key, value] of [...Object.entries(agent.state), ...targets]) {
    if (value !== null && value !== "none" && !isObject(value)) rows.push([humanized(key), shown(value)]);
  }
  return rows;
}

function shown(value: Json): string {
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
}
