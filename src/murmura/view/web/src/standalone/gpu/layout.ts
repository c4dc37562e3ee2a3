/** The buffers of one flock: their sizes in words, and where their sections begin (compute/webgpu/arrays.py, `Layout`). */

import type { PlanFacts } from "../data";
import type { World } from "../engine";

export class Layout {
  readonly room: number;
  /** Size of the positions, which in space the velocities follow. */
  readonly quads: number;
  readonly width: number;
  readonly eventRoom: number;
  private readonly youngRoom: number;
  private readonly buckets: number;
  private readonly outputs: Record<string, number>;

  constructor(
    readonly plan: PlanFacts,
    readonly agents: number,
    listeners: number,
  ) {
    this.room = Math.max(1, agents, plan.most);
    this.quads = this.room * (plan.dimension - 1);
    this.width = 1 + plan.carried + plan.forces;
    this.youngRoom = plan.lives ? this.room : 1;
    this.buckets = 2 ** Math.ceil(Math.log2(this.youngRoom));
    this.eventRoom = plan.eventful ? Math.max(plan.leastEvents, 2 * this.room) : 1;
    const heard = Math.max(1, listeners);
    this.outputs = {
      reports: heard * plan.reportWidth * plan.reportWords,
      target_reports: heard * (1 + plan.itemWidth),
      events: this.eventRoom * plan.eventWords,
      young: this.youngRoom * plan.youngWords,
      buckets: this.buckets,
      scores: Math.max(1, heard * plan.bestWidth * this.room),
    };
  }

  /** Enough bins for any radius, so that a change of numbers needs no new buffers. */
  get mostBins(): number {
    return Math.max(this.plan.leastBins, 2 * this.room);
  }

  /** Words of each buffer, without `tables` and `times`. */
  sizes(headWords: number): Record<string, number> {
    const { block } = this.plan;
    const cells = Math.ceil((this.mostBins + 1) / block) * block;
    return {
      head: headWords,
      places: 4 * this.quads,
      sorted_places: 4 * this.quads,
      columns: this.width * this.room,
      sorted_columns: (1 + this.plan.carried) * this.room,
      spots: 2 * this.room,
      order: this.room,
      counts: cells,
      start: cells + (4 * cells) / block,
      outputs: this.plan.outputsHead + Object.values(this.outputs).reduce((sum, words) => sum + words, 0),
    };
  }

  /** The offset of the events in the outputs. */
  get eventsAt(): number {
    return this.plan.outputsHead + this.outputs.reports + this.outputs.target_reports;
  }

  /** Integer fields of the head that follow from the numbers of agents and items. */
  fields(tableStarts: Record<string, number>): Record<string, number> {
    const found: Record<string, number> = {
      sizes_room: this.room,
      sizes_event_room: this.eventRoom,
      sizes_young_room: this.youngRoom,
      sizes_bucket_mask: this.buckets - 1,
      at_forces: (1 + this.plan.carried) * this.room,
    };
    let at = this.plan.outputsHead;
    for (const [name, words] of Object.entries(this.outputs)) {
      found[`at_${name}`] = at;
      at += words;
    }
    for (const [name, start] of Object.entries(tableStarts)) found[`at_${name}`] = start;
    return found;
  }

  /** Rows, bins per row and layers (compute/cuda/arrays.py), as fields of the head: integers, then numbers. */
  grid(radius: number, world: World): [Record<string, number>, Record<string, number>] {
    const { across } = this.plan;
    const reach = radius * 1.00001;
    const most = this.mostBins;
    const lines = Math.floor(most / (8 * across));
    let rows = lines;
    let layers = 1;
    if (this.plan.dimension === 3) {
      const side = Math.floor(Math.sqrt(lines));
      layers = atLeastOne(Math.min(world.depth / reach, side));
      rows = Math.max(side, Math.floor(lines / layers));
    }
    rows = atLeastOne(Math.min(world.height / reach, rows));
    const columns = atLeastOne(Math.min((world.width * across) / reach, most / (rows * layers)));
    const bins = world.isOpen ? most : rows * columns * layers;
    const blocks = Math.ceil((bins + 1) / this.plan.block);
    const numbers: Record<string, number> = {
      grid_per_x: columns / world.width,
      grid_per_y: rows / world.height,
      grid_row_height: world.height / rows,
      sizes_reach: radius,
    };
    if (this.plan.dimension === 3)
      Object.assign(numbers, { grid_per_z: layers / world.depth, grid_layer_height: world.depth / layers });
    return [
      { grid_rows: rows, grid_columns: columns, grid_layers: layers, sizes_bins: bins, sizes_scan_blocks: blocks },
      numbers,
    ];
  }
}

function atLeastOne(value: number): number {
  return Math.max(1, Math.floor(value));
}
