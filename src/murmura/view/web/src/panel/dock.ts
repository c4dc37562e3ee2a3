/** The bar at the bottom: time, tools, colours, files. Every button shows its key. */

import { element } from "../dom";
import { icon, type IconName } from "../icons";
import { keysOf, shownKeys, type Action } from "../tools/keys";
import { isCategory, palettesFor, type ColorMode, type PaletteName } from "../render/palettes";
import { humanized } from "./controls/schema";
import { say } from "../text/language";
import type { Settings, Tool } from "./settings";

const SLOWEST = 0.1;
const FASTEST = 8;

export interface DockCallbacks {
  act(action: Action): void;
  speed(value: number): void;
  tool(tool: Tool): void;
  openFile(file: File): void;
}

export class Dock {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly recordButton: HTMLButtonElement;
  private readonly speed = element("input", { type: "range", min: "0", max: "1", step: "0.01", "aria-label": "Simulation speed", title: "Simulation speed" });
  private readonly speedText = element("output", { class: "speed" }, "1×");
  private readonly hunter = element("select", { "aria-label": "Kind of predator", title: "Kind of predator to place", hidden: true });
  private readonly tools = new Map<Tool, HTMLButtonElement>();
  private readonly titled: { button: HTMLButtonElement; action: Action }[] = [];
  private readonly mode = element("select", { "aria-label": "Colour by", title: "Colour by" });
  private readonly palette = element("select", { "aria-label": "Palette", title: "Palette" });
  private shownSpeed = NaN;

  constructor(private readonly settings: Settings, private readonly callbacks: DockCallbacks) {
    this.play = this.button("pause", "toggle", "Pause");
    this.recordButton = this.button("record", "record", "Record");
    this.speed.addEventListener("input", () => { callbacks.speed(speedOf(Number(this.speed.value))); });
    this.root = element(
      "div",
      { class: "dock glass", role: "toolbar", "aria-label": "Controls" },
      group("time", this.play, this.button("step", "step", "Single step"), this.button("reset", "reset", "Start again"), this.button("dice", "newSeed", "New seed")),
      group("pace", this.speed, this.speedText),
      group("tools", this.tool("hand", "hand", "Attract and repel", "escape"), this.tool("attractor", "attractor", "Permanent attractor", "attractorTool"), this.tool("repulsor", "repulsor", "Permanent repulsor", "repulsorTool"), this.tool("scare", "scare", "Predator", "scareTool"), this.tool("food", "food", "Food", "foodTool"), this.tool("circle", "circle", "Round obstacle", "circleTool"), this.tool("wall", "wall", "Wall", "wallTool"), this.hunter),
      group("colors", this.mode, this.palette),
      group("files", this.button("camera", "screenshot", "Screenshot"), this.recordButton, this.button("link", "link", "Copy link"), this.button("save", "export", "Save scenario"), this.button("actions", "actions", "Save the actions"), this.fileButton()),
      group("view", this.button("fit", "fit", "Fit the view"), this.button("chart", "charts", "Charts"), this.button("panel", "panel", "Settings"), this.button("help", "help", "Help")),
      group("more", this.moreButton()),
    );
    this.mode.addEventListener("change", () => { settings.choose(this.mode.value as ColorMode); });
    this.hunter.addEventListener("change", () => { settings.set({ hunter: this.hunter.value }); });
    this.palette.addEventListener("change", () => { settings.set({ palette: this.palette.value as PaletteName }); });
    settings.onChange(() => { this.refresh(); });
    this.refresh();
  }

  private button(name: IconName, action: Action, label: string): HTMLButtonElement {
    const button = element("button", { type: "button", "aria-label": label, click: () => { this.callbacks.act(action); } }, icon(name));
    this.titled.push({ button, action });
    return button;
  }

  private tool(tool: Tool, name: IconName, label: string, action: Action): HTMLButtonElement {
    const button = element("button", { type: "button", "aria-label": label, "aria-pressed": "false", click: () => { this.callbacks.tool(tool); } }, icon(name));
    this.tools.set(tool, button);
    this.titled.push({ button, action });
    return button;
  }

