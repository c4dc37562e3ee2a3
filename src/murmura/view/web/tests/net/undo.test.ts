import { expect, test } from "vitest";
import { Undo, type ThingMessage } from "../../src/net/undo";

const food = (x: number): ThingMessage => ({ type: "place", kind: "food", x, y: 0 });

test("each thing that was placed is undone by itself, the last one first, and then nothing", () => {
  const undo = new Undo("page");
  const keys = [1, 2, 3].map((x) => undo.noteThing(food(x)).key);
  expect(new Set(keys).size).toBe(3);
  for (const key of keys.reverse()) expect(undo.turn(false, {})).toEqual({ withdraw: key });
  expect(undo.turn(false, {})).toBeNull();
  expect(undo.canUndo).toBe(false);
});

test("a thing comes back with a key of its own, which is withdrawn next", () => {
  const undo = new Undo("page");
  undo.noteThing(food(1));
  undo.turn(false, {});
  const turn = undo.turn(true, {});
  expect(turn).toMatchObject({ again: food(1) });
  const key = turn && "again" in turn ? turn.again.key : "";
  expect(undo.turn(false, {})).toEqual({ withdraw: key });
});

test("things stand between values in the order of what was done", () => {
  const undo = new Undo("page");
  undo.note(["agents"], { agents: 5 }, 0);
  const { key } = undo.noteThing(food(1));
  undo.note(["agents"], { agents: 6 }, 10); // soon after, but not the same move
  expect(undo.turn(false, { agents: 7 })).toEqual({ values: { agents: 6 } });
  expect(undo.turn(false, { agents: 6 })).toEqual({ withdraw: key });
  expect(undo.turn(false, { agents: 6 })).toEqual({ values: { agents: 5 } });
});

test("moves of one slider count as one", () => {
  const undo = new Undo("page");
  for (const [k, agents] of [5, 6, 7].entries()) undo.note(["agents"], { agents }, 100 * k);
  expect(undo.turn(false, { agents: 8 })).toEqual({ values: { agents: 5 } });
  expect(undo.canUndo).toBe(false);
});
