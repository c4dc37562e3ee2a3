/** The two canvases and the loop that draws them: flock below, lines above, one camera for both. */

import { eased, fitted, NO_GAPS, panned, toWorld, visible, zoomedAt, type Camera, type Gaps, type Size } from "./camera";
import { RendererCanvas } from "./canvas2d";
import { Cost } from "./cost";
import { RendererGl } from "./gl/renderer";
import { mapPlace, needsMap, throughMap } from "./minimap";
import { Overlay, type Told } from "../overlay/overlay";
import type { Hand } from "../overlay/scenery";
import { holdsFew } from "../overlay/bodies";
import { agentHalf, type Picture } from "./picture";
import { agentPosition, nearestAgent, type Body, type Frame, type Hello, type Inspection, type JsonObject, type Pair, type Point, type SceneObject } from "../net/protocol";
import { valueAt } from "../panel/schema";
import type { Settings } from "../panel/settings";
import { daylightOf, huntersOf, thingsOf } from "../overlay/world_objects";
import { blend, Timeline, type Moment } from "../net/timeline";

const SLOW_SECONDS = 1 / 32;
const LEAST_QUALITY = 0.6;
const DENSEST = 3; // device px per CSS px: finer ones nobody sees
const SHARP_SECONDS = 0.25; // a picture that stands still this long is drawn in full

export class Stage {
  camera: Camera = { x: 800, y: 500, zoom: 1 };
  view: Size = { width: 1, height: 1 };
  world: Size = { width: 1600, height: 1000 };
  hand: Hand | null = null;
  draft: Pair[] | null = null; // a wall or circle being drawn [u]
  chosen: Inspection | null = null;
  following = false;
  private gaps: Gaps = NO_GAPS;
  private whole = true; // the view shows all of the world: it does so again when the window or the panels change
  firstPicture: number | null = null; // [ms] since the page was asked for
  readonly notice: string;
  readonly layers: HTMLCanvasElement[];
  readonly cost = new Cost();
  private readonly picture: Picture;
  private readonly overlay: Overlay;
  private readonly timeline = new Timeline();
  private scenario: JsonObject = {};
  private speciesColors: string[] = [];
  hunters = 0; // bit k: species k hunts
  private standing: SceneObject[] = []; // things of the scenario
  private living: SceneObject[] = []; // things the server told of
  private bodies: Body[] = [];
  private means: number[] = []; // how far the members of each species see, where genes decide
  stances: string[] = [];
  sexes = false;
  private goal: Camera | null = null;
  private index = -1; // of the chosen agent in the frames
  private quality = 1;
  private pace = 1 / 60;
  private lastTick = 0;
  private lastMove = 0;
  private lastStep = -1;
  private awakeUntil = 0;
  private owed = 0; // pictures to be drawn however late it has become
  private wasSharp = false;
  private keep: { use: () => void; dpr: number } | null = null; // what to do with the next picture, drawn this finely
  onDrawn: () => void = () => undefined;

  constructor(canvas: HTMLCanvasElement, overlay: HTMLCanvasElement, private readonly settings: Settings) {
    const gl = RendererGl.create(canvas);
    this.notice = gl ? "" : "This browser has no WebGL2: a simpler picture is shown.";
    this.picture = gl ?? new RendererCanvas(canvas);
    document.body.classList.toggle("software", this.picture.software);
    this.overlay = new Overlay(overlay, this.picture.software);
    this.layers = [canvas, overlay];
    addEventListener("resize", () => { this.resized(); });
    settings.onChange(() => { this.wake(); });
    this.resized();
    this.watchDensity();
  }

  /** A window that moves to another screen keeps its size, so that no event of the window tells of it. */
  private watchDensity(): void {
    const now = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    now.addEventListener("change", () => { this.resized(); this.watchDensity(); }, { once: true });
  }

