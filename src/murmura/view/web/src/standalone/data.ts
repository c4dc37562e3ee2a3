/** What an exported file carries, as `view/standalone/page.py` writes it. */

import type { Hello, JsonObject } from "../net/protocol";

export interface Kernel {
  name: string;
  code: string;
  bindings: [buffer: string, access: "uniform" | "read" | "read_write"][];
  groups: string;
}

export type Curve = [slope: number, offset: number] | { x: number[]; y: number[] };

export interface Recipe {
  how: "sum" | "product";
  base: number;
  parts: [path: string, curve: Curve][];
}

export interface Live {
  ranges: Record<string, [number, number]>;
  recipes: Record<string, Recipe>;
  vector: number[];
}

/** A flock that this page simulates. */
export interface RunnableScene {
  hello: Hello;
  kernels: Kernel[];
  threads: number;
  index: { across: number; block: number; leastBins: number };
  sizes: Record<string, number>;
  room: number;
  columns: string[];
  head: string;
  headPlaces: Record<string, number>;
  tables: string;
  numbersAt: number;
  worldNumbers: string[];
  more: string[];
  live: Live;
  hand: { x: number; y: number; strength: number; strengths: Record<string, number> };
  start: { places: string; columns: string } | null;
  canDraw: boolean;
  /** Columns of a start that the page draws: runs of [count, number]. */
  fill: Record<string, [count: number, value: number][]>;
  extras: Record<string, { number: number; column: string; top: number }>;
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
  scenarios: { name: string; title: string }[];
  scenes: Scene[];
  loop: Loop;
  /** Why the first scene cannot be simulated here; "run": it is a recorded run. */
  whyNot: string;
  run?: string;
}

export function isRunnable(scene: Scene): scene is RunnableScene {
  return "kernels" in scene;
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
