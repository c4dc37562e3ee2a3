/** How far a slider may go so that the scenario stays one that the model accepts. */

import { isObject, type JsonObject } from "../net/protocol";
import { valueAt, type Control } from "./schema";

/** Nobody acts on whom it cannot see: these stay within the perception radius. */
const SEEN = ["rules.separation.radius", "rules.alignment.radius", "rules.cohesion.radius", "rules.mating.search_radius", "rules.mating.fight_radius"];
const HALF = 0.499; // of a wrapping world's smaller side: who saw farther would see others twice

/** The ends of a control's slider beside the present values of the others. */
export function endsOf(control: Control, scenario: JsonObject): [number, number] {
  const { path, min, max } = control;
  const radius = number(scenario, "perception.radius") ?? Infinity;
  if (SEEN.includes(path)) return [Math.min(min, radius), Math.min(max, radius)];
  if (path === "perception.radius") return [Math.max(min, ...SEEN.map((each) => acting(scenario, each))), Math.min(max, farthest(scenario))];
  return [min, max];
}

function farthest(scenario: JsonObject): number {
  if (valueAt(scenario, "world.boundary") !== "wrap") return Infinity;
  return Math.floor(HALF * Math.min(number(scenario, "world.width") ?? Infinity, number(scenario, "world.height") ?? Infinity));
}

/** A radius of a rule that takes part; 0 of one that does not. */
function acting(scenario: JsonObject, path: string): number {
  const rule = valueAt(scenario, path.replace(/\.\w+$/, ""));
  return isObject(rule) && rule.enabled === true ? (number(scenario, path) ?? 0) : 0;
}

function number(scenario: JsonObject, path: string): number | null {
  const value = valueAt(scenario, path);
  return typeof value === "number" ? value : null;
}
