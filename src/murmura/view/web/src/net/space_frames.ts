/** Frames of a 3-D world: eleven bytes per agent, as view/wire/space_frames.py packs them. */

import type { Frame, Triple } from "./protocol";
import { blend, type Moment } from "./timeline";

export const SPACE_MAGIC = 0x334d524d; // "MRM3", little-endian
export const SPACE_HEADER_BYTES = 64;
export const SPACE_AGENT_BYTES = 11;
export const STEEPEST = Math.PI / 2; // roll [rad] at the ends of its five bits

export interface Space {
  floor: number; // [u]
  depth: number; // [u]
  wrapsZ: boolean;
  /** Three bytes for each agent: speed, roll and species in sixteen bits, then the extra column. A view, not a copy. */
  looks: Uint8Array<ArrayBuffer>;
}

export interface Place {
  x: number;
  y: number;
  z: number;
}

export function readSpace(buffer: ArrayBuffer, count: number): Space {
  const view = new DataView(buffer);
  return {
    floor: view.getFloat32(48, true),
    depth: view.getFloat32(52, true),
    wrapsZ: (view.getUint32(56, true) & 1) === 1,
    looks: new Uint8Array(buffer, SPACE_HEADER_BYTES + 8 * count, 3 * count),
  };
}

/** The unit vector in the upper half of an agent's second word, in octahedral encoding. */
export function aheadOf(word: number): Triple {
  let [x, y] = [((word >>> 16) & 255) / 127.5 - 1, (word >>> 24) / 127.5 - 1];
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

/** Position of agent k of a frame in space [u]. */
export function placeOf(frame: Frame, space: Space, k: number): Place {
  const [first, second] = [frame.words[2 * k], frame.words[2 * k + 1]];
  return {
    x: frame.left + ((first & 0xffff) / 65535) * frame.width,
    y: frame.top + ((first >>> 16) / 65535) * frame.height,
    z: space.floor + ((second & 0xffff) / 65535) * space.depth,
  };
}

/** Roll of agent k to the left [rad]. */
export function rollOf(space: Space, k: number): number {
  return ((((space.looks[3 * k] | (space.looks[3 * k + 1] << 8)) >> 5) & 31) / 15.5 - 1) * STEEPEST;
}

export function kindOf(space: Space, k: number): number {
  return space.looks[3 * k + 1] >> 2;
}

/** Sides along which a frame wraps [u]; 0 for the others. */
export function wrapOf(frame: Frame, space: Space): Triple {
  return [frame.wraps ? frame.width : 0, frame.wraps ? frame.height : 0, space.wrapsZ ? space.depth : 0];
}

/** Position of agent k between two frames; null in a plane. */
export function placeAt({ from, to, alpha }: Moment, k: number): Place | null {
  if (!from.frame.space || !to.frame.space) return null;
  const [a, b] = [placeOf(from.frame, from.frame.space, k), placeOf(to.frame, to.frame.space, k)];
  const [w, h, d] = wrapOf(to.frame, to.frame.space);
  return { x: blend(a.x, b.x, alpha, w), y: blend(a.y, b.y, alpha, h), z: blend(a.z, b.z, alpha, d) };
}

/** Direction in which agent k flies between two frames. */
export function aheadAt({ from, to, alpha }: Moment, k: number): Triple {
  const [a, b] = [aheadOf(from.frame.words[2 * k + 1]), aheadOf(to.frame.words[2 * k + 1])];
  const [x, y, z] = [0, 1, 2].map((axis) => a[axis] + (b[axis] - a[axis]) * alpha);
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}

const ASKED = 500; // agents sampled for the centre of a flock
const middles = new WeakMap<Frame, Place>();

/** The centre of the flock, the circular mean along axes that wrap. Computed once per frame. */
export function middleOf(frame: Frame, space: Space): Place {
  const found = middles.get(frame) ?? measured(frame, space);
  middles.set(frame, found);
  return found;
}

function measured(frame: Frame, space: Space): Place {
  const every = Math.max(1, Math.floor(frame.count / ASKED));
  const { words } = frame;
  const wraps = wrapOf(frame, space);
  const share = (axis: number) => {
    let [sum, cosines, sines, n] = [0, 0, 0, 0];
    for (let k = 0; k < frame.count; k += every, n++) {
      const value =
        (axis === 2 ? words[2 * k + 1] & 0xffff : axis === 1 ? words[2 * k] >>> 16 : words[2 * k] & 0xffff) / 65535;
      if (wraps[axis] > 0) {
        cosines += Math.cos(2 * Math.PI * value);
        sines += Math.sin(2 * Math.PI * value);
      } else {
        sum += value;
      }
    }
    if (n === 0) return 0.5;
    return wraps[axis] > 0 ? (Math.atan2(sines, cosines) / (2 * Math.PI) + 1) % 1 : sum / n;
  };
  return {
    x: frame.left + share(0) * frame.width,
    y: frame.top + share(1) * frame.height,
    z: space.floor + share(2) * space.depth,
  };
}
