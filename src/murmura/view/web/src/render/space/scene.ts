/** The additional scene data for 3-D worlds. */

import type { JsonObject, SceneObject } from "../../net/protocol";
import { valueAt } from "../../panel/controls/schema";
import type { Scene } from "../picture";
import type { Shape } from "./bodies";
import type { Box, Gaze } from "./camera";

/** Air has ground below it, and water a bed; "nowhere" is a world without a floor, with a grid for orientation. */
export type Setting = "air" | "water" | "nowhere";

export interface SpaceScene {
  gaze: Gaze;
  box: Box;
  shape: Shape;
  setting: Setting;
  time: number; // simulated [s]
  solids: readonly SceneObject[]; // obstacles; a new list when they change
  guides: boolean; // frame and grid; without a floor the grid is always there
}

/** The box of a scenario's world; null for a plane. */
export function boxOf(scenario: JsonObject): Box | null {
  const [width, height, depth] = ["width", "height", "depth"].map((side) => valueAt(scenario, `world.${side}`));
  return typeof depth === "number" ? { low: [0, 0, 0], sides: [Number(width), Number(height), depth] } : null;
}

export function shapeOf(scenario: JsonObject): Shape {
  return valueAt(scenario, "display.shape") === "fish" ? "fish" : "bird";
}

export function settingOf(scenario: JsonObject): Setting {
  const edge = valueAt(scenario, "world.boundary_z") ?? valueAt(scenario, "world.boundary");
  if (edge === "wrap" || edge === "open") return "nowhere";
  return shapeOf(scenario) === "fish" ? "water" : "air";
}

/** Half the length of a body [u]; less if there are many. Wings make a bird look larger than a fish of the same length. */
export function bodyHalf(box: Box, shape: Shape, size: number, count: number): number {
  const mean = Math.cbrt(box.sides[0] * box.sides[1] * box.sides[2]);
  return (shape === "fish" ? 0.0066 : 0.0026) * mean * size * Math.min(1, (8000 / Math.max(1, count)) ** 0.2);
}

/** The least half length of a body [CSS px], at any distance. */
export function leastHalf(scene: Pick<Scene, "size">, count: number): number {
  return (count > 40_000 ? 0.8 : count > 8000 ? 1.1 : count > 1500 ? 1.5 : 2.2) * Math.min(1.4, 0.6 + 0.4 * scene.size);
}

/** The spacing of the grid [u]: a round number, about a tenth of the longer side. */
export function gridStep({ sides }: Box): number {
  const wanted = Math.max(sides[0], sides[1]) / 10;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= wanted * 0.99) ?? wanted;
}
