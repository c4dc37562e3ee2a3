/** Counts of a population by species and activity (view/session/observing/population.py), and means of traits. */

import type { Hello, Population } from "../../net/protocol";
import type { Words } from "../data";
import type { FlockState } from "../flock_state";
import { valueAt } from "../values";
import type { InspectedFlock } from "./inspect";

const TRAITS = ["energy", "age", "health"];

export function population({ scene, state, scenario, words }: InspectedFlock): Population {
  const found: Population = {};
  const { species, stances } = scene.hello;
  const isOn = (rule: string): boolean => valueAt(scenario, `rules.${rule}.enabled`) === true;
  const kinds = species.length > 1 ? state.column("species_id") : null;
  if (kinds) {
    const counts = countsOf(kinds, species.length);
    found.species = Object.fromEntries(species.map(({ name }, k) => [name, counts[k]]));
    if (scene.hunting.length > 0) {
      found.hunters = scene.hunting.reduce((sum, k) => sum + counts[k], 0);
      found.prey = state.count - found.hunters;
    }
  }
  const stance = state.column("stance");
  if (stance && stances) {
    const counts = countsOf(stance, stances.length);
    found.stances = Object.fromEntries(stances.map((name, k) => [name, counts[k]]));
  }
  const gender = isOn("mating") || isOn("reproduction") ? state.column("gender") : null;
  if (gender) {
    found.males = countsOf(gender, 2)[1];
    found.females = state.count - found.males;
  }
  return { ...found, ...busy(state, words, isOn) };
}

/** Numbers of pairs and fights: two agents each. */
function busy(state: FlockState, words: Words, isOn: (rule: string) => boolean): Population {
  const found: Population = {};
  const mating = isOn("mating") ? state.column("mating_state") : null;
  if (mating) {
    const counts = countsOf(mating, words.mating.length);
    const of = (name: string): number => counts[words.mating.indexOf(name)];
    found.pairs = Math.floor((of("courting") + of("mating")) / 2);
    found.fights = Math.floor((of("fighting") + 1) / 2);
  }
  const feeding = isOn("feeding") ? state.column("feeding_state") : null;
  if (feeding) found.feeding = countsOf(feeding, words.feeding.length)[words.feeding.indexOf("feeding")];
  return found;
}

function countsOf(codes: Float32Array, length: number): number[] {
  const counts = new Array<number>(length).fill(0);
  for (const code of codes) counts[code]++;
  return counts;
}

/** Means of traits, for all agents and for each species. */
export function traitMeans(hello: Hello, state: FlockState): Record<string, number | null> {
  const found: Record<string, number | null> = {};
  const kinds = hello.species.length > 1 ? state.column("species_id") : null;
  for (const trait of TRAITS) {
    const values = state.column(trait);
    if (!values) continue;
    found[`${trait}_mean`] = meanOf(values, null, 0);
    if (kinds)
      hello.species.forEach(({ name }, k) => {
        found[`${trait}_mean@${name}`] = meanOf(values, kinds, k);
      });
  }
  return found;
}

function meanOf(values: Float32Array, kinds: Float32Array | null, kind: number): number | null {
  let [sum, count] = [0, 0];
  for (let k = 0; k < values.length; k++) {
    if (kinds && kinds[k] !== kind) continue;
    sum += values[k];
    count++;
  }
  return count > 0 ? sum / count : null;
}
