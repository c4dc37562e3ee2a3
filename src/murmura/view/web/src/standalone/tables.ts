/** All that a change of numbers changes, section by section: what kernels find in the buffer `tables`. */

import { wordsOf, type RunnableScene } from "./data";

const FARTHEST = 3e38;

export class Tables {
  private readonly sections: Record<string, Int32Array<ArrayBuffer>>;

  constructor(private readonly scene: RunnableScene) {
    this.sections = Object.fromEntries(Object.entries(scene.sections).map(([name, text]) => [name, wordsOf(text)]));
  }

  get starts(): Record<string, number> {
    let at = 0;
    return Object.fromEntries(Object.entries(this.sections).map(([name, words]) => {
      const start = at;
      at += words.length;
      return [name, start];
    }));
  }

  get words(): Int32Array<ArrayBuffer> {
    const parts = Object.values(this.sections);
    const found = new Int32Array(parts.reduce((sum, part) => sum + part.length, 1)); // one more: no section is empty
    let at = 0;
    for (const part of parts) {
      found.set(part, at);
      at += part.length;
    }
    return found;
  }

  /** All items, one row after the other. */
  get items(): Float32Array<ArrayBuffer> {
    return new Float32Array(this.sections.items.buffer);
  }

  get numberCount(): number {
    return this.sections.numbers.length;
  }

  /** Rows of a rule's items: the first, and the one after the last. */
  range(group: number): [number, number] {
    return [this.sections.ranges[2 * group], this.sections.ranges[2 * group + 1]];
  }

  /** How many items listen to agents. */
  get listeners(): number {
    return Math.max(0, ...this.scene.groups.map(({ lasts }, k) => (lasts ? this.range(k)[1] : 0)));
  }

  setNumbers(numbers: ArrayLike<number>): void {
    this.numbers("numbers").set(numbers);
  }

  /** How far the items of each rule matter, as squares, and a hair more: rounding must not lose what lies on the edge. */
  setItemRanges(ranges: number[]): void {
    this.numbers("item_ranges").set(ranges.map((range) => Math.min((range * 1.0001) ** 2, FARTHEST)));
  }

  private numbers(name: string): Float32Array<ArrayBuffer> {
    return new Float32Array(this.sections[name].buffer);
  }

  section(name: string): Int32Array<ArrayBuffer> {
    return this.sections[name];
  }

  /** Take over items as the device has them. */
  keepItems(items: Float32Array): void {
    this.items.set(items);
  }
}
