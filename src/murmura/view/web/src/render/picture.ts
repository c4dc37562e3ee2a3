/** The interface of renderers of the flock, and the scene they draw. */

import type { Camera, Size } from "./camera";
import type { ColorMode, OwnColors, PaletteName } from "./palettes";
import type { Moment } from "../net/timeline";
import type { PrimitiveBatch } from "./space/primitives/primitive_batch";
import type { SpaceScene } from "./space/scene";

/** The shape of an animal in a plane. */
export const FORMS = ["dart", "bird", "fish", "dot"] as const;
export type Form = (typeof FORMS)[number];

export interface Scene {
  camera: Camera;
  view: Size; // CSS px
  world: Size; // u
  open: boolean; // no edges at all
  wrap: Size | null; // the world's sides if it wraps
  dpr: number;
  mode: ColorMode;
  palette: PaletteName;
  own: OwnColors; // of the palette of that name
  form: Form; // of animals in a plane
  speciesColors: string[];
  hunters: number; // bit k: species k hunts
  daylight: number | null; // 0 midnight .. 1 noon; null: no time of day
  trails: boolean;
  trailLength?: number; // 1 is the default
  glow: number;
  size: number; // from the scenario; 1 is the default
  light: boolean;
  moving: boolean;
  seconds: number; // since the previous picture
  space?: SpaceScene | null; // in a 3-D world
}

export interface Picture {
  /** Whether the CPU renders, so that costly effects should be omitted. */
  readonly software: boolean;
  /** Draw obstacles in space and the lines of this batch with depth, as part of the next picture; null: they are drawn above it. */
  readonly batch: PrimitiveBatch | null;
  draw(moment: Moment, scene: Scene): void;
  /** Clear trails, because the flock jumped. */
  clear(): void;
}

const ROOMY = 500; // CSS px: if the world is shown larger than this, the smallest agents have their usual size

/** Half the length of an agent [CSS px]: to scale when zoomed in, never too small to see its heading. */
export function agentHalf(scene: Pick<Scene, "world" | "size" | "camera">, count: number): number {
  const unit = (scene.world.width + 1.6 * scene.world.height) / 3200; // 1 in a world of 1600 x 1000
  const crowd = Math.min(1, (6000 / Math.max(1, count)) ** 0.3);
  // On a phone the flock has a tenth of the area: bodies of the usual size would merge.
  const room = (Math.sqrt(scene.world.width * scene.world.height) * scene.camera.zoom) / ROOMY;
  const least = (count > 40_000 ? 1.5 : count > 12_000 ? 2.2 : 3) * Math.min(1, Math.max(0.6, room));
  return Math.max(least * Math.min(1.4, 0.6 + 0.4 * scene.size), 5 * scene.size * unit * crowd * scene.camera.zoom);
}
