/** Where the arrays of a flock lie in the memory of a kernel. Their sizes are expressions that the export traced. */

import type { Expression } from "./data";
import { evaluated } from "./numbers";

/** What `compute/wasm/memory.py` writes, and the module. */
export interface Kernel {
  code: string;
  stack: number;
  /** How many numbers the kernel reads, for all species. */
  numbers: number;
  species: number;
  pitch: number;
  affinities: string;
  /** The factors of each array's bytes. */
  arrays: Record<string, Expression[]>;
  frame: string[];
  called: string[];
  status: string[];
  world: string[];
  room: Expression;
  more: Expression;
  integers: Record<string, Expression>;
  grid: Record<string, Expression>;
}

/** What sizes depend on. */
export type Sizes = Record<"agents" | "room" | "items" | "listeners" | "reach" | "needed", number>;

const LINE = 64; // bytes
/** Arrays that depend on the room: they come last, so that they can be laid out again while the flock stays. */
const SORTED = ["table", "table_ids", "source", "reaches", "tiles", "listed", "sighted", "field"];

export class Memory {
  readonly at: Record<string, number> = {};
  private top: number;

  constructor(
    private readonly kernel: Kernel,
    readonly sizes: Sizes,
    own: Record<string, number>,
  ) {
    this.sizes = { ...sizes, room: this.value(kernel.room, sizes) };
    this.top = kernel.stack;
    for (const [name, size] of Object.entries(own)) this.place(name, size);
    for (const name of Object.keys(kernel.arrays)) if (!SORTED.includes(name)) this.place(name, this.bytes(name));
    this.place("frame", 8 * kernel.frame.length);
    this.place("sorted", 0);
    this.placeSorted();
  }

  get end(): number {
    return this.top;
  }

  /** Make room for as many elements as the kernel asked for. */
  grow(needed: number): void {
    this.sizes.needed = needed;
    this.sizes.room = this.value(this.kernel.more);
    this.top = this.at.sorted;
    this.placeSorted();
  }

  private placeSorted(): void {
    for (const name of SORTED) this.place(name, this.bytes(name));
  }

  private place(name: string, size: number): void {
    this.at[name] = this.top;
    this.top += Math.ceil(size / LINE) * LINE + LINE;
  }

  bytes(name: string): number {
    return this.kernel.arrays[name].reduce<number>((product, factor) => product * this.value(factor), 1);
  }

  value(expression: Expression, sizes: Sizes = this.sizes): number {
    return evaluated(expression, (name) => sizes[name as keyof Sizes]);
  }

  /** The record that is passed to the kernel. */
  frame(seed: Record<string, number>): BigInt64Array<ArrayBuffer> {
    const { integers, frame, called } = this.kernel;
    return BigInt64Array.from(frame, (name) => {
      const place = called.indexOf(name) + 1 || seed[name] || this.at[name];
      return BigInt(place ? place : name in integers ? this.value(integers[name]) : 0);
    });
  }
}
