/** Details of one animal: position, neighbours, activity (engine/reading/explain.py). The forces of single rules need Python. */

import type { Body, Inspection, JsonObject } from "../../net/protocol";
import type { RunnableScene, Words } from "../data";
import type { FlockState } from "../flock_state";
import { huntersIn, itemsOf } from "./surroundings";
import type { Tables } from "../tables";
import { numberAt, valueAt } from "../values";

const LIFE = ["age", "health", "generation", "mother_id", "father_id"];
const BODY = ["gender", "energy", "panic_level", "mating_state", "feeding_state"];
const MOST_BODIES = 150;
const DEFAULTS: Record<string, number> = { energy: 1 }; // values of columns that the kernels do not carry

export interface InspectedFlock {
  scene: RunnableScene;
  tables: Tables;
  state: FlockState;
  scenario: JsonObject;
  words: Words;
}

/** The vector from one position to another, across the edge if the world wraps. */
function way({ scenario, state }: InspectedFlock, from: number[], k: number): number[] {
  const there = [state.quads[4 * k], state.quads[4 * k + 1], ...(state.heights ? [state.heights[k]] : [])];
  return shortest(
    scenario,
    there.map((x, axis) => x - from[axis]),
  );
}

function shortest(scenario: JsonObject, gaps: number[]): number[] {
  const edge = valueAt(scenario, "world.boundary");
  const edges = [edge, valueAt(scenario, "world.boundary_y") ?? edge, valueAt(scenario, "world.boundary_z") ?? edge];
  return gaps.map((gap, axis) => {
    if (edges[axis] !== "wrap") return gap;
    const side = numberAt(scenario, `world.${["width", "height", "depth"][axis]}`);
    return gap - side * Math.round(gap / side);
  });
}

/** The id of the agent nearest to a position; null in an empty world. */
export function nearestTo(watched: InspectedFlock, place: number[]): number | null {
  let [best, least] = [-1, Infinity];
  for (let k = 0; k < watched.state.count; k++) {
    const gap = Math.hypot(...way(watched, place, k).slice(0, place.length));
    if (gap < least) [best, least] = [k, gap];
  }
  return best < 0 ? null : watched.state.ids[best];
}

/** A value of a species. */
function speciesValue(scenario: JsonObject, species: number, path: string): number {
  const kinds = scenario.species;
  const own = Array.isArray(kinds) ? valueAt(kinds[species], "values") : undefined;
  const special = typeof own === "object" && own !== null && !Array.isArray(own) ? own[path] : undefined;
  return typeof special === "number" ? special : numberAt(scenario, path);
}

/** Range and angle of an animal's sight; genes decide if there are any (rules/evolution/phenotype.py, `vision_range`). */
function eyesOf(scenario: JsonObject, of: (name: string) => number): { radius: number; field_of_view: number } {
  const value = (path: string): number => speciesValue(scenario, of("species_id"), path);
  const eyes = { radius: value("perception.radius"), field_of_view: value("perception.field_of_view") };
  if (valueAt(scenario, "rules.genome.enabled") !== true) return eyes;
  const gene = (name: string): number => value(`rules.genome.${name}`);
  const bonus = gene("eye_vision") * of("part_eye") + gene("antenna_vision") * of("part_antenna");
  const sight = Math.max(gene("least_vision"), gene("max_vision") * of("gene_vision") * (1 + bonus));
  return { ...eyes, radius: Math.min(eyes.radius, sight) };
}

function neighborsOf(
  watched: InspectedFlock,
  me: number,
  place: number[],
  velocity: number[],
  eyes: { radius: number; field_of_view: number },
): Inspection["neighbors"] {
  const { state } = watched;
  const speed = Math.hypot(...velocity);
  const cosine = eyes.field_of_view >= 360 ? -2 : Math.cos((eyes.field_of_view * Math.PI) / 360);
  const found: { gap: number; it: Inspection["neighbors"][number] }[] = [];
  for (let k = 0; k < state.count; k++) {
    const to = way(watched, place, k);
    const gap = Math.hypot(...to);
    if (k === me || gap > eyes.radius) continue;
    const ahead =
      speed > 0 && gap > 0 ? to.reduce((sum, part, axis) => sum + part * velocity[axis], 0) / (speed * gap) : 1;
    if (ahead < cosine) continue;
    found.push({
      gap,
      it: {
        id: state.ids[k],
        x: state.quads[4 * k],
        y: state.quads[4 * k + 1],
        ...(state.heights ? { z: state.heights[k] } : {}),
      },
    });
  }
  const nearest = valueAt(watched.scenario, "perception.nearest");
  found.sort((a, b) => a.gap - b.gap);
  return found.slice(0, typeof nearest === "number" ? nearest : undefined).map(({ it }) => it);
}

