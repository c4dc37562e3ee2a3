/** What a first visitor can do, in one line: from the first picture until something was done. Remembered. */

import { element } from "./dom";

const SEEN = "murmura.hint";

export class Hint {
  private strip: HTMLElement | null = null;
  private isOver: boolean;

  constructor(private readonly place: HTMLElement, private readonly memory: Pick<Storage, "getItem" | "setItem"> | null) {
    this.isOver = memory?.getItem(SEEN) === "1";
  }

  /** There is a flock to be seen. */
  begin(): void {
    if (this.isOver || this.strip) return;
    this.strip = element(
      "div",
      { class: "hint", role: "note" },
      element("span", {}, matchMedia("(pointer: coarse)").matches ? "Drag to attract · hold to repel · two fingers zoom" : "Drag to attract · right-drag to repel · Space pauses · ? for all keys"),
      element("button", { type: "button", class: "bare", "aria-label": "Dismiss the hint", click: () => { this.done(); } }, "×"),
    );
    this.place.prepend(this.strip);
  }

  /** The visitor did something: the hint has served. */
  done(): void {
    if (this.isOver || !this.strip) return;
    this.isOver = true;
    this.memory?.setItem(SEEN, "1");
    this.strip.remove();
  }
}
