/** How the page shows things: nothing here changes the simulation. Some of it is remembered between visits. */

import { COLOR_MODES, palettesFor, type ColorMode, type PaletteName } from "./palettes";

export type Tool = "hand" | "scare" | "circle" | "wall";

export interface Looks {
  mode: ColorMode;
  palette: PaletteName;
  trails: boolean;
  vision: boolean;
  neighbors: boolean;
  forces: boolean;
  density: boolean;
  charts: boolean;
  panel: boolean;
  hidden: boolean;
  keys: boolean;
  tool: Tool;
}

const KEPT = "murmura.looks";
const REMEMBERED = ["mode", "palette", "trails", "charts", "panel", "keys"] as const;

export class Settings {
  readonly looks: Looks = {
    mode: "heading",
    palette: "dusk",
    trails: true,
    vision: true,
    neighbors: true,
    forces: true,
    density: false,
    charts: true,
    panel: true,
    hidden: false,
    keys: true,
    tool: "hand",
  };
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
    if (!COLOR_MODES.includes(this.looks.mode)) this.looks.mode = "heading";
    this.suitPalette();
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

  nextMode(): void {
    this.set({ mode: after(COLOR_MODES, this.looks.mode) });
  }

  nextPalette(): void {
    this.set({ palette: after(palettesFor(this.looks.mode), this.looks.palette) });
  }

  private suitPalette(): void {
    const suitable = palettesFor(this.looks.mode);
    if (!suitable.includes(this.looks.palette)) this.looks.palette = suitable[0];
  }
}

export function after<T>(list: readonly T[], item: T): T {
  return list[(list.indexOf(item) + 1) % list.length];
}
