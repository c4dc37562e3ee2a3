/** Light and air of a world with a depth: how bodies are lit, and what they are lost in. */

import type { Scene } from "../picture";
import { middle } from "./camera";
import type { SpaceScene } from "./scene";
import { unit, type Vec } from "./vectors";

/** The sun of dusk, low in the north: the view that one begins with looks that way. */
export const SUN: Vec = unit([0.32, 0.94, 0.1]);

export interface Air {
  color: Vec; // of the haze
  thickness: number; // one over the distance at which two thirds are lost [1/u]
  lit: [number, number]; // light from everywhere, and from the sun
  gain: [number, number]; // how bright bodies are before the sky, and before the ground
}

export function airOf(scene: Scene & { space: SpaceScene }): Air {
  const { space, light } = scene;
  const size = Math.hypot(...space.box.sides);
  const away = Math.hypot(...middle(space.box).map((value, axis) => value - space.gaze.eye[axis]));
  // Measured by the world, and thinner for an eye that is far off: what one looks at is never lost.
  const reach = Math.max(size * { air: 2.3, water: 1.15, nowhere: 2.2 }[space.setting], 1.7 * away);
  return { color: hazeOf(space, light), thickness: 1 / reach, lit: light ? [0.62, 0.38] : [0.66, 0.5], gain: light ? [0.92, 0.92] : gainOf(scene) };
}

/** Against a sky at dusk birds are silhouettes with a hint of colour, unless the colour says something of each. */
function gainOf({ space, mode, speciesColors }: Scene & { space: SpaceScene }): [number, number] {
  const plain = mode === "heading" || (mode === "species" && speciesColors.length < 2);
  if (space.setting === "water") return [1.3, 1.3];
  return space.setting === "air" && plain ? [0.34, 0.95] : [1, 1];
}

function hazeOf({ setting }: SpaceScene, light: boolean): Vec {
  if (setting === "water") return light ? [0.72, 0.855, 0.88] : [0.016, 0.1, 0.145];
  if (setting === "nowhere") return light ? [0.915, 0.92, 0.93] : [0.046, 0.054, 0.094];
  return light ? [0.9, 0.88, 0.86] : [0.44, 0.3, 0.33];
}
