/** The two canvases and the loop that draws them: flock below, lines above, one camera for both. */

import { eased, fitted, opening, panned, toWorld, zoomedAt, type Camera, type Size } from "./camera";
import { RendererCanvas } from "./canvas2d";
import { Cost } from "./cost";
import { RendererGl } from "./gl/renderer";
import { mapPlace, needsMap, throughMap, type Gaps } from "./minimap";
import { Overlay } from "./overlay";
import type { Hand } from "./overlay_things";
import type { Picture } from "./picture";
import { agentPosition, nearestAgent, type Frame, type Hello, type Inspection, type JsonObject, type Pair, type Point, type SceneObject } from "./protocol";
import { valueAt } from "./schema";
import type { Settings } from "./settings";
import { daylightOf, huntersOf, thingsOf } from "./things";
import { blend, Timeline, type Moment } from "./timeline";

const SLOW_SECONDS = 1 / 32;
const LEAST_QUALITY = 0.6;
const SHARP_SECONDS = 0.25; // a picture that stands still this long is drawn in full

export class Stage {
  camera: Camera = { x: 800, y: 500, zoom: 1 };
  view: Size = { width: 1, height: 1 };
  world: Size = { width: 1600, height: 1000 };
  hand: Hand | null = null;
  draft: Pair[] | null = null; // a wall or circle being drawn [u]
  chosen: Inspection | null = null;
  following = false;
  firstPicture: number | null = null; // [ms] since the page was asked for
  gaps: Gaps = { right: 0, bottom: 64 };
  readonly notice: string;
  readonly layers: HTMLCanvasElement[];
  readonly cost = new Cost();
  private readonly picture: Picture;
  private readonly overlay: Overlay;
  private readonly timeline = new Timeline();
  private readonly lightQuery = matchMedia("(prefers-color-scheme: light)");
  private scenario: JsonObject = {};
  private speciesColors: string[] = [];
  private hunters = 0;
  private standing: SceneObject[] = []; // things of the scenario
  private told: SceneObject[] = []; // things the server told of
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
  private afterDraw: (() => void)[] = [];
  onDrawn: () => void = () => undefined;

  constructor(canvas: HTMLCanvasElement, overlay: HTMLCanvasElement, private readonly settings: Settings) {
    const gl = RendererGl.create(canvas);
    this.notice = gl ? "" : "This browser has no WebGL2: a simpler picture is shown.";
    this.picture = gl ?? new RendererCanvas(canvas);
    document.body.classList.toggle("software", this.picture.software);
    this.overlay = new Overlay(overlay, this.picture.software);
    this.layers = [canvas, overlay];
    addEventListener("resize", () => { this.resized(); });
    this.lightQuery.addEventListener("change", () => { this.wake(); });
    settings.onChange(() => { this.wake(); });
    this.resized();
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

  get things(): SceneObject[] {
    return [...this.standing, ...this.told];
  }

  setHello(hello: Hello): void {
    this.speciesColors = hello.species.map((kind) => kind.color);
    this.hunters = huntersOf(hello);
    this.told = [];
  }

  setScenario(scenario: JsonObject): void {
    const size = { width: Number(valueAt(scenario, "world.width")), height: Number(valueAt(scenario, "world.height")) };
    const changed = size.width !== this.world.width || size.height !== this.world.height || this.scenario.name === undefined;
    this.scenario = scenario;
    this.world = size;
    this.standing = thingsOf(scenario);
    this.overlay.setScenario(scenario);
    if (changed) {
      this.camera = opening(this.world, this.view);
      this.goal = null;
    }
    this.wake();
  }

  setScene(objects: SceneObject[]): void {
    this.told = objects;
    this.wake();
  }

  fit(): void {
    this.following = false;
    this.goal = fitted(this.world, this.view);
    this.wake(1.5);
  }

  pan(dx: number, dy: number): void {
    this.following = false;
    if (this.goal) this.goal = panned(this.goal, dx, dy); // two fingers zoom and move at once
    this.camera = panned(this.camera, dx, dy);
    this.wake();
  }

  zoom(at: Point, factor: number): void {
    const whole = fitted(this.world, this.view).zoom;
    const middle = { x: this.view.width / 2, y: this.view.height / 2 };
    this.goal = zoomedAt(this.goal ?? this.camera, this.view, this.following ? middle : at, factor, [whole / 4, whole * 60]);
    this.wake(1);
  }

  /** A press on the small map moves the view there; says whether it was one. */
  goThroughMap(screen: Point): boolean {
    if (this.settings.looks.hidden || !needsMap(this.camera, this.view, this.world)) return false;
    const place = throughMap(mapPlace(this.view, this.world, this.gaps), screen);
    if (!place) return false;
    this.following = false;
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

  /** Draw now and do something with the picture while it is still there. */
  withPicture(use: () => void): void {
    this.afterDraw.push(use);
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
    for (const use of this.afterDraw.splice(0)) use();
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
      dpr: Math.min(2, devicePixelRatio) * (sharp ? 1 : this.quality),
      mode: looks.mode,
      palette: looks.palette,
      speciesColors: this.speciesColors,
      hunters: this.hunters,
      daylight: daylightOf(this.told),
      trails: looks.trails,
      glow: Number(valueAt(this.scenario, "display.glow") ?? 0),
      size: Number(valueAt(this.scenario, "display.size") ?? 1),
      light: this.lightQuery.matches,
      moving,
      seconds,
    });
  }

  private paintLines(moment: Moment | null, place: Point | null): void {
    const seconds = moment ? moment.step * moment.to.frame.secondsPerStep : 0;
    const { camera, view, world, chosen, hand, draft, gaps, things } = this;
    const light = this.lightQuery.matches;
    this.overlay.draw(moment, { camera, view, world, light, looks: this.settings.looks, things, chosen, place, hand, draft, gaps, seconds }, Math.min(2, devicePixelRatio));
  }

  private resized(): void {
    const untouched = Math.abs(this.camera.zoom / opening(this.world, this.view).zoom - 1) < 0.01;
    this.view = { width: innerWidth, height: innerHeight };
    this.overlay.resize(this.view, Math.min(2, devicePixelRatio));
    if (untouched || this.timeline.newest === null) this.camera = opening(this.world, this.view);
    this.wake();
  }
}
