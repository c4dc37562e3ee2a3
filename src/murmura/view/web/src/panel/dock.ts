/** The bar at the bottom: every button has an icon, a word and, in its tooltip, its key. */

import { element } from "../dom";
import { icon, type IconName } from "../icons";
import type { Hello, Placeable } from "../net/protocol";
import { keysOf, shownKeys, type Action } from "../tools/keys";
import { isCategory, palettesFor, type ColorMode, type PaletteName } from "../render/palettes";
import { humanized } from "./controls/schema";
import { say } from "../text/language";
import type { Settings, Tool } from "./settings";

type Panel = "charts" | "feed" | "panel";
const PANELS: readonly [Panel, IconName, string][] = [
  ["charts", "chart", "Charts"],
  ["feed", "events", "Events"],
  ["panel", "panel", "Settings"],
];
/** Groups of which a narrow window shows one at a time. */
const TABS = [
  ["play", "Play"],
  ["place", "Place"],
  ["look", "Look"],
  ["share", "Share"],
] as const;
export type Tab = (typeof TABS)[number][0];
/** Tools in groups, those that one tries first in front: word, tooltip and key. */
const TOOLS: readonly [Tab, readonly [Tool, string, string, Action][]][] = [
  [
    "play",
    [
      ["hand", "Hand", "Attract; with the right button repel", "escape"],
      ["scare", "Scare", "Scare the flock", "scareTool"],
      ["predator", "Predator", "Place a predator", "predatorTool"],
      ["food", "Food", "Place food", "foodTool"],
    ],
  ],
  [
    "place",
    [
      ["wall", "Wall", "Draw a wall", "wallTool"],
      ["circle", "Stone", "Place a round obstacle", "circleTool"],
      ["attractor", "Attract", "Place what attracts for good", "attractorTool"],
      ["repulsor", "Repel", "Place what repels for good", "repulsorTool"],
    ],
  ],
];

