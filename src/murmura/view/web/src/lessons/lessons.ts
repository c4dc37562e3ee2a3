/** Lessons: the list, the cards one after the other, and one's own scene again at the end. */

import { element } from "../dom";
import type { ClientMessage, Hello, Json, JsonObject } from "../net/protocol";
import { button, cardOf, type Dial } from "./card";
import { lessonsOf, type Lesson, type Shown } from "./lesson";

export interface LessonCallbacks {
  send(message: ClientMessage): void;
  chart(measure: string): void;
  show(names: readonly Shown[]): void;
  hello(): Hello | null;
  /** The control of a value, with its range and its value now. */
  dial(path: string): Dial | null;
  secondsPerStep(): number;
  closed(): void;
}

/** The user's scene, to come back to. */
interface Own {
  scenario: JsonObject;
  seed: number;
  bundled: boolean;
}

export class Lessons {
  readonly root = element("section", { class: "lesson glass", "aria-label": "Lesson", hidden: true });
  private readonly dialog: HTMLDialogElement;
  private readonly list = element("ol", {});
  private lessons: Lesson[] = [];
  private lesson: Lesson | null = null;
  private own: Own | null = null;
  private skips = 0; // seconds, as soon as the lesson's flock is there

  constructor(private readonly callbacks: LessonCallbacks) {
    this.dialog = element(
      "dialog",
      { class: "sheet lessons", "aria-labelledby": "lessons-title" },
      element("form", { method: "dialog" }, element("button", { class: "bare close", "aria-label": "Close" }, "×")),
      element("h2", { id: "lessons-title" }, "Lessons"),
      element(
        "p",
        {},
        "Guess first, then see what happens, then try it yourself. Your own scene comes back at the end.",
      ),
      this.list,
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.dialog.showModal();
    if (this.lessons.length === 0) void this.fetch();
  }

  private async fetch(): Promise<void> {
    try {
      const answer = this.callbacks.hello()?.bundled ? null : await fetch("./api/lessons");
      this.lessons = lessonsOf(answer ? (answer.ok ? await answer.json() : []) : this.callbacks.hello()?.lessons);
    } catch {
      this.lessons = [];
    }
    this.list.replaceChildren(
      ...this.lessons.map((lesson) =>
        element(
          "li",
          {},
          button(lesson.title, "", () => {
            this.begin(lesson);
          }),
        ),
      ),
    );
    if (this.lessons.length === 0) this.list.replaceChildren(element("li", {}, "No lessons are available."));
  }

  private begin(lesson: Lesson): void {
    this.dialog.close();
    const hello = this.callbacks.hello();
    if (!this.lesson && hello)
      this.own = { scenario: hello.scenario, seed: hello.seed, bundled: hello.bundled === true };
    this.lesson = lesson;
    this.load(lesson.scene, lesson.values, lesson.seed);
    this.skip(lesson.skip);
    this.show(0);
  }

  private load(scenario: string, values: Record<string, Json>, seed: number | null): void {
    const { send } = this.callbacks;
    send({ type: "load", scenario, ...(seed === null ? {} : { seed }) });
    if (Object.keys(values).length > 0) send({ type: "set", values });
    send({ type: "play" });
  }

  /** Let some seconds of the new flock pass at once. */
  private skip(seconds: number): void {
    this.skips = seconds;
  }

  /** A flock has begun: its seconds before the first card pass now, because only now its step is known. */
  flock(): void {
    if (this.skips === 0) return;
    const count = Math.round(this.skips / this.callbacks.secondsPerStep());
    this.skips = 0;
    this.callbacks.send({ type: "step", count });
    this.callbacks.send({ type: "play" });
  }

  private show(at: number): void {
    const { lesson } = this;
    if (!lesson) return;
    const step = lesson.steps[at];
    const { callbacks } = this;
    const change = () => {
      if (Object.keys(step.set).length > 0) callbacks.send({ type: "set", values: step.set });
    };
    if (step.scene) this.load(step.scene, {}, null);
    if (!step.do) change();
    if (step.chart) callbacks.chart(step.chart);
    callbacks.show(step.show);
    const card = cardOf(step, step.turn ? callbacks.dial(step.turn) : null, {
      act: change,
      turn: (value) => {
        callbacks.send({ type: "set", values: { [step.turn]: value } });
      },
    });
    const close = button("×", "bare close", () => {
      this.end();
    });
    close.setAttribute("aria-label", "End the lesson");
    this.root.replaceChildren(
      close,
      element("h2", {}, `${lesson.title} (${at + 1} of ${lesson.steps.length})`),
      card,
      this.ways(lesson, at),
    );
    this.root.hidden = false;
  }

  private ways(lesson: Lesson, at: number): HTMLElement {
    const back = button("Back", "", () => {
      this.show(at - 1);
    });
    back.disabled = at === 0;
    const next = this.lessons[this.lessons.indexOf(lesson) + 1] as Lesson | undefined;
    const onward =
      at + 1 < lesson.steps.length
        ? button("Next", "", () => {
            this.show(at + 1);
          })
        : next
          ? button(`Next lesson: ${next.title}`, "", () => {
              this.begin(next);
            })
          : null;
    const home = button("Back to my scene", "", () => {
      this.end();
    });
    const isLast = at + 1 === lesson.steps.length;
    return element("div", { class: "row" }, back, ...(onward ? [onward] : []), ...(isLast ? [home] : []));
  }

  private end(): void {
    const { own } = this;
    if (this.lesson && own) {
      const scenario = own.bundled ? String(own.scenario.name) : own.scenario;
      this.callbacks.send({ type: "load", scenario, seed: own.seed });
    }
    this.lesson = this.own = null;
    this.skips = 0;
    this.root.hidden = true;
    this.callbacks.show([]);
    this.callbacks.closed();
  }
}
