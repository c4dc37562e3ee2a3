/** Picks objects: which one is under the pointer, and where it moves with the pointer. */

import type { Placeable, Point, SceneObject } from "../net/protocol";
import { objectNear } from "../overlay/world_objects";
import { meets, project, rayThrough } from "../render/space/camera";
import type { SpaceEye } from "../render/space/eye";
import type { Vec } from "../render/space/vectors";
import type { Stage } from "../render/stage";

const GRAB_PX = 12; // objects within this distance are picked

/** Where an object of this kind is picked under the pointer, or null. */
export function pickObject(stage: Stage, kind: Placeable, screen: Point): Point | null {
  if (stage.deep) return pickInSpace(stage.deep, stage.things, kind, screen);
  const place = stage.at(screen);
  return objectNear(stage.things, kind, place, GRAB_PX / stage.scale) ? place : null;
}

/** In space an object is picked at its centre, because a point of the window covers many positions, one behind the other. */
function pickInSpace({ gaze, box }: SpaceEye, things: SceneObject[], kind: Placeable, screen: Point): Point | null {
  const half = box.low[2] + box.sides[2] / 2;
  let best: Point | null = null;
  let least = Infinity;
  for (const thing of things) {
    if (!isKind(thing, kind)) continue;
    const place = { x: thing.x, y: thing.y, z: thing.z ?? half };
    const p = project(gaze, [place.x, place.y, place.z]);
    const solid = kind === "circle" || kind === "food" ? thing.radius * p.scale : 0;
    const d = Math.hypot(p.x - screen.x, p.y - screen.y) - solid;
    if (p.far > 0 && d < Math.min(GRAB_PX, least)) [best, least] = [place, d];
  }
  return best;
}

type Round = SceneObject & { x: number; y: number; z?: number; radius: number };

function isKind(thing: SceneObject, kind: Placeable): thing is Round {
  if (thing.kind === "attractor") return kind === "attractor" || kind === "food";
  return (thing.kind === "circle" || thing.kind === "food") && thing.kind === kind;
}

/** The position under the pointer at the depth of another position. */
export function atDepthOf(stage: Stage, screen: Point, place: Point): Point {
  if (!stage.deep || place.z === undefined) return stage.at(screen);
  const [x, y, z] = meets(stage.deep.gaze, screen, [place.x, place.y, place.z]);
  return { x, y, z };
}

/** The position on the floor under the pointer, where walls stand. Above the horizon, the one at the flock's depth. */
export function onFloor(stage: Stage, screen: Point): Point {
  if (!stage.deep) return stage.at(screen);
  const { gaze, box } = stage.deep;
  const ray: Vec = rayThrough(gaze, screen);
  const far = (box.low[2] - gaze.eye[2]) / (ray[2] || 1e-9);
  if (far <= 0) return stage.at(screen);
  return { x: gaze.eye[0] + ray[0] * far, y: gaze.eye[1] + ray[1] * far };
}