/** What each tool places; the others act on the flock. */
const PLACED: Partial<Record<Tool, Placeable>> = {
  predator: "predator",
  food: "food",
  wall: "wall",
  circle: "circle",
  attractor: "attractor",
  repulsor: "attractor",
};
/** What only a server can do. */
const SERVED: readonly Action[] = ["rewind", "compare", "actions"];

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
  private readonly speed = element("input", {
    type: "range",
    min: "0",
    max: "1",
    step: "0.01",
    "aria-label": "Simulation speed",
    title: "Simulation speed",
  });
  private readonly speedText = element("output", { class: "speed" }, "1×");
  private readonly tabs = new Map<Tab, HTMLButtonElement>();
  private readonly panels = new Map<Panel, HTMLButtonElement>();
  private readonly tools = new Map<Tool, HTMLButtonElement>();
  private readonly titled: { button: HTMLButtonElement; action: Action; does: string }[] = [];
  private readonly mode = element("select", { "aria-label": "Colour by", title: "Colour by" });
  private readonly palette = element("select", { "aria-label": "Palette", title: "Palette" });
  private shownSpeed = NaN;

  constructor(
    private readonly settings: Settings,
    private readonly callbacks: DockCallbacks,
    turns: readonly HTMLElement[], // undo and redo
  ) {
    this.play = this.button("pause", "toggle", "Pause");
    this.recordButton = this.button("record", "record", "Clip");
    this.speed.addEventListener("input", () => {
      callbacks.speed(speedOf(Number(this.speed.value)));
    });
    this.root = element(
      "div",
      { class: "dock glass", role: "toolbar", "aria-label": "Controls", "data-tab": "play" },
      group(
        "time",
        this.play,
        this.button("rewind", "rewind", "Back in time", "Back"),
        element("span", { class: "pace" }, this.speed, this.speedText),
      ),
      group("undo", ...turns),
      group("tabs", ...TABS.map(([name, label]) => this.tab(name, label))),
      ...TOOLS.map(([name, tools]) => group(name, ...tools.map((each) => this.tool(...each)))),
      group("look", ...this.panelButtons()),
      group(
        "share",
        this.button("share", "share", "Share"),
        this.button("compare", "compare", "Compare with a changed copy", "Compare"),
      ),
      group("more", this.moreButton(), this.button("help", "help", "Help")),
      group(
        "again",
        this.button("step", "step", "Single step", "Step"),
        this.button("reset", "reset", "Start again", "Again"),
        this.button("dice", "newSeed", "New seed"),
        this.button("fit", "fit", "Fit the view", "Fit"),
        this.button("guides", "guides", "Frame, axes and maps", "Guides"),
      ),
      group("colors", this.mode, this.palette),
      group(
        "files",
        this.button("camera", "screenshot", "Picture"),
        this.recordButton,
        this.button("link", "link", "Link"),
        this.button("save", "export", "Save scenario", "Save"),
        this.button("actions", "actions", "Save the actions", "Actions"),
        this.fileButton(),
      ),
    );
    this.mode.addEventListener("change", () => {
      settings.choose(this.mode.value as ColorMode);
    });
    this.palette.addEventListener("change", () => {
      settings.set({ palette: this.palette.value as PaletteName });
    });
    settings.onChange(() => {
      this.refresh();
    });
    this.refresh();
  }

  /** Show one group of tools where there is no room for all. */
  openTab(name: Tab): void {
    this.root.dataset.tab = name;
    for (const [each, button] of this.tabs) button.setAttribute("aria-pressed", String(each === name));
  }

  private tab(name: Tab, label: string): HTMLButtonElement {
    const button = element(
      "button",
      {
        type: "button",
        class: "tab",
        "aria-label": `${label} tools`,
        "aria-pressed": String(name === "play"),
        click: () => {
          this.openTab(name);
        },
      },
      label,
    );
    this.tabs.set(name, button);
    return button;
  }

  private panelButtons(): HTMLButtonElement[] {
    return PANELS.map(([panel, name, label]) => {
      const button = this.button(name, panel, label);
      this.panels.set(panel, button);
      return button;
    });
  }

  /** `word` stands below the icon and is part of the label. */
  private button(name: IconName, action: Action, label: string, word = label): HTMLButtonElement {
    const button = element(
      "button",
      {
        type: "button",
        "aria-label": label,
        click: () => {
          this.callbacks.act(action);
        },
      },
      icon(name),
      element("span", { class: "word" }, word),
    );
    this.titled.push({ button, action, does: label });
    return button;
  }

  private tool(tool: Tool, label: string, does: string, action: Action): HTMLButtonElement {
    const button = element(
      "button",
      {
        type: "button",
        "aria-label": label,
        "aria-pressed": "false",
        click: () => {
          this.callbacks.tool(tool);
        },
      },
      icon(tool),
      element("span", { class: "word" }, label),
    );
    this.tools.set(tool, button);
    this.titled.push({ button, action, does });
    return button;
  }

  private fileButton(): HTMLElement {
    const input = element("input", {
      type: "file",
      accept: ".json,application/json",
      class: "quiet",
      tabindex: "-1",
      "aria-label": "Scenario file",
    });
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) this.callbacks.openFile(file);
      input.value = "";
    });
    const open = element(
      "button",
      {
        type: "button",
        "aria-label": "Open a scenario file",
        title: "Open a scenario file",
        click: () => {
          input.click();
        },
      },
      icon("open"),
      element("span", { class: "word" }, "Open"),
    );
    return element("span", {}, open, input);
  }

  /** Unfolds the groups that few need. */
  private moreButton(): HTMLButtonElement {
    const more = element(
      "button",
      { type: "button", title: "More controls", "aria-expanded": "false" },
      icon("more"),
      element("span", { class: "word" }, "More"),
    );
    more.addEventListener("click", () => {
      more.setAttribute("aria-expanded", String(this.root.classList.toggle("unfolded")));
    });
    return more;
  }

  /** Hide what cannot act: an exported page places some kinds only, and a recorded run obeys no tool. */
  offer({ places = [], bundled }: Pick<Hello, "places" | "bundled">): void {
    for (const [tool, button] of this.tools) {
      const kind = PLACED[tool];
      button.hidden = kind ? !places.includes(kind) : places.length === 0;
    }
    for (const { button, action } of this.titled) if (SERVED.includes(action)) button.hidden = bundled === true;
  }

  running(yes: boolean): void {
    const label = say(yes ? "Pause" : "Play");
    if (this.play.getAttribute("aria-label") === label) return;
    this.play.setAttribute("aria-label", label);
    this.retitle();
    this.play.replaceChildren(icon(yes ? "pause" : "play"), element("span", { class: "word" }, label));
  }

  recording(yes: boolean): void {
    this.recordButton.classList.toggle("recording", yes);
    this.recordButton.setAttribute("aria-label", say(yes ? "Stop the clip" : "Clip"));
    const word = this.recordButton.querySelector(".word");
    if (word) word.textContent = say(yes ? "Stop" : "Clip");
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
    for (const [panel, button] of this.panels) button.setAttribute("aria-expanded", String(this.settings.looks[panel]));
    this.retitle();
    const { modes } = this.settings;
    if (this.mode.options.length !== modes.length)
      this.mode.replaceChildren(...modes.map((each) => element("option", { value: each }, humanized(each))));
    this.mode.value = mode;
    const names = palettesFor(mode);
    this.palette.replaceChildren(
      ...names.map((name) => element("option", { value: name }, name === "own" ? "Custom" : humanized(name))),
    );
    this.palette.value = palette;
    this.palette.hidden = isCategory(mode);
  }

  /** A tooltip has the name of the button and its current key. */
  private retitle(): void {
    for (const { button, action, does } of this.titled) {
      button.title = `${say(does)} (${shownKeys(keysOf(action, this.settings.looks.bindings))})`;
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
