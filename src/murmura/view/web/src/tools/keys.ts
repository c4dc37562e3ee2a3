/** All keys in one table: action and description, and the user's own bindings. */

export type Action =
  | "toggle"
  | "step"
  | "reset"
  | "newSeed"
  | "more"
  | "fewer"
  | "slower"
  | "faster"
  | "mode"
  | "palette"
  | "vision"
  | "neighbors"
  | "density"
  | "screenshot"
  | "screenshotLarge"
  | "record"
  | "link"
  | "export"
  | "actions"
  | "fit"
  | "fullScreen"
  | "hide"
  | "trails"
  | "guides"
  | "attractorTool"
  | "repulsorTool"
  | "scareTool"
  | "predatorTool"
  | "foodTool"
  | "circleTool"
  | "wallTool"
  | "help"
  | "escape"
  | "charts"
  | "panel"
  | "feed"
  | "ride"
  | "gallery"
  | "lessons"
  | "panLeft"
  | "panRight"
  | "panUp"
  | "panDown"
  | "theme"
  | "compare"
  | "share"
  | "nextBird"
  | "describe"
  | "rewind"
  | "forward";

export interface Shortcut {
  keys: string[];
  text: string;
  action: Action;
}

/** The user's keys by action; an empty list: none. */
export type Bindings = Partial<Record<Action, string[]>>;

const row = (keys: string, text: string, action: Action): Shortcut => ({ keys: keys.split("|"), text, action });

/** Keys as in `KeyboardEvent.key`; a capital letter means shift. */
export const SHORTCUTS: readonly Shortcut[] = [
  row(" ", "pause or play", "toggle"),
  row(".", "single step", "step"),
  row("<", "five seconds back in time", "rewind"),
  row(">", "five seconds forward, up to now", "forward"),
  row("r", "start again, same seed", "reset"),
  row("R", "start again, new seed", "newSeed"),
  row("+|=", "more agents", "more"),
  row("-|_", "fewer agents", "fewer"),
  row("[", "slower", "slower"),
  row("]", "faster", "faster"),
  row("c", "colour by heading, species, speed …", "mode"),
  row("p|P", "next palette", "palette"),
  row("t|T", "trails", "trails"),
  row("v|V", "fields of view of all agents", "vision"),
  row("n", "links to neighbours", "neighbors"),
  row("N", "select the next bird", "nextBird"),
  row("'", "tell what the flock does, for screen readers", "describe"),
  row("g|G", "density grid", "density"),
  row("#", "frame of the world; in space also axes and maps", "guides"),
  row("i|I", "tool: attract for good", "attractorTool"),
  row("u|U", "tool: repel for good", "repulsorTool"),
  row("!", "tool: scare", "scareTool"),
  row("D", "tool: predator", "predatorTool"),
  row("o|O", "tool: food", "foodTool"),
  row("k|K", "tool: round stone", "circleTool"),
  row("W", "tool: wall", "wallTool"),
  row("f", "fit the world into the window", "fit"),
  row("F", "full screen", "fullScreen"),
  row("h|H", "hide or show the interface", "hide"),
  row("a|ArrowLeft", "move the view left", "panLeft"),
  row("d|ArrowRight", "move the view right", "panRight"),
  row("w|ArrowUp", "move the view up", "panUp"),
  row("s|ArrowDown", "move the view down", "panDown"),
  row(",", "follow the selected agent; in space: fly behind it", "ride"),
  row("m|M", "charts", "charts"),
  row("j|J", "recent events", "feed"),
  row("b|B", "settings panel", "panel"),
  row("S", "screenshot of the window", "screenshot"),
  row("y|Y", "screenshot, 3840 px wide", "screenshotLarge"),
  row("x", "start or stop a clip", "record"),
  row("X", "share: picture, clip, page, link", "share"),
  row("l|L", "copy a link to this scene", "link"),
  row("e|E", "save the scenario as JSON", "export"),
  row("A", "save all actions, for replay", "actions"),
  row("q|Q", "light, dark or system theme", "theme"),
  row("0", "all presets with pictures", "gallery"),
  row("C", "compare with a changed copy, side by side", "compare"),
  row("z|Z", "lessons: small experiments", "lessons"),
  row("?", "show this help", "help"),
  row("Escape", "deselect, stop following, put the tool away", "escape"),
];

