/** A cross-hair for who has no pointer: arrow keys move it, Enter clicks there. */

import { element } from "../dom";
import type { Point } from "../net/protocol";
import { say } from "../text/language";
import type { Gestures } from "./input";

const STEP = 12; // [px] of the first press; a held key goes faster
const FASTEST = 60;
const WAYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class Crosshair {
  readonly root = element("div", { class: "crosshair", "aria-hidden": "true", hidden: true });
  private at: Point | null = null;
  private pace = STEP;

  /** `middle` is the middle of the free part of the window. */
  constructor(
    private readonly canvas: HTMLElement,
    private readonly gestures: Pick<Gestures, "click" | "doubleClick">,
    private readonly middle: () => Point,
  ) {
    canvas.setAttribute("aria-describedby", "crosshair-help");
    canvas.after(
      element(
        "p",
        { class: "quiet", id: "crosshair-help" },
        say(
          "Arrow keys move a cross-hair. Enter places or selects there, Shift Enter removes. Shift N is the next bird.",
        ),
      ),
    );
    canvas.addEventListener("blur", () => {
      this.hide();
    });
    canvas.addEventListener("pointerdown", () => {
      this.hide();
    });
  }

  /** Whether a key was meant for the cross-hair: those that reach the focused canvas. */
  key(event: KeyboardEvent): boolean {
    if (document.activeElement !== this.canvas || event.ctrlKey || event.altKey || event.metaKey) return false;
    if (event.key in WAYS) {
      this.move(WAYS[event.key], event.repeat);
      return true;
    }
    if (event.key !== "Enter" || !this.at) return false;
    this.gestures.click(this.at, event.shiftKey);
    return true;
  }

  private move([dx, dy]: [number, number], held: boolean): void {
    this.pace = held ? Math.min(FASTEST, this.pace * 1.15) : STEP;
    const from = this.at ?? this.middle();
    const within = (value: number, most: number) => Math.min(most - 1, Math.max(0, value));
    this.at = this.at
      ? { x: within(from.x + dx * this.pace, innerWidth), y: within(from.y + dy * this.pace, innerHeight) }
      : from; // the first press shows it
    this.root.style.left = `${this.at.x}px`;
    this.root.style.top = `${this.at.y}px`;
    this.root.hidden = false;
  }

  private hide(): void {
    this.at = null;
    this.root.hidden = true;
  }
}
