/** The flock at step 0: from the file, or drawn from the seed as in `engine/initial.py`. */

import type { JsonObject } from "../../net/protocol";
import { wordsOf, bytesOf, type RunnableScene } from "../data";
import type { Flock } from "../gpu/flock_state";
import { drawnStart } from "./random";
import { valueAt } from "../values";

/** The flock of a seed. Where the start cannot be generated, it is always the exported one, and only later random events depend on the seed. */
export function startOf(scene: RunnableScene, scenario: JsonObject, seed: number, count: number): Flock {
  const { start, hello } = scene;
  const isOwn = seed === hello.seed && count === valueAt(hello.scenario, "agents") && !startChanged(scene, scenario);
  if (start && (isOwn || !scene.canDraw)) {
    const columns = wordsOf(start.columns);
    const carried = columns.length / scene.columns.length;
    return { count: carried, nextId: carried, places: new Float32Array(bytesOf(start.places).buffer), columns };
  }
  const columns = filled(scene, count);
  const drawn = drawnStart(scenario, seed, count);
  columns.set(new Int32Array(drawn.headings.buffer), scene.columns.indexOf("heading") * count);
  return { count, nextId: count, places: drawn.places, columns };
}

/** Ids and other columns at the start. */
function filled(scene: RunnableScene, count: number): Int32Array<ArrayBuffer> {
  const columns = new Int32Array(scene.columns.length * count);
  const numbers = new Float32Array(columns.buffer);
  for (let id = 0; id < count; id++) columns[id] = id;
  for (const [name, runs] of Object.entries(scene.fill)) {
    const first = scene.columns.indexOf(name) * count;
    const all = runs.reduce((sum, [length]) => sum + length, 0);
    let before = 0;
    for (const [length, value] of runs) {
      // Shares do not depend on the number of agents.
      const [begin, end] = [before, before + length].map((edge) => Math.round((edge * count) / all));
      numbers.fill(value, first + begin, first + end);
      before += length;
    }
  }
  return columns;
}

function startChanged(scene: RunnableScene, scenario: JsonObject): boolean {
  const [mine, loaded] = [scenario, scene.hello.scenario].map((data) => JSON.stringify(valueAt(data, "start")));
  return mine !== loaded;
}
