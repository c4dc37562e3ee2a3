/** Runs a scene's kernels on WebGPU: the same buffers, kernels and order as the webgpu backend (compute/webgpu/backend.py). */

import { wordsOf, type Kernel, type RunnableScene, type Words } from "../data";
import type { Engine, Happened, World } from "../engine";
import { FlockState, movingColumns, type Flock, type Strided } from "../flock_state";
import { COMPUTE_STAGE, READ_MODE, USAGE } from "../objects";
import type { Tables } from "../tables";
import { Layout } from "./layout";
import { collect, NO_STEP, readOutputs } from "./outputs";

const NOISE_PERIOD = 5120; // [s] as in compute/plan.py
const MOST_STEPS = 64; // per submission
const MOST_GROUPS = 65_535; // in one direction

interface Compiled {
  kernel: Kernel;
  pipeline: GPUComputePipeline;
  layout: GPUBindGroupLayout;
}

export class GpuEngine implements Engine {
  readonly name = "WebGPU";
  step = 0;
  layout: Layout;
  private compiled: Compiled[] = [];
  private groups: GPUBindGroup[] = [];
  private readonly buffers: Record<string, GPUBuffer> = {};
  private tableStarts: Record<string, number> = {};
  private itemCount = 0;
  private blocks = 1;
  private dt = 1;

  private constructor(
    private readonly device: GPUDevice,
    readonly scene: RunnableScene,
    private readonly names: Words,
  ) {
    this.layout = new Layout(scene.plan, 0, 0);
  }

  static async of(device: GPUDevice, scene: RunnableScene, names: Words): Promise<GpuEngine> {
    const engine = new GpuEngine(device, scene, names);
    engine.compiled = await Promise.all(scene.kernels.map((kernel) => engine.compile(kernel)));
    return engine;
  }

