/** A one-line hint for first-time visitors, shown from the first picture until their first action, and never again. */

import { element } from "../dom";
import { say } from "./language";

const SEEN = "murmura.hint";
const HINTS = {
  touch: {
    plane: "Drag to attract · hold to repel · pinch to zoom",
    space: "Drag to attract · two fingers orbit and zoom",
  },
  mouse: {
    plane: "Drag to attract · right-drag to repel · Space pauses · ? for all keys",
    space: "Drag to attract · middle-drag, A or D to orbit · Space pauses · ? for all keys",
  },
};

export class Hint {
  readonly root: HTMLElement;
  private isOver: boolean;
  private isShown = false;
  private readonly text: HTMLElement;

  constructor(private readonly memory: Pick<Storage, "getItem" | "setItem"> | null) {
    this.isOver = memory?.getItem(SEEN) === "1";
    const touch = matchMedia("(pointer: coarse)").matches;
    this.text = element("span", {}, HINTS[touch ? "touch" : "mouse"].plane);
    this.root = element(
      "div",
      { class: "hint waits", role: "note", hidden: this.isOver }, // its space is reserved, so that the view does not move
      this.text,
      element(
        "button",
        {
          type: "button",
          class: "bare",
          "aria-label": "Dismiss the hint",
          click: () => {
            this.done();
          },
        },
        "×",
      ),
    );
  }

  /** A flock is visible; nothing acts on that of a recorded run. */
  begin(isRecorded: boolean, isSpace: boolean): void {
    if (this.isShown) return;
    this.isShown = true;
    const touch = matchMedia("(pointer: coarse)").matches;
    if (isSpace) this.text.textContent = say(HINTS[touch ? "touch" : "mouse"].space);
    if (isRecorded) this.text.textContent = say("Space pauses · drag the time line · ? for all keys");
    this.root.classList.remove("waits");
  }

  /** The user has done something: hide the hint. */
  done(): void {
    if (this.isOver || !this.isShown) return;
    this.isOver = true;
    this.memory?.setItem(SEEN, "1");
    this.root.hidden = true;
  }
}
