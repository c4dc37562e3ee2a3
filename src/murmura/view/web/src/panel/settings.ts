/** How the page shows things: nothing here changes the simulation. Some of it is remembered between visits. */

import { readBindings, type Bindings } from "../tools/keys";
import { COLOR_MODES, palettesFor, type ColorMode, type PaletteName } from "../render/palettes";

/** Light and dark as the system has it, or as somebody in front of a projector wants it. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export type Tool = "hand" | "attractor" | "repulsor" | "scare" | "food" | "circle" | "wall";

export interface Looks {
  mode: ColorMode;
  palette: PaletteName;
  /** Whether somebody chose the colour mode; until then each scenario suggests its own. */
  modeChosen: boolean;
  trails: boolean;
  trailsChosen: boolean; // until then each scenario suggests its own
  vision: boolean; // of everybody in view
  neighbors: boolean; // of everybody in view
  density: boolean;
  circle: boolean; // the chosen agent's: how far it sees
  wedge: boolean; // where it sees
  links: boolean; // to whom it reacts
  forces: boolean; // what its rules want
  facts: boolean; // about the run, below its name
  charts: boolean;
  cards: string[] | null; // measures of the charts that the visitor chose; null: those that suit the scenario
  feed: boolean; // what happened lately
  panel: boolean;
  fillWindow: "scenario" | "always" | "never"; // whether the world takes the shape of the window
  theme: Theme;
  size: number; // of agents, beside the scenario's own
  trailLength: number; // 1 is the default
  wind: boolean; // whether it is drawn
  hidden: boolean;
  keys: boolean;
  bindings: Bindings;
  tool: Tool;
  hunter: string; // the kind that the predator tool places
}

const KEPT = "murmura.looks";
const REMEMBERED = ["mode", "palette", "modeChosen", "trails", "circle", "wedge", "links", "forces", "facts", "charts", "cards", "feed", "panel", "fillWindow", "theme", "trailsChosen", "size", "trailLength", "wind", "keys", "bindings"] as const;

export class Settings {
  readonly looks: Looks = {
    mode: "heading",
    palette: "dusk",
    modeChosen: false,
    trails: true,
    trailsChosen: false,
    vision: false,
    neighbors: false,
    density: false,
    circle: true,
    wedge: true,
    links: true,
    forces: true,
    facts: false, // folded at first: a visitor comes to see the flock
    charts: false,
    cards: null,
    feed: false,
    panel: false,
    fillWindow: "scenario",
    theme: "system",
    size: 1,
    trailLength: 1,
    wind: true,
    hidden: false,
    keys: true,
    bindings: {},
    tool: "hand",
    hunter: "hawk",
  };
  /** Colour modes that this server and scenario can show. */
  modes: readonly ColorMode[] = COLOR_MODES;
  private readonly system = globalThis.matchMedia?.("(prefers-color-scheme: light)");
  private readonly listeners: ((changed: Partial<Looks>) => void)[] = [];

  constructor(private readonly memory: Pick<Storage, "getItem" | "setItem"> | null) {
    try {
      const kept: unknown = JSON.parse(memory?.getItem(KEPT) ?? "{}");
      for (const key of REMEMBERED) {
        const value = (kept as Record<string, unknown>)[key];
        if (typeof value === typeof this.looks[key]) Object.assign(this.looks, { [key]: value });
      }
    } catch {
      // Whatever was stored there is not ours.
    }
    const { cards, theme, size, trailLength } = this.looks;
    if (!(Array.isArray(cards) && cards.every((name) => typeof name === "string"))) this.looks.cards = null;
    if (!THEMES.includes(theme)) this.looks.theme = "system";
    Object.assign(this.looks, { size: within(size, 0.3, 4), trailLength: within(trailLength, 0.1, 8) });
    this.looks.bindings = readBindings(this.looks.bindings);
    if (!COLOR_MODES.includes(this.looks.mode)) this.looks.mode = "heading";
    this.suitPalette();
    this.system?.addEventListener("change", () => { this.set({}); });
  }

  /** Whether the page is light. */
  get light(): boolean {
    const { theme } = this.looks;
    return theme === "system" ? this.system?.matches === true : theme === "light";
  }

  onChange(listener: (changed: Partial<Looks>) => void): void {
    this.listeners.push(listener);
  }

  set(changed: Partial<Looks>): void {
    Object.assign(this.looks, changed);
    this.suitPalette();
    const kept = Object.fromEntries(REMEMBERED.map((key) => [key, this.looks[key]]));
    this.memory?.setItem(KEPT, JSON.stringify(kept));
    for (const listener of this.listeners) listener(changed);
  }

  /** Several kinds are told apart by colour, unless somebody wants it otherwise. */
  suggest(modes: readonly ColorMode[], kinds: number, trails = this.looks.trails): void {
    this.modes = modes;
    const own: ColorMode = kinds > 1 ? "species" : "heading";
    this.set({ mode: this.looks.modeChosen && modes.includes(this.looks.mode) ? this.looks.mode : own, ...(this.looks.trailsChosen ? {} : { trails }) });
  }

  choose(mode: ColorMode): void {
    this.set({ mode, modeChosen: true });
  }

  nextMode(): void {
    this.choose(after(this.modes, this.looks.mode));
  }

  nextPalette(): void {
    this.set({ palette: after(palettesFor(this.looks.mode), this.looks.palette) });
  }

  private suitPalette(): void {
    const suitable = palettesFor(this.looks.mode);
    if (!suitable.includes(this.looks.palette)) this.looks.palette = suitable[0];
  }
}

function within(value: number, low: number, high: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : 1;
}

export function after<T>(list: readonly T[], item: T): T {
  return list[(list.indexOf(item) + 1) % list.length];
}
