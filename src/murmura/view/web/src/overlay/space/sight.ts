/** Who sees whom in space, computed from a frame. Headings have 16 bits, positions 48: results may differ at the edge of a field of view. */

import type { Moment } from "../../net/timeline";
import { aheadOf, kindOf, placeAt, wrapOf } from "../../net/space_frames";
import type { Vec } from "../../render/space/vectors";
import type { Sight } from "../sight";

export interface SpaceCrowd {
  count: number;
  places: Float32Array; // x, y, z of each
  ahead: Float32Array;
  kinds: Uint8Array;
  wrap: Vec; // sides along which the world wraps, else 0
}

export function spaceCrowdAt(moment: Moment): SpaceCrowd {
  const { frame } = moment.to;
  const { count, space } = frame;
  const crowd: SpaceCrowd = {
    count,
    places: new Float32Array(3 * count),
    ahead: new Float32Array(3 * count),
    kinds: new Uint8Array(count),
    wrap: [0, 0, 0],
  };
  if (!space) return { ...crowd, count: 0 };
  for (let k = 0; k < count; k++) {
    const place = placeAt(moment, k);
    if (place) crowd.places.set([place.x, place.y, place.z], 3 * k);
    crowd.ahead.set(aheadOf(frame.words[2 * k + 1]), 3 * k);
    crowd.kinds[k] = kindOf(space, k);
  }
  return { ...crowd, wrap: wrapOf(frame, space) };
}

export function placeIn({ places }: SpaceCrowd, k: number): Vec {
  return [places[3 * k], places[3 * k + 1], places[3 * k + 2]];
}

export function aheadIn({ ahead }: SpaceCrowd, k: number): Vec {
  return [ahead[3 * k], ahead[3 * k + 1], ahead[3 * k + 2]];
}

/** Calls `link(me, way)` for every neighbour that each of `who` sees, up to `most` links. */
export function eachSpaceSight(
  crowd: SpaceCrowd,
  who: number[],
  sights: Sight[],
  most: number,
  link: (me: number, way: Vec, other: number) => void,
): void {
  const cells = new Cells(crowd, Math.max(...sights.map((sight) => sight.radius)));
  let left = most;
  for (const me of who) {
    const sight = sights[Math.min(sights.length - 1, crowd.kinds[me])];
    const ahead = aheadIn(crowd, me);
    const seen: { d: number; way: Vec; other: number }[] = [];
    cells.near(me, (other) => {
      const way = wayIn(crowd, me, other);
      const d = Math.hypot(...way);
      if (
        other === me ||
        d > sight.radius ||
        way[0] * ahead[0] + way[1] * ahead[1] + way[2] * ahead[2] < sight.cosine * d
      )
        return;
      seen.push({ d, way, other });
    });
    if (seen.length > sight.nearest) seen.sort((a, b) => a.d - b.d).splice(sight.nearest);
    for (const { way, other } of seen) link(me, way, other);
    left -= seen.length;
    if (left <= 0) return;
  }
}

/** The vector from one agent to another, the shorter way if the world wraps. */
function wayIn({ places, wrap }: SpaceCrowd, me: number, other: number): Vec {
  const along = (axis: number) => {
    const d = places[3 * other + axis] - places[3 * me + axis];
    return wrap[axis] > 0 ? d - wrap[axis] * Math.round(d / wrap[axis]) : d;
  };
  return [along(0), along(1), along(2)];
}

/** A grid of cubes as wide as the greatest radius: all neighbours are in the 27 cubes around an agent. */
class Cells {
  private readonly cubes = new Map<string, number[]>();
  private readonly counts: Vec; // along each axis; Infinity where it does not wrap
  private readonly sides: Vec;

  constructor(
    private readonly crowd: SpaceCrowd,
    reach: number,
  ) {
    const { wrap } = crowd;
    const cut = (axis: number) => (wrap[axis] > 0 ? Math.max(1, Math.floor(wrap[axis] / reach)) : Infinity);
    this.counts = [cut(0), cut(1), cut(2)];
    const side = (axis: number) => (wrap[axis] > 0 ? wrap[axis] / this.counts[axis] : reach);
    this.sides = [side(0), side(1), side(2)];
    for (let k = 0; k < crowd.count; k++) {
      const key = this.key(k, 0, 0, 0);
      const cube = this.cubes.get(key);
      if (cube) cube.push(k);
      else this.cubes.set(key, [k]);
    }
  }

  private key(k: number, ...by: [number, number, number]): string {
    return by
      .map((step, axis) => {
        const cell = Math.floor(this.crowd.places[3 * k + axis] / this.sides[axis]) + step;
        const count = this.counts[axis];
        return count === Infinity ? cell : ((cell % count) + count) % count;
      })
      .join();
  }

  near(k: number, see: (other: number) => void): void {
    const visited = new Set<string>(); // in a narrow world, two of the cubes may be the same
    for (const dx of [-1, 0, 1])
      for (const dy of [-1, 0, 1])
        for (const dz of [-1, 0, 1]) {
          const key = this.key(k, dx, dy, dz);
          if (visited.has(key)) continue;
          visited.add(key);
          this.cubes.get(key)?.forEach(see);
        }
  }
}
