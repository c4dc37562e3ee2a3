/** A large play button over a flock that waits, with the reason. */

import { element } from "../dom";
import { icon } from "../icons";
import { isAtItsStart, type State } from "../store/state";
import { say } from "../text/language";

export class BigPlay {
  readonly root: HTMLElement;
  private readonly reason = element("p", {});

  constructor(play: () => void) {
    this.root = element(
      "div",
      { class: "big-play", role: "group", "aria-label": "The flock waits", hidden: true },
      element("button", { type: "button", "aria-label": "Play", click: play }, icon("play")),
      this.reason,
    );
  }

  show(state: State): void {
    const reason = reasonOf(state);
    this.root.hidden = reason === "";
    const text = say(reason);
    if (this.reason.textContent !== text) this.reason.textContent = text;
  }
}

/** Why the flock does not move; empty if it does, or if the user has paused it. */
export function reasonOf(state: State): string {
  if (state.held) return "Your system asks for less motion, so the flock waits for you.";
  return isAtItsStart(state) ? "A recorded run, from its beginning." : "";
}
