/** A flock that this page simulates: receives what the page would send to a server, and answers. */

import type { ClientMessage, Hello, Json, JsonObject, Predator, ServerMessage } from "../net/protocol";
import { isRunnable, type FileData, type RunnableScene } from "./data";
import type { Engine } from "./engine";
import type { Happened } from "./events";
import type { FlockState } from "./flock_state";
import type { LocalServer, PageSocket } from "./local_socket";
import { Chronicle } from "./messages/chronicle";
import { encodeFrame } from "./messages/encode";
import { nearestTo, type InspectedFlock } from "./messages/inspect";
import { cheapMeasures } from "./messages/measures";
import { population, traitMeans } from "./messages/population";
import { surroundings } from "./messages/surroundings";
import { Watching } from "./messages/watching";
import { Pacing } from "./pacing";
import { placeable, withMoved, withoutNearest, withPlaced } from "./placing";
import { Simulated } from "./simulated";
import { differingPaths, NEEDS_MURMURA, numberAt, prunedSchema, refusal, valueAt, withValue } from "./values";

const STATUS_MS = 200;
const HASHED_WHILE_RUNNING = 5000; // agents, as in session/observing/observer.py
const OTHER_SEED = "This page always begins with the exported start; a new seed changes only later random events.";

export class LocalFlock implements LocalServer {
  state: FlockState | null = null;
  frame = new ArrayBuffer(0); // the last one
  private page: PageSocket | null = null;
  private flock: Simulated;
  private readonly chronicle = new Chronicle();
  private extra = "density";
  private epoch = 1;
  private roster = 0;
  private wanted = true; // a frame
  private moved = true;
  private lastStatus = -Infinity;
  private readonly pacing = new Pacing();
  private readonly watching = new Watching(
    () => this.watched,
    (message) => {
      this.page?.message(message);
    },
  );
  private obeyed: Promise<void> = Promise.resolve(); // commands, handled one after the other

  private constructor(
    private readonly data: FileData,
    scene: RunnableScene,
  ) {
    this.flock = new Simulated(scene, data.words, scene.hello.scenario);
  }

  static of(data: FileData): LocalFlock {
    const scene = data.scenes.find(isRunnable);
    if (!scene) throw new Error("no scene of this file can be simulated");
    return new LocalFlock(data, scene);
  }

  open(page: PageSocket): void {
    this.page = page;
    this.sayHello();
    let last = performance.now();
    const turn = async (): Promise<void> => {
      const now = performance.now();
      // Commands and steps never overlap.
      this.obeyed = this.obeyed
        .then(() => this.advance((now - last) / 1000))
        .catch((error: unknown) => {
          this.fail(error);
        });
      await this.obeyed;
      last = now;
      if (document.hidden)
        setTimeout(() => {
          void turn();
        }, STATUS_MS);
      else
        requestAnimationFrame(() => {
          void turn();
        });
    };
    void turn();
  }

  private sayHello(): void {
    const runnable = this.data.scenes.filter(isRunnable).map(({ hello }) => String(hello.scenario.name));
    const hello: Hello = {
      ...this.scene.hello,
      bundled: true,
      word: "WebAssembly",
      scenario: this.scenario,
      seed: this.flock.seed,
      running: this.pacing.running,
      speed: this.pacing.speed,
      schema: prunedSchema(this.data.schema, this.scene),
      scenarios: this.data.scenarios.filter(({ name }) => runnable.includes(name)),
      columns: Object.keys(this.scene.extras) as NonNullable<Hello["columns"]>,
      places: placeable(this.scene),
      hunters: Object.keys(this.scene.templates.predators ?? {}),
    };
    this.page?.message(hello);
  }

  get engine(): Engine {
    return this.flock.engine;
  }

  get scenario(): JsonObject {
    return this.flock.scenario;
  }

  private get scene(): RunnableScene {
    return this.flock.scene;
  }

  /** The flock has begun anew. */
  private begun(): void {
    this.epoch++;
    this.chronicle.begin();
    this.watching.begin();
    this.pacing.begin();
    this.moved = true;
    this.sayHello();
  }

