/** The two canvases and the loop that draws them: flock below, lines above, one camera for both. */

import { eased, fitted, panned, toWorld, zoomedAt, type Camera, type Size } from "./camera";
import { RendererCanvas } from "./canvas2d";
import { RendererGl } from "./gl/renderer";
import { drawAttractors, drawDensity, drawMinimap, drawObstacles, hasThings, needsMinimap, ring, tracePath, type Hand } from "./overlay";
import { drawAgent, type Stage as Lines } from "./overlay_agent";
import type { Picture } from "./picture";
import { agentPosition, nearestAgent, type Frame, type Inspection, type JsonObject, type Pair, type Point } from "./protocol";
import { valueAt } from "./schema";
import type { Settings } from "./settings";
import { blend, Timeline, type Moment } from "./timeline";

const HAND_REACH = 0.22; // of the world's smaller side
const SLOW_SECONDS = 1 / 32;
const LEAST_QUALITY = 0.5;

export class Stage {
  camera: Camera = { x: 800, y: 500, zoom: 1 };
  view: Size = { width: 1, height: 1 };
  world: Size = { width: 1600, height: 1000 };
  scenario: JsonObject = {};
  speciesColors: string[] = [];
  hand: Hand | null = null;
  draft: Pair[] | null = null; // a wall or circle being drawn [u]
  chosen: Inspection | null = null;
  following = false;
  rightGap = 0; // px the panel covers
  readonly notice: string;
  readonly layers: HTMLCanvasElement[];
  private readonly picture: Picture;
  private readonly timeline = new Timeline();
  private readonly context: CanvasRenderingContext2D;
  private readonly lightQuery = matchMedia("(prefers-color-scheme: light)");
  private goal: Camera | null = null;
  private index = -1; // of the chosen agent in the frames
  private quality = 1;
  private pace = 1 / 60;
  private lastDraw = 0;
  private lastStep = -1;
  private awakeUntil = 0;
  private afterDraw: (() => void)[] = [];
  onDrawn: () => void = () => undefined;

  constructor(canvas: HTMLCanvasElement, overlay: HTMLCanvasElement, private readonly settings: Settings) {
    const gl = RendererGl.create(canvas);
    this.notice = gl ? "" : "This browser has no WebGL2: a simpler picture is shown.";
    this.picture = gl ?? new RendererCanvas(canvas);
    document.body.classList.toggle("software", this.picture.software);
    const context = overlay.getContext("2d");
    if (!context) throw new Error("this browser cannot draw");
    this.context = context;
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
  }

  receive(frame: Frame): void {
    const before = this.timeline.newest?.frame.epoch;
    const slot = this.timeline.push(frame, performance.now() / 1000);
    this.picture.upload(frame, slot);
    if (before !== undefined && before !== frame.epoch) this.picture.clear();
    this.wake();
  }

  get frame(): Frame | null {
    return this.timeline.newest?.frame ?? null;
  }

  setScenario(scenario: JsonObject): void {
    const size = { width: Number(valueAt(scenario, "world.width")), height: Number(valueAt(scenario, "world.height")) };
    const changed = size.width !== this.world.width || size.height !== this.world.height || this.scenario.name === undefined;
    this.scenario = scenario;
    this.world = size;
    if (changed) {
      this.camera = fitted(this.world, this.view);
      this.goal = null;
    }
    this.wake();
  }

  fit(): void {
    this.following = false;
    this.goal = fitted(this.world, this.view);
    this.wake(1.5);
  }

  pan(dx: number, dy: number): void {
    this.following = false;
    this.goal = null;
    this.camera = panned(this.camera, dx, dy);
    this.wake();
  }

