/** Undo and redo: of values by path, and of things that were placed, erased or moved. Independent of the DOM. */

import { same } from "./link";
import type { ClientMessage, Json, JsonObject } from "./protocol";
import { valueAt } from "../panel/controls/schema";

export type Values = Record<string, Json>;
/** Changes one thing; the server can take it back by its key, even before it is compiled. */
export type ThingMessage = Extract<ClientMessage, { type: "place" | "erase" | "move" }>;

type Entry = { values: Values } | { key: string; thing: ThingMessage };
/** What to do to turn back or forth. */
export type Turn = { values: Values } | { withdraw: string } | { again: ThingMessage };

const MOST = 200;
const ONE_MOVE_MS = 900; // changes of the same values within this time count as one
const AT_ONCE = -Infinity;

export class Undo {
  private past: Entry[] = [];
  private future: Entry[] = [];
  private lastTime = AT_ONCE;
  private named = 0;

  /** `page` makes keys of several pages differ. */
  constructor(private readonly page = Math.random().toString(36).slice(2, 10)) {}

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** These values are about to change; the scenario still has the old ones. */
  note(paths: string[], scenario: JsonObject, now: number): void {
    const before = valuesAt(withSwitches(paths), scenario);
    const last = this.past.at(-1);
    const goesOn =
      last &&
      "values" in last &&
      now - this.lastTime < ONE_MOVE_MS &&
      same(Object.keys(last.values), Object.keys(before));
    this.lastTime = now;
    this.future = [];
    if (!goesOn) this.push({ values: before });
  }

  /** One thing is about to be changed; returns the message with the key that takes it back. */
  noteThing(thing: ThingMessage): ThingMessage {
    this.lastTime = AT_ONCE;
    this.future = [];
    return this.keyed(thing);
  }

  private keyed(thing: ThingMessage): ThingMessage {
    const key = `${this.page}-${this.named++}`;
    this.push({ key, thing });
    return { ...thing, key };
  }

  private push(entry: Entry): void {
    this.past.push(entry);
    if (this.past.length > MOST) this.past.shift();
  }

  /** What undoes a change, or redoes it with `again`; null if there is none. */
  turn(again: boolean, scenario: JsonObject): Turn | null {
    const [from, to] = again ? [this.future, this.past] : [this.past, this.future];
    const entry = from.pop();
    if (!entry) return null;
    this.lastTime = AT_ONCE;
    if ("values" in entry) {
      to.push({ values: valuesAt(Object.keys(entry.values), scenario) });
      return entry;
    }
    if (again) return { again: this.keyed(entry.thing) };
    to.push(entry);
    return { withdraw: entry.key };
  }

  clear(): void {
    this.past = [];
    this.future = [];
  }
}

/** With the switches of rules whose values are named: naming a value alone would switch its rule on. */
function withSwitches(paths: string[]): string[] {
  const switches = paths.flatMap((path) => (/^rules\.\w+(?=\.)/.exec(path) ?? []).map((rule) => `${rule}.enabled`));
  return [...new Set([...paths, ...switches])];
}

function valuesAt(paths: string[], scenario: JsonObject): Values {
  return Object.fromEntries(paths.map((path) => [path, valueAt(scenario, path) ?? null]));
}
