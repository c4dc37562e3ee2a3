import { describe, expect, it } from "vitest";
import {
  colorTable,
  fromOklab,
  isCyclic,
  PALETTES,
  palettesFor,
  paletteTable,
  parseHex,
  speciesTable,
  toOklab,
  type PaletteName,
} from "../../src/render/palettes";
import samples from "./palette_samples.json";

const lightness = (table: Uint8Array, k: number) =>
  toOklab([table[4 * k] / 255, table[4 * k + 1] / 255, table[4 * k + 2] / 255])[0];

const isShipped = (name: PaletteName) => name !== "own";

it("OKLab conversion is invertible", () => {
  const rgb = parseHex("#3fb4e8");
  fromOklab(toOklab(rgb)).forEach((c, k) => {
    expect(c).toBeCloseTo(rgb[k], 4);
  });
});

describe.each(PALETTES)("%s", (name) => {
  it.each([true, false])("fits its background (light: %s)", (light) => {
    const table = paletteTable(name, light);
    expect(table.length).toBe(1024);
    const shades = Array.from({ length: 256 }, (_, k) => lightness(table, k));
    if (light) expect(Math.max(...shades)).toBeLessThan(0.72);
    else expect(Math.min(...shades)).toBeGreaterThan(0.3);
  });
  it("is cyclic or gets steadily lighter, so that nobody has to distinguish hues", () => {
    const table = paletteTable(name, false);
    if (isCyclic(name)) expect([...table.subarray(0, 3)]).toEqual([...table.subarray(1020, 1023)]);
    else for (let k = 8; k < 256; k += 8) expect(lightness(table, k)).toBeGreaterThan(lightness(table, k - 8));
  });
});

it("headings only use cyclic palettes", () => {
  expect(palettesFor("heading").filter(isShipped).every(isCyclic)).toBe(true);
  expect(palettesFor("speed").filter(isShipped).some(isCyclic)).toBe(false);
});

it("custom colours are used unchanged, from end to end, and for headings back again", () => {
  const [red, blue] = [
    [255, 0, 0],
    [0, 0, 255],
  ];
  const speed = colorTable("speed", "own", [], true, ["#ff0000", "#0000ff"]);
  expect([[...speed.subarray(0, 3)], [...speed.subarray(1020, 1023)]]).toEqual([red, blue]);
  const heading = colorTable("heading", "own", [], false, ["#ff0000", "#0000ff"]);
  expect([[...heading.subarray(0, 3)], [...heading.subarray(1020, 1023)]]).toEqual([red, red]);
  expect(heading[4 * 128 + 2]).toBeGreaterThan(250);
  for (const mode of ["heading", "speed", "panic"] as const) expect(palettesFor(mode)).toContain("own");
});

it("species have their own colours, or default ones", () => {
  const table = speciesTable(["#ff0000"], false);
  expect([...table.subarray(0, 3)]).toEqual([255, 0, 0]);
  expect([...table.subarray(4, 7)]).not.toEqual([255, 0, 0]);
});

/** Films draw with the same colours: tests/lab/films/test_looks.py compares its tables with the same samples. */
describe.each(Object.entries(samples))("%s", (key, colors) => {
  it("has the same colours as films", () => {
    const [name, theme] = key.split(" ");
    const light = theme === "light";
    const table =
      name === "species"
        ? speciesTable(["#00ff88", "#ff4488"], light)
        : paletteTable(name as (typeof PALETTES)[number], light);
    colors.forEach((rgb, k) => {
      rgb.forEach((c, i) => {
        expect(Math.abs(table[4 * 17 * k + i] - c)).toBeLessThanOrEqual(1);
      });
    });
  });
});
