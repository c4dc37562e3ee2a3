/** What a first visitor can do, in one line: from the first picture until something was done. Remembered. */

import { element } from "../dom";

const SEEN = "murmura.hint";

export class Hint {
  readonly root: HTMLElement;
  private isOver: boolean;
  private isShown = false;

  constructor(private readonly memory: Pick<Storage, "getItem" | "setItem"> | null) {
    this.isOver = memory?.getItem(SEEN) === "1";
    const touch = matchMedia("(pointer: coarse)").matches;
    this.root = element(
      "div",
      { class: "hint waits", role: "note", hidden: this.isOver }, // its room is kept from the beginning: the view shall not move
      element("span", {}, touch ? "Drag to attract · hold to repel · two fingers zoom" : "Drag to attract · right-drag to repel · Space pauses · ? for all keys"),
      element("button", { type: "button", class: "bare", "aria-label": "Dismiss the hint", click: () => { this.done(); } }, "×"),
    );
  }

  /** There is a flock to be seen. */
  begin(): void {
    if (this.isShown) return;
    this.isShown = true;
    this.root.classList.remove("waits");
  }

  /** The visitor did something: the hint has served. */
  done(): void {
    if (this.isOver || !this.isShown) return;
    this.isOver = true;
    this.memory?.setItem(SEEN, "1");
    this.root.hidden = true;
  }
}
