/** A flock that this page simulates: hears what the page would say to a server, and answers. */

import type { ClientMessage, Hello, Json, JsonObject } from "../net/protocol";
import { bytesOf, isRunnable, type FileData, type RunnableScene } from "./data";
import { encodeFrame } from "./encode";
import { Engine, type FlockState } from "./engine";
import type { Answerer, Say } from "./line";
import { cheapMeasures } from "./measures";
import { vectorOf } from "./numbers";
import { drawnStart, seedWords, uniformPair } from "./random";
import { differingPaths, NEEDS_MURMURA, numberAt, prunedSchema, refusal, valueAt, withValue } from "./values";

const STATUS_MS = 200;
const MOST_STEPS = 16; // between two pictures
const STREAM_NOISE_OFFSET = 4;

export class LocalFlock implements Answerer {
  state: FlockState | null = null;
  private engine: Engine;
  private say: Say | null = null;
  private scenario: JsonObject;
  private seed: number;
  private running = true;
  private speed = 1;
  private extra = "density";
  private epoch = 1;
  private due = 0; // steps that time has brought and nobody has done
  private asked = 0; // steps of a "step" message
  private wanted = true; // a frame
  private moved = true;
  private rate = 0;
  private lastStatus = -Infinity;
  private obeyed: Promise<void> = Promise.resolve(); // making kernels takes a while: what follows waits for it

  private constructor(
    private readonly data: FileData,
    private readonly device: GPUDevice,
    private scene: RunnableScene,
    engine: Engine,
  ) {
    this.engine = engine;
    this.scenario = scene.hello.scenario;
    this.seed = scene.hello.seed;
  }

  static async of(data: FileData, device: GPUDevice): Promise<LocalFlock> {
    const scene = data.scenes.find(isRunnable);
    if (!scene) throw new Error("no scene of this file can be simulated");
    const flock = new LocalFlock(data, device, scene, await Engine.of(device, scene, numberAt(scene.hello.scenario, "agents")));
    flock.begin();
    return flock;
  }

  open(say: Say): void {
    this.say = say;
    this.greet();
    let last = performance.now();
    const turn = async (): Promise<void> => {
      const now = performance.now();
      await this.advance((now - last) / 1000);
      last = now;
      if (document.hidden) setTimeout(() => { void turn(); }, STATUS_MS);
      else requestAnimationFrame(() => { void turn(); });
    };
    void turn();
  }

  private greet(): void {
    const runnable = this.data.scenes.filter(isRunnable).map(({ hello }) => String(hello.scenario.name));
    const hello: Hello = {
      ...this.scene.hello, bundled: true,
      scenario: this.scenario, seed: this.seed, running: this.running, speed: this.speed,
      schema: prunedSchema(this.data.schema, this.scene.live),
      scenarios: this.data.scenarios.filter(({ name }) => runnable.includes(name)),
      columns: Object.keys(this.scene.extras) as NonNullable<Hello["columns"]>,
    };
    this.say?.message(hello);
  }

  /** Place the flock at the start that its seed gives. */
  private begin(): void {
    const { scene, engine } = this;
    const words = seedWords(this.seed);
    const columns = new Int32Array(scene.sizes.columns);
    if (scene.start) columns.set(new Int32Array(bytesOf(scene.start.columns).buffer));
    else this.fill(columns);
    const given = scene.start && this.seed === scene.hello.seed && !this.startChanged();
    let quads: Float32Array<ArrayBuffer>;
    if (scene.start && (given || !scene.canDraw)) quads = new Float32Array(bytesOf(scene.start.places).buffer);
    else {
      const drawn = drawnStart(this.scenario, this.seed, engine.agents);
      quads = drawn.quads;
      const bits = new Int32Array(drawn.headings.buffer);
      columns.set(bits, scene.columns.indexOf("heading") * scene.room);
    }
    engine.begin(quads, columns, words);
    const [x, y] = uniformPair(words, 0, 0, STREAM_NOISE_OFFSET);
    engine.setNoise(Math.floor(x * 256), Math.floor(y * 256));
    this.retune();
    this.due = this.asked = 0;
    this.moved = true;
  }

  /** Ids, and what everybody has at the start beside a place and a heading. */
  private fill(columns: Int32Array<ArrayBuffer>): void {
    const { scene, engine } = this;
    for (let id = 0; id < engine.agents; id++) columns[id] = id;
    const numbers = new Float32Array(columns.buffer);
    for (const [name, runs] of Object.entries(scene.fill)) {
      let at = scene.columns.indexOf(name) * scene.room;
      for (const [count, value] of runs) numbers.fill(value, at, (at += count));
    }
  }

  private startChanged(): boolean {
    const [mine, loaded] = [this.scenario, this.scene.hello.scenario].map((scenario) => JSON.stringify(valueAt(scenario, "start")));
    return mine !== loaded;
  }