/** Details of an agent; null if there is none with this id. */
export function inspect(watched: InspectedFlock, id: number): Inspection | null {
  const { state, scenario, words, scene } = watched;
  const me = state.indexOf(id);
  if (me < 0) return null;
  const of = (name: string, otherwise = DEFAULTS[name] ?? 0): number => state.column(name)?.[me] ?? otherwise;
  const deep = state.heights !== null;
  const third = (column: Float32Array | null): number[] => (column ? [column[me]] : []);
  const position = [state.quads[4 * me], state.quads[4 * me + 1], ...third(state.heights)];
  const velocity = [state.quads[4 * me + 2], state.quads[4 * me + 3], ...third(state.climbs)];
  const eyes = eyesOf(scenario, of);
  const hunters = huntersNear(watched, id, position);
  const genome = Object.fromEntries(
    scene.columns.filter((name) => /^(gene|part)_/.test(name)).map((name) => [name, of(name)]),
  );
  const life = Object.fromEntries(LIFE.filter((name) => scene.columns.includes(name)).map((name) => [name, of(name)]));
  return {
    type: "inspect",
    id,
    position: position as Inspection["position"],
    velocity: velocity as Inspection["velocity"],
    neighbors: neighborsOf(watched, me, position, velocity, eyes),
    rules: {},
    steering: ["x", "y", ...(deep ? ["z"] : [])].map((axis) => of(`acceleration_${axis}`)) as Inspection["steering"],
    state: {
      species: scene.hello.species[of("species_id")]?.name ?? "",
      panic: of("panic_level"),
      energy: of("energy"),
      ...(scene.columns.includes("gender") ? { gender: words.genders[of("gender")] } : {}),
      feeding: words.feeding[of("feeding_state")],
      mating: words.mating[of("mating_state")],
    },
    target: {
      food: of("target_food_id", -1),
      mate: of("target_mate_id", -1),
      ...(scene.columns.includes("quarry_id") ? { prey: of("quarry_id", -1) } : {}),
    },
    perception: eyes,
    doing: doing(of, words, scene.columns.includes("stance_reason")),
    ...(hunters.length > 0 ? { hunters } : {}),
    ...(scene.columns.includes("stance_reason")
      ? {
          stance: {
            name: words.stances[of("stance")],
            reason: words.reasons[of("stance_reason")],
            time: of("stance_time"),
          },
        }
      : {}),
    ...(Object.keys(life).length > 0 ? { life } : {}),
    ...("gene_speed" in genome ? { genome } : {}),
  };
}

/** The hunters that frighten or pursue an agent, the nearest first. */
function huntersNear(
  { scene, tables, state, scenario, words }: InspectedFlock,
  id: number,
  place: number[],
): NonNullable<Inspection["hunters"]> {
  const rows = itemsOf(scene, tables, state.items, "predators");
  return huntersIn(rows, words, state)
    .map((it) => {
      const there = [it.x, it.y, ...(it.z === undefined ? [] : [it.z])];
      const distance = Math.hypot(
        ...shortest(
          scenario,
          there.map((x, axis) => x - place[axis]),
        ),
      );
      const fright = it.fright ?? 0;
      return {
        id: it.id,
        kind: it.species,
        state: it.state,
        distance,
        frightens: fright > 0 && fright >= distance,
        hunts: it.target === id,
      };
    })
    .filter(({ frightens, hunts }) => frightens || hunts)
    .sort((a, b) => a.distance - b.distance);
}

/** What it is doing: one sentence for each active state machine. */
function doing(of: (name: string, otherwise?: number) => number, words: Words, hasStance: boolean): string[] {
  const found: string[] = [];
  const stance = of("stance");
  if (hasStance)
    found.push(
      `${words.stances[stance]} for ${of("stance_time").toFixed(1)} s (${words.reasons[of("stance_reason")]}): ${words.stanceWords[stance]}`,
    );
  const [feeding, mating] = [of("feeding_state"), of("mating_state")];
  if (feeding > 0)
    found.push(
      `${words.feeding[feeding]} at food ${of("target_food_id", -1)} for ${of("feeding_timer").toFixed(1)} s: ${words.feedingStages[feeding]}`,
    );
  if (mating > 0) {
    const other = of("target_mate_id", -1);
    const whom = other >= 0 ? ` with agent ${other}` : "";
    found.push(`${words.mating[mating]}${whom} for ${of("mating_timer").toFixed(1)} s: ${words.matingStages[mating]}`);
  }
  return found.length > 0 ? found : [words.matingStages[0]];
}

/** A part of the world [u]; in a plane the heights mean nothing. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
  low: number;
  high: number;
}

/** All agents in a box, for a close-up; `row` is the index in a frame. */
export function bodies({ scene, state }: InspectedFlock, { left, top, right, bottom, low, high }: Box): Body[] {
  const names = [
    ...BODY,
    ...scene.columns.filter((name) => ["health", "stance", "gene_size"].includes(name) || name.startsWith("part_")),
  ];
  const columns = names.map((name) => [name, state.column(name)] as const);
  const found: Body[] = [];
  for (let row = 0; row < state.count && found.length < MOST_BODIES; row++) {
    const [x, y] = state.quads.subarray(4 * row, 4 * row + 2);
    if (!(x >= left && x <= right && y >= top && y <= bottom)) continue;
    if (state.heights && !(state.heights[row] >= low && state.heights[row] <= high)) continue;
    const values = columns.map(([name, column]) => [
      name,
      Math.round((column?.[row] ?? DEFAULTS[name] ?? 0) * 1000) / 1000,
    ]);
    found.push({ row, id: state.ids[row], ...(Object.fromEntries(values) as Omit<Body, "row" | "id">) });
  }
  return found;
}