  private fileButton(): HTMLElement {
    const input = element("input", { type: "file", accept: ".json,application/json", class: "quiet", tabindex: "-1", "aria-label": "Scenario file" });
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) this.callbacks.openFile(file);
      input.value = "";
    });
    const open = element("button", { type: "button", "aria-label": "Open a scenario file", title: "Open a scenario file", click: () => { input.click(); } }, icon("open"));
    return element("span", {}, open, input);
  }

  /** Only shown in a notebook cell (by the style sheet), where the bar starts with the groups that fit into one line. */
  private moreButton(): HTMLButtonElement {
    const more = element("button", { type: "button", "aria-label": "More controls", title: "More controls", "aria-expanded": "false" }, "⋯");
    more.addEventListener("click", () => { more.setAttribute("aria-expanded", String(this.root.classList.toggle("unfolded"))); });
    return more;
  }

  offerHunters(kinds: string[]): void {
    if ([...this.hunter.options].map((option) => option.value).join() === kinds.join()) return;
    if (this.hunter.options.length > 0 || !kinds.includes(this.settings.looks.hunter)) this.settings.set({ hunter: kinds[0] ?? "" });
    this.hunter.replaceChildren(...kinds.map((kind) => element("option", { value: kind }, humanized(kind))));
    this.refresh();
  }

  running(yes: boolean): void {
    const label = say(yes ? "Pause" : "Play");
    if (this.play.getAttribute("aria-label") === label) return;
    this.play.setAttribute("aria-label", label);
    this.retitle();
    this.play.replaceChildren(icon(yes ? "pause" : "play"));
  }

  recording(yes: boolean): void {
    this.recordButton.classList.toggle("recording", yes);
    this.recordButton.setAttribute("aria-label", say(yes ? "Stop recording" : "Record"));
  }

  showSpeed(value: number): void {
    if (value === this.shownSpeed) return;
    this.shownSpeed = value;
    if (document.activeElement !== this.speed) this.speed.value = String(placeOf(value));
    this.speedText.textContent = `${Number(value.toPrecision(2))}×`;
  }

  private refresh(): void {
    const { mode, palette, tool } = this.settings.looks;
    for (const [name, made] of this.tools) made.setAttribute("aria-pressed", String(name === tool));
    this.hunter.hidden = tool !== "scare" || this.hunter.options.length === 0;
    this.hunter.value = this.settings.looks.hunter;
    this.retitle();
    const { modes } = this.settings;
    if (this.mode.options.length !== modes.length) this.mode.replaceChildren(...modes.map((each) => element("option", { value: each }, humanized(each))));
    this.mode.value = mode;
    const names = palettesFor(mode);
    this.palette.replaceChildren(...names.map((name) => element("option", { value: name }, name === "own" ? "Custom" : humanized(name))));
    this.palette.value = palette;
    this.palette.hidden = isCategory(mode);
  }

  /** A tooltip has the name of the button and its current key. */
  private retitle(): void {
    for (const { button, action } of this.titled) {
      button.title = `${button.getAttribute("aria-label") ?? ""} (${shownKeys(keysOf(action, this.settings.looks.bindings))})`;
    }
  }

}

function group(name: string, ...children: HTMLElement[]): HTMLElement {
  return element("div", { class: "group", "data-group": name }, ...children);
}

/** The slider is logarithmic: its middle is near 1. */
export function speedOf(place: number): number {
  return Number((SLOWEST * (FASTEST / SLOWEST) ** place).toPrecision(2));
}

export function placeOf(speed: number): number {
  return Math.log(speed / SLOWEST) / Math.log(FASTEST / SLOWEST);
}

/** The next of a list of convenient speeds. */
export function nextSpeed(speed: number, up: boolean): number {
  const row = [0.1, 0.25, 0.5, 1, 2, 4, 8];
  if (up) return row.find((value) => value > speed * 1.01) ?? FASTEST;
  return row.findLast((value) => value < speed * 0.99) ?? SLOWEST;
}