  private async compile(kernel: Kernel): Promise<Compiled> {
    const kinds = { uniform: "uniform", read: "read-only-storage", read_write: "storage" } as const;
    const layout = this.device.createBindGroupLayout({
      entries: kernel.bindings.map(([, access], binding) => ({
        binding,
        visibility: COMPUTE_STAGE,
        buffer: { type: kinds[access] },
      })),
    });
    const module = this.device.createShaderModule({ label: kernel.name, code: kernel.code });
    const pipeline = await this.device.createComputePipelineAsync({
      layout: this.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: "main" },
    });
    return { kernel, pipeline, layout };
  }

  /** Copy a flock to the device, with as much space as it may need. */
  load(flock: Flock, tables: Tables, seed: [number, number], step: number): void {
    this.step = step;
    this.layout = new Layout(this.scene.plan, flock.count, tables.listeners);
    const head = wordsOf(this.scene.head);
    const words = tables.words;
    const sizes: Record<string, number> = {
      ...this.layout.sizes(head.length),
      times: 2 * MOST_STEPS,
      tables: words.length,
    };
    const changed = Object.entries(sizes).filter(([name, size]) => this.makeBuffer(name, size)).length > 0;
    this.tableStarts = tables.starts;
    this.itemCount = tables.items.length;
    this.write("tables", words);
    this.placeFlock(flock);
    this.writeHead(head, flock, seed);
    this.clear();
    if (changed || this.groups.length === 0) this.bind();
  }

  /** Create a buffer, unless one of this size exists. */
  private makeBuffer(name: string, words: number): boolean {
    const size = 4 * Math.max(4, words);
    const old = this.buffers[name] as GPUBuffer | undefined;
    if (old?.size === size) return false;
    old?.destroy();
    const usage = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST | (name === "head" ? USAGE.UNIFORM : 0);
    this.buffers[name] = this.device.createBuffer({ label: name, size, usage });
    return true;
  }

  private bind(): void {
    this.groups = this.compiled.map(({ kernel, layout }) =>
      this.device.createBindGroup({
        layout,
        entries: kernel.bindings.map(([name], binding) => ({ binding, resource: { buffer: this.buffers[name] } })),
      }),
    );
  }

  private write(name: string, words: ArrayBufferView<ArrayBuffer>, place = 0): void {
    this.device.queue.writeBuffer(this.buffers[name], 4 * place, words);
  }

  private placeFlock({ count, ids, columns }: Flock): void {
    const { room, width, quads } = this.layout;
    const { dimension } = this.scene.plan;
    const places = new Float32Array(4 * quads);
    movingColumns(dimension).forEach((name, k) => {
      const first = this.placeOf(k);
      for (let row = 0; row < count; row++) places[4 * row + first] = columns[name][row];
    });
    const wide = new Float32Array(width * room);
    this.scene.columns.slice(1).forEach((name, k) => {
      wide.set(columns[name], (k + 1) * room);
    });
    new Int32Array(wide.buffer).set(ids);
    this.write("places", places);
    this.write("columns", wide);
  }

  /** Where the first agent has a moving column: in space, velocities follow all positions. */
  private placeOf(column: number): number {
    const { dimension } = this.scene.plan;
    return dimension === 2 || column < 3 ? column : 4 * this.layout.room + column - 3;
  }

  private writeHead(head: Int32Array<ArrayBuffer>, { count, nextId }: Flock, seed: [number, number]): void {
    const { headPlaces, plan } = this.scene;
    const fields: Record<string, number> = {
      ...this.layout.fields(this.tableStarts),
      clock_alive: count,
      clock_next_id: nextId,
      clock_seed_low: seed[0] | 0,
      clock_seed_high: seed[1] | 0,
      clock_keep_from: plan.lives ? 0 : NO_STEP,
    };
    for (const [name, value] of Object.entries(fields)) head[headPlaces[name]] = value;
    this.write("head", head);
  }

  /** Clear what an earlier run left there. */
  private clear(): void {
    const encoder = this.device.createCommandEncoder();
    for (const name of ["counts", "outputs"]) encoder.clearBuffer(this.buffers[name]);
    this.device.queue.submit([encoder.finish()]);
    this.write("outputs", Int32Array.of(NO_STEP));
  }

  /** Set other numbers: those of the kernels, the ranges of items, those of the world, and the greatest radius. */
  retune(vector: Float64Array, tables: Tables, world: World): void {
    const names = this.scene.worldNumbers;
    const first = vector.length - 1 - names.length;
    tables.setNumbers(vector.subarray(0, tables.numberCount));
    tables.setItemRanges([...vector.subarray(tables.numberCount, first)]);
    for (const name of ["numbers", "item_ranges"]) this.write("tables", tables.section(name), this.tableStarts[name]);
    names.forEach((name, k) => {
      // The offset of noise depends on the seed.
      if (!name.startsWith("world_noise")) this.setNumber(name, vector[first + k]);
      if (name === "world_dt") this.dt = vector[first + k];
    });
    const [whole, numbers] = this.layout.grid(vector[vector.length - 1], world);
    this.blocks = whole.sizes_scan_blocks;
    for (const [name, value] of Object.entries(whole)) this.setInteger(name, value);
    for (const [name, value] of Object.entries(numbers)) this.setNumber(name, value);
  }

  /** The offset of the noise lattice for this seed. */
  setNoise(x: number, y: number, z: number): void {
    this.setNumber("world_noise_x", x);
    this.setNumber("world_noise_y", y);
    this.setNumber("world_noise_z", z);
  }

  /** Set numbers of one item. */
  setItem(row: number, numbers: Record<number, number>): void {
    for (const [column, value] of Object.entries(numbers)) {
      this.write(
        "tables",
        Float32Array.of(value),
        this.tableStarts.items + row * this.scene.plan.itemWidth + Number(column),
      );
    }
  }

  private setNumber(name: string, value: number): void {
    const place = this.scene.headPlaces[name] as number | undefined;
    if (place !== undefined) this.write("head", Float32Array.of(value), place);
  }

  private setInteger(name: string, value: number): void {
    const place = this.scene.headPlaces[name] as number | undefined;
    if (place !== undefined) this.write("head", Int32Array.of(value), place);
  }

  /** Take whole steps. Their events are reported when the device is done. */
  async advance(steps: number): Promise<Happened[]> {
    const most = this.scene.plan.eventful ? this.scene.plan.eventBatch : MOST_STEPS;
    const pages: Promise<Happened>[] = [];
    for (let left = this.layout.agents > 0 ? steps : 0; left > 0; left -= most)
      pages.push(this.submit(Math.min(left, most)));
    if (this.layout.agents === 0) this.step += steps;
    return Promise.all(pages);
  }

  private submit(steps: number): Promise<Happened> {
    const times = new Float32Array(2 * steps);
    for (let k = 0; k < steps; k++) {
      const time = (this.step + k) * this.dt;
      times.set([time, time % NOISE_PERIOD], 2 * k);
    }
    this.write("times", times);
    this.setInteger("clock_step", this.step);
    this.setInteger("clock_first_step", this.step);
    if (!this.scene.plan.lives) this.setInteger("clock_keep_from", this.step + steps); // neighbours are counted in the last step
    const encoder = this.device.createCommandEncoder();
    const work = encoder.beginComputePass();
    for (let k = 0; k < steps; k++) this.launch(work);
    work.end();
    const home = collect(this.device, this.buffers.outputs, this.layout, encoder);
    this.device.queue.submit([encoder.finish()]);
    this.step += steps;
    return readOutputs(home, this.layout, this.names);
  }

  private launch(work: GPUComputePassEncoder): void {
    this.compiled.forEach(({ kernel, pipeline }, k) => {
      const groups = this.groupsOf(kernel);
      if (groups === 0) return;
      const down = Math.ceil(groups / MOST_GROUPS);
      work.setPipeline(pipeline);
      work.setBindGroup(0, this.groups[k]);
      work.dispatchWorkgroups(Math.ceil(groups / down), down);
    });
  }

  private groupsOf(kernel: Kernel): number {
    if (kernel.groups === "agents") return Math.ceil(this.layout.room / this.scene.plan.threads);
    if (kernel.groups === "scan") return this.blocks;
    if (kernel.groups === "shift") return this.blocks > 1 ? 4 * this.blocks : 0;
    return Number(kernel.groups);
  }

  async read(): Promise<FlockState> {
    const { scene, device, step, layout, buffers, itemCount } = this;
    const sizes = layout.sizes(buffers.head.size / 4);
    const wanted: [GPUBuffer, number, number][] = [
      [buffers.places, 0, sizes.places],
      [buffers.columns, 0, sizes.columns],
      [buffers.head, 0, sizes.head],
      [buffers.tables, this.tableStarts.items, itemCount],
    ];
    const home = device.createBuffer({
      size: 4 * wanted.reduce((sum, [, , words]) => sum + words, 0),
      usage: USAGE.COPY_DST | USAGE.MAP_READ,
    });
    const encoder = device.createCommandEncoder();
    let to = 0;
    const starts = wanted.map(([buffer, from, words]) => {
      const at = to;
      encoder.copyBufferToBuffer(buffer, 4 * from, home, 4 * at, 4 * words);
      to += words;
      return at;
    });
    device.queue.submit([encoder.finish()]);
    await home.mapAsync(READ_MODE);
    const bytes = home.getMappedRange().slice(0);
    home.destroy();
    const head = new Int32Array(bytes, 4 * starts[2], sizes.head);
    const here = scene.plan.lives ? head[scene.headPlaces.clock_alive] : layout.agents;
    const columns: Record<string, Strided> = {};
    const places = new Float32Array(bytes, 0, sizes.places);
    movingColumns(scene.plan.dimension).forEach((name, k) => {
      columns[name] = { values: places, width: 4, first: this.placeOf(k) };
    });
    const values = new Float32Array(bytes, 4 * starts[1], sizes.columns);
    scene.columns.slice(1).forEach((name, k) => {
      columns[name] = { values, width: 1, first: (k + 1) * layout.room };
    });
    return new FlockState({
      step,
      nextId: head[scene.headPlaces.clock_next_id],
      dimension: scene.plan.dimension,
      ids: new Int32Array(bytes, 4 * starts[1], here),
      columns,
      items: new Float32Array(bytes, 4 * starts[3], itemCount),
    });
  }

  destroy(): void {
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }
}
