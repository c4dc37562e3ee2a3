/** Light and haze of a 3-D world. */

import type { Scene } from "../picture";
import { middle } from "./camera";
import type { SpaceScene } from "./scene";
import { unit, type Vec } from "./vectors";

/** The sun at dusk, low in the north, where the initial view looks. */
export const SUN: Vec = unit([0.32, 0.94, 0.1]);

export interface Air {
  color: Vec; // of the haze
  thickness: number; // inverse of the distance at which haze hides two thirds [1/u]
  lit: [number, number]; // ambient light and sunlight
  gain: [number, number]; // brightness of bodies against the sky, and against the ground
}

export function airOf(scene: Scene & { space: SpaceScene }): Air {
  const { space, light } = scene;
  const size = Math.hypot(...space.box.sides);
  const away = Math.hypot(...middle(space.box).map((value, axis) => value - space.gaze.eye[axis]));
  // Relative to the size of the world, and thinner for a distant eye: the target never disappears.
  const reach = Math.max(size * { air: 2.3, water: 1.15, nowhere: 2.2 }[space.setting], 1.7 * away);
  return {
    color: hazeOf(space, light),
    thickness: 1 / reach,
    lit: light ? [0.62, 0.38] : [0.66, 0.5],
    gain: light ? [0.92, 0.92] : gainOf(scene),
  };
}

/** Against a sky at dusk birds are silhouettes with a hint of colour, unless the colour carries information. */
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