export const MOUSE: readonly [string, string][] = [
  ["Left drag", "attract; with a tool: use it, or move what it placed"],
  ["Right or Shift drag", "repel; with a tool: remove"],
  ["Click", "select an agent; with a tool: place"],
  ["Double click", "follow the nearest agent"],
  ["Wheel or pinch", "zoom at the pointer"],
  ["Middle drag or two-finger drag", "move the view; in space: orbit"],
  ["Shift and middle drag", "in space: move the view"],
  ["Long press", "repel; with a tool: remove"],
  ["Arrow keys", "with the focus on the flock: move a cross-hair; Enter places or selects there, Shift Enter removes"],
  ["1 – 9", "load one of nine featured presets"],
];

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

export function keysOf(action: Action, bindings: Bindings): string[] {
  return bindings[action] ?? SHORTCUTS.find((shortcut) => shortcut.action === action)?.keys ?? [];
}

/** The meaning of a key: an action, the number of a preset, or nothing. */
export function meaning(event: KeyPress, bindings: Bindings = {}): Action | number | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const found = SHORTCUTS.find(({ action }) => keysOf(action, bindings).includes(event.key));
  if (found) return found.action;
  return /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : null;
}

/** Bind a key to an action, or unbind the action with null; the key's previous action loses it. Help and Esc are fixed. */
export function rebound(bindings: Bindings, action: Action, key: string | null): Bindings {
  const now: Bindings = { ...bindings, [action]: key === null ? [] : bothCases(key) };
  for (const other of SHORTCUTS) {
    if (other.action === action) continue;
    const left = keysOf(other.action, bindings).filter((each) => !now[action]?.includes(each));
    if (left.length < keysOf(other.action, bindings).length) now[other.action] = left;
  }
  return now;
}

/** Whether a key can be bound: those for help, escape and moving the focus cannot. */
export function isFree(key: string): boolean {
  return ![
    "?",
    "Escape",
    "Tab",
    "Enter",
    "Shift",
    "Control",
    "Alt",
    "Meta",
    "AltGraph",
    "CapsLock",
    "Dead",
    "Unidentified",
  ].includes(key);
}

/** A letter also works with shift, unless the capital has a meaning of its own. */
function bothCases(key: string): string[] {
  const upper = key.toUpperCase();
  const own = SHORTCUTS.some(({ keys }) => keys.includes(upper) && !keys.includes(key));
  return /^[a-z]$/.test(key) && !own ? [key, upper] : [key];
}

/** Bindings from storage; anything but lists of strings under known names is dropped. */
export function readBindings(data: unknown): Bindings {
  const found: Bindings = {};
  if (typeof data !== "object" || data === null) return found;
  for (const { action } of SHORTCUTS) {
    const keys: unknown = (data as Record<string, unknown>)[action];
    if (Array.isArray(keys) && keys.every((key) => typeof key === "string" && isFree(key)))
      found[action] = keys as string[];
  }
  return found;
}

const NAMES: Record<string, string> = {
  " ": "Space",
  ArrowRight: "→",
  ArrowLeft: "←",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  "-": "−",
};

/** The keys of an action, for the help sheet and tooltips. */
export function shownKeys(keys: readonly string[]): string {
  const letters = keys.filter(
    (key) => !(/^[A-Z]$/.test(key) && keys.includes(key.toLowerCase())) && key !== "=" && key !== "_",
  );
  return (
    letters
      .map((key) => NAMES[key] ?? (/^[A-Z]$/.test(key) ? `Shift ${key}` : key.length === 1 ? key.toUpperCase() : key))
      .join(" or ") || "none"
  );
}
