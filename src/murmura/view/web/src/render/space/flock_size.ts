/** The extent of a flock, to choose the distance of the view. */

import type { Frame } from "../../net/protocol";
import { middleOf, wrapOf, type Space } from "../../net/space_frames";
import type { Vec } from "./vectors";

const ASKED = 400; // agents
const WIDE = 2.1; // standard deviations to either side: nearly all agents, without the last stragglers
const FEW = 100; // agents
const LEAST = { few: 0.14, many: 0.05 }; // of the world's sides, so that the view does not zoom in on a few animals

export interface Spread {
  middle: Vec;
  sides: Vec;
}

const kept = new WeakMap<Frame, Spread>();

/** The box around most of a flock; computed once per frame. */
export function spreadOf(frame: Frame, space: Space): Spread {
  const found = kept.get(frame) ?? measured(frame, space);
  kept.set(frame, found);
  return found;
}

function measured(frame: Frame, space: Space): Spread {
  const { x, y, z } = middleOf(frame, space);
  const wrap = wrapOf(frame, space);
  const sides = [frame.width, frame.height, space.depth];
  const low = [frame.left, frame.top, space.floor];
  const { words } = frame;
  const middle: Vec = [x, y, z];
  const squares = [0, 0, 0];
  const every = Math.max(1, Math.floor(frame.count / ASKED));
  let n = 0;
  for (let k = 0; k < frame.count; k += every, n++) {
    for (let axis = 0; axis < 3; axis++) {
      const share = axis === 2 ? words[2 * k + 1] & 0xffff : axis === 1 ? words[2 * k] >>> 16 : words[2 * k] & 0xffff;
      let d = low[axis] + (share / 65535) * sides[axis] - middle[axis];
      if (wrap[axis] > 0) d -= wrap[axis] * Math.round(d / wrap[axis]);
      squares[axis] += d * d;
    }
  }
  const least = frame.count < FEW ? LEAST.few : LEAST.many;
  const wide = (axis: number) =>
    Math.max(least * sides[axis], Math.min(sides[axis], 2 * WIDE * Math.sqrt(squares[axis] / Math.max(1, n))));
  return { middle, sides: [wide(0), wide(1), wide(2)] };
}
