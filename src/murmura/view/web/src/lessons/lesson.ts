/** Lessons as the server sends them. Independent of the DOM. */

import { isObject, type Json } from "../net/protocol";

export type Shown = "vision" | "neighbors" | "density";

export interface LessonStep {
  say: string;
  set: Record<string, Json>;
  scene: string; // another one; empty: stay
  ask: string;
  choices: string[];
  right: number; // the number of the true choice, from 1; 0: none
  do: string; // the button that changes what is in `set`; empty: it changes with the card
  answer: string;
  turn: string; // the value of the reader's own slider
  chart: string;
  show: Shown[];
}

export interface Lesson {
  name: string;
  title: string;
  scene: string;
  values: Record<string, Json>;
  seed: number | null;
  skip: number; // seconds before the first card
  steps: LessonStep[];
}

/** Parses lessons from the server's answer; skips anything invalid. */
export function lessonsOf(data: unknown): Lesson[] {
  if (!Array.isArray(data)) return [];
  return data.filter(isObject).flatMap((lesson) => {
    const { title, scene, values, steps, seed, skip } = lesson;
    const cards = Array.isArray(steps) ? steps.filter(isObject).map(stepOf) : [];
    if (typeof title !== "string" || typeof scene !== "string" || cards.length === 0) return [];
    const own = { seed: typeof seed === "number" ? seed : null, skip: numberOf(skip), values: objectOf(values) };
    return [{ name: textOf(lesson.name), title, scene, ...own, steps: cards }];
  });
}

function stepOf(step: Record<string, unknown>): LessonStep {
  const list = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === "string") : []);
  return {
    say: textOf(step.say),
    set: objectOf(step.set),
    scene: textOf(step.scene),
    ask: textOf(step.ask),
    choices: list(step.choices),
    right: numberOf(step.right),
    do: textOf(step.do),
    answer: textOf(step.answer),
    turn: textOf(step.turn),
    chart: textOf(step.chart),
    show: list(step.show) as Shown[],
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");
const numberOf = (value: unknown) => (typeof value === "number" ? value : 0);
const objectOf = (value: unknown) => (isObject(value) ? value : {});

/** What a card shows: first the question, then what to do, then what happens. */
export interface Progress {
  chosen: number | null; // the number of a choice, from 1
  done: boolean;
}

export interface Parts {
  asks: boolean;
  does: boolean;
  tells: boolean;
  reveals: boolean;
}

export function partsOf(step: LessonStep, { chosen, done }: Progress): Parts {
  const waits = step.choices.length > 0 && chosen === null;
  const acts = step.do !== "" && !done;
  const closed = step.choices.length === 0 && step.do === "" && !done; // an older card: the answer on demand
  return {
    asks: step.ask !== "",
    does: acts && !waits,
    tells: step.answer !== "" && !waits && !acts && !closed,
    reveals: step.answer !== "" && closed,
  };
}
