/** Looks of hunters, food, carcasses, obstacles, homes and pointers: those of films, from looks.json. */

import looks from "../../../../looks.json";
import type { Pair } from "../net/protocol";

export type Shade = [number, number, number];
interface Themed<T> {
  dark: T;
  light: T;
}

export const things = looks.things;

/** Lengths of the dashes of a line, and of the gaps between them. */
export function dashes([on = 1, off = 1]: number[]): [number, number] {
  return [on, off];
}

export const themed = <T>(value: Themed<T>, light: boolean): T => (light ? value.light : value.dark);

export function shade(value: Themed<number[]>, light: boolean): Shade {
  const [red = 0, green = 0, blue = 0] = themed(value, light);
  return [red, green, blue];
}

/** A colour of the canvas. */
export function ink(value: Themed<number[]>, light: boolean, alpha = 1): string {
  return `rgb(${shade(value, light).join(" ")} / ${alpha})`;
}

export const attacks = (state: string): boolean => things.hunter.attacks_in.includes(state);
export const dives = (state: string): boolean => things.hunter.dives_in.includes(state);

/** Whether an attractor is food where nobody eats: the food tool places it with this strength. */
export const isBait = (strength: number): boolean => strength === things.food.pull;

/** Corners of an SVG path that has no curves. */
export function cornersOf(path: string): Pair[] {
  const numbers = (path.match(/-?\d*\.?\d+/g) ?? []).map(Number);
  return Array.from({ length: numbers.length / 2 }, (_, k): Pair => [numbers[2 * k], numbers[2 * k + 1]]);
}
