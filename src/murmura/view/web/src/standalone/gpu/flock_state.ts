/** The flock at one instant, read from the device and sorted by id. */

/** A flock sorted by id: four numbers for each agent (in space four more, for velocities), and all columns as words. */
export interface Flock {
  count: number;
  nextId: number;
  places: Float32Array<ArrayBuffer>;
  columns: Int32Array<ArrayBuffer>;
}

/** Rows of the device in ascending id; the dead have negative ids and are left out. */
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

/** One field of these rows. */
function picked(values: Float32Array, rows: Int32Array, width: number, first: number): Float32Array<ArrayBuffer> {
  const found = new Float32Array(rows.length);
  for (let k = 0; k < rows.length; k++) found[k] = values[width * rows[k] + first];
  return found;
}

/** Data from the device: words of the buffers, which have `room` rows, of which `here` are in use. */
export interface DeviceReadout {
  step: number;
  room: number;
  here: number;
  nextId: number;
  dimension: 2 | 3;
  names: string[];
  places: Float32Array<ArrayBuffer>;
  columns: Int32Array<ArrayBuffer>;
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
  readonly heights: Float32Array<ArrayBuffer> | null = null;
  readonly climbs: Float32Array<ArrayBuffer> | null = null;
  private readonly rows: Int32Array<ArrayBuffer>;

  constructor(private readonly from: DeviceReadout) {
    const { room, places, columns } = from;
    this.step = from.step;
    this.items = from.items;
    this.nextId = from.nextId;
    const rows = rowsById(columns.subarray(0, from.here));
    this.rows = rows;
    this.count = rows.length;
    this.ids = rows.map((row) => columns[row]);
    // Plain loops, because this runs for every picture, and 50,000 small arrays would take longer than the picture.
    const { count } = this;
    const quads = new Float32Array(4 * count);
    const [first, second] = from.dimension === 2 ? [2, 3] : [4 * room, 4 * room + 1]; // where the velocity is
    for (let k = 0; k < count; k++) {
      const at = 4 * rows[k];
      quads[4 * k] = places[at];
      quads[4 * k + 1] = places[at + 1];
      quads[4 * k + 2] = places[at + first];
      quads[4 * k + 3] = places[at + second];
    }
    this.quads = quads;
    if (from.dimension === 2) return;
    this.heights = picked(places, rows, 4, 2);
    this.climbs = picked(places, rows, 4, 4 * room + 2);
  }

  /** A column sorted by id, or null if the kernels have none of this name. */
  column(name: string): Float32Array<ArrayBuffer> | null {
    const at = this.from.names.indexOf(name);
    if (at < 0) return null;
    const values = new Float32Array(this.from.columns.buffer, this.from.columns.byteOffset);
    return picked(values, this.rows, 1, at * this.from.room);
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

  /** The flock in the form that a device loads. */
  get flock(): Flock {
    const { count, rows } = this;
    const { room, names, columns, places, dimension } = this.from;
    const kept = new Int32Array(names.length * count);
    names.forEach((_, at) => { rows.forEach((row, k) => { kept[at * count + k] = columns[at * room + row]; }); });
    const moved = new Float32Array(4 * (dimension - 1) * count);
    for (let plane = 0; plane < dimension - 1; plane++) {
      rows.forEach((row, k) => { moved.set(places.subarray(4 * (plane * room + row), 4 * (plane * room + row) + 4), 4 * (plane * count + k)); });
    }
    return { count, nextId: this.nextId, places: moved, columns: kept };
  }
}
