/** The flock at step 0: from the file, or drawn by the steps that Python's functions were traced to. */

import type { JsonObject } from "../net/protocol";
import { bytesOf, wordsOf, type Columns, type RunnableScene, type Start } from "./data";
import type { Flock } from "./flock_state";
import { runner } from "./numbers";
import { numberAt } from "./values";

/** The lower and the upper 32 bits of a seed. */
export function seedWords(seed: number): { seed_low: number; seed_high: number } {
  return { seed_low: seed >>> 0, seed_high: Math.floor(seed / 2 ** 32) >>> 0 };
}

/** The flock of a seed. If the page cannot draw one, it is always that of the file, and the seed decides what follows. */
export function startOf(scene: RunnableScene, scenario: JsonObject, seed: number, wanted: number): Flock {
  const { start, hello } = scene;
  const exported = numberAt(hello.scenario, "agents");
  const isSame = start.values.every((path) => numberAt(scenario, path) === numberAt(hello.scenario, path));
  const isOwn = isSame && seed === hello.seed && wanted === exported;
  const isStored = start.columns !== null && (isOwn || !start.draw);
  const count = isStored ? exported : wanted;
  return {
    count,
    nextId: count,
    ids: Int32Array.from({ length: count }, (_, id) => id),
    columns: isStored
      ? columnsOf(start, count)
      : { ...filled(start, count), ...drawnStart(start, scenario, seed, count) },
  };
}

/** The moment at which the scenario is shown first; null: its start. */
export function momentOf({ moment }: RunnableScene): { step: number; flock: Flock; items: Float32Array } | null {
  if (!moment) return null;
  const ids = wordsOf(moment.ids);
  const { step, nextId, items } = moment;
  const flock = { count: ids.length, nextId, ids, columns: columnsOf(moment, ids.length) };
  return { step, flock, items: new Float32Array(bytesOf(items).buffer) };
}

/** Columns in the file. */
function columnsOf(columns: Columns, count: number): Flock["columns"] {
  const stored = Object.entries(columns.columns ?? {});
  return {
    ...filled(columns, count),
    ...Object.fromEntries(stored.map(([name, text]) => [name, new Float32Array(bytesOf(text).buffer)])),
  };
}

/** The columns that agents draw by themselves. */
function drawnStart(start: Start, scenario: JsonObject, seed: number, count: number): Flock["columns"] {
  const columns: Flock["columns"] = {};
  if (!start.draw) throw new Error("only Python can draw this start");
  const given: Record<string, number> = { ...seedWords(seed) };
  for (const path of start.values) given[path] = numberAt(scenario, path);
  const run = runner(start.draw);
  const results = Object.entries(start.draw.results);
  for (const [name] of results) columns[name] = new Float32Array(count);
  for (let id = 0; id < count; id++) {
    given.id = id;
    const found = run((name) => given[name]);
    for (const [name, place] of results) columns[name][id] = found[place];
  }
  return columns;
}

/** Columns that are equal for all agents of a species. */
function filled({ fill }: Columns, count: number): Flock["columns"] {
  const columns: Flock["columns"] = {};
  for (const [name, runs] of Object.entries(fill)) {
    columns[name] = new Float32Array(count);
    const all = runs.reduce((sum, [length]) => sum + length, 0);
    let before = 0;
    for (const [length, value] of runs) {
      // Shares do not depend on the number of agents.
      const [begin, end] = [before, before + length].map((edge) => Math.round((edge * count) / all));
      columns[name].fill(value, begin, end);
      before += length;
    }
  }
  return columns;
}
