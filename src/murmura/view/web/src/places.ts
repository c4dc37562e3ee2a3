/**
 * Putting things into the world and taking them out.
 *
 * Obstacles always go to the server's `place`. Food and predators go there too where the server knows them; else
 * food is an attractor and a predator a threat of the scenario, which pull and frighten all the same.
 */

import type { ClientMessage, Hello, Json, JsonObject, Placeable, Point } from "./protocol";
import { isObject } from "./protocol";
import { valueAt } from "./schema";

interface Fallback {
  rule: string;
  list: string;
  fields(side: number): JsonObject;
}

const FALLBACKS: Partial<Record<Placeable, Fallback>> = {
  food: { rule: "rules.attractors", list: "points", fields: (side) => ({ strength: 2, radius: 0.22 * side }) },
  predator: { rule: "rules.fear", list: "threats", fields: (side) => ({ radius: 0.16 * side }) },
};

export class Places {
  constructor(
    private readonly hello: () => Hello | null,
    private readonly send: (message: ClientMessage) => void,
  ) {}

  put(kind: "food" | "predator", place: Point): void {
    const fallback = this.fallback(kind);
    if (!fallback) this.send({ type: "place", kind, ...place });
    else this.change(fallback, [...this.items(fallback), { ...place, ...fallback.fields(this.side) }]);
  }

  /** Take away the nearest thing of a kind. */
  remove(kind: Placeable, place: Point): void {
    const fallback = this.fallback(kind);
    if (!fallback) {
      this.send({ type: "erase", ...place, ...(kind === "food" || kind === "predator" ? { kind } : {}) });
      return;
    }
    const items = this.items(fallback);
    const nearest = nearestOf(items, place);
    if (nearest >= 0) this.change(fallback, items.filter((_, k) => k !== nearest));
  }

  private fallback(kind: Placeable): Fallback | null {
    return this.hello()?.places?.includes(kind) ? null : (FALLBACKS[kind] ?? null);
  }

  private items({ rule, list }: Fallback): JsonObject[] {
    const found = valueAt(this.hello()?.scenario, `${rule}.${list}`);
    return Array.isArray(found) ? found.filter(isObject) : [];
  }

  private change({ rule, list }: Fallback, items: JsonObject[]): void {
    const values: Record<string, Json> = { [`${rule}.${list}`]: items };
    if (valueAt(this.hello()?.scenario, `${rule}.enabled`) !== true) values[`${rule}.enabled`] = true;
    this.send({ type: "set", values });
  }

  private get side(): number {
    const size = (name: string) => Number(valueAt(this.hello()?.scenario, `world.${name}`) ?? 1000);
    return Math.min(size("width"), size("height"));
  }
}

export function nearestOf(items: JsonObject[], place: Point): number {
  const far = items.map((item) => Math.hypot(Number(item.x) - place.x, Number(item.y) - place.y));
  return far.length > 0 ? far.indexOf(Math.min(...far)) : -1;
}
