/**
 * Placed objects, as lists of the scenario and rows of items (view/session/editing/placement.py).
 *
 * Rows follow the lists. An object that was there before keeps its row, so a hunter continues its hunt; a new one
 * starts with the row that the export made for its kind.
 */

import type { ClientMessage, Json, JsonObject, Placeable } from "../net/protocol";
import type { RunnableScene } from "./data";
import { computed } from "./numbers";
import { isObject } from "./objects";
import { seedWords } from "./start";
import type { Tables } from "./tables";
import { LISTS, numberAt, valueAt, withValue } from "./values";

const MOST_LISTENERS = 128; // maximum number of hunters and food sources
const REACH = 220; // [u] of an attractor, in a world whose shorter side is 1,000 u
const FOOD_PULL = 2; // in a scenario without feeding

/** The rule that owns objects of a kind. In a scenario without feeding, food only attracts. */
export function ruleOf(scene: RunnableScene, kind: Placeable): string {
  if (kind === "predator") return "predators";
  return kind === "food" && Object.hasOwn(scene.templates, "feeding") ? "feeding" : "attractors";
}

export function placeable(scene: RunnableScene): Placeable[] {
  return ["attractor", "food", ...(Object.hasOwn(scene.templates, "predators") ? ["predator" as const] : [])];
}

