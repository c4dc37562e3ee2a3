/**
 * Colour maps. All palettes are safe for red-green colour-blind readers.
 *
 * Steps are mixed in OKLab, where equal steps look equal; the result is a table of 256 colours for a texture.
 */

import looks from "../../../../looks.json";

export type ColorMode = keyof typeof looks.modes;
export const COLOR_MODES = Object.keys(looks.modes) as readonly ColorMode[];
/** Modes whose byte is a category, not an amount. */
export function isCategory(mode: ColorMode): boolean {
  return mode === "species" || mode === "stance";
}
type ShippedPalette = keyof typeof looks.palettes;
/** "own": from one colour to another, both chosen by the user. */
export type PaletteName = ShippedPalette | "own";
export const PALETTES = Object.keys(looks.palettes) as readonly ShippedPalette[];
export type OwnColors = readonly [string, string];
export const OWN_COLORS: OwnColors = ["#3fb4e8", "#ffd166"];
export const TABLE_SIZE = 256;

type Rgb = [number, number, number];

/** Okabe and Ito's colours, for species without a colour. */
export const SPECIES_COLORS = looks.species;

/** Dusk and aurora are cyclic: opposite headings differ in blue-yellow or in lightness. */
export function isCyclic(name: ShippedPalette): boolean {
  return looks.cyclic.includes(name);
}

/** The palettes for a colour mode; the first is the default. */
export function palettesFor(mode: ColorMode): PaletteName[] {
  return [...(looks.modes[mode].palettes as ShippedPalette[]), "own"];
}

export function parseHex(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

const toLinear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const fromLinear = (c: number) => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055);

/** Björn Ottosson's OKLab (2020). */
export function toOklab(rgb: Rgb): Rgb {
  const [r, g, b] = rgb.map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

export function fromOklab([L, a, b]: Rgb): Rgb {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear: Rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((c) => Math.min(1, Math.max(0, fromLinear(Math.max(0, c))))) as Rgb;
}

function mixed(stops: Rgb[], t: number): Rgb {
  const place = Math.min(stops.length - 1, Math.max(0, t * (stops.length - 1)));
  const k = Math.min(stops.length - 2, Math.floor(place));
  const f = place - k;
  return stops[k].map((c, i) => c + (stops[k + 1][i] - c) * f) as Rgb;
}

/**
 * 256 colours as RGBA bytes. Amounts avoid the end that resembles the background; on a light one
 * all colours are darkened.
 */
export function paletteTable(name: ShippedPalette, light: boolean): Uint8Array {
  const stops = looks.palettes[name].map((hex) => toOklab(parseHex(hex)));
  const [low, high] = isCyclic(name) ? [0, 1] : looks.used[light ? "light" : "dark"];
  const table = new Uint8Array(TABLE_SIZE * 4);
  for (let k = 0; k < TABLE_SIZE; k++) {
    const lab = mixed(stops, low + ((high - low) * k) / (TABLE_SIZE - 1));
    table.set([...fromOklab(light ? inked(lab) : lab).map((c) => Math.round(c * 255)), 255], 4 * k);
  }
  return table;
}

/** From one colour to another, unchanged; for directions, and back again. */
function ownTable([from, to]: OwnColors, mode: ColorMode): Uint8Array {
  const stops = (mode === "heading" ? [from, to, from] : [from, to]).map((hex) => toOklab(parseHex(hex)));
  const table = new Uint8Array(TABLE_SIZE * 4);
  for (let k = 0; k < TABLE_SIZE; k++)
    table.set([...fromOklab(mixed(stops, k / (TABLE_SIZE - 1))).map((c) => Math.round(c * 255)), 255], 4 * k);
  return table;
}

function inked([L, a, b]: Rgb): Rgb {
  const { lightness, contrast, from, chroma } = looks.ink;
  return [lightness + contrast * (L - from), a * chroma, b * chroma];
}

/** On a light background the brightest colour becomes the darkest: all differ as much as on a dark one. */
function speciesInked([L, a, b]: Rgb): Rgb {
  const { from, to, chroma } = looks.species_ink;
  const share = Math.min(1, Math.max(0, (L - from[0]) / (from[1] - from[0])));
  return [to[0] + share * (to[1] - to[0]), a * chroma, b * chroma];
}

/** One colour for each species number, repeated if there are more species than colours. */
export function speciesTable(colors: string[], light: boolean): Uint8Array {
  const table = new Uint8Array(TABLE_SIZE * 4);
  for (let k = 0; k < TABLE_SIZE; k++) {
    const hex = colors[k] ?? SPECIES_COLORS[k % SPECIES_COLORS.length];
    const lab = toOklab(parseHex(hex));
    table.set([...fromOklab(light ? speciesInked(lab) : lab).map((c) => Math.round(c * 255)), 255], 4 * k);
  }
  return table;
}

/** The colour table of a mode. */
export function colorTable(
  mode: ColorMode,
  palette: PaletteName,
  speciesColors: string[],
  light: boolean,
  own: OwnColors = OWN_COLORS,
): Uint8Array {
  if (!isCategory(mode)) return palette === "own" ? ownTable(own, mode) : paletteTable(palette, light);
  return speciesTable(mode === "species" ? speciesColors : [], light);
}

/** The meaning of the colours, for the legend. */
export function legend(mode: ColorMode): [string, string] {
  return looks.modes[mode].legend as [string, string];
}