  private async advance(seconds: number): Promise<void> {
    const steps = this.pacing.take(seconds, numberAt(this.scenario, "motion.time_step"));
    this.moved ||= steps > 0;
    const { engine, epoch } = this;
    const begun = performance.now();
    const happened = engine.advance(steps); // the engine works while this waits
    if (this.wanted && this.moved) await this.show();
    const found = await happened;
    this.pacing.took((performance.now() - begun) / 1000, steps);
    if (epoch === this.epoch) this.note(found);
    if (performance.now() - this.lastStatus > STATUS_MS) await this.report();
  }

  private note(happened: Happened[]): void {
    for (const { events, failedStep } of happened) {
      this.chronicle.add(events);
      this.flock.heritage.note(events);
      if (failedStep === null || !this.pacing.running) continue;
      this.pacing.running = false;
      this.refuse(
        `step ${failedStep}: some agents have no finite place or velocity, so the flock has stopped; lower the weights and start again`,
      );
    }
  }

  private async show(): Promise<void> {
    this.moved = this.wanted = false;
    const { epoch } = this;
    const state = await this.engine.read();
    if (epoch !== this.epoch) {
      // a new flock has begun meanwhile
      this.moved = this.wanted = true;
      return;
    }
    if (!sameIds(this.state?.ids, state.ids)) this.roster++;
    this.state = state;
    const objects = surroundings(this.flock.seen(state), this.flock.time);
    if (objects.length > 0) this.page?.message({ type: "scene", objects });
    this.frame = encodeFrame(state, this.scenario, this.epoch, this.scene.extras[this.extra] ?? null, this.roster);
    this.page?.frame(this.frame.slice(0));
    this.watching.update();
  }

  private get watched(): InspectedFlock | null {
    return this.state && this.flock.seen(this.state);
  }

  /** The hash of the flock that is shown; none for a large running one, because it would take as long as a step. */
  private async hash(): Promise<string | null> {
    const { state, pacing } = this;
    if (!state || (pacing.running && state.count > HASHED_WHILE_RUNNING)) return null;
    return this.flock.hash(state);
  }

  private async report(): Promise<void> {
    this.lastStatus = performance.now();
    const { state } = this;
    const hash = await this.hash();
    const news = this.chronicle.news();
    if (news.length > 0) this.page?.message({ type: "events", events: news });
    const dt = numberAt(this.scenario, "motion.time_step");
    const pace = valueAt(this.scenario, "motion.velocity_unit") === "tick" ? 1 / dt : 1;
    this.page?.message({
      type: "status",
      step: state?.step ?? 0,
      time: (state?.step ?? 0) * dt,
      agents: state?.count ?? numberAt(this.scenario, "agents"),
      hash,
      ...this.pacing.report,
      word: this.pacing.isBehind ? "WebAssembly, slower than real time" : "WebAssembly",
      measured: state ? state.step * dt : null,
      measures: state ? { ...cheapMeasures(state, pace), ...traitMeans(this.scene.hello, state) } : {},
      population: state ? population(this.flock.seen(state)) : {},
      ...this.chronicle.report(),
    });
  }

  receive(message: ClientMessage): void {
    if (message.type === "ready") {
      this.wanted = true;
      return;
    }
    this.obeyed = this.obeyed
      .then(() => this.obey(message))
      .catch((error: unknown) => {
        this.fail(error);
      })
      .then(() => {
        this.lastStatus = -Infinity;
      });
  }

  private fail(error: unknown): void {
    this.refuse(error instanceof Error ? error.message : String(error));
  }

  private refuse(message: string): void {
    this.page?.message({ type: "error", message });
  }

