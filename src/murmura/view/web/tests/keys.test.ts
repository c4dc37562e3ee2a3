import { expect, it } from "vitest";
import { meaning, SHORTCUTS } from "../src/keys";
import { backOff } from "../src/connection";

const press = (key: string, ctrlKey = false) => meaning({ key, ctrlKey, metaKey: false, altKey: false });

it("every key means one thing", () => {
  const keys = SHORTCUTS.flatMap((shortcut) => shortcut.keys);
  expect(new Set(keys).size).toBe(keys.length);
});
it("keys mean what the sheet says", () => {
  expect([press(" "), press("r"), press("R"), press("3"), press("?")]).toEqual(["toggle", "reset", "newSeed", 2, "help"]);
  expect(press("r", true)).toBeNull(); // the browser's own
  expect(press("0")).toBeNull();
});
it("waits longer after each failure, up to a bound", () => {
  expect([backOff(0), backOff(1), backOff(20)]).toEqual([300, 600, 8000]);
});
