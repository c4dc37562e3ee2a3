/** Hunters, food, carcasses and the time of day, from the rows of items (engine/reading/surroundings.py). */

import type { JsonObject, Predator, SceneObject } from "../../net/protocol";
import type { RunnableScene, Words } from "../data";
import type { FlockState } from "../flock_state";
import { numberAt, valueAt } from "../values";
import type { Tables } from "../tables";
import type { InspectedFlock } from "./inspect";

type Row = Record<string, number>;

/** The items of a rule, one record per row. */
export function itemsOf(scene: RunnableScene, tables: Tables, items: Float32Array, rule: string): Row[] {
  const group = scene.groups.findIndex(({ name }) => name === rule);
  if (group < 0) return [];
  const [begin, end] = tables.range(group);
  const { columns } = scene.groups[group];
  return Array.from({ length: end - begin }, (_, k) => {
    const first = (begin + k) * scene.plan.itemWidth;
    return Object.fromEntries(columns.map((name, column) => [name, items[first + column]]));
  });
}

export function huntersIn(rows: Row[], words: Words, state: FlockState): Predator[] {
  return rows.flatMap((it, number) => {
    if (!it.alive) return [];
    const hunting = !words.statesWithoutTarget.includes(it.state) && it.target >= 0;
    const found: Predator = {
      kind: "predator",
      id: number,
      species: words.hunterKinds[it.kind],
      state: words.hunterStates[it.state],
      x: it.x,
      y: it.y,
      heading: Math.atan2(it.vy, it.vx),
      energy: it.energy / it.max_energy,
      target: hunting ? Math.trunc(it.target) : null,
      altitude: it.altitude,
      fright: it.fright,
      vx: it.vx,
      vy: it.vy,
      ...("z" in it ? { z: it.z, vz: it.vz } : {}),
    };
    const prey = hunting ? state.indexOf(Math.trunc(it.target)) : -1;
    if (prey >= 0) {
      Object.assign(found, { target_x: state.quads[4 * prey], target_y: state.quads[4 * prey + 1] });
      if (state.heights) found.target_z = state.heights[prey];
    }
    return [found];
  });
}

export function surroundings(watched: InspectedFlock, time: number): SceneObject[] {
  const { scene, tables, state, scenario, words } = watched;
  const rows = (rule: string): Row[] => itemsOf(scene, tables, state.items, rule);
  const food = rows("feeding")
    .filter((it) => it.present && it.amount > 0)
    .map((it): SceneObject => ({
      kind: "food",
      ...placeOf(it),
      radius: scene.drawnFood * numberAt(scenario, "rules.feeding.gather_radius"),
      amount: it.amount,
      capacity: it.full,
    }));
  const share = numberAt(scenario, "rules.remains.share");
  const carcasses = rows("remains")
    .filter((it) => it.amount > 0)
    .map((it): SceneObject => ({
      kind: "carcass",
      ...placeOf(it),
      amount: it.amount,
      capacity: Math.max(it.amount, share),
    }));
  return [...huntersIn(rows("predators"), words, state), ...food, ...carcasses, ...sky(scenario, time)];
}

function placeOf(it: Row): { x: number; y: number } {
  return { x: it.x, y: it.y, ...("z" in it ? { z: it.z } : {}) };
}

/** Daylight and the time of day (rules/environment/daylight.py). */
export function sky(scenario: JsonObject, time: number): SceneObject[] {
  if (valueAt(scenario, "rules.daylight.enabled") !== true) return [];
  const value = (name: string): number => numberAt(scenario, `rules.daylight.${name}`);
  const days = time / value("length") + value("start");
  const hour = days - Math.floor(days);
  const risen = (begins: number): number => Math.min(1, Math.max(0, (hour - begins) / value("change") + 1));
  const light =
    0.5 * risen(value("dawn_at")) + 0.5 * risen(value("day_at")) - 0.5 * risen(value("dusk_at")) - 0.5 * risen(1);
  const minutes = Math.floor(hour * 24 * 60);
  const clock = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return [{ kind: "sky", daylight: light, clock }];
}