  start(): void {
    const tick = (now: number) => {
      this.tick(now / 1000);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Draw for a while even though nothing flies. */
  wake(seconds = 0.6): void {
    this.awakeUntil = Math.max(this.awakeUntil, performance.now() / 1000 + seconds);
    this.owed = 2;
  }

  receive(frame: Frame): void {
    const before = this.timeline.newest?.frame.epoch;
    this.timeline.push(frame, performance.now() / 1000);
    if (before !== undefined && before !== frame.epoch) this.picture.clear();
    this.wake();
  }

  get frame(): Frame | null {
    return this.timeline.newest?.frame ?? null;
  }

  /** What the legend needs to know of the overlays. */
  get told(): Told {
    return this.overlay.told;
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

  /** Colours and who hunts: both can be changed while the flock flies. */
  setSpecies(hello: Pick<Hello, "species" | "scenario">): void {
    this.speciesColors = hello.species.map((kind) => kind.color);
    this.hunters = huntersOf(hello);
  }

  setScenario(scenario: JsonObject): void {
    const size = { width: Number(valueAt(scenario, "world.width")), height: Number(valueAt(scenario, "world.height")) };
    const changed = size.width !== this.world.width || size.height !== this.world.height || this.scenario.name === undefined;
    this.scenario = scenario;
    this.world = size;
    this.standing = thingsOf(scenario);
    this.overlay.setScenario(scenario, this.means);
    if (changed) {
      this.showWhole();
    }
    this.wake();
  }

  /** Animals from near, as the server tells of them. */
  setBodies(bodies: Body[]): void {
    this.bodies = bodies;
    this.wake();
  }

  setSights(means: number[]): void {
    if (String(means) === String(this.means)) return;
    this.means = means;
    this.overlay.setScenario(this.scenario, means);
  }

  /** The part of the world to be looked at closely: the window, while it holds few animals; else null. */
  get closeUp(): [number, number, number, number] | null {
    const window = visible(this.camera, this.view);
    return this.frame && holdsFew(this.frame, window) ? window : null;
  }

  setScene(objects: SceneObject[]): void {
    this.living = objects;
    this.wake();
  }

  fit(): void {
    this.following = false;
    this.whole = true;
    this.goal = fitted(this.world, this.view, this.gaps);
    this.wake(1.5);
  }

  /** Panels came or went: the world goes where there is room. */
  makeRoom(gaps: Gaps, atOnce = false): void {
    const { left, top, right, bottom } = this.gaps;
    if (left === gaps.left && top === gaps.top && right === gaps.right && bottom === gaps.bottom) return;
    this.gaps = gaps;
    if (this.timeline.newest === null || (atOnce && this.whole)) this.showWhole();
    else if (this.whole) this.fit();
    this.wake();
  }

  /** What panels leave free [CSS px]. */
  get free(): Size {
    const { left, top, right, bottom } = this.gaps;
    return { width: this.view.width - left - right, height: this.view.height - top - bottom };
  }

  private showWhole(): void {
    this.whole = true;
    this.goal = null;
    this.camera = fitted(this.world, this.view, this.gaps);
  }

  pan(dx: number, dy: number): void {
    this.following = this.whole = false;
    if (this.goal) this.goal = panned(this.goal, dx, dy); // two fingers zoom and move at once
    this.camera = panned(this.camera, dx, dy);
    this.wake();
  }

  /** Move the view gently: by keys. */
  nudge(dx: number, dy: number): void {
    this.following = this.whole = false;
    this.goal = panned(this.goal ?? this.camera, dx, dy);
    this.wake(1);
  }

  /** Bring a place into the middle of the window. */
  goTo(place: Point): void {
    this.following = this.whole = false;
    this.goal = { ...place, zoom: Math.max(this.camera.zoom, 2 * fitted(this.world, this.view, this.gaps).zoom) };
    this.wake(1.5);
  }

  zoom(at: Point, factor: number): void {
    const whole = fitted(this.world, this.view, this.gaps).zoom;
    this.whole = false;
    const middle = { x: this.view.width / 2, y: this.view.height / 2 };
    this.goal = zoomedAt(this.goal ?? this.camera, this.view, this.following ? middle : at, factor, [whole / 4, whole * 60]);
    this.wake(1);
  }

  /** A press on the small map moves the view there; says whether it was one. */
  goThroughMap(screen: Point): boolean {
    if (this.settings.looks.hidden || !needsMap(this.camera, this.view, this.world)) return false;
    const place = throughMap(mapPlace(this.view, this.world, this.gaps), screen);
    if (!place) return false;
    this.following = this.whole = false;
    this.goal = { ...place, zoom: this.camera.zoom };
    this.wake(1);
    return true;
  }

  at(screen: Point): Point {
    return toWorld(this.camera, this.view, screen);
  }

  /** The agent under the pointer, as a place in the world. */
  agentNear(screen: Point, reach = 22): Point | null {
    if (!this.frame) return null;
    const k = nearestAgent(this.frame, this.at(screen), reach / this.camera.zoom);
    return k < 0 ? null : agentPosition(this.frame, k);
  }

  choose(agent: Inspection | null): void {
    this.chosen = agent;
    if (!agent) this.following = false;
    if (agent && this.frame) this.index = this.indexOf(agent, this.frame);
    this.wake();
  }

  follow(): void {
    this.following = true;
    this.whole = false;
    const whole = fitted(this.world, this.view).zoom;
    if (this.camera.zoom < whole * 2.5) this.goal = { ...this.camera, zoom: whole * 4 };
    this.wake(1.5);
  }

  /** Ids are dense as long as nobody was born or died; else the nearest agent is the one. */
  private indexOf(agent: Inspection, frame: Frame): number {
    const place = { x: agent.position[0], y: agent.position[1] };
    const guess = agent.id % frame.stride === 0 ? agent.id / frame.stride : -1;
    if (guess >= 0 && guess < frame.count) {
      const p = agentPosition(frame, guess);
      if (Math.hypot(p.x - place.x, p.y - place.y) < 0.5 * agent.perception.radius) return guess;
    }
    return nearestAgent(frame, place, agent.perception.radius);
  }

  private chosenPlace(moment: Moment | null): Point | null {
    if (!this.chosen) return null;
    const told = { x: this.chosen.position[0], y: this.chosen.position[1] };
    if (!moment || this.index < 0 || this.index >= moment.to.frame.count) return told;
    const { from, to, alpha } = moment;
    const [a, b] = [agentPosition(from.frame, this.index), agentPosition(to.frame, this.index)];
    const [w, h] = to.frame.wraps ? [to.frame.width, to.frame.height] : [0, 0];
    return { x: blend(a.x, b.x, alpha, w), y: blend(a.y, b.y, alpha, h) };
  }

  /** Draw in full and do something with the picture while it is still there; `width` [px], else the window's. */
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

  private tick(now: number): void {
    const began = performance.now();
    const seconds = Math.min(0.5, now - this.lastTick); // not since the last picture: nothing was exposed while the page slept
    this.lastTick = now;
    const moment = this.timeline.sample(now);
    const moving = moment !== null && moment.step !== this.lastStep;
    if (moving) this.lastMove = now;
    if (!moving && now > this.awakeUntil && this.owed <= 0 && this.wasSharp) return;
    this.owed--;
    this.lastStep = moment?.step ?? -1;
    const place = this.chosenPlace(moment);
    this.moveCamera(seconds, place);
    this.adapt(seconds);
    this.paint(moment, moving, seconds);
    this.paintLines(moment, place);
    if (moment) this.firstPicture ??= performance.now();
    this.onDrawn();
    if (this.keep) this.handOver(this.keep);
    this.cost.close(performance.now() - began);
  }

  private moveCamera(seconds: number, place: Point | null): void {
    if (this.goal) {
      const next = eased(this.camera, this.goal, seconds);
      this.camera = this.following ? { ...this.camera, zoom: next.zoom } : next;
      const away = Math.hypot(this.camera.x - this.goal.x, this.camera.y - this.goal.y) * this.camera.zoom;
      const left = Math.abs(Math.log(this.camera.zoom / this.goal.zoom)) + (this.following ? 0 : away);
      if (left < 1e-2) {
        this.camera = this.following ? { ...this.camera, zoom: this.goal.zoom } : this.goal;
        this.goal = null;
      } else {
        this.wake();
      }
    }
    if (this.following && place) this.camera = { ...eased(this.camera, { ...place, zoom: 1 }, seconds), zoom: this.camera.zoom };
  }

  /** On a slow machine rather coarser than jerky. */
  private adapt(seconds: number): void {
    this.pace += 0.03 * (seconds - this.pace);
    if (this.pace > SLOW_SECONDS && this.quality > LEAST_QUALITY) {
      this.quality = Math.max(LEAST_QUALITY, this.quality * 0.85);
      this.pace = 1 / 60;
    }
  }

  private paint(moment: Moment | null, moving: boolean, seconds: number): void {
    const { looks } = this.settings;
    const sharp = this.lastTick - this.lastMove > SHARP_SECONDS;
    this.wasSharp = sharp;
    this.picture.draw(moment, {
      camera: this.camera,
      view: this.view,
      world: this.world,
      open: valueAt(this.scenario, "world.boundary") === "open",
      dpr: this.keep?.dpr ?? density() * (sharp ? 1 : this.quality),
      mode: looks.mode,
      palette: looks.palette,
      speciesColors: this.speciesColors,
      hunters: this.hunters,
      daylight: daylightOf(this.living),
      trails: looks.trails,
      trailLength: looks.trailLength,
      glow: Number(valueAt(this.scenario, "display.glow") ?? 0),
      size: looks.size * Number(valueAt(this.scenario, "display.size") ?? 1),
      light: this.settings.light,
      moving,
      seconds,
    });
  }

  private paintLines(moment: Moment | null, place: Point | null): void {
    const seconds = moment ? moment.step * moment.to.frame.secondsPerStep : 0;
    const { camera, view, world, chosen, hand, draft, gaps, things } = this;
    const light = this.settings.light;
    const dpr = this.keep?.dpr ?? density();
    if (dpr !== density()) this.overlay.resize(view, dpr);
    this.overlay.draw(moment, { camera, view, world, light, looks: this.settings.looks, things, chosen, place, hand, draft, gaps, seconds, bodies: this.bodies, look: { half: this.half(), stances: this.stances, sexes: this.sexes } }, dpr);
  }

  /** Half the length of an agent as it is drawn [px]. */
  private half(): number {
    if (this.bodies.length === 0 || !this.frame) return 0;
    const size = this.settings.looks.size * Number(valueAt(this.scenario, "display.size") ?? 1);
    return agentHalf({ camera: this.camera, world: this.world, size }, this.frame.count);
  }

  private resized(): void {
    this.view = { width: innerWidth, height: innerHeight };
    this.overlay.resize(this.view, density());
    if (this.whole) this.showWhole();
    this.wake();
  }
}

/** Device px per CSS px. */
function density(): number {
  return Math.min(DENSEST, devicePixelRatio);
}
