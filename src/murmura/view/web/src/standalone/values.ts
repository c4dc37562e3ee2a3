/** Values of a scenario by path, and which of them a page without Python can change. */

import type { Json, JsonObject } from "../net/protocol";
import { isObject } from "./objects";
import type { RunnableScene, Start } from "./data";

/** Lists of objects that users place, by rule. */
export const LISTS: Record<string, string> = {
  attractors: "rules.attractors.points",
  feeding: "rules.feeding.sources",
  predators: "rules.predators.hunters",
};
/** Values that affect only the picture. */
const FREE = "display.";
export const NEEDS_MURMURA = "needs another kernel, which this page cannot compile; `murmura live` can";

export function valueAt(data: Json | undefined, path: string): Json | undefined {
  let found: Json | undefined = data;
  for (const part of path.split(".")) found = isObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  return found;
}

/** The data with another value at an existing path. */
export function withValue(data: JsonObject, path: string, value: Json): JsonObject {
  const [first, ...rest] = path.split(".");
  const inner = data[first];
  if (rest.length === 0) return { ...data, [first]: value };
  return { ...data, [first]: withValue(isObject(inner) ? inner : {}, rest.join("."), value) };
}

/** Paths at which two scenarios differ. Lists count as one value. */
export function differingPaths(a: JsonObject, b: JsonObject, before = ""): string[] {
  return Object.keys({ ...a, ...b }).flatMap((key) => {
    const [mine, its] = [a[key], b[key]];
    if (isObject(mine) && isObject(its)) return differingPaths(mine, its, `${before}${key}.`);
    return JSON.stringify(mine) === JSON.stringify(its) ? [] : [before + key];
  });
}

export const MOST_AGENTS = 200_000;

/** Why a value is refused; empty if it is accepted. */
export function refusal(
  { live, start, templates }: Pick<RunnableScene, "live" | "start" | "templates">,
  scenario: JsonObject,
  path: string,
  value: Json,
): string {
  const present = valueAt(scenario, path);
  if (present === undefined) return `no value is called ${path}`;
  if (JSON.stringify(present) === JSON.stringify(value) || path.startsWith(FREE)) return "";
  if (path === "agents") return agentsRefused(start.draw !== null, value);
  if (isOfStart(start, path) && typeof value === "number") return "";
  if (
    Array.isArray(value) &&
    Object.entries(LISTS).some(([rule, list]) => path === list && Object.hasOwn(templates, rule))
  )
    return "";
  if (!Object.hasOwn(live.ranges, path) || typeof value !== "number") return `${path} ${NEEDS_MURMURA}`;
  const [low, high] = live.ranges[path];
  if (!(value >= low && value <= high)) return `${path} must be from ${low} to ${high} in this page, got ${value}`;
  return seesItself(scenario, path, value);
}

function agentsRefused(canDraw: boolean, value: Json): string {
  if (!canDraw) return "agents: this page cannot draw another start of this scene; `murmura live` can";
  const isWhole = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_AGENTS;
  return isWhole ? "" : `agents must be from 1 to ${MOST_AGENTS} in this page, got ${String(value)}`;
}

/** In a wrapping world agents must not see farther than half its size. */
function seesItself(scenario: JsonObject, path: string, value: number): string {
  const world = isObject(scenario.world) ? scenario.world : {};
  const half = Math.min(Number(world.width), Number(world.height)) / 2;
  if (path !== "perception.radius" || world.boundary !== "wrap" || value < half) return "";
  return `perception.radius must be below half the smaller side of a wrapping world (${half}), got ${value}`;
}

/** A value that the page needs when it draws a start. */
function isOfStart(start: Start, path: string): boolean {
  return path.startsWith("start.") && start.values.includes(path);
}

/** The schema with only the controls that this page supports. */
export function prunedSchema(schema: JsonObject, scene: Pick<RunnableScene, "live" | "start"> | null): JsonObject {
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  const keeps = (path: string) =>
    scene !== null && (Object.hasOwn(scene.live.ranges, path) || path.startsWith(FREE) || isOfStart(scene.start, path));
  const prune = (node: Json | undefined, path: string): JsonObject => {
    const named =
      isObject(node) && typeof node.$ref === "string" ? definitions[node.$ref.split("/").at(-1) ?? ""] : node;
    const whole: JsonObject = { ...(isObject(named) ? named : {}) };
    if (!isObject(whole.properties)) return whole;
    const kept = Object.entries(whole.properties).flatMap(([name, child]): [string, Json][] => {
      const inner = prune(child, `${path}${name}.`);
      if (isObject(inner.properties)) return Object.keys(inner.properties).length > 0 ? [[name, inner]] : [];
      return keeps(path + name) ? [[name, child]] : [];
    });
    return { ...whole, properties: Object.fromEntries(kept) };
  };
  return { ...prune(schema, ""), $defs: definitions };
}

export function numberAt(scenario: JsonObject, path: string): number {
  return Number(valueAt(scenario, path));
}
