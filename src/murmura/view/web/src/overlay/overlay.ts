/** The upper canvas: all lines over the flock, drawn from bottom to top. */

import { toScreen, type Camera, type Gaps, type Size } from "../render/camera";
import { camerasOf, inWorld, nearestCopy } from "../render/tiles";
import { copiesOf } from "./copies";
import { disc, tracePath, type Lines } from "./lines";
import { drawMap, mapPlace, needsMap } from "../render/minimap";
import { drawAgent } from "./agent";
import { drawBodies, type BodyLook } from "./bodies";
import { DensityGrid, drawCones, drawSights, MOST_CROWD } from "./all_agents";
import { drawScenery, ring, type Hand } from "./scenery";
import type { Body, Inspection, JsonObject, Pair, Point, SceneObject } from "../net/protocol";
import type { Looks } from "../panel/settings";
import { crowdAt, sightsOf, type Sight } from "./sight";
import type { Moment } from "../net/timeline";
import type { SpaceEye } from "../render/space/eye";
import type { PrimitiveBatch } from "../render/space/primitives/primitive_batch";
import { Maps } from "../render/space/maps";
import { drawSpaceOverlay } from "./space/overlay";
import { drawWind } from "./wind";

const GHOST = 0.5; // of the usual opacity
const POINTER_REACH = 0.22; // of the world's smaller side

export interface OverlayScene {
  camera: Camera;
  view: Size;
  world: Size;
  light: boolean;
  looks: Looks;
  things: SceneObject[];
  ghosts: SceneObject[]; // of things that are not there yet
  chosen: Inspection | null;
  place: Point | null; // of the selected agent
  bodies: Body[]; // animals close up
  look: BodyLook;
  hand: Hand | null;
  draft: Pair[] | null; // a wall or circle being drawn [u]
  draftHeight: number; // in a 3-D world [u]
  gaps: Gaps;
  seconds: number; // simulated
  size: number; // of animals, 1 being usual
  solids: readonly SceneObject[]; // obstacles of a 3-D world
  batch: PrimitiveBatch | null; // anything drawn on it becomes part of the picture below
  deep: SpaceEye | null; // the view of a 3-D world
  wrap: Size | null; // the world's sides if it wraps
  map: boolean; // whether a small map may be shown
}

/** For the legend: every n-th agent has lines or cones; 0 means that there are too many agents. */
export interface OverlayCounts {
  links: number;
  cones: number;
  densest: number; // agents in a square of 100 u
}

export class Overlay {
  readonly counts: OverlayCounts = { links: 1, cones: 1, densest: 0 };
  private readonly context: CanvasRenderingContext2D;
  private readonly density = new DensityGrid();
  private sights: Sight[] = sightsOf({});
  private readonly maps = new Maps();

  /** Without a GPU, thousands of lines are drawn much faster in memory than through an emulated GPU. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    software: boolean,
  ) {
    const context = canvas.getContext("2d", { willReadFrequently: software });
    if (!context) throw new Error("this browser does not support a 2-D canvas");
    this.context = context;
  }

  setScenario(scenario: JsonObject, means: number[] = []): void {
    this.sights = sightsOf(scenario, means);
  }

  resize(view: Size, dpr: number): void {
    this.canvas.width = Math.round(view.width * dpr);
    this.canvas.height = Math.round(view.height * dpr);
  }

  draw(moment: Moment | null, scene: OverlayScene, dpr: number): void {
    const { looks, view, things, chosen, world, wrap } = scene;
    const camera = wrap ? { ...scene.camera, ...inWorld(scene.camera, wrap) } : scene.camera;
    const near = <P extends Point>(p: P) => nearestCopy(p, camera, wrap);
    if (scene.deep) {
      this.drawSpace(moment, scene, scene.deep, dpr);
      return;
    }
    const map = scene.map && needsMap(camera, view, world);
    // Even an empty layer would be blended over every picture.
    this.canvas.hidden = !(
      map ||
      looks.vision ||
      looks.neighbors ||
      looks.density ||
      scene.draft ||
      scene.hand ||
      chosen ||
      things.length > 0 ||
      scene.ghosts.length > 0 ||
      scene.bodies.length > 0
    );
    if (this.canvas.hidden) return;
    const lines: Lines = { context: this.context, camera, view, light: scene.light };
    this.context.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.context.clearRect(0, 0, view.width, view.height);
    const copies = wrap ? camerasOf(camera, view, wrap) : [camera];
    if (moment) for (const each of copies) this.drawEverybody({ ...lines, camera: each }, moment, looks);
    drawScenery(lines, wrap ? things.flatMap((thing) => copiesOf(thing, lines, wrap)) : things, scene.seconds);
    if (scene.ghosts.length > 0) drawGhosts(lines, scene.ghosts);
    if (moment && scene.bodies.length > 0) drawBodies(lines, moment, scene.bodies, scene.look);
    for (const thing of things) if (thing.kind === "wind" && looks.wind) drawWind(lines, thing, scene.seconds);
    if (scene.draft) drawDraft(lines, scene.draft, looks.tool === "circle");
    if (scene.hand) ring(lines, near(scene.hand), POINTER_REACH * Math.min(world.width, world.height));
    if (chosen && scene.place) drawAgent(lines, chosen, near(scene.place), looks, wrap);
    if (moment && map) drawMap(lines, mapPlace(view, world, scene.gaps), moment.to.frame);
  }

  private drawSpace(moment: Moment | null, scene: OverlayScene, eye: SpaceEye, dpr: number): void {
    this.canvas.hidden = false;
    this.context.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.context.clearRect(0, 0, scene.view.width, scene.view.height);
    drawSpaceOverlay(
      this.context,
      moment,
      { ...scene, things: [...scene.things, ...scene.ghosts], eye, sights: this.sights, maps: this.maps },
      this.counts,
    );
  }

  private drawEverybody(lines: Lines, moment: Moment, looks: Looks): void {
    if (looks.density) this.counts.densest = this.density.draw(lines, moment.to.frame);
    if (!(looks.vision || looks.neighbors)) return;
    this.counts.cones = this.counts.links = 0;
    if (moment.to.frame.count > MOST_CROWD) return;
    const crowd = crowdAt(moment);
    if (looks.vision) this.counts.cones = drawCones(lines, crowd, this.sights);
    if (looks.neighbors) this.counts.links = drawSights(lines, crowd, this.sights);
  }
}

function drawGhosts(lines: Lines, ghosts: SceneObject[]): void {
  lines.context.save();
  lines.context.globalAlpha = GHOST;
  drawScenery(lines, ghosts);
  lines.context.restore();
}

function drawDraft(lines: Lines, draft: Pair[], round: boolean): void {
  const { context, camera, view } = lines;
  context.strokeStyle = lines.light ? "#c2410c" : "#ffb35c";
  context.lineWidth = 3;
  context.beginPath();
  tracePath(lines, draft);
  context.stroke();
  if (!round || draft.length < 2) return;
  const [[x, y], [ex, ey]] = draft;
  disc(context, toScreen(camera, view, { x, y }), Math.hypot(ex - x, ey - y) * camera.zoom);
  context.stroke();
}
