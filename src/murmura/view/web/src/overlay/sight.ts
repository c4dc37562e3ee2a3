/**
 * Who sees whom, computed from a frame for all agents in view.
 *
 * A frame has positions of 16 bits and headings of 8, so an agent at the edge of a field of view may be
 * classified differently from the simulation. The neighbours of the selected agent come from the server and are exact.
 */

import type { Size } from "../render/camera";
import { isObject, type JsonObject } from "../net/protocol";
import { valueAt } from "../panel/controls/schema";
import { blend, type Moment } from "../net/timeline";

export interface Sight {
  radius: number; // [u]
  cosine: number; // of half the field of view; -1: all around
  half: number; // half the field of view [rad]
  nearest: number; // the greatest number of neighbours; Infinity: all
}

/** What each species can see: its own values or the scenario's, or the mean of its members if genes decide. */
export function sightsOf(scenario: JsonObject, means: number[] = []): Sight[] {
  const kinds = Array.isArray(scenario.species) && scenario.species.length > 0 ? scenario.species : [{}];
  return kinds.map((kind, k) => {
    const own = isObject(kind) && isObject(kind.values) ? kind.values : {};
    const value = (name: string) => own[`perception.${name}`] ?? valueAt(scenario, `perception.${name}`);
    const half = (Math.min(360, Number(value("field_of_view") ?? 360)) * Math.PI) / 360;
    return {
      radius: means[k] ?? Number(value("radius") ?? 50),
      half,
      cosine: half >= Math.PI ? -1 : Math.cos(half),
      nearest: Number(value("nearest") ?? Infinity) || Infinity,
    };
  });
}

/** Positions and headings of all agents at a moment. */
export interface Crowd {
  count: number;
  xs: Float32Array;
  ys: Float32Array;
  headings: Float32Array;
  kinds: Uint8Array;
  wrap: Size | null; // sides of a wrapping world
}

export function crowdAt({ from, to, alpha }: Moment): Crowd {
  const { frame } = to;
  const { count } = frame;
  const crowd: Crowd = {
    count,
    xs: new Float32Array(count),
    ys: new Float32Array(count),
    headings: new Float32Array(count),
    kinds: new Uint8Array(count),
    wrap: frame.wraps ? { width: frame.width, height: frame.height } : null,
  };
  const [sideX, sideY] = frame.wraps ? [frame.width, frame.height] : [0, 0];
  const [ax, ay] = [from.frame.width / 65535, from.frame.height / 65535];
  const [bx, by] = [frame.width / 65535, frame.height / 65535];
  for (let k = 0; k < count; k++) {
    const [a, b, look] = [from.frame.words[2 * k], frame.words[2 * k], frame.words[2 * k + 1]];
    crowd.xs[k] = blend(from.frame.left + (a & 0xffff) * ax, frame.left + (b & 0xffff) * bx, alpha, sideX);
    crowd.ys[k] = blend(from.frame.top + (a >>> 16) * ay, frame.top + (b >>> 16) * by, alpha, sideY);
    crowd.headings[k] = (((look & 0xff) + 0.5) / 256) * 2 * Math.PI;
    crowd.kinds[k] = (look >>> 16) & 0xff;
  }
  return crowd;
}

/** Agents inside a rectangle [left, top, right, bottom]. */
export function within({ count, xs, ys }: Crowd, [left, top, right, bottom]: readonly number[]): number[] {
  const found: number[] = [];
  for (let k = 0; k < count; k++) if (xs[k] >= left && xs[k] <= right && ys[k] >= top && ys[k] <= bottom) found.push(k);
  return found;
}

/** Every n-th element of a list. */
export function evenly(list: number[], every: number): number[] {
  return every > 1 ? list.filter((_, n) => n % every === 0) : list;
}

/** Calls `link(me, other, dx, dy)` for every neighbour that each of `who` sees, up to `most` links. */
export function eachSight(
  crowd: Crowd,
  who: number[],
  sights: Sight[],
  most: number,
  link: (me: number, other: number, dx: number, dy: number) => void,
): void {
  const reach = Math.max(...sights.map((sight) => sight.radius));
  const cells = new Cells(crowd, reach);
  let left = most;
  for (const me of who) {
    const sight = sights[Math.min(sights.length - 1, crowd.kinds[me])];
    const [hx, hy] = [Math.cos(crowd.headings[me]), Math.sin(crowd.headings[me])];
    const seen: [number, number, number, number][] = [];
    cells.near(me, (other) => {
      let [dx, dy] = [crowd.xs[other] - crowd.xs[me], crowd.ys[other] - crowd.ys[me]];
      if (crowd.wrap) {
        dx -= crowd.wrap.width * Math.round(dx / crowd.wrap.width);
        dy -= crowd.wrap.height * Math.round(dy / crowd.wrap.height);
      }
      const d = Math.hypot(dx, dy);
      if (other === me || d > sight.radius || dx * hx + dy * hy < sight.cosine * d) return;
      seen.push([d, other, dx, dy]);
    });
    if (seen.length > sight.nearest) {
      seen.sort((a, b) => a[0] - b[0]);
      seen.length = sight.nearest;
    }
    for (const [, other, dx, dy] of seen) link(me, other, dx, dy);
    left -= seen.length;
    if (left <= 0) return;
  }
}

/** A grid of squares as wide as the greatest radius: all neighbours are in the 3 x 3 squares around an agent. */
class Cells {
  private readonly squares = new Map<number, number[]>();
  private readonly columns: number;
  private readonly rows: number;
  private readonly side: Size;

  constructor(
    private readonly crowd: Crowd,
    reach: number,
  ) {
    // A wrapping world has a whole number of squares, so that the last one borders the first.
    const { wrap } = crowd;
    this.columns = wrap ? Math.max(1, Math.floor(wrap.width / reach)) : Infinity;
    this.rows = wrap ? Math.max(1, Math.floor(wrap.height / reach)) : Infinity;
    this.side = wrap
      ? { width: wrap.width / this.columns, height: wrap.height / this.rows }
      : { width: reach, height: reach };
    for (let k = 0; k < crowd.count; k++) {
      const key = this.key(this.column(k), this.row(k));
      const square = this.squares.get(key);
      if (square) square.push(k);
      else this.squares.set(key, [k]);
    }
  }

  private column(k: number): number {
    return Math.floor(this.crowd.xs[k] / this.side.width);
  }

  private row(k: number): number {
    return Math.floor(this.crowd.ys[k] / this.side.height);
  }

  private key(column: number, row: number): number {
    const turn = (value: number, size: number) => (size === Infinity ? value : ((value % size) + size) % size);
    return (turn(column, this.columns) + 32768) * 65536 + turn(row, this.rows) + 32768;
  }

  near(k: number, see: (other: number) => void): void {
    const visited = new Set<number>(); // in a narrow world, two of the nine squares may be the same
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        const key = this.key(this.column(k) + dx, this.row(k) + dy);
        if (visited.has(key)) continue;
        visited.add(key);
        this.squares.get(key)?.forEach(see);
      }
    }
  }
}
