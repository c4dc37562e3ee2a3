/** The copies of an object that the window shows of a wrapping world. */

import type { Pair, SceneObject } from "../net/protocol";
import type { Size } from "../render/camera";
import { camerasOf } from "../render/tiles";
import type { Lines } from "./lines";

const AROUND_PX = 60; // of symbols and labels beside an object

/** The object itself if it has no position. */
export function copiesOf(thing: SceneObject, { camera, view }: Lines, world: Size): SceneObject[] {
  const box = boxOf(thing, AROUND_PX / camera.zoom);
  if (!box) return [thing];
  return camerasOf(camera, view, world, box).map((each) => moved(thing, camera.x - each.x, camera.y - each.y));
}

/** Left, top, right and bottom [u]. */
function boxOf(thing: SceneObject, around: number): number[] | null {
  if ("points" in thing) {
    const [xs, ys] = [0, 1].map((axis) => thing.points.map((p) => p[axis]));
    return [Math.min(...xs) - around, Math.min(...ys) - around, Math.max(...xs) + around, Math.max(...ys) + around];
  }
  if (!("x" in thing)) return null;
  const reach = Math.max("radius" in thing ? thing.radius : 0, thing.kind === "predator" ? (thing.fright ?? 0) : 0);
  const far = reach + around;
  return [thing.x - far, thing.y - far, thing.x + far, thing.y + far];
}

function moved(thing: SceneObject, dx: number, dy: number): SceneObject {
  if (dx === 0 && dy === 0) return thing;
  if ("points" in thing) return { ...thing, points: thing.points.map(([x, y]): Pair => [x + dx, y + dy]) };
  if (!("x" in thing)) return thing;
  const target = "target_x" in thing && thing.target_x !== undefined && thing.target_y !== undefined;
  return {
    ...thing,
    x: thing.x + dx,
    y: thing.y + dy,
    ...(target ? { target_x: Number(thing.target_x) + dx, target_y: Number(thing.target_y) + dy } : {}),
  };
}