export function listOf(scenario: JsonObject, rule: string): JsonObject[] {
  const found = valueAt(scenario, LISTS[rule]);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The scenario with one more object. */
export function withPlaced(
  scene: RunnableScene,
  scenario: JsonObject,
  message: Extract<ClientMessage, { type: "place" }>,
): JsonObject {
  if (message.kind === "circle" || message.kind === "wall")
    throw new Error(`A ${message.kind} needs another kernel, which this page cannot compile; \`murmura live\` can.`);
  const rule = ruleOf(scene, message.kind);
  const kinds = scene.templates[rule] ?? {};
  const kind = message.kind === "predator" ? message.species : "";
  if (!Object.hasOwn(kinds, kind)) {
    const known = Object.keys(kinds).join(", ");
    throw new Error(
      known
        ? `This page has kernels for hunters of these kinds: ${known}; got ${kind}.`
        : "Hunters need another kernel, which this page cannot compile; `murmura live` can.",
    );
  }
  const entry: JsonObject = {
    ...kinds[kind].entry,
    x: message.x,
    y: message.y,
    ...(message.z === undefined ? {} : { z: message.z }),
  };
  if (rule === "attractors") {
    entry.strength = message.kind === "attractor" ? message.strength : FOOD_PULL;
    entry.radius = (REACH * Math.min(numberAt(scenario, "world.width"), numberAt(scenario, "world.height"))) / 1000;
  }
  return withValue(scenario, LISTS[rule], [...listOf(scenario, rule), entry]);
}

/** The nearest object of a list; -1 if it is empty. */
function nearest(places: { x: Json; y: Json }[], x: number, y: number): number {
  const far = places.map((it) => Math.hypot(Number(it.x) - x, Number(it.y) - y));
  return far.indexOf(Math.min(...far));
}

/** The scenario without the nearest object of a kind. `hunters`: their current positions, with their index in the list. */
export function withoutNearest(
  scene: RunnableScene,
  scenario: JsonObject,
  kind: Placeable,
  x: number,
  y: number,
  hunters: { id: number; x: number; y: number }[],
): JsonObject {
  const rule = ruleOf(scene, kind);
  const list = listOf(scenario, rule);
  const found =
    kind === "predator" ? (hunters[nearest(hunters, x, y)]?.id ?? -1) : nearest(list as { x: Json; y: Json }[], x, y);
  if (found < 0 || found >= list.length) return scenario;
  if (kind === "predator" && list.length === 1)
    throw new Error("The last hunter cannot be removed: without it this page would need another kernel.");
  return withValue(
    scenario,
    LISTS[rule],
    list.filter((_, k) => k !== found),
  );
}

/** The scenario with the nearest object moved. */
export function withMoved(
  scene: RunnableScene,
  scenario: JsonObject,
  message: Extract<ClientMessage, { type: "move" }>,
): JsonObject {
  const rule = ruleOf(scene, message.kind);
  const list = listOf(scenario, rule);
  const found = nearest(list as { x: Json; y: Json }[], message.x, message.y);
  if (found < 0) return scenario;
  const there = list[found];
  const moved = {
    ...there,
    x: Number(there.x) + message.to_x - message.x,
    y: Number(there.y) + message.to_y - message.y,
  };
  return withValue(
    scenario,
    LISTS[rule],
    list.map((it, k) => (k === found ? moved : it)),
  );
}

export function listsDiffer(a: JsonObject, b: JsonObject): boolean {
  return Object.values(LISTS).some((path) => JSON.stringify(valueAt(a, path)) !== JSON.stringify(valueAt(b, path)));
}

/** Update rows from lists: the tables have those of `before` and get those of `after`. */
export function follow(
  scene: RunnableScene,
  tables: Tables,
  before: JsonObject,
  after: JsonObject,
  seed: number,
): void {
  for (const [rule, path] of Object.entries(LISTS)) {
    const group = scene.groups.findIndex(({ name }) => name === rule);
    if (group < 0 || JSON.stringify(valueAt(before, path)) === JSON.stringify(valueAt(after, path))) continue;
    const rows = tables.rows(group);
    const old = listOf(before, rule);
    // Randomly placed food sources come before those of the list, the pointer after all attractors.
    const first = rule === "feeding" ? rows.length - old.length : 0;
    const last = rule === "attractors" ? rows.slice(-1) : [];
    const listed = relisted(scene, group, old, rows.slice(first, first + old.length), listOf(after, rule), seed);
    tables.setRows(group, numbered(scene.groups[group].columns, rule, [...rows.slice(0, first), ...listed, ...last]));
  }
  if (tables.listeners > MOST_LISTENERS)
    throw new Error(
      `at most ${MOST_LISTENERS} hunters and sources of food fit into a world, got ${tables.listeners}: use fewer`,
    );
}

function relisted(
  scene: RunnableScene,
  group: number,
  old: JsonObject[],
  rows: Float32Array[],
  now: JsonObject[],
  seed: number,
): Float32Array[] {
  const { name, columns } = scene.groups[group];
  const left = old.map((entry) => JSON.stringify(entry));
  return now.map((entry, k) => {
    const same = left.indexOf(JSON.stringify(entry));
    if (same >= 0) {
      left[same] = ""; // taken
      return rows[same];
    }
    const isChanged = old.length === now.length && old[k].kind === entry.kind;
    if (isChanged) return applied(columns, rows[k], entry, old[k]);
    const made = applied(columns, fresh(scene, name, entry), entry, null);
    if (name === "predators") setOff(scene, columns, made, k, Number(entry.max_speed), seed);
    return made;
  });
}

function fresh(scene: RunnableScene, rule: string, entry: JsonObject): Float32Array {
  const template = scene.templates[rule]?.[rule === "predators" ? String(entry.kind) : ""];
  if (!template) throw new Error(`${rule}: ${String(entry.kind)} needs another kernel, which this page cannot compile`);
  return Float32Array.from(template.row);
}

/** A hunter starts at half its speed, in a direction derived from its number and the seed. */
function setOff(
  { start }: RunnableScene,
  columns: string[],
  row: Float32Array,
  number: number,
  maxSpeed: number,
  seed: number,
): void {
  const given: Record<string, number> = { ...seedWords(seed), number };
  const { turn } = computed(start.turn, (name) => given[name]);
  row[columns.indexOf("vx")] = Math.cos(2 * Math.PI * turn) * maxSpeed * 0.5;
  row[columns.indexOf("vy")] = Math.sin(2 * Math.PI * turn) * maxSpeed * 0.5;
}

/** A row with the numbers of an entry; for an existing one, only the changed numbers. */
function applied(columns: string[], row: Float32Array, entry: JsonObject, before: JsonObject | null): Float32Array {
  const found = row.slice();
  const set = (name: string, value: number): void => {
    const column = columns.indexOf(name);
    if (column >= 0) found[column] = value;
  };
  for (const [name, value] of Object.entries(entry)) {
    if (typeof value !== "number" || before?.[name] === value) continue;
    set(name, value);
    for (const also of ["home", "start"]) set(`${also}_${name}`, value);
    if (name === "amount") set("full", value);
    if (name === "max_energy" && !before) set("energy", value);
  }
  if (entry.stealth_radius === null) set("stealth_radius", Number(entry.panic_radius)); // it does not hide
  return found;
}

/** Set each item's own number. */
function numbered(columns: string[], rule: string, rows: Float32Array[]): Float32Array[] {
  const numbers = (k: number): Record<string, number> => {
    if (rule === "predators") return { number: k, line: k, rows: rows.length };
    return rule === "feeding" ? { id: k } : {};
  };
  return rows.map((row, k) => {
    const found = row.slice();
    for (const [name, value] of Object.entries(numbers(k))) found[columns.indexOf(name)] = value;
    return found;
  });
}
