/**
 * Putting things into the world and taking them out.
 *
 * Obstacles always go to the server's `place`. Food and predators go there too where it takes them; else food is a
 * source of the scenario, and a predator one of its hunters. Where nobody eats, food is an attractor, and a note says so:
 * to make them eat, rules would have to be compiled for longer than a visitor waits.
 */

import { isObject, type ClientMessage, type Hello, type Json, type JsonObject, type Placeable, type Point, type SceneObject } from "./protocol";
import { resolve, valueAt } from "./schema";

const POINTS = "rules.attractors.points";
const SOURCES = "rules.feeding.sources";
const HUNTERS = "rules.predators.hunters";
const NOBODY_EATS = "Nobody eats in this scenario, so this only attracts. For real food switch the rule feeding on, with energy, or load feeding-grounds.";
const NOT_YOURS = "Only food that was placed can be taken away.";

export interface World {
  hello: Hello | null;
  things: SceneObject[]; // where hunters are now
}

export class Places {
  constructor(
    private readonly world: () => World,
    private readonly send: (message: ClientMessage) => void,
    private readonly tell: (text: string) => void,
  ) {}

  put(kind: "food" | "predator", place: Point, species: string): void {
    if (this.serverTakes(kind)) this.send({ type: "place", kind, ...place });
    else if (kind === "food" && this.eats) this.change(SOURCES, [...this.items(SOURCES), { ...place }], []);
    else if (kind === "food") this.attract(place);
    // Who hunts frightens: fear must be able to spread.
    else this.change(HUNTERS, [...this.items(HUNTERS), { ...place, kind: species }], ["rules.predators.enabled", "rules.fear.enabled"]);
  }

  /** Take away the nearest thing of a kind. */
  remove(kind: Placeable, place: Point): void {
    if (kind === "circle" || kind === "wall" || this.serverTakes(kind)) {
      this.send({ type: "erase", ...place, ...(kind === "food" || kind === "predator" ? { kind } : {}) });
      return;
    }
    const path = kind === "predator" ? HUNTERS : this.eats ? SOURCES : POINTS;
    const items = this.items(path);
    const gone = kind === "food" ? nearestOf(items, place) : this.nearestHunter(place);
    // The last hunter takes the rule with it: without hunters there is nothing to compute.
    const off = kind === "predator" && items.length === 1 ? { "rules.predators.enabled": false } : {};
    if (path === SOURCES && gone < 0) this.tell(NOT_YOURS);
    if (gone >= 0 && gone < items.length) this.change(path, items.filter((_, k) => k !== gone), [], off);
  }

  private attract(place: Point): void {
    this.change(POINTS, [...this.items(POINTS), { ...place, strength: 2, radius: 0.22 * this.side }], ["rules.attractors.enabled"]);
    this.tell(NOBODY_EATS);
  }

  private get eats(): boolean {
    return this.value("rules.feeding.enabled") === true;
  }

  /** Hunters are known by their number in the list; those born later are not in it. */
  private nearestHunter(place: Point): number {
    const hunters = this.world().things.filter((thing) => thing.kind === "predator");
    const k = nearestOf(hunters, place);
    return k < 0 ? -1 : hunters[k].id;
  }

  private serverTakes(kind: Placeable): boolean {
    return this.world().hello?.places?.includes(kind) ?? false;
  }

  private value(path: string): Json | undefined {
    return valueAt(this.world().hello?.scenario, path);
  }

  private items(path: string): JsonObject[] {
    const found = this.value(path);
    return Array.isArray(found) ? found.filter(isObject) : [];
  }

  private change(path: string, items: JsonObject[], needs: string[], more: Record<string, Json> = {}): void {
    const missing = needs.filter((each) => this.value(each) !== true).map((each) => [each, true] as const);
    this.send({ type: "set", values: { [path]: items, ...Object.fromEntries(missing), ...more } });
  }

  private get side(): number {
    return Math.min(Number(this.value("world.width") ?? 1000), Number(this.value("world.height") ?? 1000));
  }
}

export function nearestOf(items: { x?: unknown; y?: unknown }[], place: Point): number {
  const far = items.map((item) => Math.hypot(Number(item.x) - place.x, Number(item.y) - place.y));
  return far.length > 0 ? far.indexOf(Math.min(...far)) : -1;
}

/** Kinds of hunters that the scenario's schema knows. */
export function hunterKinds(schema: JsonObject): string[] {
  const kind = resolve(schema, valueAt(schema, "$defs.Hunter.properties.kind"));
  return Array.isArray(kind.enum) ? kind.enum.map(String) : [];
}
