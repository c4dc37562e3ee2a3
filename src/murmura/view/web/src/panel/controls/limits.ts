/** Slider ranges that keep the scenario valid. */

import { isObject, type JsonObject } from "../../net/protocol";
import { valueAt, type Control } from "./schema";

/** Agents react only to what they see, so these must not exceed the perception radius. */
const SEEN = ["rules.separation.radius", "rules.alignment.radius", "rules.cohesion.radius"];
/** Rules that look as far as these say, whatever the perception radius. */
const OWN = ["rules.mating.search_radius", "rules.mating.fight_radius"];
const HALF = 0.499; // of a wrapping world's smaller side: with more, agents would see others twice

/** The range of a control's slider, given the current values of the others. */
export function endsOf(control: Control, scenario: JsonObject): [number, number] {
  const { path, min, max } = control;
  const radius = number(scenario, "perception.radius") ?? Infinity;
  if (SEEN.includes(path)) return [Math.min(min, radius), Math.min(max, radius)];
  if (OWN.includes(path)) return [min, Math.min(max, farthest(scenario))];
  if (path === "perception.radius")
    return [Math.max(min, ...SEEN.map((each) => acting(scenario, each))), Math.min(max, farthest(scenario))];
  return [min, max];
}

function farthest(scenario: JsonObject): number {
  if (valueAt(scenario, "world.boundary") !== "wrap") return Infinity;
  return Math.floor(
    HALF * Math.min(number(scenario, "world.width") ?? Infinity, number(scenario, "world.height") ?? Infinity),
  );
}

/** The radius of an active rule; 0 for an inactive one. */
function acting(scenario: JsonObject, path: string): number {
  const rule = valueAt(scenario, path.replace(/\.\w+$/, ""));
  return isObject(rule) && rule.enabled === true ? (number(scenario, path) ?? 0) : 0;
}

function number(scenario: JsonObject, path: string): number | null {
  const value = valueAt(scenario, path);
  return typeof value === "number" ? value : null;
}
