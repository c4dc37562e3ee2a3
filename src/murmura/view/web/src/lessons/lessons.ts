/** Lesson cards: small experiments that set up a scene, ask a question and show the answer. They come from files on the server. */

import { element } from "../dom";
import { isObject, type ClientMessage, type Json } from "../net/protocol";

export interface LessonStep {
  say: string;
  set: Record<string, Json>;
  ask: string;
  answer: string;
  chart: string;
}

export interface Lesson {
  name: string;
  title: string;
  scene: string;
  values: Record<string, Json>;
  steps: LessonStep[];
}

export interface LessonCallbacks {
  send(message: ClientMessage): void;
  chart(measure: string): void;
}

export class Lessons {
  readonly root = element("section", { class: "lesson glass", "aria-label": "Lesson", hidden: true });
  private readonly dialog: HTMLDialogElement;
  private readonly list = element("ol", {});
  private lesson: Lesson | null = null;
  private at = 0;
  private loaded = false;

  constructor(private readonly callbacks: LessonCallbacks) {
    this.dialog = element("dialog", { class: "sheet lessons", "aria-labelledby": "lessons-title" },
      element("form", { method: "dialog" }, element("button", { class: "bare close", "aria-label": "Close" }, "×")),
      element("h2", { id: "lessons-title" }, "Lessons"),
      element("p", {}, "Small experiments: each one sets up a scene, asks a question and shows the answer."),
      this.list);
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.dialog.showModal();
    if (!this.loaded) void this.fetch();
  }

  private async fetch(): Promise<void> {
    try {
      const answer = await fetch("./api/lessons");
      const found = answer.ok ? lessonsOf(await answer.json()) : [];
      this.loaded = found.length > 0;
      this.list.replaceChildren(...found.map((lesson) => element("li", {}, element("button", { type: "button", click: () => { this.begin(lesson); } }, lesson.title))));
    } catch {
      this.list.replaceChildren();
    }
    if (!this.loaded) this.list.replaceChildren(element("li", {}, "No lessons are available."));
  }

  private begin(lesson: Lesson): void {
    this.dialog.close();
    this.lesson = lesson;
    this.callbacks.send({ type: "load", scenario: lesson.scene });
    if (Object.keys(lesson.values).length > 0) this.callbacks.send({ type: "set", values: lesson.values });
    this.callbacks.send({ type: "play" });
    this.show(0);
  }

  /** Show one card. Its values apply at once, because the question is about what is on screen. */
  private show(at: number): void {
    const { lesson } = this;
    if (!lesson) return;
    this.at = at;
    const { say, set, ask, answer, chart } = lesson.steps[at];
    if (Object.keys(set).length > 0) this.callbacks.send({ type: "set", values: set });
    if (chart) this.callbacks.chart(chart);
    const told = element("p", { class: "answer", hidden: true, role: "status" }, answer);
    const reveal = element("button", { type: "button", click: () => { told.hidden = false; reveal.hidden = true; } }, "Show the answer");
    const turn = (label: string, to: number) => element("button", { type: "button", ...(to < 0 || to >= lesson.steps.length ? { disabled: true } : {}), click: () => { this.show(to); } }, label);
    this.root.replaceChildren(
      element("button", { type: "button", class: "bare close", "aria-label": "End the lesson", click: () => { this.end(); } }, "×"),
      element("h2", {}, `${lesson.title} (${this.at + 1} of ${lesson.steps.length})`),
      element("p", {}, say),
      ...(ask ? [element("p", { class: "ask" }, ask)] : []),
      ...(answer ? [reveal, told] : []),
      element("div", { class: "row" }, turn("Back", at - 1), turn("Next", at + 1)),
    );
    this.root.hidden = false;
  }

  private end(): void {
    this.lesson = null;
    this.root.hidden = true;
  }
}

/** Parses lessons from the server's answer; skips anything invalid. */
export function lessonsOf(data: unknown): Lesson[] {
  if (!Array.isArray(data)) return [];
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return data.filter(isObject).flatMap(({ name, title, scene, values, steps }) => {
    const cards = Array.isArray(steps) ? steps.filter(isObject).map((step) => ({ say: text(step.say), set: isObject(step.set) ? step.set : {}, ask: text(step.ask), answer: text(step.answer), chart: text(step.chart) })) : [];
    return typeof title === "string" && typeof scene === "string" && cards.length > 0 ? [{ name: text(name), title, scene, values: isObject(values) ? values : {}, steps: cards }] : [];
  });
}
