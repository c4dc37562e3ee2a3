/** Outlines of hunters, nose towards +x, about two units long. Kinds differ in shape, not in colour. */

import looks from "../../../../looks.json";

const kept = new Map<string, Path2D>();

export function outlineOf(species: string): string {
  // The last one is for any other name.
  return looks.hunters.find(({ names }) => new RegExp(names).test(species.toLowerCase()))?.outline ?? "";
}

export function predatorShape(species: string): Path2D {
  const shape = kept.get(species) ?? new Path2D(outlineOf(species));
  kept.set(species, shape);
  return shape;
}
