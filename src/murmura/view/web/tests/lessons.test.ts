import { expect, it } from "vitest";
import { lessonsOf, partsOf, type LessonStep } from "../src/lessons/lesson";

const DATA = { title: "T", scene: "classic", steps: [{ say: "Watch.", choices: ["a", 3, "b"], right: 2, do: "Go" }] };
const [{ steps }] = lessonsOf([DATA]);
const STEP: LessonStep = { ...steps[0], ask: "Why?", answer: "Because." };

it("reads lessons, and skips what is none", () => {
  expect(steps[0]).toMatchObject({
    say: "Watch.",
    choices: ["a", "b"],
    right: 2,
    do: "Go",
    set: {},
    turn: "",
    show: [],
  });
  expect(lessonsOf([3, { title: "no steps", scene: "x", steps: [] }, { scene: "x", steps: [{}] }])).toEqual([]);
  expect(lessonsOf({})).toEqual([]);
});

it("asks first, then lets one do it, then tells what happens", () => {
  const seen = (chosen: number | null, done: boolean) => partsOf(STEP, { chosen, done });
  expect(seen(null, false)).toEqual({ asks: true, does: false, tells: false, reveals: false });
  expect(seen(1, false)).toEqual({ asks: true, does: true, tells: false, reveals: false });
  expect(seen(1, true)).toEqual({ asks: true, does: false, tells: true, reveals: false });
});

it("tells at once what nothing has to be done for, and shows an older card's answer on demand", () => {
  expect(partsOf({ ...STEP, do: "" }, { chosen: 2, done: false }).tells).toBe(true);
  const older = { ...STEP, do: "", choices: [] };
  expect(partsOf(older, { chosen: null, done: false })).toMatchObject({ reveals: true, tells: false });
  expect(partsOf(older, { chosen: null, done: true })).toMatchObject({ reveals: false, tells: true });
  expect(partsOf({ ...older, answer: "" }, { chosen: null, done: false }).reveals).toBe(false);
});
