/** The two canvases and the loop that draws them: the flock below, lines above, one camera for both. */

import { NO_GAPS, visible, type Camera, type Gaps, type Size } from "./camera";
import { RendererCanvas } from "./canvas2d";
import { chosenPlace, indexOf } from "./chosen";
import { Cost } from "./cost";
import type { Eye, Surroundings } from "./eye";
import { RendererGl } from "./gl/renderer";
import { PlaneEye } from "./plane_eye";
import { Redraw, type Due } from "./redraw";
import { density, onDensityChange, Resolution } from "./resolution";
import { inWorld } from "./tiles";
import { SpaceEye } from "./space/eye";
import { isSolid } from "./space/solids";
import { bodyHalf, boxOf, settingOf, shapeOf, type SpaceScene } from "./space/scene";
import { Overlay, type OverlayCounts } from "../overlay/overlay";
import type { Hand } from "../overlay/scenery";
import { holdsFew } from "../overlay/bodies";
import { closeBoxOf } from "../overlay/space/bodies";
import { agentHalf, type Picture } from "./picture";
import type { Body, Frame, Hello, Inspection, JsonObject, Pair, Point, SceneObject } from "../net/protocol";
import { valueAt } from "../panel/controls/schema";
import type { Settings } from "../panel/settings";
import { Ghosts } from "../overlay/ghosts";
import { daylightOf, huntersOf, objectsOf } from "../overlay/world_objects";
import { Timeline, type Moment } from "../net/timeline";

/** Do nothing costly for this long after the first picture: it would delay the first picture of a second flock beside this one. */
export const ALONE_MS = 250;

export class Stage implements Surroundings {
  view: Size = { width: 1, height: 1 };
  world: Size = { width: 1600, height: 1000 };
  hand: Hand | null = null;
  draft: Pair[] | null = null; // a wall or circle being drawn [u]
  draftHeight = 0; // in a 3-D world [u]
  chosen: Inspection | null = null;
  gaps: Gaps = NO_GAPS;
  private readonly plane = new PlaneEye(this);
  private space: SpaceEye | null = null; // in a 3-D world
  firstPicture: number | null = null; // [ms] since the page was requested
  readonly notice: string;
  readonly layers: HTMLCanvasElement[];
  readonly cost = new Cost();
  private readonly picture: Picture;
  private readonly overlay: Overlay;
  private readonly timeline = new Timeline();
  private scenario: JsonObject = {};
  private speciesColors: string[] = [];
  hunters = 0; // bit k: species k hunts
  private standing: SceneObject[] = []; // objects of the scenario
  private solids: SceneObject[] = []; // its obstacles
  private living: SceneObject[] = []; // objects from the server
  private bodies: Body[] = [];
  readonly ghosts = new Ghosts(() => {
    this.wake();
  });
  private means: number[] = []; // mean sight of each species, if genes decide
  stances: string[] = [];
  sexes = false;
  private index = -1; // of the selected agent in the frames
  private readonly resolution = new Resolution();
  private readonly redraw = new Redraw();
  private lastTick = 0;
  private keep: { use: () => void; dpr: number } | null = null; // a callback for the next picture, and its resolution
  onDrawn: () => void = () => undefined;

  constructor(
    canvas: HTMLCanvasElement,
    overlay: HTMLCanvasElement,
    private readonly settings: Settings,
  ) {
    const gl = RendererGl.create(canvas);
    this.notice = gl ? "" : "This browser has no WebGL2, so the picture is simpler.";
    this.picture = gl ?? new RendererCanvas(canvas);
    document.body.classList.toggle("software", this.picture.software);
    this.overlay = new Overlay(overlay, this.picture.software);
    this.layers = [canvas, overlay];
    addEventListener("resize", () => {
      this.resized();
    });
    settings.onChange(() => {
      this.wake();
    });
    this.resized();
    onDensityChange(() => {
      this.resized();
    });
  }

