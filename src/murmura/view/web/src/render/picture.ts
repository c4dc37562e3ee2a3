/** The interface of renderers of the flock, and the scene they draw. */

import type { Camera, Size } from "./camera";
import type { ColorMode, PaletteName } from "./palettes";
import type { Moment } from "../net/timeline";
import type { SpaceScene } from "./space/scene";

export interface Scene {
  camera: Camera;
  view: Size; // CSS px
  world: Size; // u
  open: boolean; // no edges at all
  dpr: number;
  mode: ColorMode;
  palette: PaletteName;
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
  space?: SpaceScene | null; // in a world with a depth
}

export interface Picture {
  /** Whether the CPU renders, so that costly effects should be omitted. */
  readonly software: boolean;
  draw(moment: Moment | null, scene: Scene): void;
  /** Clear trails, because the flock jumped. */
  clear(): void;
}

/** Half the length of an agent [CSS px]: to scale when zoomed in, never too small to see its heading. */
export function agentHalf(scene: Pick<Scene, "world" | "size" | "camera">, count: number): number {
  const unit = (scene.world.width + 1.6 * scene.world.height) / 3200; // 1 in a world of 1600 x 1000
  const crowd = Math.min(1, (6000 / Math.max(1, count)) ** 0.3);
  const least = count > 40_000 ? 1.5 : count > 12_000 ? 2.2 : 3;
  return Math.max(least * Math.min(1.4, 0.6 + 0.4 * scene.size), 5 * scene.size * unit * crowd * scene.camera.zoom);
}
