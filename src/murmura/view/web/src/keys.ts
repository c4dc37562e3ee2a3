/** Every key in one table: what it does, how the shortcut sheet calls it. */

export type Action =
  | "toggle" | "step" | "reset" | "newSeed" | "more" | "fewer" | "slower" | "faster" | "mode" | "palette"
  | "vision" | "neighbors" | "density" | "screenshot" | "record" | "link" | "export" | "fit" | "fullScreen"
  | "hide" | "trails" | "scareTool" | "circleTool" | "wallTool" | "help" | "escape" | "charts" | "panel";

export interface Shortcut {
  keys: string[];
  shown: string;
  text: string;
  action: Action;
}

const row = (keys: string, shown: string, text: string, action: Action): Shortcut => ({ keys: keys.split("|"), shown, text, action });

/** Keys as `KeyboardEvent.key` names them; a capital letter is one with shift. */
export const SHORTCUTS: Shortcut[] = [
  row(" ", "Space", "pause or play", "toggle"),
  row(".|ArrowRight", ". or →", "one single step", "step"),
  row("r", "R", "start again, same seed", "reset"),
  row("R", "Shift R", "start again, new seed", "newSeed"),
  row("+|=", "+", "more agents", "more"),
  row("-|_", "−", "fewer agents", "fewer"),
  row("[", "[", "slower", "slower"),
  row("]", "]", "faster", "faster"),
  row("c|C", "C", "colour by heading, species, speed …", "mode"),
  row("p|P", "P", "next palette", "palette"),
  row("t|T", "T", "trails", "trails"),
  row("v|V", "V", "what the chosen agent can see", "vision"),
  row("n|N", "N", "its neighbours", "neighbors"),
  row("g|G", "G", "density grid", "density"),
  row("d|D", "D", "tool: scare, the mouse as a predator", "scareTool"),
  row("o|O", "O", "tool: round obstacle", "circleTool"),
  row("w|W", "W", "tool: draw a wall", "wallTool"),
  row("f", "F", "fit the world into the window", "fit"),
  row("F", "Shift F", "full screen", "fullScreen"),
  row("h|H", "H", "hide or show the interface", "hide"),
  row("m|M", "M", "charts", "charts"),
  row("b|B", "B", "settings panel", "panel"),
  row("s|S", "S", "screenshot", "screenshot"),
  row("x|X", "X", "record on or off", "record"),
  row("l|L", "L", "copy a link to this scene", "link"),
  row("e|E", "E", "save the scenario as JSON", "export"),
  row("?", "?", "this sheet", "help"),
  row("Escape", "Esc", "let go: selection, following, tool", "escape"),
];

export const MOUSE: [string, string][] = [
  ["Left drag", "attract (or use the chosen tool)"],
  ["Right or Shift drag", "repel (with a tool: erase)"],
  ["Click", "choose an agent"],
  ["Double click", "follow the nearest agent"],
  ["Wheel or pinch", "zoom at the pointer"],
  ["Middle drag or two fingers", "move the view"],
  ["Long press", "repel"],
  ["1 – 9", "load a preset"],
];

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** What a key stands for: an action, the number of a preset, or nothing. */
export function meaning(event: Pressed): Action | number | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (/^[1-9]$/.test(event.key)) return Number(event.key) - 1;
  return SHORTCUTS.find((shortcut) => shortcut.keys.includes(event.key))?.action ?? null;
}
