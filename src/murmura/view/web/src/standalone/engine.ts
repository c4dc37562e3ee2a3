/** Runs a scene's kernel as WebAssembly, in a thread of its own: the bits are those of `cpu` with portable arithmetic. */

import { bytesOf, type RunnableScene, type Words } from "./data";
import { readable, type Happened } from "./events";
import { FlockState, movingColumns, type Flock, type Strided } from "./flock_state";
import { Memory } from "./memory";
import { computed } from "./numbers";
import { seedWords } from "./start";
import type { Tables } from "./tables";
import { kernelThread, type Task } from "./worker";

const NOISE_PERIOD = 5120; // [s] as in compute/plan.py
const MOST_STEPS = 64; // of one task
const EVENT = 9; // numbers
const TABLES = ["items", "ranges", "tracked", "shapes"];
const [TOO_SMALL, NOT_FINITE] = [1, 2]; // compute/cpu/frame.py
type Read = [address: number, size: number, count?: number];

export class Engine {
  step = 0;
  private readonly thread: Worker;
  private readonly waiting: ((found: ArrayBuffer[] | string) => void)[] = [];
  private readonly columns: string[];
  private memory: Memory | null = null;
  private loaded: { flock: Flock; seed: Record<string, number> } | null = null;
  private itemCount = 0;
  private base = 0; // the step at which the flock was loaded
  private dt = 1;

  constructor(
    private readonly scene: RunnableScene,
    private readonly names: Words,
  ) {
    const script = URL.createObjectURL(new Blob([`(${kernelThread.toString()})()`], { type: "text/javascript" }));
    this.thread = new Worker(script);
    URL.revokeObjectURL(script);
    this.thread.onmessage = ({ data }: MessageEvent<ArrayBuffer[] | string>) => {
      this.waiting.shift()?.(data);
    };
    this.thread.onerror = ({ message }) => {
      for (const answer of this.waiting.splice(0)) answer(message);
    };
    this.columns = [...movingColumns(scene.plan.dimension), ...scene.columns.slice(1)];
    const { code, called, stack } = scene.wasm;
    this.tell({ code: bytesOf(code).buffer, called, stack });
  }

  /** Give the thread a task; answers come in the order of tasks. */
  private async ask(task: Task): Promise<ArrayBuffer[]> {
    const found = await new Promise<ArrayBuffer[] | string>((answer) => {
      this.waiting.push(answer);
      this.thread.postMessage(task);
    });
    if (typeof found === "string") throw new Error(found);
    return found;
  }

  private tell(task: Task): void {
    void this.ask(task).catch((error: unknown) => {
      console.error(error);
    });
  }

  load(flock: Flock, tables: Tables, seed: number, step: number): void {
    this.loaded = { flock, seed: seedWords(seed) };
    this.memory = null; // laid out when the numbers are known
    this.base = this.step = step;
    this.itemCount = tables.items.length;
  }

  /** Set other numbers: those of the kernel, the ranges of items, those of the world, and the greatest radius. */
  retune(vector: Float64Array, tables: Tables): void {
    const { scene, loaded } = this;
    if (!loaded) return;
    const reach = vector[vector.length - 1];
    const isNew = this.memory === null;
    const first = vector.length - 1 - scene.worldNumbers.length;
    const ranges = Float32Array.from(vector.subarray(scene.wasm.numbers, first));
    const memory = (this.memory ??= this.laidOut(loaded.flock, tables, reach, ranges.length));
    memory.sizes.reach = reach;
    const parts: Record<string, ArrayBufferView> = {
      numbers: this.padded(vector.subarray(0, scene.wasm.numbers)),
      item_ranges: ranges,
      world: this.world(vector.subarray(first, -1), memory, loaded.seed),
      frame: memory.frame(loaded.seed),
      ...(isNew ? this.flockParts(loaded.flock, tables, memory) : {}),
    };
    this.tell({
      size: memory.end,
      ...(isNew ? { clear: scene.wasm.stack } : {}),
      writes: Object.entries(parts).map(([name, bytes]) => [memory.at[name], bytes]),
    });
  }

  private laidOut({ count }: Flock, tables: Tables, reach: number, ranges: number): Memory {
    const { plan, wasm } = this.scene;
    const size = (name: string): number => tables.section(name).byteLength;
    const own: Record<string, number> = {
      numbers: (4 * wasm.numbers * wasm.pitch) / wasm.species,
      item_ranges: 4 * ranges,
      affinities: bytesOf(wasm.affinities).length,
      world: 4 * wasm.world.length,
      times: 8 * MOST_STEPS,
    };
    for (const name of TABLES) own[name] = size(name);
    const items = tables.items.length / plan.itemWidth;
    const agents = Math.max(count, plan.most);
    return new Memory(wasm, { agents, items, listeners: tables.listeners, reach, room: 0, needed: 0 }, own);
  }

  private flockParts(flock: Flock, tables: Tables, memory: Memory): Record<string, ArrayBufferView> {
    const pitch = memory.value(this.scene.wasm.integers.state_pitch);
    const state = new Float32Array(this.columns.length * pitch);
    this.columns.forEach((name, row) => {
      state.set(flock.columns[name], row * pitch);
    });
    const status: Record<string, number> = { next_id: flock.nextId, alive: flock.count };
    return {
      state,
      ids: flock.ids,
      status: Int32Array.from(this.scene.wasm.status, (name) => status[name] ?? 0),
      affinities: bytesOf(this.scene.wasm.affinities),
      ...Object.fromEntries(TABLES.map((name) => [name, tables.section(name)])),
    };
  }

