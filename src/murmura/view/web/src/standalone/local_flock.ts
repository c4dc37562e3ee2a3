/** A flock that this page simulates: receives what the page would send to a server, and answers. */

import type { ClientMessage, Hello, Json, JsonObject, Predator } from "../net/protocol";
import { Chronicle } from "./messages/chronicle";
import { isRunnable, type FileData, type RunnableScene } from "./data";
import { encodeFrame } from "./messages/encode";
import { Engine } from "./gpu/engine";
import type { Flock, FlockState } from "./gpu/flock_state";
import { bodies, inspect, nearestTo, type InspectedFlock } from "./messages/inspect";
import type { LocalServer, PageSocket } from "./local_socket";
import { cheapMeasures } from "./messages/measures";
import { vectorOf } from "./start/numbers";
import { NO_STEP, type Pages } from "./gpu/outputs";
import { follow, listsDiffer, placeable, withMoved, withoutNearest, withPlaced } from "./start/placing";
import { population, traitMeans } from "./messages/population";
import { noiseOffset, seedWords } from "./start/random";
import { startOf } from "./start/start";
import { huntersIn, itemsOf, surroundings } from "./messages/surroundings";
import { Tables } from "./gpu/tables";
import { differingPaths, NEEDS_MURMURA, numberAt, prunedSchema, refusal, valueAt, withValue } from "./values";

const STATUS_MS = 200;
const INSPECT_MS = 100;
const MOST_STEPS = 16; // between two pictures
const OTHER_SEED = "This page always begins with the exported start; a new seed changes only later random events.";

export class LocalFlock implements LocalServer {
  state: FlockState | null = null;
  frame = new ArrayBuffer(0); // the last one
  private page: PageSocket | null = null;
  private scenario: JsonObject;
  private tables: Tables;
  private readonly chronicle = new Chronicle();
  private seed: number;
  private running = true;
  private speed = 1;
  private extra = "density";
  private epoch = 1;
  private roster = 0;
  private due = 0; // steps that are due
  private asked = 0; // steps of a "step" message
  private wanted = true; // a frame
  private moved = true;
  private rate = 0;
  private lastStatus = -Infinity;
  private lastInspection = -Infinity;
  private chosen: number | null = null;
  private window: number[] | null = null; // the part of the world that the page shows close up
  private obeyed: Promise<void> = Promise.resolve(); // commands, handled one after the other

  private constructor(
    private readonly data: FileData,
    private readonly device: GPUDevice,
    private scene: RunnableScene,
    private engine: Engine,
  ) {
    this.scenario = scene.hello.scenario;
    this.seed = scene.hello.seed;
    this.tables = new Tables(scene);
  }

  static async of(data: FileData, device: GPUDevice): Promise<LocalFlock> {
    const scene = data.scenes.find(isRunnable);
    if (!scene) throw new Error("no scene of this file can be simulated");
    const flock = new LocalFlock(data, device, scene, await Engine.of(device, scene, data.words));
    flock.begin();
    return flock;
  }

  open(page: PageSocket): void {
    this.page = page;
    this.sayHello();
    let last = performance.now();
    const turn = async (): Promise<void> => {
      const now = performance.now();
      // Commands and steps never overlap.
      this.obeyed = this.obeyed.then(() => this.advance((now - last) / 1000)).catch((error: unknown) => { this.fail(error); });
      await this.obeyed;
      last = now;
      if (document.hidden) setTimeout(() => { void turn(); }, STATUS_MS);
      else requestAnimationFrame(() => { void turn(); });
    };
    void turn();
  }

  private sayHello(): void {
    const runnable = this.data.scenes.filter(isRunnable).map(({ hello }) => String(hello.scenario.name));
    const hello: Hello = {
      ...this.scene.hello, bundled: true,
      scenario: this.scenario, seed: this.seed, running: this.running, speed: this.speed,
      schema: prunedSchema(this.data.schema, this.scene.live),
      scenarios: this.data.scenarios.filter(({ name }) => runnable.includes(name)),
      columns: Object.keys(this.scene.extras) as NonNullable<Hello["columns"]>,
      places: placeable(this.scene), hunters: Object.keys(this.scene.templates.predators ?? {}),
    };
    this.page?.message(hello);
  }

  private get time(): number {
    return this.engine.step * numberAt(this.scenario, "motion.time_step");
  }

  /** Place the flock at the start of its seed. */
  private begin(): void {
    const tables = new Tables(this.scene);
    follow(this.scene, tables, this.scene.hello.scenario, this.scenario, this.seed);
    this.put(startOf(this.scene, this.scenario, this.seed, numberAt(this.scenario, "agents")), tables, 0);
    this.chronicle.begin();
    this.chosen = null;
    this.due = this.asked = 0;
    this.moved = true;
  }

  private put(flock: Flock, tables: Tables, step: number): void {
    const words = seedWords(this.seed);
    this.tables = tables;
    this.engine.load(flock, tables, words, step);
    this.engine.setNoise(...noiseOffset(words));
    this.retune();
  }

