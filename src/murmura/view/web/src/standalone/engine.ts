/** What simulates a flock: the kernels on a GPU (`gpu/engine.ts`), or one in WebAssembly (`wasm/engine.ts`). */

import type { FlockEvent } from "../net/protocol";
import type { Flock, FlockState } from "./flock_state";
import type { Tables } from "./tables";

/** An event without a number. */
export type UnnumberedEvent = Omit<FlockEvent, "number">;

/** What happened in some steps. */
export interface Happened {
  /** The first step after which a position was not finite; null: none. */
  failedStep: number | null;
  events: UnnumberedEvent[];
}

export interface World {
  width: number;
  height: number;
  depth: number;
  isOpen: boolean;
}

export interface Engine {
  /** What it is called in the corner of the page. */
  readonly name: string;
  /** Steps taken or asked for. */
  readonly step: number;
  load(flock: Flock, tables: Tables, seed: [number, number], step: number): void;
  setNoise(x: number, y: number, z: number): void;
  /** Set other numbers: those of the kernels, the ranges of items, those of the world, and the greatest radius. */
  retune(vector: Float64Array, tables: Tables, world: World): void;
  /** Set numbers of one item, by column. */
  setItem(row: number, numbers: Record<number, number>): void;
  advance(steps: number): Promise<Happened[]>;
  read(): Promise<FlockState>;
  destroy(): void;
}
