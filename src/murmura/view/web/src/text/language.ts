/**
 * The page in another language: one table of texts for each, and one place that looks them up.
 *
 * English texts are written where they are used and are the keys; a language is a file `catalogs/<code>.json` that maps English to
 * translated texts. `{}` in a key matches any text: {"{} agents": "{} Tiere"}. Texts missing from a table stay English.
 */

export type Catalog = Readonly<Record<string, string>>;

interface Pattern {
  fits: RegExp;
  words: string;
}

const shipped: Record<string, Catalog> = import.meta.glob("./catalogs/*.json", { eager: true, import: "default" });
let catalog: Catalog = {};
let patterns: Pattern[] = [];

export function use(next: Catalog): void {
  catalog = next;
  patterns = Object.entries(next)
    .filter(([key]) => key.includes("{}"))
    .map(([key, words]) => ({ fits: new RegExp(`^${key.split("{}").map(plain).join("(.+?)")}$`, "s"), words }));
}

/** The first of the visitor's languages that has a table; English needs none. */
export function languageOf(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split("-")[0];
    if (code === "en" || known.includes(code)) return code;
  }
  return "en";
}

/** A text in the visitor's language; spaces around it stay. */
export function say(text: string): string {
  const key = text.trim();
  if (key === "" || (patterns.length === 0 && !(key in catalog))) return text;
  return text.replace(key, () => catalog[key] ?? filled(key));
}

function filled(text: string): string {
  for (const { fits, words } of patterns) {
    const found = fits.exec(text)?.slice(1);
    if (found) return words.replace(/\{\}/g, () => found.shift() ?? "");
  }
  return text;
}

const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const codes = Object.fromEntries(
  Object.entries(shipped).map(([path, table]) => [path.replace(/^.*\/|\.json$/g, ""), table]),
);
const language = languageOf(globalThis.navigator?.languages ?? [], Object.keys(codes));
if (language in codes) {
  use(codes[language]);
  document.documentElement.lang = language;
}
