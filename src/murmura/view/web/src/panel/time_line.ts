/** The time line of a live flock: go back, play on from there, and return. */

import { element } from "../dom";
import type { ClientMessage, PastLine } from "../net/protocol";
import { say } from "../text/language";
import { note } from "../text/toasts";

const JUMP_S = 5; // of a press on "back" or "forward" [simulated s]

export class TimeLineBar {
  readonly root: HTMLElement;
  private readonly slider = element("input", {
    type: "range",
    min: "0",
    max: "1",
    step: "1",
    class: "scrub",
    "aria-label": "Back in time",
  });
  private readonly place = element("output", { class: "place" });
  private readonly told = element("span", { class: "told", role: "status" });
  private readonly turn = element("button", { type: "button", class: "word" });
  private line: PastLine = { first: 0, last: 0, at: 0, back: false, left: false };
  private secondsPerStep = 1 / 60;
  private wanted: number | null = null; // the slider's position, until the next picture
  private isOpen = false;
  private isPossible = false;

  constructor(
    private readonly send: (message: ClientMessage) => void,
    private readonly resized: () => void,
  ) {
    this.turn.addEventListener("click", () => {
      send({ type: "present" });
    });
    this.slider.addEventListener("input", () => {
      this.seek(Number(this.slider.value));
    });
    const button = (text: string, label: string, click: () => void) =>
      element(
        "button",
        { type: "button", class: "bare", title: label, click, ...(text === "×" ? { "aria-label": label } : {}) },
        text,
      );
    this.root = element(
      "div",
      { class: "playback past glass", role: "group", "aria-label": "Back in time", hidden: true },
      button("−5 s", "Five seconds back", () => {
        this.jump(-1);
      }),
      this.slider,
      button("+5 s", "Five seconds forward", () => {
        this.jump(1);
      }),
      this.place,
      this.turn,
      button("×", "Close the time line", () => {
        this.open(false);
        if (this.line.back) send({ type: "present" });
      }),
      this.told,
    );
  }

  /** Jump by some seconds; the first jump opens the bar. */
  jump(direction: -1 | 1): void {
    if (!this.isPossible) {
      note("There is no way back here: comparisons, recordings and exported pages only go on.");
      return;
    }
    this.open(true);
    const to = this.line.at + (direction * JUMP_S) / this.secondsPerStep;
    this.seek(Math.round(Math.min(this.line.last, Math.max(this.line.first, to))));
  }

  open(yes: boolean): void {
    if (this.isOpen === yes) return;
    this.isOpen = yes;
    this.refresh();
  }

  /** One message per picture, however often the slider moves. */
  private seek(step: number): void {
    if (this.line.first === this.line.last) return;
    if (this.wanted === null) {
      requestAnimationFrame(() => {
        if (this.wanted !== null) this.send({ type: "seek", step: this.wanted });
        this.wanted = null;
      });
    }
    this.wanted = step;
    this.line = { ...this.line, at: step };
    this.write();
  }

  show(line: PastLine | undefined, secondsPerStep: number): void {
    this.isPossible = line !== undefined;
    if (!line) {
      this.open(false);
      return;
    }
    this.secondsPerStep = secondsPerStep;
    this.line = line;
    if (line.back && !this.isOpen) this.open(true);
    if (!this.isOpen || this.wanted !== null) return;
    this.refresh();
  }

  private refresh(): void {
    const { line } = this;
    this.slider.min = String(line.first);
    this.slider.max = String(Math.max(line.last, line.first + 1));
    if (!this.slider.matches(":active")) this.slider.value = String(line.at);
    this.turn.hidden = !line.back && !line.left;
    write(this.turn, line.back ? "Back to now" : "Undo the new course");
    write(
      this.told,
      line.back
        ? "Play repeats it. Change something, and it takes another course."
        : line.left
          ? "This is a new course."
          : "",
    );
    this.write();
    if (this.root.hidden === this.isOpen) {
      this.root.hidden = !this.isOpen;
      this.resized();
    }
  }

  private write(): void {
    const text = agoInWords((this.line.last - this.line.at) * this.secondsPerStep);
    write(this.place, text);
    this.slider.setAttribute("aria-valuetext", say(text));
  }
}

/** "now", "12.3 s ago", "2:05 min ago". */
export function agoInWords(seconds: number): string {
  if (seconds < 0.05) return "now";
  if (seconds < 60) return `${seconds.toFixed(1)} s ago`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min ago`;
}

function write(place: HTMLElement, english: string): void {
  const text = say(english);
  if (place.textContent !== text) place.textContent = text;
}
