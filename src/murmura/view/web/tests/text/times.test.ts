import { expect, it } from "vitest";
import { causesInWords, timesInWords } from "../../src/text/times";

it("deaths by cause, the most frequent first", () => {
  expect(causesInWords({ age: 3, starvation: 1200, removed: 1 })).toBe("Deaths: starvation 1,200, age 3, removed 1");
  expect(causesInWords()).toBe("");
});

it("periods of a population, the newest first", () => {
  expect(
    timesInWords([
      { kind: "mass_extinction", begin: 12.4, end: 30, lasts: false },
      { kind: "boom", begin: 40, end: 41, lasts: true },
    ]),
  ).toEqual(["Boom since 40 s", "Mass extinction 12–30 s"]);
  expect(timesInWords()).toEqual([]);
});
