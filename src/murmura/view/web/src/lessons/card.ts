/** One card of a lesson: a question with choices, then what to do, then what happens, then the reader's own slider. */

import { element } from "../dom";
import { say } from "../text/language";
import { partsOf, type LessonStep, type Progress } from "./lesson";

export interface Dial {
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
}

export interface CardCallbacks {
  act(): void;
  turn(value: number): void;
}

export function cardOf(step: LessonStep, dial: Dial | null, callbacks: CardCallbacks): HTMLElement {
  const root = element("div", {});
  let progress: Progress = { chosen: null, done: false };
  const go = (next: Partial<Progress>) => {
    progress = { ...progress, ...next };
    fill();
  };
  const fill = () => {
    const parts = partsOf(step, progress);
    root.replaceChildren(
      element("p", {}, step.say),
      ...(parts.asks ? [element("p", { class: "ask" }, step.ask)] : []),
      ...(step.choices.length > 0
        ? [
            choices(step, progress.chosen, (chosen) => {
              go({ chosen });
            }),
          ]
        : []),
      ...(parts.does
        ? [
            button(step.do, "do", () => {
              callbacks.act();
              go({ done: true });
            }),
          ]
        : []),
      ...(parts.reveals
        ? [
            button("Show the answer", "", () => {
              go({ done: true });
            }),
          ]
        : []),
      ...(parts.tells ? [element("p", { class: "answer", role: "status" }, step.answer)] : []),
      ...(dial ? [slider(dial, callbacks.turn)] : []),
    );
  };
  fill();
  return root;
}

function choices(step: LessonStep, chosen: number | null, choose: (number: number) => void): HTMLElement {
  return element(
    "ul",
    { class: "choices", "aria-label": step.ask },
    ...step.choices.map((text, k) => {
      const number = k + 1;
      const made = button(text, "", () => {
        choose(number);
      });
      if (chosen === null) return element("li", {}, made);
      made.disabled = true;
      const sign = step.right === number ? "✓ " : chosen === number && step.right > 0 ? "✗ " : "";
      made.textContent = sign + say(text);
      made.classList.toggle("true", step.right === number);
      made.setAttribute("aria-pressed", String(chosen === number));
      return element("li", {}, made);
    }),
  );
}

function slider({ label, min, max, step, value }: Dial, turn: (value: number) => void): HTMLElement {
  const shown = element("output", {}, String(value));
  const input = element("input", { type: "range", min: String(min), max: String(max), step: String(step) });
  input.value = String(value);
  input.addEventListener("input", () => {
    shown.textContent = input.value;
    turn(Number(input.value));
  });
  return element("label", { class: "dial" }, element("span", {}, label), input, shown);
}

export function button(label: string, look: string, click: () => void): HTMLButtonElement {
  return element("button", { type: "button", click, ...(look ? { class: look } : {}) }, label);
}
