/** What every painter of the flock can do, and what it is told. */

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
  trailLength?: number; // 1 being usual
  glow: number;
  size: number; // the scenario's wish, 1 being usual
  light: boolean;
  moving: boolean;
  seconds: number; // since the picture before
  space?: SpaceScene | null; // of a world with a depth
}

export interface Picture {
  /** Whether the processor does all the work, so that everything dear should be left out. */
  readonly software: boolean;
  /** Whether obstacles in space are part of the picture, hidden and hiding; else the lines above it show them. */
  readonly solid: boolean;
  draw(moment: Moment | null, scene: Scene): void;
  /** Forget trails: the flock jumped. */
  clear(): void;
}

/** Half the length of an agent [CSS px]: to scale when near, never too small to see its heading. */
export function agentHalf(scene: Pick<Scene, "world" | "size" | "camera">, count: number): number {
  const unit = (scene.world.width + 1.6 * scene.world.height) / 3200; // 1 in a world of 1600 x 1000
  const crowd = Math.min(1, (6000 / Math.max(1, count)) ** 0.3);
  const least = count > 40_000 ? 1.5 : count > 12_000 ? 2.2 : 3;
  return Math.max(least * Math.min(1.4, 0.6 + 0.4 * scene.size), 5 * scene.size * unit * crowd * scene.camera.zoom);
}
