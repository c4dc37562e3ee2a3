/**
 * Places, moves and removes objects.
 *
 * The server applies each change to its current scenario, because the page's copy may be outdated: six
 * quick clicks must make six hunters. In a scenario without feeding, food is only an attractor, and a notice says so:
 * compiling the feeding rules would take too long.
 */

import { type ClientMessage, type Hello, type JsonObject, type Placeable, type Point } from "../net/protocol";
import { resolve, valueAt } from "../panel/controls/schema";

const NOBODY_EATS = "Agents do not eat in this scene, so this food only attracts them.";
/** The scene where they eat. */
export const REAL_FOOD = "feeding-grounds";
const NOT_YOURS = "Only placed food can be removed.";
const STRENGTHS = { attractor: 3, repulsor: -4 };

export class Places {
  constructor(
    private readonly hello: () => Hello | null,
    private readonly send: (message: ClientMessage) => void,
    private readonly tell: (text: string, scene?: string) => void,
  ) {}

  put(kind: "food" | "predator", place: Point, species: string): void {
    if (kind === "predator") {
      this.send({ type: "place", kind, ...place, species });
      return;
    }
    this.send({ type: "place", kind, ...place });
    if (!this.eats) this.tell(NOBODY_EATS, REAL_FOOD);
  }

  attract(tool: "attractor" | "repulsor", place: Point): void {
    this.send({ type: "place", kind: "attractor", ...place, strength: STRENGTHS[tool] });
  }

  /** Remove the nearest object of a kind. */
  remove(kind: Placeable, place: Point): void {
    const sources = valueAt(this.hello()?.scenario, "rules.feeding.sources");
    if (kind === "food" && this.eats && Array.isArray(sources) && sources.length === 0) this.tell(NOT_YOURS);
    else this.send({ type: "erase", ...place, kind });
  }

  private get eats(): boolean {
    return valueAt(this.hello()?.scenario, "rules.feeding.enabled") === true;
  }
}

/** Kinds of hunters in the scenario's schema. */
export function hunterKinds(schema: JsonObject): string[] {
  const kind = resolve(schema, valueAt(schema, "$defs.Hunter.properties.kind"));
  return Array.isArray(kind.enum) ? kind.enum.map(String) : [];
}
