/** Undo and redo of changes to the scenario, as values by path. Independent of the DOM. */

import { same } from "./link";
import type { Json, JsonObject } from "./protocol";
import { valueAt } from "../panel/controls/schema";

export type Values = Record<string, Json>;

const MOST = 200;
const ONE_MOVE_MS = 900; // changes of the same values within this time count as one

export class Undo {
  private past: Values[] = [];
  private future: Values[] = [];
  private lastTime = -Infinity;

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** These values are about to change; the scenario still has the old ones. */
  note(paths: string[], scenario: JsonObject, now: number): void {
    const before = valuesAt(paths, scenario);
    const last = this.past.at(-1);
    const goesOn = last && now - this.lastTime < ONE_MOVE_MS && same(Object.keys(last), paths);
    this.lastTime = now;
    this.future = [];
    if (goesOn) return;
    this.past.push(before);
    if (this.past.length > MOST) this.past.shift();
  }

  /** The values that undo a change, or redo it with `again`; null if there is none. */
  turn(again: boolean, scenario: JsonObject): Values | null {
    const [from, to] = again ? [this.future, this.past] : [this.past, this.future];
    const values = from.pop();
    if (!values) return null;
    to.push(valuesAt(Object.keys(values), scenario));
    this.lastTime = -Infinity;
    return values;
  }

  clear(): void {
    this.past = [];
    this.future = [];
  }
}

function valuesAt(paths: string[], scenario: JsonObject): Values {
  return Object.fromEntries(paths.map((path) => [path, valueAt(scenario, path) ?? null]));
}