  private async obey(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case "ready":
        break;
      case "play":
        this.pacing.running = true;
        break;
      case "pause":
        this.pacing.running = false;
        break;
      case "step":
        this.pacing.step(message.count);
        break;
      case "speed":
        this.pacing.speed = message.value;
        break;
      case "reset":
        this.restart(message.seed);
        break;
      case "load":
        this.load(message.scenario);
        break;
      case "set":
        await this.set(message.values);
        break;
      case "pointer":
        this.flock.point(message);
        break;
      case "extra":
        this.extra = message.column;
        this.moved = true;
        break;
      case "select":
        this.watching.choose(message.id);
        break;
      case "pick":
        this.watching.choose(
          this.watched &&
            nearestTo(this.watched, [message.x, message.y, ...(message.z === undefined ? [] : [message.z])]),
        );
        break;
      case "place":
        await this.adopt(withPlaced(this.scene, this.scenario, message));
        break;
      case "move":
        await this.adopt(withMoved(this.scene, this.scenario, message));
        break;
      case "erase":
        await this.adopt(
          withoutNearest(this.scene, this.scenario, message.kind ?? "circle", message.x, message.y, this.hunters),
        );
        break;
      case "look":
        this.watching.look(message);
        break;
      case "window":
        break;
      default:
        this.refuse(`${message.type} works only for recorded runs`);
    }
  }

  private restart(seed: number | null): void {
    const { flock } = this;
    if (seed !== null && seed !== flock.seed && !this.scene.start.draw) this.refuse(OTHER_SEED);
    if (seed !== null) flock.seed = seed;
    flock.begin();
    this.begun();
  }

  private async set(values: Record<string, Json>): Promise<void> {
    let scenario = this.scenario;
    for (const [path, value] of Object.entries(values)) {
      const reason = refusal(this.scene, this.scenario, path, value);
      if (reason) throw new Error(reason);
      scenario = withValue(scenario, path, value);
    }
    await this.adopt(scenario, { type: "values", values });
  }

  /** Continue with other values; another number of agents starts a new flock. */
  private async adopt(scenario: JsonObject, answer: ServerMessage = { type: "scenario", scenario }): Promise<void> {
    const { flock } = this;
    if (numberAt(flock.scenario, "agents") !== numberAt(scenario, "agents")) {
      flock.scenario = scenario;
      this.restart(null);
      return;
    }
    await flock.adopt(scenario);
    this.moved = true;
    this.page?.message(answer);
  }

  private get hunters(): Predator[] {
    return this.state ? this.flock.huntersIn(this.state) : [];
  }

  /** A preset by name, or a bundled scenario with other values, as in a link. */
  private load(wanted: string | JsonObject): void {
    const found = sceneOf(this.data, wanted);
    if (typeof found === "string") {
      this.refuse(found);
      return;
    }
    this.flock.engine.destroy();
    this.flock = new Simulated(found.scene, this.data.words, found.scenario);
    this.state = null;
    this.page?.message({ type: "scene", objects: [] });
    this.begun();
  }

  /** For tests: the whole hash of the flock as it is now. */
  async hashNow(): Promise<string | null> {
    return this.flock.hash(await this.engine.read());
  }

  /** For tests: whole steps now, and the flock after them. */
  async stepNow(count: number): Promise<FlockState> {
    this.pacing.running = false;
    this.note(await this.engine.advance(count));
    this.moved = true;
    return this.engine.read();
  }
}

/** The scene that is asked for, and its scenario with the wanted values; or why there is none. */
function sceneOf(data: FileData, wanted: string | JsonObject): { scene: RunnableScene; scenario: JsonObject } | string {
  const name = typeof wanted === "string" ? wanted : String(wanted.name);
  const scene = data.scenes.filter(isRunnable).find(({ hello }) => hello.scenario.name === name);
  if (!scene) return `${name} is not in this file`;
  const base = scene.hello.scenario;
  if (typeof wanted === "string") return { scene, scenario: base };
  const changes = differingPaths(base, wanted).map((path): [string, Json] => [path, valueAt(wanted, path) ?? null]);
  const bad = changes.find(([path, value]) => refusal(scene, base, path, value) !== "");
  if (bad) return `${bad[0]} ${NEEDS_MURMURA}`;
  return { scene, scenario: changes.reduce((whole, [path, value]) => withValue(whole, path, value), base) };
}

function sameIds(a: Int32Array | undefined, b: Int32Array): boolean {
  return a !== undefined && a.length === b.length && a.every((id, k) => id === b[k]);
}
