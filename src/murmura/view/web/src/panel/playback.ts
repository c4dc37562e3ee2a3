/** The time line of a recorded run, with buttons to continue live and to return. */

import { element } from "../dom";
import type { ClientMessage, TimeLine } from "../net/protocol";
import { say } from "../text/language";

export class PlaybackBar {
  readonly root: HTMLElement;
  private readonly slider = element("input", {
    type: "range",
    min: "0",
    max: "1",
    step: "1",
    class: "scrub",
    "aria-label": "Time line of the recorded run",
  });
  private readonly place = element("output", { class: "place" });
  private readonly branch: HTMLButtonElement;
  private readonly note = element("span", { class: "told", role: "status" });
  private line: TimeLine | null = null;
  private wanted: number | null = null; // the slider's position, until the next picture

  constructor(private readonly send: (message: ClientMessage) => void) {
    this.branch = element("button", {
      type: "button",
      class: "word",
      click: () => {
        send({ type: this.line?.live ? "return" : "branch" });
      },
    });
    this.slider.addEventListener("input", () => {
      this.seek(Number(this.slider.value));
    });
    this.root = element(
      "div",
      { class: "playback glass", role: "group", "aria-label": "Recorded run", hidden: true },
      this.place,
      this.slider,
      this.note,
      this.branch,
    );
  }

  /** One message per picture, however often the slider moves. */
  private seek(step: number): void {
    if (this.wanted === null) {
      requestAnimationFrame(() => {
        if (this.wanted !== null) this.send({ type: "seek", step: this.wanted });
        this.wanted = null;
      });
    }
    this.wanted = step;
    this.place.textContent = placeOf(step, this.line?.last ?? step);
  }

  show(line: TimeLine | undefined, step: number): void {
    if (!line) return;
    this.root.hidden = false;
    this.line = line;
    this.slider.min = String(line.first);
    this.slider.max = String(line.last);
    this.slider.disabled = line.live || line.waiting;
    this.slider.hidden = line.live;
    this.note.textContent = line.live ? say(`live, ${line.told}`) : "";
    this.branch.disabled = line.waiting;
    this.branch.textContent = say(
      line.waiting ? "Going live …" : line.live ? "Back to the recording" : "Live from here",
    );
    if (this.wanted !== null || (document.activeElement === this.slider && this.slider.matches(":active"))) return;
    this.slider.value = String(line.at);
    this.slider.setAttribute("aria-valuetext", placeOf(line.at, line.last));
    this.place.textContent = line.live ? say(`step ${step.toLocaleString("en")}`) : placeOf(line.at, line.last);
  }
}

export function placeOf(step: number, last: number): string {
  return `${step.toLocaleString("en")} / ${last.toLocaleString("en")}`;
}