  zoom(at: Point, factor: number): void {
    const whole = fitted(this.world, this.view).zoom;
    const middle = { x: this.view.width / 2, y: this.view.height / 2 };
    this.goal = zoomedAt(this.goal ?? this.camera, this.view, this.following ? middle : at, factor, [whole / 4, whole * 60]);
    this.wake(1);
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
    const moment = this.timeline.sample(now);
    const moving = moment !== null && moment.step !== this.lastStep;
    if (!moving && now > this.awakeUntil) return;
    const seconds = Math.min(0.5, now - this.lastDraw);
    this.lastDraw = now;
    this.lastStep = moment?.step ?? -1;
    const place = this.chosenPlace(moment);
    this.moveCamera(seconds, place);
    this.adapt(seconds);
    this.paint(moment, moving, seconds);
    this.paintLines(moment, place);
    this.onDrawn();
    for (const use of this.afterDraw.splice(0)) use();
  }

  private moveCamera(seconds: number, place: Point | null): void {
    if (this.goal) {
      const next = eased(this.camera, this.goal, seconds);
      this.camera = this.following ? { ...this.camera, zoom: next.zoom } : next;
      const left = Math.abs(Math.log(this.camera.zoom / this.goal.zoom)) + Math.abs(this.camera.x - this.goal.x) * this.camera.zoom;
      if (left < 1e-3) this.goal = null;
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
    this.picture.draw(moment, {
      camera: this.camera,
      view: this.view,
      world: this.world,
      open: valueAt(this.scenario, "world.boundary") === "open",
      dpr: Math.min(2, devicePixelRatio) * this.quality,
      mode: looks.mode,
      palette: looks.palette,
      speciesColors: this.speciesColors,
      trails: looks.trails,
      glow: Number(valueAt(this.scenario, "display.glow") ?? 0),
      size: Number(valueAt(this.scenario, "display.size") ?? 1),
      light: this.lightQuery.matches,
      moving,
      seconds,
    });
  }

  private paintLines(moment: Moment | null, place: Point | null): void {
    const dpr = Math.min(2, devicePixelRatio);
    const { context, view } = this;
    const { looks } = this.settings;
    const lines: Lines = { context, camera: this.camera, view, light: this.lightQuery.matches };
    const map = !looks.hidden && needsMinimap(lines, this.world);
    const [, overlay] = this.layers;
    // An empty layer as large as the window would still be blended over every picture.
    overlay.hidden = !(map || looks.density || this.draft || this.hand || this.chosen || hasThings(this.scenario));
    if (overlay.hidden) return;
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    if (looks.density && moment) drawDensity(lines, moment.to.frame);
    drawObstacles(lines, this.scenario);
    drawAttractors(lines, this.scenario);
    if (this.draft) this.paintDraft(lines, this.draft);
    if (this.hand) ring(lines, this.hand, HAND_REACH * Math.min(this.world.width, this.world.height));
    if (this.chosen && place) drawAgent(lines, this.chosen, place, looks);
    if (moment && map) drawMinimap(lines, this.world, moment.to.frame, this.rightGap);
  }

  private paintDraft(lines: Lines, draft: Pair[]): void {
    const { context } = lines;
    context.strokeStyle = lines.light ? "#c2410c" : "#ffb35c";
    context.lineWidth = 3;
    context.beginPath();
    tracePath(lines, draft);
    context.stroke();
    if (this.settings.looks.tool !== "circle" || draft.length < 2) return;
    const [[x, y], [ex, ey]] = draft;
    const p = { x: (x - this.camera.x) * this.camera.zoom + this.view.width / 2, y: (y - this.camera.y) * this.camera.zoom + this.view.height / 2 };
    context.beginPath();
    context.arc(p.x, p.y, Math.hypot(ex - x, ey - y) * this.camera.zoom, 0, 2 * Math.PI);
    context.stroke();
  }

  private resized(): void {
    const whole = fitted(this.world, this.view).zoom;
    const fits = Math.abs(this.camera.zoom / whole - 1) < 0.01;
    this.view = { width: innerWidth, height: innerHeight };
    const dpr = Math.min(2, devicePixelRatio);
    const [, overlay] = this.layers;
    overlay.width = Math.round(this.view.width * dpr);
    overlay.height = Math.round(this.view.height * dpr);
    if (fits || this.timeline.newest === null) this.camera = fitted(this.world, this.view);
    this.wake();
  }
}
