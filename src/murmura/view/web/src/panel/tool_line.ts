/** A line of instruction for the chosen tool, with the kind of hunter to place. */

import { element } from "../dom";
import { say } from "../text/language";
import { humanized } from "./controls/schema";
import type { Settings, Tool } from "./settings";

const INSTRUCTIONS: Record<Tool, string> = {
  hand: "Press on the flock and it comes; with the right button it goes away.",
  scare: "Press on the flock: it bursts apart.",
  predator: "Click where a hunter should appear. Right-click takes one away.",
  food: "Click where food should lie. Drag to move it, right-click to take it away.",
  wall: "Drag to draw a wall. Right-click takes it away.",
  circle: "Click for a stone, or drag to choose its size. Right-click takes it away.",
  attractor: "Click to place what attracts. Drag to move it, right-click to take it away.",
  repulsor: "Click to place what repels. Drag to move it, right-click to take it away.",
};
const TOUCHED: Partial<Record<Tool, string>> = {
  hand: "Press on the flock and it comes; hold still first and it goes away.",
};

export class ToolLine {
  readonly root: HTMLElement;
  private readonly text = element("span", { role: "status" });
  private readonly hunter = element("select", {
    "aria-label": "Kind of predator",
    title: "Kind of predator to place",
    hidden: true,
  });
  private isAsked = false; // for the hand, which is the usual tool

  constructor(private readonly settings: Settings) {
    this.hunter.addEventListener("change", () => {
      settings.set({ hunter: this.hunter.value });
    });
    this.root = element("div", { class: "tool-line", hidden: true }, this.hunter, this.text);
    settings.onChange((changed) => {
      if ("tool" in changed || "hunter" in changed) this.show();
    });
  }

  /** The user chose this tool with its button, even if it was chosen before. */
  ask(tool: Tool): void {
    this.isAsked = tool === "hand";
    this.show();
  }

  offerHunters(kinds: string[]): void {
    if ([...this.hunter.options].map((option) => option.value).join() === kinds.join()) return;
    if (this.hunter.options.length > 0 || !kinds.includes(this.settings.looks.hunter))
      this.settings.set({ hunter: kinds[0] ?? "" });
    this.hunter.replaceChildren(...kinds.map((kind) => element("option", { value: kind }, humanized(kind))));
    this.show();
  }

  private show(): void {
    const { tool, hunter } = this.settings.looks;
    if (tool !== "hand") this.isAsked = false;
    this.hunter.hidden = tool !== "predator" || this.hunter.options.length === 0;
    this.hunter.value = hunter;
    const touch = matchMedia("(pointer: coarse)").matches;
    this.text.textContent = say((touch ? TOUCHED[tool] : undefined) ?? INSTRUCTIONS[tool]);
    this.root.hidden = tool === "hand" && !this.isAsked;
  }
}