  private retune(): void {
    const vector = vectorOf(this.scene.live, (path) => numberAt(this.scenario, path));
    this.engine.retune(vector, { width: numberAt(this.scenario, "world.width"), height: numberAt(this.scenario, "world.height") });
  }

  private async advance(seconds: number): Promise<void> {
    const dt = numberAt(this.scenario, "motion.time_step");
    if (this.running) this.due = Math.min(MOST_STEPS, this.due + (Math.min(seconds, 0.25) * this.speed) / dt);
    const steps = Math.min(MOST_STEPS, Math.floor(this.due) + this.asked);
    this.due -= Math.min(Math.floor(this.due), steps);
    this.asked = Math.max(0, this.asked - steps);
    if (steps > 0) {
      this.engine.advance(steps);
      this.moved = true;
    }
    this.rate += 0.05 * (steps / Math.max(seconds, 1e-3) - this.rate);
    if (this.wanted && this.moved) await this.show();
    if (performance.now() - this.lastStatus > STATUS_MS) this.report();
  }

  private async show(): Promise<void> {
    this.moved = this.wanted = false;
    const { engine } = this;
    const state = await engine.read();
    if (engine !== this.engine) return; // another preset since
    this.state = state;
    this.say?.frame(encodeFrame(state, this.scenario, this.epoch, this.scene.extras[this.extra] ?? null, state.column("species_id")));
  }

  private report(): void {
    this.lastStatus = performance.now();
    const dt = numberAt(this.scenario, "motion.time_step");
    const perTick = valueAt(this.scenario, "motion.velocity_unit") === "tick";
    this.say?.message({
      type: "status", step: this.engine.step, time: this.engine.step * dt, agents: this.engine.agents, hash: null,
      steps_per_second: this.running ? Math.round(10 * this.rate) / 10 : 0, running: this.running, speed: this.speed,
      measures: this.state ? cheapMeasures(this.state.quads, perTick ? 1 / dt : 1) : {},
    });
  }

  hear(message: ClientMessage): void {
    if (message.type === "ready") {
      this.wanted = true;
      return;
    }
    this.obeyed = this.obeyed.then(() => this.obey(message)).catch((error: unknown) => {
      this.refuse(error instanceof Error ? error.message : String(error));
    }).then(() => { this.lastStatus = -Infinity; });
  }

  private refuse(message: string): void {
    this.say?.message({ type: "error", message });
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
      case "set": this.set(message.values); break;
      case "pointer": this.engine.hand(message.x, message.y, this.scene.hand.strengths[message.mode] ?? 0); break;
      case "extra": this.extra = message.column; this.moved = true; break;
      case "select": case "pick": this.say?.message({ type: "inspect", id: null }); break;
      case "place": case "move": case "erase": this.refuse("What is placed here needs `murmura live`; in this page press and hold to attract or repel."); break;
      default: this.refuse(`${message.type} is for recorded runs`);
    }
  }

  private restart(seed: number | null): void {
    if (seed !== null && seed !== this.seed && !this.scene.canDraw) this.refuse("With obstacles this page begins with the start it was exported with.");
    else if (seed !== null) this.seed = seed;
    this.epoch++;
    this.begin();
    this.greet();
  }

  private set(values: Record<string, Json>): void {
    let scenario = this.scenario;
    for (const [path, value] of Object.entries(values)) {
      const reason = refusal(this.scene.live, this.scenario, path, value);
      if (reason) throw new Error(reason);
      scenario = withValue(scenario, path, value);
    }
    this.scenario = scenario;
    this.retune();
    this.moved = true;
    this.say?.message({ type: "scenario", scenario });
  }

  /** A preset by name, or a bundled scenario with other values, as a link has it. */
  private async load(wanted: string | JsonObject): Promise<void> {
    const name = typeof wanted === "string" ? wanted : String(wanted.name);
    const scene = this.data.scenes.filter(isRunnable).find(({ hello }) => hello.scenario.name === name);
    if (!scene) {
      this.refuse(`${name} is not in this file`);
      return;
    }
    const base = scene.hello.scenario;
    const changes = typeof wanted === "string" ? [] : differingPaths(base, wanted);
    const bad = changes.find((path) => refusal(scene.live, base, path, valueAt(wanted as JsonObject, path) ?? null) !== "");
    if (bad !== undefined) {
      this.refuse(`${bad} ${NEEDS_MURMURA}`);
      return;
    }
    if (scene !== this.scene) {
      const old = this.engine;
      this.engine = await Engine.of(this.device, scene, numberAt(base, "agents"));
      this.scene = scene;
      old.destroy();
    }
    this.seed = scene.hello.seed;
    this.scenario = changes.reduce((data, path) => withValue(data, path, valueAt(wanted as JsonObject, path) ?? null), base);
    this.epoch++;
    this.begin();
    this.greet();
  }

  /** For tests: whole steps now, and the flock after them. */
  async stepNow(count: number): Promise<FlockState> {
    this.running = false;
    this.engine.advance(count);
    this.moved = true;
    return this.engine.read();
  }
}
