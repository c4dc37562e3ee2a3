/** Items and obstacles, as a kernel reads them. */

import { wordsOf, type RunnableScene } from "./data";

export class Tables {
  private readonly sections: Record<string, Int32Array<ArrayBuffer>>;

  constructor(private readonly scene: RunnableScene) {
    this.sections = Object.fromEntries(Object.entries(scene.tables).map(([name, text]) => [name, wordsOf(text)]));
  }

  copy(): Tables {
    const found = new Tables(this.scene);
    for (const [name, words] of Object.entries(this.sections)) found.sections[name] = words.slice();
    return found;
  }

  /** All items, one row after the other. */
  get items(): Float32Array<ArrayBuffer> {
    return new Float32Array(this.sections.items.buffer);
  }

  /** The range of rows of a rule's items. */
  range(group: number): [number, number] {
    return [this.sections.ranges[2 * group], this.sections.ranges[2 * group + 1]];
  }

  rows(group: number): Float32Array[] {
    const [begin, end] = this.range(group);
    const { itemWidth } = this.scene.plan;
    return Array.from({ length: end - begin }, (_, k) =>
      this.items.slice((begin + k) * itemWidth, (begin + k + 1) * itemWidth),
    );
  }

  /** Replace the rows of a rule's items, perhaps with more or fewer; the rows of later rules move. */
  setRows(group: number, rows: Float32Array[]): void {
    const { itemWidth } = this.scene.plan;
    const [begin, end] = this.range(group);
    const more = rows.length - (end - begin);
    const old = this.items;
    const items = new Float32Array(old.length + more * itemWidth);
    items.set(old.subarray(0, begin * itemWidth));
    rows.forEach((row, k) => {
      items.set(row, (begin + k) * itemWidth);
    });
    items.set(old.subarray(end * itemWidth), (begin + rows.length) * itemWidth);
    this.sections.items = new Int32Array(items.buffer);
    const { ranges, tracked } = this.sections;
    for (let k = 0; k < this.scene.groups.length; k++) {
      if (k === group) ranges[2 * k + 1] += more;
      else if (ranges[2 * k] >= end) for (const edge of [0, 1]) ranges[2 * k + edge] += more;
    }
    for (let k = 1; k < tracked.length; k += 2) if (tracked[k] >= end) tracked[k] += more;
  }

  /** The number of items that receive reports from agents. */
  get listeners(): number {
    return Math.max(0, ...this.scene.groups.map(({ lasts }, k) => (lasts ? this.range(k)[1] : 0)));
  }

  section(name: string): Int32Array<ArrayBuffer> {
    return this.sections[name];
  }

  /** Copy the items as a kernel has left them. */
  keepItems(items: Float32Array): void {
    this.items.set(items);
  }
}