  start(): void {
    const tick = (now: number) => {
      this.tick(now / 1000);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Draw for a while even if nothing moves. */
  wake(seconds = 0.6): void {
    this.redraw.wake(seconds);
  }

  receive(frame: Frame): void {
    const before = this.timeline.newest?.frame.epoch;
    this.timeline.push(frame, performance.now() / 1000);
    if (before !== undefined && before !== frame.epoch) this.picture.clear();
    if (before !== frame.epoch && frame.space && this.space?.whole) this.space.showWhole(); // the view starts at the flock
    this.wake();
  }

  get frame(): Frame | null {
    return this.timeline.newest?.frame ?? null;
  }

  /** The row of the selected agent in the frames; -1: none. */
  get chosenRow(): number {
    return this.index;
  }

  /** What the legend needs to know about the overlays. */
  get overlayCounts(): OverlayCounts {
    return this.overlay.counts;
  }

  private get eye(): Eye {
    return this.space ?? this.plane;
  }

  /** The camera of a plane. */
  get camera(): Camera {
    return this.plane.camera;
  }

  /** The view of a 3-D world, or null. */
  get deep(): SpaceEye | null {
    return this.space;
  }

  get following(): boolean {
    return this.eye.following;
  }

  set following(value: boolean) {
    this.eye.following = value;
    if (!value && this.space) this.space.riding = false;
  }

  /** Small maps are shown unless the view is the fitted one. */
  get hasMap(): boolean {
    const { hidden, guides } = this.settings.looks;
    return !hidden && !(this.wrap && this.eye.whole) && (guides || !this.space);
  }

  get wrap(): Size | null {
    if (this.space || valueAt(this.scenario, "world.boundary") !== "wrap") return null;
    return ["wrap", null, undefined].includes(valueAt(this.scenario, "world.boundary_y") as string) ? this.world : null;
  }

  /** A soft edge is felt long before it is reached: nobody misses its frame. */
  private get isUnframed(): boolean {
    const edge = String(valueAt(this.scenario, "world.boundary"));
    return edge === "open" || (!this.settings.looks.guides && (edge === "soft" || this.space !== null));
  }

  get light(): boolean {
    return this.settings.light;
  }

  get things(): SceneObject[] {
    return [...this.standing, ...this.living];
  }

  setHello(hello: Hello): void {
    this.setSpecies(hello);
    this.living = [];
  }

  /** Colours and hunting species; both can change while the flock runs. */
  setSpecies(hello: Pick<Hello, "species" | "scenario">): void {
    this.speciesColors = hello.species.map((kind) => kind.color);
    this.hunters = huntersOf(hello);
  }

  setScenario(scenario: JsonObject): void {
    const size = { width: Number(valueAt(scenario, "world.width")), height: Number(valueAt(scenario, "world.height")) };
    const box = boxOf(scenario);
    const [setting, shape] = [settingOf(scenario), shapeOf(scenario)];
    const kept =
      String(box?.sides) === String(this.space?.box.sides) &&
      (!box || (this.space?.setting === setting && this.space.shape === shape));
    const changed =
      size.width !== this.world.width || size.height !== this.world.height || this.scenario.name === undefined || !kept;
    const wrapped = this.wrap !== null;
    this.scenario = scenario;
    this.world = size;
    if (!kept) this.space = box && new SpaceEye(this, box, setting, shape);
    this.standing = objectsOf(scenario);
    this.solids = this.standing.filter(isSolid);
    this.overlay.setScenario(scenario, this.means);
    if (changed || (wrapped !== (this.wrap !== null) && this.eye.whole)) this.eye.showWhole();
    this.wake();
  }

  /** Animals close up, from the server. */
  setBodies(bodies: Body[]): void {
    this.bodies = bodies;
    this.wake();
  }

  setSights(means: number[]): void {
    if (String(means) === String(this.means)) return;
    this.means = means;
    this.overlay.setScenario(this.scenario, means);
  }

  /** The part of the world seen close up, if it contains few animals: left, top, right, bottom and, in space, heights; else null. */
  get closeUp(): number[] | null {
    if (this.space)
      return (
        this.frame &&
        closeBoxOf(
          this.frame,
          this.space.gaze,
          this.view,
          bodyHalf(this.space.box, this.space.shape, this.size, this.frame.count),
        )
      );
    const { wrap, camera } = this;
    const window = visible({ ...camera, ...(wrap ? inWorld(camera, wrap) : {}) }, this.view);
    return this.frame && holdsFew(this.frame, window) ? window : null;
  }

  setScene(objects: SceneObject[]): void {
    this.living = objects;
    this.wake();
  }

  fit(): void {
    this.eye.fit();
  }

  /** Panels opened or closed: fit the world into the free area. */
  makeRoom(gaps: Gaps, atOnce = false): void {
    const { left, top, right, bottom } = this.gaps;
    if (left === gaps.left && top === gaps.top && right === gaps.right && bottom === gaps.bottom) return;
    this.gaps = gaps;
    if (this.timeline.newest === null || (atOnce && this.eye.whole)) this.eye.showWhole();
    else if (this.eye.whole) this.fit();
    this.wake();
  }

  /** The area that panels leave free [CSS px]. */
  get free(): Size {
    const { left, top, right, bottom } = this.gaps;
    return { width: this.view.width - left - right, height: this.view.height - top - bottom };
  }

  pan(dx: number, dy: number, sliding = false): void {
    this.eye.pan(dx, dy, sliding);
  }

  /** Move the view smoothly, by keys. */
  nudge(dx: number, dy: number): void {
    this.eye.nudge(dx, dy);
  }

  /** Centre the window on a position. */
  goTo(place: Point): void {
    this.eye.goTo(place);
  }

  zoom(at: Point, factor: number): void {
    this.eye.zoom(at, factor);
  }

  /** Move the view if a press is on the small map; returns whether it was. */
  goThroughMap(screen: Point): boolean {
    return this.eye.goThroughMap(screen);
  }

  at(screen: Point): Point {
    return this.eye.at(screen);
  }

  /** CSS px per u at the depth where tools act. */
  get scale(): number {
    return this.eye.scale;
  }

  /** The position of the agent under the pointer. */
  agentNear(screen: Point, reach = 22): Point | null {
    return this.eye.agentNear(screen, reach);
  }

  choose(agent: Inspection | null): void {
    this.chosen = agent;
    if (!agent) this.following = false;
    if (agent && this.frame) this.index = indexOf(agent, this.frame);
    this.wake();
  }

  follow(): void {
    this.eye.follow();
  }

  /** Start or stop flying behind the selected animal; in a plane, follow it. */
  ride(): void {
    if (!this.chosen) return;
    if (this.space) this.space.ride();
    else if (this.following) this.following = false;
    else this.follow();
    this.wake();
  }

  /** Draw in full resolution and call `use` while the picture still exists; `width` [px], by default the window's. */
  withPicture(use: () => void, width?: number): void {
    this.keep = { use, dpr: width === undefined ? density() : width / this.view.width };
    this.wake();
  }

  private handOver({ use, dpr }: { use: () => void; dpr: number }): void {
    use();
    this.keep = null;
    if (dpr === density()) return;
    this.overlay.resize(this.view, density());
    this.wake();
  }

  /** What to show now. Frames of a plane are not shown in space, nor the other way round. */
  private sample(now: number): Moment | null {
    const found = this.timeline.sample(now);
    return found && (found.to.frame.space === null) === (this.space === null) ? found : null;
  }

  private tick(now: number): void {
    const began = performance.now();
    const seconds = Math.min(0.5, now - this.lastTick); // time while the page was suspended does not count
    this.lastTick = now;
    const moment = this.sample(now);
    if (!moment) return; // drawing without a flock would delay the first picture of it
    if (this.firstPicture !== null && began - this.firstPicture < ALONE_MS) return;
    const due = this.redraw.due(moment.step, now);
    if (!due) return;
    const place = this.chosen && chosenPlace(this.chosen, this.index, moment);
    this.eye.move(seconds, place, moment, this.index);
    this.resolution.adapt(seconds);
    this.paintLines(moment, place); // first: in space they are part of the picture
    this.paint(moment, due, seconds);
    this.firstPicture ??= performance.now();
    this.onDrawn();
    if (this.keep) this.handOver(this.keep);
    this.cost.close(performance.now() - began);
  }

  private paint(moment: Moment, { moving, sharp }: Due, seconds: number): void {
    const { looks } = this.settings;
    this.picture.draw(moment, {
      camera: this.camera,
      view: this.view,
      world: this.world,
      wrap: this.wrap,
      open: this.wrap !== null || this.isUnframed,
      dpr: this.keep?.dpr ?? this.resolution.of(sharp, this.firstPicture === null && this.picture.software),
      mode: looks.mode,
      palette: looks.palette,
      own: looks.own,
      form: looks.form === "scenario" ? "dart" : looks.form,
      speciesColors: this.speciesColors,
      hunters: this.hunters,
      daylight: daylightOf(this.living),
      trails: looks.trails,
      trailLength: looks.trailLength,
      glow: Number(valueAt(this.scenario, "display.glow") ?? 0),
      size: this.size,
      light: this.settings.light,
      moving,
      seconds,
      space: this.spaceScene(moment),
    });
  }

  private spaceScene(moment: Moment): SpaceScene | null {
    if (!this.space) return null;
    const time = moment.step * moment.to.frame.secondsPerStep;
    const { form } = this.settings.looks;
    const shape = form === "bird" || form === "fish" ? form : this.space.shape;
    return {
      gaze: this.space.gaze,
      box: this.space.box,
      shape,
      setting: this.space.setting,
      time,
      solids: this.solids,
      guides: this.settings.looks.guides,
    };
  }

  private paintLines(moment: Moment, place: Point | null): void {
    const seconds = moment.step * moment.to.frame.secondsPerStep;
    const { camera, view, world, chosen, hand, draft, draftHeight, gaps, things, space: deep } = this;
    const light = this.settings.light;
    const dpr = this.keep?.dpr ?? density();
    if (dpr !== density()) this.overlay.resize(view, dpr);
    this.overlay.draw(
      moment,
      {
        camera,
        view,
        world,
        light,
        looks: this.settings.looks,
        things,
        ghosts: this.ghosts.things,
        chosen,
        place,
        hand,
        draft,
        draftHeight,
        deep,
        wrap: this.wrap,
        map: this.hasMap,
        gaps,
        seconds,
        solids: this.solids,
        batch: this.picture.batch,
        size: this.size,
        bodies: this.bodies,
        look: { half: this.half(), stances: this.stances, sexes: this.sexes },
      },
      dpr,
    );
  }

  /** Relative size of animals: the scenario's times the user's. */
  private get size(): number {
    return this.settings.looks.size * Number(valueAt(this.scenario, "display.size") ?? 1);
  }

  /** Half the drawn length of an agent in a plane [px]. */
  private half(): number {
    if (this.bodies.length === 0 || !this.frame) return 0;
    return agentHalf({ camera: this.camera, world: this.world, size: this.size }, this.frame.count);
  }

  private resized(): void {
    this.view = { width: innerWidth, height: innerHeight };
    this.overlay.resize(this.view, density());
    if (this.eye.whole) this.eye.showWhole();
    this.wake();
  }
}
