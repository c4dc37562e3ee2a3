/** The flock at one instant, read from an engine and sorted by id. */

/** A flock in ascending id: all columns that kernels keep, and perhaps others. */
export interface Flock {
  count: number;
  nextId: number;
  ids: Int32Array<ArrayBuffer>;
  columns: Record<string, Float32Array<ArrayBuffer>>;
}

/** Columns of position and velocity. */
export function movingColumns(dimension: 2 | 3): string[] {
  const axes = ["x", "y", "z"].slice(0, dimension);
  return ["position", "velocity"].flatMap((name) => axes.map((axis) => `${name}_${axis}`));
}

/** Rows in ascending id; the dead have negative ids and are left out. */
export function rowsById(ids: Int32Array): Int32Array<ArrayBuffer> {
  const keys = new Float64Array(ids.length);
  let alive = 0;
  let isDense = true;
  for (let row = 0; row < ids.length; row++) {
    if (ids[row] < 0) continue;
    isDense &&= ids[row] < ids.length;
    keys[alive++] = ids[row] * 0x400000 + row; // rows have 22 bits, so a sum has 53
  }
  const rows = new Int32Array(alive);
  if (isDense && alive === ids.length) {
    for (let row = 0; row < alive; row++) rows[ids[row]] = row;
    return rows;
  }
  const sorted = keys.subarray(0, alive).sort();
  for (let k = 0; k < alive; k++) rows[k] = sorted[k] % 0x400000;
  return rows;
}

/** A column in memory: every `width`-th number from `first` on. */
export interface Strided {
  values: Float32Array;
  width: number;
  first: number;
}

/** What an engine has read, in its own order; the dead have negative ids. */
export interface Readout {
  step: number;
  nextId: number;
  dimension: 2 | 3;
  ids: Int32Array;
  columns: Record<string, Strided>;
  items: Float32Array<ArrayBuffer>;
}

export class FlockState {
  readonly step: number;
  readonly count: number;
  readonly nextId: number;
  readonly items: Float32Array<ArrayBuffer>;
  readonly ids: Int32Array<ArrayBuffer>;
  /** x, y, vx, vy of all agents. */
  readonly quads: Float32Array<ArrayBuffer>;
  /** z and vz of all agents; null in the plane. */
  readonly heights: Float32Array<ArrayBuffer> | null;
  readonly climbs: Float32Array<ArrayBuffer> | null;
  private readonly rows: Int32Array<ArrayBuffer>;

  constructor(private readonly from: Readout) {
    this.step = from.step;
    this.items = from.items;
    this.nextId = from.nextId;
    const rows = rowsById(from.ids);
    this.rows = rows;
    this.count = rows.length;
    this.ids = rows.map((row) => from.ids[row]);
    this.quads = new Float32Array(4 * this.count);
    ["position_x", "position_y", "velocity_x", "velocity_y"].forEach((name, k) => {
      this.fill(this.quads, 4, k, from.columns[name]);
    });
    this.heights = this.column("position_z");
    this.climbs = this.column("velocity_z");
  }

  // Plain loops, because this runs for every picture, and 50,000 small arrays would take longer than the picture.
  private fill(to: Float32Array, step: number, begin: number, { values, width, first }: Strided): void {
    const { rows, count } = this;
    for (let k = 0; k < count; k++) to[step * k + begin] = values[width * rows[k] + first];
  }

  /** A column sorted by id, or null if the kernels have none of this name. */
  column(name: string): Float32Array<ArrayBuffer> | null {
    if (!Object.hasOwn(this.from.columns, name)) return null;
    const found = new Float32Array(this.count);
    this.fill(found, 1, 0, this.from.columns[name]);
    return found;
  }

  /** The index of an id; -1 if there is none. */
  indexOf(id: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ids[middle] < id) low = middle + 1;
      else high = middle;
    }
    return low < this.count && this.ids[low] === id ? low : -1;
  }

  /** The flock as an engine loads it. */
  get flock(): Flock {
    const { count, nextId, ids } = this;
    const columns = Object.keys(this.from.columns).map((name) => [name, this.column(name)]);
    return { count, nextId, ids, columns: Object.fromEntries(columns) as Flock["columns"] };
  }
}
