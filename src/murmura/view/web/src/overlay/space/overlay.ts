/** All lines over a flock in space, drawn from bottom to top. */

import type { Body, Inspection, Pair, Point, SceneObject } from "../../net/protocol";
import { wrapOf } from "../../net/space_frames";
import type { Moment } from "../../net/timeline";
import type { Looks } from "../../panel/settings";
import type { Gaps, Size } from "../../render/camera";
import type { SpaceEye } from "../../render/space/eye";
import { drawCompass, mapsOf, type Maps, type MapScene } from "../../render/space/maps";
import { isHidden } from "../../render/space/occlusion";
import type { PrimitiveBatch } from "../../render/space/primitives/primitive_batch";
import type { Stroke } from "../../render/space/primitives/primitives";
import { bodyHalf } from "../../render/space/scene";
import { isSolid } from "../../render/space/solids";
import type { Vec } from "../../render/space/vectors";
import { MOST_CROWD } from "../all_agents";
import type { OverlayCounts } from "../overlay";
import type { Hand } from "../scenery";
import type { Sight } from "../sight";
import { streak } from "../wind";
import type { BodyLook } from "../bodies";
import { drawSpaceAgent } from "./agent";
import { drawSpaceBodies } from "./bodies";
import { CanvasPrimitives } from "./canvas_primitives";
import { drawFloorDensity, drawSpaceCones, drawSpaceSights } from "./all_agents";
import { drawHunter } from "./hunters";
import { drawBall, rgbOf, vecOf, type SpaceLines } from "./lines";
import { spaceCrowdAt } from "./sight";
import { drawField, drawSpaceScenery } from "./scenery";

const POINTER_REACH = 0.22; // of the world's smaller side
const NARROW = 560; // px: smaller windows have no room for maps
const STREAKS = 60;

export interface SpaceOverlayScene {
  eye: SpaceEye;
  view: Size;
  light: boolean;
  looks: Looks;
  things: SceneObject[];
  chosen: Inspection | null;
  place: Point | null; // of the selected agent
  hand: Hand | null;
  draft: Pair[] | null;
  draftHeight: number;
  gaps: Gaps;
  seconds: number;
  sights: Sight[];
  maps: Maps;
  bodies: Body[]; // animals close up
  look: BodyLook;
  size: number; // of animals, 1 being usual
  solids: readonly SceneObject[]; // obstacles; a new list when they change
  batch: PrimitiveBatch | null; // lines and obstacles are part of the picture below; null: all are drawn here
}

export function drawSpaceOverlay(
  context: CanvasRenderingContext2D,
  moment: Moment | null,
  scene: SpaceOverlayScene,
  counts: OverlayCounts,
): void {
  const { eye, view, light, batch } = scene;
  const { gaze, box } = eye;
  const draw = batch ?? new CanvasPrimitives(context, gaze, box);
  batch?.clear();
  const hides = (at: Vec) => batch !== null && isHidden(scene.solids, box, gaze.eye, at);
  const { guides } = scene.looks;
  drawWorld({ draw, context, gaze, view, box, light, guides, isHidden: hides }, moment, scene, counts);
  if (draw instanceof CanvasPrimitives) draw.flush();
  const space = moment?.to.frame.space;
  if (!moment || !space || scene.looks.hidden || !scene.looks.guides) return;
  const small: MapScene = { context, gaze, box, light, target: eye.orbit.target };
  const maps = view.width >= NARROW ? mapsOf(view, scene.gaps, box) : [];
  scene.maps.draw(small, maps, moment.to.frame, space);
  drawCompass(
    small,
    maps.length > 0
      ? { x: maps[0].x - 44, y: maps[0].y + maps[0].height - 40 }
      : { x: view.width - scene.gaps.right - 56, y: view.height - scene.gaps.bottom - 48 },
  );
}

function drawWorld(lines: SpaceLines, moment: Moment | null, scene: SpaceOverlayScene, counts: OverlayCounts): void {
  const { eye, looks, things, chosen, place, hand } = scene;
  const { box } = lines;
  if (moment) drawEverybody(lines, moment, scene, counts);
  drawSpaceScenery(lines, scene.batch ? things.filter((thing) => !isSolid(thing)) : things);
  const half = bodyHalf(box, eye.shape, scene.size, moment?.to.frame.count ?? 1);
  for (const thing of things) {
    if (thing.kind === "predator") drawHunter(lines, thing, { half, seconds: scene.seconds });
    if (thing.kind === "wind" && looks.wind) drawSpaceWind(lines, thing, scene.seconds);
  }
  if (moment && scene.bodies.length > 0) drawSpaceBodies(lines, moment, scene.bodies, half, scene.look);
  if (scene.draft) drawSpaceDraft(lines, scene.draft, looks.tool === "circle", scene.draftHeight);
  if (hand) drawField(lines, vecOf(hand, box), hand.mode, POINTER_REACH * Math.min(box.sides[0], box.sides[1]), true);
  const space = moment?.to.frame.space;
  const wrap: Vec = moment && space ? wrapOf(moment.to.frame, space) : [0, 0, 0];
  if (chosen && place && !eye.riding) drawSpaceAgent(lines, chosen, vecOf(place, box), looks, wrap);
}

function drawEverybody(
  lines: SpaceLines,
  moment: Moment,
  { looks, sights }: SpaceOverlayScene,
  counts: OverlayCounts,
): void {
  const { frame } = moment.to;
  if (looks.density) counts.densest = drawFloorDensity(lines, frame);
  if (!(looks.vision || looks.neighbors)) return;
  counts.cones = counts.links = 0;
  if (frame.count > MOST_CROWD) return;
  const crowd = spaceCrowdAt(moment);
  if (looks.vision) counts.cones = drawSpaceCones(lines, crowd, sights);
  if (looks.neighbors) counts.links = drawSpaceSights(lines, crowd, sights);
}

/** Streaks that drift with the wind, each at its own height. */
function drawSpaceWind(lines: SpaceLines, blow: { speed: number; direction: number }, seconds: number): void {
  const { draw, box, light } = lines;
  const long = Math.min(0.09, 0.012 + 0.005 * blow.speed) * box.sides[0];
  for (let k = 0; k < STREAKS; k++) {
    const { x, y, fade, dx, dy } = streak(k, seconds, blow, { width: box.sides[0], height: box.sides[1] });
    const z = box.low[2] + box.sides[2] * ((k * 0.618034) % 1);
    const stroke: Stroke = light
      ? { rgb: [40, 70, 110], alpha: 0.3 * fade, width: 1.2 }
      : { rgb: [190, 215, 255], alpha: 0.26 * fade, width: 1.2 };
    draw.line([x - dx * long, y - dy * long, z], [x, y, z], stroke);
  }
}

/** A wall or a ball that is being drawn. */
function drawSpaceDraft(lines: SpaceLines, draft: Pair[], round: boolean, height: number): void {
  const { draw, light, box } = lines;
  const stroke: Stroke = { rgb: rgbOf(light ? "#c2410c" : "#ffb35c"), alpha: 1, width: 3 };
  draft.slice(1).forEach(([x, y], k) => {
    const [ax, ay] = draft[k];
    for (const z of round ? [height] : [box.low[2], box.low[2] + box.sides[2]])
      draw.line([ax, ay, z], [x, y, z], stroke);
  });
  if (!round || draft.length < 2) return;
  const [[x, y], [ex, ey]] = draft;
  drawBall(lines, [x, y, height], Math.hypot(ex - x, ey - y), stroke.rgb, 0.3);
}
