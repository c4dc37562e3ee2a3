/** Runs a scene's kernels on WebGPU: the same buffers, kernels and order as the webgpu backend (compute/webgpu). */

import { bytesOf, type Kernel, type RunnableScene } from "./data";
import { COMPUTE_STAGE, READ_MODE, USAGE } from "./objects";

const NOISE_PERIOD = 5120; // [s] as compute/plan.py has it
const MOST_STEPS = 64; // of one submission
const MOST_GROUPS = 65_535; // in one direction

/** The flock at one step, in the order of ids. */
export interface FlockState {
  step: number;
  quads: Float32Array<ArrayBuffer>;
  column(name: string): Float32Array<ArrayBuffer> | null;
}

interface Launch {
  pipeline: GPUComputePipeline;
  group: GPUBindGroup;
  kernel: Kernel;
}

export class Engine {
  step = 0;
  private readonly buffers: Record<string, GPUBuffer> = {};
  private launches: Launch[] = [];
  private blocks = 1;
  private dt = 1;

  private constructor(
    private readonly device: GPUDevice,
    readonly scene: RunnableScene,
    readonly agents: number,
  ) {}

  static async of(device: GPUDevice, scene: RunnableScene, agents: number): Promise<Engine> {
    const engine = new Engine(device, scene, agents);
    engine.makeBuffers();
    const made = await Promise.all(scene.kernels.map((kernel) => engine.prepared(kernel)));
    engine.launches = made;
    return engine;
  }

  private makeBuffers(): void {
    const { scene, device } = this;
    const most = Math.max(scene.index.leastBins, 2 * scene.room);
    const cells = Math.ceil((most + 1) / scene.index.block) * scene.index.block;
    const tables = bytesOf(scene.tables);
    const sizes: Record<string, number> = {
      ...scene.sizes, counts: cells, start: cells + (4 * cells) / scene.index.block, times: 2 * MOST_STEPS, tables: tables.byteLength / 4,
    };
    const usage = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;
    for (const [name, words] of Object.entries(sizes)) {
      this.buffers[name] = device.createBuffer({ label: name, size: 4 * Math.max(4, words), usage: name === "head" ? usage | USAGE.UNIFORM : usage });
    }
    device.queue.writeBuffer(this.buffers.tables, 0, tables);
    device.queue.writeBuffer(this.buffers.head, 0, bytesOf(scene.head));
  }

