import { afterEach, expect, it } from "vitest";
import { languageOf, say, use } from "../../src/text/language";

afterEach(() => {
  use({});
});

it("whole texts are looked up, surrounding spaces are kept, and missing texts stay English", () => {
  expect(say(" Settings ")).toBe(" Settings ");
  use({ Settings: "Einstellungen", "{} frames in {}.": "In {} liegen {} Bilder." });
  expect([say("Settings"), say(" Settings "), say("Setting"), say("")]).toEqual([
    "Einstellungen",
    " Einstellungen ",
    "Setting",
    "",
  ]);
});
it("values are inserted in order and never interpreted as a pattern", () => {
  use({ "{} frames in {}.": "{} Bilder in {}.", "1 + 1 (or {})": "1 + 1 (oder {})" });
  expect(say("12 frames in /tmp/$& run.")).toBe("12 Bilder in /tmp/$& run.");
  expect(say("1 + 1 (or 2)")).toBe("1 + 1 (oder 2)");
});
it("uses the first of the visitor's languages that has a table", () => {
  expect(languageOf(["fr-CH", "de-AT", "en"], ["de"])).toBe("de");
  expect(languageOf(["en-GB", "de"], ["de"])).toBe("en");
  expect(languageOf([], ["de"])).toBe("en");
});