  private retune(): void {
    const vector = vectorOf(this.scene.live, (path) => numberAt(this.scenario, path));
    const side = (name: string): number => numberAt(this.scenario, `world.${name}`);
    const isOpen = valueAt(this.scenario, "world.boundary") === "open";
    this.engine.retune(vector, this.tables, { width: side("width"), height: side("height"), depth: side("depth"), isOpen });
  }

  private async advance(seconds: number): Promise<void> {
    const dt = numberAt(this.scenario, "motion.time_step");
    if (this.running) this.due = Math.min(MOST_STEPS, this.due + (Math.min(seconds, 0.25) * this.speed) / dt);
    const steps = Math.min(MOST_STEPS, Math.floor(this.due) + this.asked);
    this.due -= Math.min(Math.floor(this.due), steps);
    this.asked = Math.max(0, this.asked - steps);
    this.moved ||= steps > 0;
    this.rate += 0.05 * (steps / Math.max(seconds, 1e-3) - this.rate);
    const { engine, epoch } = this;
    const pages = engine.advance(steps); // the device works while this waits
    if (this.wanted && this.moved) await this.show();
    const found = await pages;
    if (epoch === this.epoch) this.note(found);
    if (performance.now() - this.lastStatus > STATUS_MS) this.report();
  }

  /** Process the outputs of the device. */
  private note(pages: Pages[]): void {
    for (const { events, failedStep } of pages) {
      this.chronicle.add(events);
      if (failedStep === NO_STEP || !this.running) continue;
      this.running = false;
      this.refuse(`step ${failedStep}: some agents have no finite place or velocity, so the flock has stopped; lower the weights and start again`);
    }
  }

  private async show(): Promise<void> {
    this.moved = this.wanted = false;
    const { epoch } = this;
    const state = await this.engine.read();
    if (epoch !== this.epoch) { // a new flock has begun meanwhile
      this.moved = this.wanted = true;
      return;
    }
    if (!sameIds(this.state?.ids, state.ids)) this.roster++;
    this.state = state;
    const objects = surroundings(this.scene, this.tables, state, this.scenario, this.data.words, this.time);
    if (objects.length > 0) this.page?.message({ type: "scene", objects });
    this.frame = encodeFrame(state, this.scenario, this.epoch, this.scene.extras[this.extra] ?? null, this.roster);
    this.page?.frame(this.frame.slice(0));
    if (performance.now() - this.lastInspection > INSPECT_MS) this.inspect();
  }

  private get watched(): InspectedFlock | null {
    const { scene, tables, state, scenario } = this;
    return state && { scene, tables, state, scenario, words: this.data.words };
  }

  /** Send the selected animal, and those that the page shows close up. */
  private inspect(): void {
    this.lastInspection = performance.now();
    const { watched } = this;
    if (!watched) return;
    if (this.window) this.page?.message({ type: "bodies", agents: bodies(watched, this.window) });
    if (this.chosen === null) return;
    const found = inspect(watched, this.chosen);
    if (!found) this.chosen = null;
    this.page?.message(found ?? { type: "inspect", id: null });
  }

  private choose(id: number | null): void {
    this.chosen = id;
    if (id === null) this.page?.message({ type: "inspect", id: null });
    else this.inspect();
  }

  private look(window: (number | null)[]): void {
    const isSomewhere = window.every((side) => side !== null);
    this.window = isSomewhere ? window.map(Number) : null;
    if (isSomewhere) this.inspect();
    else this.page?.message({ type: "bodies", agents: [] });
  }

  private report(): void {
    this.lastStatus = performance.now();
    const { state } = this;
    const news = this.chronicle.news();
    if (news.length > 0) this.page?.message({ type: "events", events: news });
    const dt = numberAt(this.scenario, "motion.time_step");
    const pace = valueAt(this.scenario, "motion.velocity_unit") === "tick" ? 1 / dt : 1;
    this.page?.message({
      type: "status", step: this.engine.step, time: this.time, agents: state?.count ?? this.engine.layout.agents, hash: null,
      steps_per_second: this.running ? Math.round(10 * this.rate) / 10 : 0, running: this.running, speed: this.speed,
      measured: state ? state.step * dt : null,
      measures: state ? { ...cheapMeasures(state.quads, pace), ...traitMeans(this.scene.hello, state) } : {},
      population: state ? population(this.scene, state, this.scenario, this.data.words) : {},
      ...this.chronicle.report(),
    });
  }

  receive(message: ClientMessage): void {
    if (message.type === "ready") {
      this.wanted = true;
      return;
    }
    this.obeyed = this.obeyed.then(() => this.obey(message)).catch((error: unknown) => { this.fail(error); })
      .then(() => { this.lastStatus = -Infinity; });
  }

  private fail(error: unknown): void {
    this.refuse(error instanceof Error ? error.message : String(error));
  }

