/**
 * Putting things into the world, moving them and taking them out.
 *
 * The server does it, with the scenario as it is when its turn comes: what this page knows may be a moment old, and six
 * quick clicks shall make six hunters. Where nobody eats, food is an attractor, and a note says so: to make them eat,
 * rules would have to be compiled for longer than a visitor waits.
 */

import { type ClientMessage, type Hello, type JsonObject, type Placeable, type Point } from "../net/protocol";
import { resolve, valueAt } from "../panel/schema";

const NOBODY_EATS = "Nobody eats in this scenario, so this only attracts. For real food switch the rule feeding on, with energy, or load feeding-grounds.";
const NOT_YOURS = "Only food that was placed can be taken away.";
const STRENGTHS = { attractor: 3, repulsor: -4 };

export class Places {
  constructor(
    private readonly hello: () => Hello | null,
    private readonly send: (message: ClientMessage) => void,
    private readonly tell: (text: string) => void,
  ) {}

  put(kind: "food" | "predator", place: Point, species: string): void {
    if (kind === "predator") {
      this.send({ type: "place", kind, ...place, species });
      return;
    }
    this.send({ type: "place", kind, ...place });
    if (!this.eats) this.tell(NOBODY_EATS);
  }

  attract(tool: "attractor" | "repulsor", place: Point): void {
    this.send({ type: "place", kind: "attractor", ...place, strength: STRENGTHS[tool] });
  }

  /** Take away the nearest thing of a kind. */
  remove(kind: Placeable, place: Point): void {
    const sources = valueAt(this.hello()?.scenario, "rules.feeding.sources");
    if (kind === "food" && this.eats && Array.isArray(sources) && sources.length === 0) this.tell(NOT_YOURS);
    else this.send({ type: "erase", ...place, kind });
  }

  private get eats(): boolean {
    return valueAt(this.hello()?.scenario, "rules.feeding.enabled") === true;
  }
}

/** Kinds of hunters that the scenario's schema knows. */
export function hunterKinds(schema: JsonObject): string[] {
  const kind = resolve(schema, valueAt(schema, "$defs.Hunter.properties.kind"));
  return Array.isArray(kind.enum) ? kind.enum.map(String) : [];
}
