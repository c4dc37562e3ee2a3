import { describe, expect, it } from "vitest";
import { backOff } from "../../src/net/connection";
import { isFree, keysOf, meaning, readBindings, rebound, SHORTCUTS, shownKeys } from "../../src/tools/keys";

const press = (key: string, bindings = {}, ctrlKey = false) =>
  meaning({ key, ctrlKey, metaKey: false, altKey: false }, bindings);

it("every key has one meaning", () => {
  const keys = SHORTCUTS.flatMap((shortcut) => shortcut.keys);
  expect(new Set(keys).size).toBe(keys.length);
});
it("keys do what the help sheet says", () => {
  expect([press(" "), press("r"), press("R"), press("3"), press("?")]).toEqual([
    "toggle",
    "reset",
    "newSeed",
    2,
    "help",
  ]);
  expect(press("r", {}, true)).toBeNull(); // the browser's own
  expect(press("0")).toBe("gallery");
});

describe("a user-defined key", () => {
  it("is taken from the action that had it", () => {
    const mine = rebound({}, "trails", "v");
    expect([press("v", mine), press("V", mine), press("t", mine)]).toEqual(["trails", "trails", null]);
    expect(keysOf("vision", mine)).toEqual([]);
  });
  it("may be a digit, which then loads no preset", () => {
    expect(press("1", rebound({}, "density", "1"))).toBe("density");
  });
  it("does not affect its capital if that has its own meaning", () => {
    const mine = rebound({}, "density", "r");
    expect([press("r", mine), press("R", mine)]).toEqual(["density", "newSeed"]);
  });
  it("may be empty", () => {
    expect(press(" ", rebound({}, "toggle", null))).toBeNull();
  });
  it("is never one that help, escape or the focus needs", () => {
    expect(["?", "Escape", "Tab", "Shift"].some(isFree)).toBe(false);
  });
});

it("invalid stored bindings are ignored", () => {
  expect(readBindings({ density: ["y", "Y"], trails: 3, other: ["q"], vision: ["Escape"] })).toEqual({
    density: ["y", "Y"],
  });
  expect(readBindings(null)).toEqual({});
});
it("keys have readable names", () => {
  expect(shownKeys([" "])).toBe("Space");
  expect([
    shownKeys([".", "ArrowRight"]),
    shownKeys(["c", "C"]),
    shownKeys(["R"]),
    shownKeys([]),
    shownKeys(["+", "="]),
  ]).toEqual([". or →", "C", "Shift R", "none", "+"]);
});
it("waits longer after each failure, up to a limit", () => {
  expect([backOff(0), backOff(1), backOff(20)]).toEqual([300, 600, 8000]);
});
