/** Display settings, which never change the simulation. Some are remembered between visits. */

import { readBindings, type Bindings } from "../tools/keys";
import {
  COLOR_MODES,
  OWN_COLORS,
  palettesFor,
  type ColorMode,
  type OwnColors,
  type PaletteName,
} from "../render/palettes";
import { FORMS, type Form } from "../render/picture";

/** Light or dark by the system's preference, or fixed. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export type Tool = "hand" | "scare" | "predator" | "food" | "wall" | "circle" | "attractor" | "repulsor";

export interface Looks {
  mode: ColorMode;
  palette: PaletteName;
  own: OwnColors; // of the palette "own"
  form: Form | "scenario"; // of animals
  /** Whether the user chose the colour mode; until then each scenario suggests its own. */
  modeChosen: boolean;
  trails: boolean;
  trailsChosen: boolean; // until then each scenario suggests its own
  vision: boolean; // of all agents in view
  neighbors: boolean; // of all agents in view
  density: boolean;
  circle: boolean; // how far the selected agent sees
  wedge: boolean; // where it sees
  links: boolean; // its neighbours by rule
  forces: boolean; // the forces of its rules
  facts: boolean; // the details of the run, below its name
  charts: boolean;
  cards: string[] | null; // measures of the charts that the user chose; null: those that suit the scenario
  feed: boolean; // recent events
  panel: boolean;
  fillWindow: "scenario" | "always" | "never"; // whether the world takes the shape of the window
  theme: Theme;
  size: number; // of agents, relative to the scenario's
  trailLength: number; // 1 is the default
  wind: boolean; // whether to draw it
  guides: boolean; // frames of worlds; in space also axes, maps and lines to the ground
  hidden: boolean;
  keys: boolean;
  bindings: Bindings;
  tool: Tool;
  hunter: string; // the kind that the predator tool places
}

const KEPT = "murmura.looks";
const REMEMBERED = [
  "mode",
  "palette",
  "own",
  "form",
  "modeChosen",
  "trails",
  "circle",
  "wedge",
  "links",
  "forces",
  "facts",
  "charts",
  "cards",
  "feed",
  "panel",
  "fillWindow",
  "theme",
  "trailsChosen",
  "size",
  "trailLength",
  "wind",
  "guides",
  "keys",
  "bindings",
] as const;

export class Settings {
  readonly looks: Looks = {
    mode: "heading",
    palette: "dusk",
    own: OWN_COLORS,
    form: "scenario",
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
    facts: false, // collapsed at first, to show the flock
    charts: false,
    cards: null,
    feed: false,
    panel: false,
    fillWindow: "scenario",
    theme: "system",
    size: 1,
    trailLength: 1,
    wind: true,
    guides: false, // they cover the picture
    hidden: false,
    keys: true,
    bindings: {},
    tool: "hand",
    hunter: "hawk",
  };
  /** Colour modes of this server and scenario. */
  modes: readonly ColorMode[] = COLOR_MODES;
  private readonly system = globalThis.matchMedia?.("(prefers-color-scheme: light)");
  /** Read only when the browser reports a change: Chromium does not report a change that a page has already read. */
  private systemIsLight = this.system?.matches === true;
  private readonly listeners: ((changed: Partial<Looks>) => void)[] = [];

  constructor(private readonly memory: Pick<Storage, "getItem" | "setItem"> | null) {
    try {
      const kept: unknown = JSON.parse(memory?.getItem(KEPT) ?? "{}");
      for (const key of REMEMBERED) {
        const value = (kept as Record<string, unknown>)[key];
        if (typeof value === typeof this.looks[key]) Object.assign(this.looks, { [key]: value });
      }
    } catch {
      // The stored value is not valid JSON.
    }
    const { cards, theme, form, own, size, trailLength } = this.looks;
    if (!(Array.isArray(cards) && cards.every((name) => typeof name === "string"))) this.looks.cards = null;
    if (!THEMES.includes(theme)) this.looks.theme = "system";
    if (form !== "scenario" && !FORMS.includes(form)) this.looks.form = "scenario";
    if (!isPair(own)) this.looks.own = OWN_COLORS;
    Object.assign(this.looks, { size: within(size, 0.3, 4), trailLength: within(trailLength, 0.1, 8) });
    this.looks.bindings = readBindings(this.looks.bindings);
    if (!COLOR_MODES.includes(this.looks.mode)) this.looks.mode = "heading";
    this.suitPalette();
    this.system?.addEventListener("change", ({ matches }) => {
      this.systemIsLight = matches;
      this.set({});
    });
  }

  /** Whether the page uses the light theme. */
  get light(): boolean {
    const { theme } = this.looks;
    return theme === "system" ? this.systemIsLight : theme === "light";
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

  /** Several species are coloured by species, unless the user chose another mode. */
  suggest(modes: readonly ColorMode[], kinds: number, trails = this.looks.trails): void {
    this.modes = modes;
    const own: ColorMode = kinds > 1 ? "species" : "heading";
    this.set({
      mode: this.looks.modeChosen && modes.includes(this.looks.mode) ? this.looks.mode : own,
      ...(this.looks.trailsChosen ? {} : { trails }),
    });
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

function isPair(colors: readonly unknown[]): boolean {
  return (
    Array.isArray(colors) &&
    colors.length === 2 &&
    colors.every((color) => typeof color === "string" && /^#[0-9a-f]{6}$/i.test(color))
  );
}

function within(value: number, low: number, high: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : 1;
}

export function after<T>(list: readonly T[], item: T): T {
  return list[(list.indexOf(item) + 1) % list.length];
}
