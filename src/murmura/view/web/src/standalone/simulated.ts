/** A flock that is simulated: its scenario, seed and items, and the engine that has the rest. */

import type { ClientMessage, JsonObject, Predator } from "../net/protocol";
import type { RunnableScene, Words } from "./data";
import { Engine } from "./engine";
import type { Flock, FlockState } from "./flock_state";
import { Heritage } from "./hash";
import type { InspectedFlock } from "./messages/inspect";
import { huntersIn, itemsOf } from "./messages/surroundings";
import { vectorOf } from "./numbers";
import { follow, listsDiffer } from "./placing";
import { momentOf, startOf } from "./start";
import { Tables } from "./tables";
import { numberAt } from "./values";

export class Simulated {
  readonly engine: Engine;
  seed: number;
  heritage: Heritage;
  private tables: Tables;

  constructor(
    readonly scene: RunnableScene,
    private readonly words: Words,
    public scenario: JsonObject,
  ) {
    this.engine = new Engine(scene, words);
    this.seed = scene.hello.seed;
    this.tables = new Tables(scene);
    this.heritage = this.begin(true);
  }

  get time(): number {
    return this.engine.step * numberAt(this.scenario, "motion.time_step");
  }

  /** Place the flock at the start of its seed, or first at the moment at which its scenario looks good. */
  begin(isFirst = false): Heritage {
    const { scene, scenario, seed } = this;
    const tables = new Tables(scene);
    const moment = isFirst && scenario === scene.hello.scenario ? momentOf(scene) : null;
    if (moment) tables.keepItems(moment.items);
    follow(scene, tables, scene.hello.scenario, scenario, seed);
    const flock = moment?.flock ?? startOf(scene, scenario, seed, numberAt(scenario, "agents"));
    this.put(flock, tables, moment?.step ?? 0);
    return (this.heritage = new Heritage(scene, flock));
  }

  private put(flock: Flock, tables: Tables, step: number): void {
    this.tables = tables;
    this.engine.load(flock, tables, this.seed, step);
    this.retune();
  }

  private retune(): void {
    const vector = vectorOf(this.scene.live, (path) => numberAt(this.scenario, path));
    this.engine.retune(vector, this.tables);
  }

  /** Continue with other values, of which the number of agents is not one. */
  async adopt(scenario: JsonObject): Promise<void> {
    const before = this.scenario;
    if (listsDiffer(before, scenario)) {
      const state = await this.engine.read();
      const tables = this.tables.copy();
      tables.keepItems(state.items);
      follow(this.scene, tables, before, scenario, this.seed);
      this.scenario = scenario;
      this.put(state.flock, tables, state.step);
    } else {
      this.scenario = scenario;
      this.retune();
    }
  }

  /** The pointer is the last attractor. */
  point({ x, y, z, mode }: Extract<ClientMessage, { type: "pointer" }>): void {
    const { group, strengths } = this.scene.hand;
    const { columns } = this.scene.groups[group];
    const values: Record<string, number> = {
      x,
      y,
      strength: strengths[mode] ?? 0,
      ...(z === undefined || !columns.includes("z") ? {} : { z }),
    };
    this.engine.setItem(
      this.tables.range(group)[1] - 1,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [columns.indexOf(name), value])),
    );
  }

  /** What messages about a state are made from. */
  seen(state: FlockState): InspectedFlock {
    const { scene, tables, scenario, words } = this;
    return { scene, tables, state, scenario, words };
  }

  huntersIn(state: FlockState): Predator[] {
    return huntersIn(itemsOf(this.scene, this.tables, state.items, "predators"), this.words, state);
  }

  /** The whole hash of a state. */
  async hash(state: FlockState): Promise<string | null> {
    return this.heritage.hash(state, this.tables);
  }
}
