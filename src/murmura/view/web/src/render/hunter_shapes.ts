/** Shapes of hunters, which the server names by kind: outlines with the nose towards +x, about two units long. */

import type { HunterLooks } from "../net/protocol";

let kinds: Record<string, HunterLooks> = {};
const kept = new Map<string, Path2D>();

/** Use the looks of these kinds; those without a name are for any other hunter. */
export function setKinds(told: Record<string, HunterLooks>): void {
  kinds = told;
  kept.clear();
}

export function looksOf(species: string): HunterLooks {
  return kinds[species] ?? kinds[""] ?? { outline: "", body: "bird" };
}

export function predatorShape(species: string): Path2D {
  const shape = kept.get(species) ?? new Path2D(looksOf(species).outline);
  kept.set(species, shape);
  return shape;
}
