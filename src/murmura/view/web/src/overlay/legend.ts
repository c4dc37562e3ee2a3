/** The legend at the top, which explains colours and overlays. Rebuilt only when its content changes. */

import { element } from "../dom";
import type { OverlayCounts } from "./overlay";
import { colorTable, isCategory, legend, SPECIES_COLORS, TABLE_SIZE } from "../render/palettes";
import type { SpeciesInfo } from "../net/protocol";
import { humanized } from "../panel/controls/schema";
import type { Looks } from "../panel/settings";

const STOPS = 12; // of a gradient
const MOST_NAMES = 12;

export interface LegendScene {
  looks: Looks;
  species: SpeciesInfo[];
  hunters: number; // bit k: species k hunts
  stances: string[];
  light: boolean;
  counts: OverlayCounts;
}

export class Legend {
  readonly root = element("section", { class: "legend", "aria-label": "Legend" });
  private shown = "";

  show(scene: LegendScene): void {
    const { looks, counts } = scene;
    const key = JSON.stringify([
      looks.mode,
      looks.palette,
      looks.own,
      looks.vision,
      looks.neighbors,
      looks.density,
      scene.species,
      scene.hunters,
      scene.stances,
      scene.light,
      counts,
    ]);
    if (key === this.shown) return;
    this.shown = key;
    this.root.replaceChildren(...colours(scene), ...overlays(looks, counts));
  }
}

function colours({ looks, species, hunters, stances, light }: LegendScene): HTMLElement[] {
  const { mode, palette, own } = looks;
  if (isCategory(mode)) {
    const names =
      mode === "species"
        ? species.map((kind, k) => humanized(kind.name) + ((hunters >> k) & 1 ? " (hunts)" : ""))
        : stances.map(humanized);
    if (mode === "species" && species.length < 2) return [];
    const table = colorTable(
      mode,
      palette,
      species.map((kind, k) => kind.color || SPECIES_COLORS[k % SPECIES_COLORS.length]),
      light,
    );
    return names.slice(0, MOST_NAMES).map((name, k) => dot(name, rgb(table, k)));
  }
  const table = colorTable(mode, palette, [], light, own);
  const stops = Array.from({ length: STOPS + 1 }, (_, k) => rgb(table, Math.round((k / STOPS) * (TABLE_SIZE - 1))));
  const [low, high] = legend(mode);
  const swatch = element("span", { class: mode === "heading" ? "wheel" : "ramp", "aria-hidden": "true" });
  // y grows downwards, so headings run clockwise from east, as a conic gradient does from the right.
  swatch.style.background =
    mode === "heading" ? `conic-gradient(from 90deg, ${stops.join()})` : `linear-gradient(90deg, ${stops.join()})`;
  if (mode === "heading") return [element("span", {}, swatch, " Colour = direction of flight")];
  return [element("span", {}, `Colour = ${humanized(mode).toLowerCase()}: ${low} `, swatch, ` ${high}`)];
}

function dot(name: string, color: string): HTMLElement {
  const item = element("span", { class: "dot" }, name);
  item.style.setProperty("--dot", color);
  return item;
}

function overlays(looks: Looks, { links, cones, densest }: OverlayCounts): HTMLElement[] {
  const part = (every: number) => (every > 1 ? `, 1 agent in ${every}` : "");
  const found: HTMLElement[] = [];
  if (looks.neighbors)
    found.push(mark("lines", links > 0 ? `who sees whom${part(links)}` : "too many agents for lines"));
  if (looks.vision) found.push(mark("cones", cones > 0 ? `fields of view${part(cones)}` : "too many agents for cones"));
  if (looks.density)
    found.push(mark("squares", `up to ${Number(densest.toPrecision(2)).toLocaleString("en")} agents in 100 × 100 u`));
  return found;
}

function mark(kind: string, text: string): HTMLElement {
  return element("span", {}, element("span", { class: `mark ${kind}`, "aria-hidden": "true" }), text);
}

function rgb(table: Uint8Array, k: number): string {
  return `rgb(${table.subarray(4 * k, 4 * k + 3).join(" ")})`;
}