  private async prepared(kernel: Kernel): Promise<Launch> {
    const kinds = { uniform: "uniform", read: "read-only-storage", read_write: "storage" } as const;
    const layout = this.device.createBindGroupLayout({
      entries: kernel.bindings.map(([, access], binding) => ({ binding, visibility: COMPUTE_STAGE, buffer: { type: kinds[access] } })),
    });
    const module = this.device.createShaderModule({ label: kernel.name, code: kernel.code });
    const pipeline = await this.device.createComputePipelineAsync({
      layout: this.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: "main" },
    });
    const entries = kernel.bindings.map(([name], binding) => ({ binding, resource: { buffer: this.buffers[name] } }));
    return { pipeline, group: this.device.createBindGroup({ layout, entries }), kernel };
  }

  /** Put the flock at its start: four numbers for each agent, and all columns as words. */
  begin(quads: Float32Array<ArrayBuffer>, columns: Int32Array<ArrayBuffer>, seed: [number, number]): void {
    this.step = 0;
    this.device.queue.writeBuffer(this.buffers.places, 0, quads);
    this.device.queue.writeBuffer(this.buffers.columns, 0, columns);
    this.setInteger("clock_seed_low", seed[0] | 0);
    this.setInteger("clock_seed_high", seed[1] | 0);
    this.setInteger("clock_alive", this.agents);
  }

  /** Take up other numbers: those of the kernels, of the world, and the greatest radius that anybody sees. */
  retune(vector: Float64Array, world: { width: number; height: number }): void {
    const { scene } = this;
    const rest = scene.worldNumbers.length + scene.more.length;
    const numbers = Float32Array.from(vector.subarray(0, vector.length - rest));
    this.device.queue.writeBuffer(this.buffers.tables, 4 * scene.numbersAt, numbers);
    scene.worldNumbers.forEach((name, k) => {
      // Where noise begins is the seed's business.
      if (!name.startsWith("world_noise")) this.setNumber(name, vector[numbers.length + k]);
      if (name === "world_dt") this.dt = vector[numbers.length + k];
    });
    this.setGrid(vector[vector.length - 1], world);
  }

  /** Rows at least as high as anybody sees, and bins a quarter as wide (compute/cuda/arrays.py). */
  private setGrid(radius: number, world: { width: number; height: number }): void {
    const { across, block, leastBins } = this.scene.index;
    const reach = radius * 1.00001;
    const most = Math.max(leastBins, 2 * this.scene.room);
    const rows = Math.max(1, Math.min(Math.floor(world.height / reach), Math.floor(most / (8 * across))));
    const columns = Math.max(1, Math.min(Math.floor((world.width * across) / reach), Math.floor(most / rows)));
    const isOpen = this.scene.hello.scenario.world !== null && (this.scene.hello.scenario.world as { boundary?: string }).boundary === "open";
    const bins = isOpen ? most : rows * columns;
    this.blocks = Math.ceil((bins + 1) / block);
    this.setInteger("grid_rows", rows);
    this.setInteger("grid_columns", columns);
    this.setNumber("grid_per_x", columns / world.width);
    this.setNumber("grid_per_y", rows / world.height);
    this.setNumber("grid_row_height", world.height / rows);
    this.setInteger("sizes_bins", bins);
    this.setInteger("sizes_scan_blocks", this.blocks);
    this.setNumber("sizes_reach", radius);
  }

  /** Where the lattice of noise lies for this seed. */
  setNoise(x: number, y: number): void {
    this.setNumber("world_noise_x", x);
    this.setNumber("world_noise_y", y);
  }

  hand(x: number, y: number, strength: number): void {
    const { hand } = this.scene;
    for (const [at, value] of [[hand.x, x], [hand.y, y], [hand.strength, strength]]) {
      this.device.queue.writeBuffer(this.buffers.tables, 4 * at, Float32Array.of(value));
    }
  }

  private setNumber(name: string, value: number): void {
    const place = this.scene.headPlaces[name];
    if (place !== undefined) this.device.queue.writeBuffer(this.buffers.head, 4 * place, Float32Array.of(value));
  }

  private setInteger(name: string, value: number): void {
    this.device.queue.writeBuffer(this.buffers.head, 4 * this.scene.headPlaces[name], Int32Array.of(value));
  }

  /** Hand so many steps to the device, which goes on by itself. */
  advance(steps: number): void {
    for (let left = steps; left > 0; left -= MOST_STEPS) this.submit(Math.min(left, MOST_STEPS));
  }

  private submit(steps: number): void {
    const times = new Float32Array(2 * steps);
    for (let k = 0; k < steps; k++) {
      const time = (this.step + k) * this.dt;
      times.set([time, time % NOISE_PERIOD], 2 * k);
    }
    this.device.queue.writeBuffer(this.buffers.times, 0, times);
    this.setInteger("clock_step", this.step);
    this.setInteger("clock_first_step", this.step);
    this.setInteger("clock_keep_from", this.step + steps); // neighbours are counted in the last of them
    const encoder = this.device.createCommandEncoder();
    const work = encoder.beginComputePass();
    for (let k = 0; k < steps; k++) {
      for (const { pipeline, group, kernel } of this.launches) {
        const groups = this.groups(kernel);
        if (groups === 0) continue;
        const down = Math.ceil(groups / MOST_GROUPS);
        work.setPipeline(pipeline);
        work.setBindGroup(0, group);
        work.dispatchWorkgroups(Math.ceil(groups / down), down);
      }
    }
    work.end();
    this.device.queue.submit([encoder.finish()]);
    this.step += steps;
  }

  private groups(kernel: Kernel): number {
    if (kernel.groups === "agents") return Math.ceil(this.scene.room / this.scene.threads);
    if (kernel.groups === "scan") return this.blocks;
    if (kernel.groups === "shift") return this.blocks > 1 ? 4 * this.blocks : 0;
    return Number(kernel.groups);
  }

  async read(): Promise<FlockState> {
    const { scene, device, step, agents } = this;
    const places = 16 * scene.room;
    const columns = 4 * scene.sizes.columns;
    const home = device.createBuffer({ size: places + columns, usage: USAGE.COPY_DST | USAGE.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.buffers.places, 0, home, 0, places);
    encoder.copyBufferToBuffer(this.buffers.columns, 0, home, places, columns);
    device.queue.submit([encoder.finish()]);
    await home.mapAsync(READ_MODE);
    const bytes = home.getMappedRange().slice(0);
    home.destroy();
    const raw = new Float32Array(bytes, 0, 4 * agents);
    const ids = new Int32Array(bytes, places, agents);
    const quads = new Float32Array(4 * agents);
    for (let k = 0; k < agents; k++) quads.set(raw.subarray(4 * k, 4 * k + 4), 4 * ids[k]);
    const column = (name: string): Float32Array<ArrayBuffer> | null => {
      const at = scene.columns.indexOf(name);
      if (at < 0) return null;
      const found = new Float32Array(agents);
      const values = new Float32Array(bytes, places + 4 * at * scene.room, agents);
      for (let k = 0; k < agents; k++) found[ids[k]] = values[k];
      return found;
    };
    return { step, quads, column };
  }

  destroy(): void {
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }
}
