/** The numbers of the kernels for changed values, computed by the recipes that the export derived and verified. */

import type { Curve, LiveValues, Recipe } from "../data";

export function onCurve(curve: Curve, x: number): number {
  if (Array.isArray(curve)) return curve[0] * x + curve[1];
  const { x: xs, y: ys } = curve;
  if (x <= xs[0]) return ys[0];
  const k = xs.findIndex((place) => place >= x);
  if (k < 0) return ys[ys.length - 1];
  const part = (x - xs[k - 1]) / (xs[k] - xs[k - 1]);
  return ys[k - 1] + part * (ys[k] - ys[k - 1]);
}

export function evaluated(recipe: Recipe, value: (path: string) => number): number {
  let result = recipe.base;
  for (const [path, curve] of recipe.parts) {
    const y = onCurve(curve, value(path));
    result = recipe.how === "product" ? result * y : result + y;
  }
  return result;
}

/** All numbers: those of the kernels, then those of the world, then those of the host. */
export function vectorOf(live: LiveValues, value: (path: string) => number): Float64Array {
  const vector = Float64Array.from(live.vector);
  for (const [index, recipe] of Object.entries(live.recipes)) vector[Number(index)] = evaluated(recipe, value);
  return vector;
}
