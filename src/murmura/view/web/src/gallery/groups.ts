/** Groups of the shipped scenarios, and the nine that keys 1 to 9 load. */

export const BEST = ["roosts", "murmuration", "ecosystem", "murmuration-hawk", "shark-and-herring", "fireflies", "mixed", "vicsek", "classic"];

const GROUPS: [string, string[]][] = [
  ["Flocks and swarms", ["roosts", "starlings", "sparrows", "bats", "insects", "locusts", "fireflies", "ants", "classic", "roadmap", "mixed", "day-and-night"]],
  ["In the sea", ["fish", "herring", "plankton", "jellyfish", "sky-and-sea"]],
  ["Hunters and prey", ["murmuration-hawk", "falcon-stoop", "eagle-pursuit", "owl-ambush", "shark-and-herring", "pack"]],
  ["Lives and evolution", ["ecosystem", "emergent", "arms-race", "scarcity", "fear-and-flocking", "colony", "courtship", "feeding-grounds"]],
  ["Published models", ["vicsek", "couzin", "cucker-smale", "topological", "vision"]],
];

const IN_SPACE = "In space";

export interface Shipped {
  name: string;
  title: string;
  deep?: boolean; // its world has a depth
}

export interface Group {
  label: string;
  items: Shipped[];
}

/** The list in groups. 3-D worlds are one group; scenarios without a group come last. */
export function groupsOf(list: Shipped[]): Group[] {
  const [deep, flat] = [list.filter((item) => item.deep), list.filter((item) => !item.deep)];
  const known = GROUPS.map(([label, names]) => ({ label, items: names.flatMap((name) => flat.find((item) => item.name === name) ?? []) }));
  const rest = flat.filter(({ name }) => !GROUPS.some(([, names]) => names.includes(name)));
  return [{ label: IN_SPACE, items: deep }, ...known, { label: "More", items: rest }].filter(({ items }) => items.length > 0);
}

/** The nine scenarios for keys 1 to 9; missing ones are replaced by others of the list. */
export function nineOf(list: Shipped[]): Shipped[] {
  const best = BEST.flatMap((name) => list.find((item) => item.name === name) ?? []);
  return [...best, ...list.filter((item) => !best.includes(item))].slice(0, 9);
}
