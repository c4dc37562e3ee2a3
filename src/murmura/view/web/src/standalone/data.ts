/** The data in an exported file, as `view/standalone/page.py` writes it. */

import type { Hello, JsonObject } from "../net/protocol";
import type { Kernel } from "./memory";

/** A number, the path of a value, or the name of an operation and its operands. */
export type Expression = number | string | Expression[];

/** Steps, each a number, a name, or an operation on the results of steps before it; and which steps are the results. */
export interface Program {
  steps: (number | string | [operation: string, a: number, b: number, c: number])[];
  results: Record<string, number>;
}

export interface LiveValues {
  ranges: Record<string, [number, number]>;
  /** By index into the vector. */
  expressions: Record<string, Expression>;
  vector: number[];
}

export interface PlanFacts {
  dimension: 2 | 3;
  /** The greatest number of agents; 0: the number at the start. */
  most: number;
  itemWidth: number;
}

/** A rule and the fields of its items. Items that last are updated in each step. */
export interface Group {
  name: string;
  columns: string[];
  lasts: boolean;
}

/** The columns of a flock. */
export interface Columns {
  /** Those that differ from agent to agent; null: there are too many, the page draws them. */
  columns: Record<string, string> | null;
  /** The others: runs of [count, number]. */
  fill: Record<string, [count: number, value: number][]>;
}

/** The flock at a step. */
export interface Moment extends Columns {
  step: number;
  nextId: number;
  ids: string;
  items: string;
}

/** How the flock begins (view/standalone/start.py). */
export interface Start extends Columns {
  /** Draws the columns of an agent from its id, the words of a seed and the scenario's values; null: only Python can. */
  draw: Program | null;
  /** The values on which a drawn start depends. */
  values: string[];
  /** Where the noise of a seed begins. */
  noise: Program;
  /** Where a hunter that is placed sets off to. */
  turn: Program;
}

/** A flock that this page simulates. */
export interface RunnableScene {
  hello: Hello;
  wasm: Kernel;
  /** The columns of the state's hash: name, whether it is an integer, a newborn's value. */
  digest: [name: string, isInteger: boolean, newborn: number][];
  /** The hash of the state that the author's machine computed at a step. */
  proof: { step: number; hash: string };
  plan: PlanFacts;
  columns: string[];
  /** Items and obstacles. */
  tables: Record<string, string>;
  groups: Group[];
  worldNumbers: string[];
  live: LiveValues;
  hand: { group: number; strengths: Record<string, number> };
  /** Numbers of the species that chase others. */
  hunting: number[];
  /** What the page can place, by rule and kind: an entry of the scenario's list, and a row of items. */
  templates: Record<string, Record<string, { entry: JsonObject; row: number[] }>>;
  /** Drawn size of a food source, as a share of the radius in which feeders gather. */
  drawnFood: number;
  start: Start;
  /** Where the page begins, if it does not begin at the start. */
  moment: Moment | null;
  extras: Record<string, { number: number; column: string; top: number }>;
}

/** The meaning of codes (view/standalone/words.py). */
export interface Words {
  events: string[];
  causes: string[];
  hunterKinds: Record<number, string>;
  hunterStates: string[];
  statesWithoutTarget: number[];
  genders: string[];
  feeding: string[];
  mating: string[];
  feedingStages: string[];
  matingStages: string[];
  stances: string[];
  stanceWords: string[];
  reasons: string[];
}

export type Scene = RunnableScene | { hello: Hello };

export interface Loop {
  headers: string;
  planes: string;
  frames: number;
}

export interface FileData {
  version: string;
  schema: JsonObject;
  scenarios: { name: string; title: string; deep?: boolean }[];
  scenes: Scene[];
  words: Words;
  /** A recorded run, which is played, not simulated: its name and its frames. */
  run?: string;
  loop?: Loop;
}

export function isRunnable(scene: Scene): scene is RunnableScene {
  return "wasm" in scene;
}

export function wordsOf(text: string): Int32Array<ArrayBuffer> {
  return new Int32Array(bytesOf(text).buffer);
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function readData(): Promise<FileData> {
  const text = document.getElementById("murmura-data")?.textContent ?? "";
  return JSON.parse(new TextDecoder().decode(await inflated(bytesOf(text)))) as FileData;
}
