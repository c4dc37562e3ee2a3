/** The flock at step 0: from the file, or drawn from the seed as in `engine/initial.py`. */

import type { JsonObject } from "../../net/protocol";
import { bytesOf, type RunnableScene } from "../data";
import type { Flock } from "../flock_state";
import { valueAt } from "../values";
import { drawnStart } from "./random";

/** The flock of a seed. Where the start cannot be generated, it is always the exported one, and only later random events depend on the seed. */
export function startOf(scene: RunnableScene, scenario: JsonObject, seed: number, wanted: number): Flock {
  const { start, hello } = scene;
  const exported = Number(valueAt(hello.scenario, "agents"));
  const isOwn = seed === hello.seed && wanted === exported && !startChanged(scene, scenario);
  const carried = start && (isOwn || !scene.canDraw) ? start : null;
  const count = carried ? exported : wanted;
  const stored = Object.entries(carried ?? {}).map(([name, text]) => [name, new Float32Array(bytesOf(text).buffer)]);
  const differing = carried ? (Object.fromEntries(stored) as Flock["columns"]) : drawnStart(scenario, seed, count);
  return {
    count,
    nextId: count,
    ids: Int32Array.from({ length: count }, (_, id) => id),
    columns: { ...filled(scene, count), ...differing },
  };
}

/** Columns that are equal for all agents of a species. */
function filled(scene: RunnableScene, count: number): Flock["columns"] {
  const columns: Flock["columns"] = {};
  for (const [name, runs] of Object.entries(scene.fill)) {
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

function startChanged(scene: RunnableScene, scenario: JsonObject): boolean {
  const [mine, loaded] = [scenario, scene.hello.scenario].map((data) => JSON.stringify(valueAt(data, "start")));
  return mine !== loaded;
}
