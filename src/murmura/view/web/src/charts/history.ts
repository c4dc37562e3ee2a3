/** All measurements of this run, row by row, for charts, tables and files. Independent of the DOM. */

export type Value = number | null;
export type Values = Record<string, Value>;

const MOST_ROWS = 6000; // with more rows, every second one of the older half is dropped: the history stays complete but gets coarser

export class History {
  times: number[] = []; // [s]
  private readonly columns = new Map<string, Value[]>();

  get length(): number {
    return this.times.length;
  }

  get names(): string[] {
    return [...this.columns.keys()];
  }

  get last(): number {
    return this.times.at(-1) ?? -Infinity;
  }

  /** Add a row; it replaces the last one if the time is the same. */
  add(time: number, values: Values): void {
    const again = time === this.last;
    if (!again) this.times.push(time);
    for (const name of Object.keys(values))
      if (!this.columns.has(name)) this.columns.set(name, new Array<Value>(this.times.length - 1).fill(null));
    for (const [name, column] of this.columns) {
      if (again) column.pop();
      column.push(values[name] ?? null);
    }
    if (this.times.length > MOST_ROWS) this.thin();
  }

  /** Forget what was measured after this time: the flock has gone back and taken another course. */
  cut(time: number): void {
    const stays = this.times.filter((each) => each <= time + 1e-9).length;
    if (stays === this.times.length) return;
    this.times.length = stays;
    for (const column of this.columns.values()) column.length = stays;
  }

  clear(): void {
    this.times = [];
    this.columns.clear();
  }

  column(name: string): Value[] {
    return this.columns.get(name) ?? new Array<Value>(this.times.length).fill(null);
  }

  latest(name: string): Value {
    return this.columns.get(name)?.at(-1) ?? null;
  }

  private thin(): void {
    const half = this.times.length >> 1;
    const stays = (_: unknown, k: number) => k >= half || k % 2 === 0;
    this.times = this.times.filter(stays);
    for (const [name, column] of this.columns) this.columns.set(name, column.filter(stays));
  }

  /** Indices of at most `most` rows, evenly spaced, including the last. */
  sample(most: number): number[] {
    const every = Math.max(1, Math.ceil(this.length / most));
    const first = (this.length - 1) % every;
    return Array.from({ length: Math.max(0, Math.ceil((this.length - first) / every)) }, (_, k) => first + k * every);
  }

  /** Everything, or some columns, as CSV: one line per row. */
  csv(names: readonly string[] = this.names): string {
    const cell = (value: Value) => (value === null ? "" : String(value));
    const columns = names.map((name) => this.column(name));
    const lines = this.times.map((time, k) =>
      [String(Number(time.toFixed(6))), ...columns.map((column) => cell(column[k]))].join(),
    );
    return [["time", ...names].map(quoted).join(), ...lines, ""].join("\n");
  }
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
