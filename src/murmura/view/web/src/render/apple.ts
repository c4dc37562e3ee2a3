/** Food: an apple that is full from below, as far as something is left. */

import type { Pair } from "../net/protocol";
import { cornersOf, things } from "./looks_of_things";

export const APPLE = cornersOf(things.food.outline);
export const LEAF = cornersOf(things.food.leaf);
const [TOP, BOTTOM] = [Math.min(...APPLE.map(([, y]) => y)), Math.max(...APPLE.map(([, y]) => y))];

/** The part of the apple that is left: what is below a level. */
export function appleLeft(share: number): Pair[] {
  const level = BOTTOM - Math.min(1, Math.max(0, share)) * (BOTTOM - TOP);
  return APPLE.flatMap(([x, y], k): Pair[] => {
    const [nextX, nextY] = APPLE[(k + 1) % APPLE.length];
    const corner: Pair[] = y >= level ? [[x, y]] : [];
    if (y >= level === nextY >= level) return corner;
    return [...corner, [x + ((level - y) / (nextY - y)) * (nextX - x), level]];
  });
}

/** Half the size of the apple [CSS px] of a source that reaches this far [CSS px]. */
export function appleSize(reach: number): number {
  const { least, most, share } = things.food.size;
  return Math.min(most, Math.max(least, share * reach));
}
