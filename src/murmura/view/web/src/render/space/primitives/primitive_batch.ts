/**
 * Collects lines, discs and faces that become part of the picture, where what is in front of them hides them.
 *
 * Each is a row of eleven numbers, three places, a colour and a kind, which a shader turns into triangles: nothing is
 * projected here.
 */

import type { Primitives, Rgb, Stroke } from "./primitives";
import type { Vec } from "../vectors";

export const ROW = 11;
export const KINDS = { line: 0, disc: 1, face: 2 } as const;
const NONE: Vec = [0, 0, 0];

export class InstanceRows {
  numbers = new Float32Array(64 * ROW);
  count = 0;
  private colors = new Uint32Array(this.numbers.buffer);

  add(a: Vec, b: Vec, c: Vec, rgb: Rgb, alpha: number, kind: number): void {
    const at = ROW * this.count++;
    if (at === this.numbers.length) this.grow();
    const { numbers } = this;
    for (let k = 0; k < 3; k++) {
      numbers[at + k] = a[k];
      numbers[at + 3 + k] = b[k];
      numbers[at + 6 + k] = c[k];
    }
    this.colors[at + 9] = (rgb[0] | (rgb[1] << 8) | (rgb[2] << 16) | (Math.round(255 * alpha) << 24)) >>> 0;
    numbers[at + 10] = kind;
  }

  private grow(): void {
    const old = this.numbers;
    this.numbers = new Float32Array(2 * old.length);
    this.colors = new Uint32Array(this.numbers.buffer);
    this.colors.set(new Uint32Array(old.buffer)); // as bits: a colour may look like a number that is none
  }
}

export class PrimitiveBatch implements Primitives {
  readonly lines = new InstanceRows();
  readonly translucent = new InstanceRows(); // discs and faces that one looks through
  readonly solid = new InstanceRows();

  clear(): void {
    this.lines.count = this.translucent.count = this.solid.count = 0;
  }

  line(a: Vec, b: Vec, { rgb, alpha, width, dash }: Stroke): void {
    this.lines.add(a, b, [width, dash?.[0] ?? 0, dash?.[1] ?? 0], rgb, alpha, KINDS.line);
  }

  disc(at: Vec, radius: number, rgb: Rgb, inner: number, outer: number): void {
    this.translucent.add(at, [radius, inner, outer], NONE, rgb, 1, KINDS.disc);
  }

  face(corners: readonly Vec[], rgb: Rgb, alpha: number): void {
    const rows = alpha < 1 ? this.translucent : this.solid;
    for (let k = 2; k < corners.length; k++) rows.add(corners[0], corners[k - 1], corners[k], rgb, alpha, KINDS.face);
  }
}