  /** The numbers of each species, one table after the other, padded to whole registers. */
  private padded(numbers: Float64Array): Float32Array<ArrayBuffer> {
    const { species, pitch } = this.scene.wasm;
    const found = new Float32Array((numbers.length / species) * pitch);
    numbers.forEach((number, k) => {
      found[Math.floor(k / species) * pitch + (k % species)] = number;
    });
    return found;
  }

  private world(numbers: Float64Array, memory: Memory, seed: Record<string, number>): Float32Array<ArrayBuffer> {
    const { scene } = this;
    const own = computed(scene.start.noise, (name) => seed[name]);
    scene.worldNumbers.forEach((name, k) => {
      own[name] ??= numbers[k];
    });
    for (const [name, expression] of Object.entries(scene.wasm.grid)) own[name] = memory.value(expression);
    this.dt = own.dt;
    return Float32Array.from(scene.wasm.world, (name) => own[name]);
  }

  /** Set numbers of one item, by column. */
  setItem(row: number, numbers: Record<number, number>): void {
    const { memory } = this;
    if (!memory) return;
    const first = memory.at.items + 4 * row * this.scene.plan.itemWidth;
    const writes = Object.entries(numbers).map(([column, value]): [number, ArrayBufferView] => [
      first + 4 * Number(column),
      Float32Array.of(value),
    ]);
    this.tell({ writes });
  }

  async advance(steps: number): Promise<Happened[]> {
    const found: Happened[] = [];
    if (this.memory?.sizes.agents === 0) this.base = this.step += steps; // nobody is there
    const goal = this.memory?.sizes.agents === 0 ? this.step : this.step + steps;
    while (this.step < goal) {
      const before = this.step;
      this.step = Math.min(goal, before + MOST_STEPS);
      const happened = await this.run(before, this.step - before);
      found.push(happened);
      if (happened.failedStep !== null) break;
    }
    return found;
  }

  /** Take some steps, or fewer if the kernel stops for lack of room. */
  private async run(first: number, steps: number): Promise<Happened> {
    const { memory, scene } = this;
    if (!memory) return { failedStep: null, events: [] };
    const { at } = memory;
    const status = (name: string): number => at.status + 4 * scene.wasm.status.indexOf(name);
    const times = Float32Array.from({ length: 2 * steps }, (_, k) => {
      const time = (first + (k >> 1)) * this.dt;
      return k % 2 === 0 ? time : time % NOISE_PERIOD;
    });
    const clock = at.frame + 8 * scene.wasm.frame.indexOf("first_step");
    const nothing = Int32Array.of(0);
    const [words, completed, events] = await this.ask({
      writes: [
        [at.times, times],
        [clock, BigInt64Array.of(BigInt(first))],
        [status("error"), nothing],
        [status("events"), nothing],
      ],
      run: { frame: at.frame, steps },
      reads: [
        [at.status, 4 * scene.wasm.status.length],
        [at.completed, 8],
        [at.events, 8 * EVENT, status("events")],
      ],
    });
    const numbers = Object.fromEntries(scene.wasm.status.map((name, k) => [name, new Int32Array(words)[k]]));
    this.step = this.base + Number(new BigInt64Array(completed)[0]);
    if (numbers.error === TOO_SMALL) this.makeRoom(memory, numbers.needed);
    return {
      failedStep: numbers.error === NOT_FINITE ? this.step : null,
      events: this.eventsIn(new Float64Array(events)),
    };
  }

  private eventsIn(numbers: Float64Array): Happened["events"] {
    if (numbers.length === 0) return [];
    const rows = Array.from({ length: numbers.length / EVENT }, (_, k) => numbers.subarray(k * EVENT, (k + 1) * EVENT));
    return readable(rows, this.names);
  }

  private makeRoom(memory: Memory, needed: number): void {
    if (!this.loaded) return;
    memory.grow(needed);
    this.tell({ size: memory.end, writes: [[memory.at.frame, memory.frame(this.loaded.seed)]] });
  }

  async read(): Promise<FlockState> {
    const { memory, scene, itemCount } = this;
    if (!memory) throw new Error("no flock was loaded");
    const { at, sizes } = memory;
    const pitch = memory.value(scene.wasm.integers.state_pitch);
    const reads: Read[] = [
      [at.status, 4 * scene.wasm.status.length],
      [at.ids, 4 * sizes.agents],
      [at.state, memory.bytes("state")],
      [at.items, 4 * itemCount],
      [at.completed, 8],
    ];
    const [words, ids, state, items, completed] = await this.ask({ reads });
    const status = (name: string): number => new Int32Array(words)[scene.wasm.status.indexOf(name)];
    const values = new Float32Array(state);
    const columns: Record<string, Strided> = {};
    this.columns.forEach((name, row) => {
      columns[name] = { values, width: 1, first: row * pitch };
    });
    return new FlockState({
      step: this.base + Number(new BigInt64Array(completed)[0]),
      nextId: status("next_id"),
      dimension: scene.plan.dimension,
      ids: new Int32Array(ids, 0, status("alive")),
      columns,
      items: new Float32Array(items),
    });
  }

  destroy(): void {
    this.thread.terminate();
  }
}