  private refuse(message: string): void {
    this.page?.message({ type: "error", message });
  }

  private async obey(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case "ready": break;
      case "play": this.running = true; break;
      case "pause": this.running = false; break;
      case "step": this.running = false; this.asked += message.count; break;
      case "speed": this.speed = message.value; break;
      case "reset": this.restart(message.seed); break;
      case "load": await this.load(message.scenario); break;
      case "set": await this.set(message.values); break;
      case "pointer": this.point(message); break;
      case "extra": this.extra = message.column; this.moved = true; break;
      case "select": this.choose(message.id); break;
      case "pick": this.choose(this.watched && nearestTo(this.watched, [message.x, message.y, ...(message.z === undefined ? [] : [message.z])])); break;
      case "place": await this.adopt(withPlaced(this.scene, this.scenario, message)); break;
      case "move": await this.adopt(withMoved(this.scene, this.scenario, message)); break;
      case "erase": await this.adopt(withoutNearest(this.scene, this.scenario, message.kind ?? "circle", message.x, message.y, this.hunters)); break;
      case "look": this.look([message.left, message.top, message.right, message.bottom]); break;
      case "window": break;
      default: this.refuse(`${message.type} works only for recorded runs`);
    }
  }

  /** The pointer is the last attractor. */
  private point({ x, y, z, mode }: Extract<ClientMessage, { type: "pointer" }>): void {
    const { group, strengths } = this.scene.hand;
    const { columns } = this.scene.groups[group];
    const values: Record<string, number> = { x, y, strength: strengths[mode] ?? 0, ...(z === undefined || !columns.includes("z") ? {} : { z }) };
    this.engine.setItem(this.tables.range(group)[1] - 1, Object.fromEntries(Object.entries(values).map(([name, value]) => [columns.indexOf(name), value])));
  }

  private restart(seed: number | null): void {
    if (seed !== null && seed !== this.seed && !this.scene.canDraw) this.refuse(OTHER_SEED);
    if (seed !== null) this.seed = seed;
    this.epoch++;
    this.begin();
    this.sayHello();
  }

  private async set(values: Record<string, Json>): Promise<void> {
    let scenario = this.scenario;
    for (const [path, value] of Object.entries(values)) {
      const reason = refusal(this.scene, this.scenario, path, value);
      if (reason) throw new Error(reason);
      scenario = withValue(scenario, path, value);
    }
    await this.adopt(scenario);
  }

  /** Continue with other values; another number of agents starts a new flock. */
  private async adopt(scenario: JsonObject): Promise<void> {
    const before = this.scenario;
    if (listsDiffer(before, scenario)) {
      const state = await this.engine.read();
      const tables = this.tables.copy();
      tables.keepItems(state.items);
      follow(this.scene, tables, before, scenario, this.seed);
      this.scenario = scenario;
      this.put(state.flock, tables, state.step);
    }
    this.scenario = scenario;
    this.moved = true;
    if (numberAt(before, "agents") !== numberAt(scenario, "agents")) {
      this.restart(null);
      return;
    }
    this.retune();
    this.page?.message({ type: "scenario", scenario });
  }

  private get hunters(): Predator[] {
    const { watched } = this;
    return watched ? huntersIn(itemsOf(watched.scene, watched.tables, watched.state.items, "predators"), watched.words, watched.state) : [];
  }

  /** A preset by name, or a bundled scenario with other values, as in a link. */
  private async load(wanted: string | JsonObject): Promise<void> {
    const name = typeof wanted === "string" ? wanted : String(wanted.name);
    const scene = this.data.scenes.filter(isRunnable).find(({ hello }) => hello.scenario.name === name);
    if (!scene) {
      this.refuse(`${name} is not in this file`);
      return;
    }
    const base = scene.hello.scenario;
    const changes = typeof wanted === "string" ? [] : differingPaths(base, wanted);
    const bad = changes.find((path) => refusal(scene, base, path, valueAt(wanted as JsonObject, path) ?? null) !== "");
    if (bad !== undefined) {
      this.refuse(`${bad} ${NEEDS_MURMURA}`);
      return;
    }
    if (scene !== this.scene) {
      const old = this.engine;
      this.engine = await Engine.of(this.device, scene, this.data.words);
      this.scene = scene;
      old.destroy();
    }
    this.seed = scene.hello.seed;
    this.scenario = changes.reduce((data, path) => withValue(data, path, valueAt(wanted as JsonObject, path) ?? null), base);
    this.epoch++;
    this.state = null;
    this.page?.message({ type: "scene", objects: [] });
    this.begin();
    this.sayHello();
  }

  /** For tests: whole steps now, and the flock after them. */
  async stepNow(count: number): Promise<FlockState> {
    this.running = false;
    this.note(await this.engine.advance(count));
    this.moved = true;
    return this.engine.read();
  }
}

function sameIds(a: Int32Array | undefined, b: Int32Array): boolean {
  return a !== undefined && a.length === b.length && a.every((id, k) => id === b[k]);
}
