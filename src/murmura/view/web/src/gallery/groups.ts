/** Groups of the shipped scenarios, and the nine that keys 1 to 9 load. */

export const BEST = [
  "roosts",
  "murmuration",
  "ecosystem",
  "murmuration-hawk",
  "shark-and-herring",
  "fireflies",
  "mixed",
  "vicsek",
  "classic",
];

const FIRST = "Begin here";
/** The most beautiful ones, which lead. */
const FINEST = [
  "roosts",
  "murmuration",
  "vicsek",
  "murmuration-hawk",
  "herring-bowl",
  "ecosystem",
  "fireflies",
  "couzin",
];

const GROUPS: [string, string[]][] = [
  [
    "Flocks and swarms",
    [
      "roosts",
      "starlings",
      "starling-bowl",
      "sparrows",
      "bats",
      "insects",
      "locusts",
      "fireflies",
      "ants",
      "classic",
      "roadmap",
      "mixed",
      "day-and-night",
    ],
  ],
  ["In the sea", ["fish", "fish-bowl", "herring", "herring-bowl", "plankton", "jellyfish", "sky-and-sea"]],
  [
    "Hunters and prey",
    ["murmuration-hawk", "falcon-stoop", "eagle-pursuit", "owl-ambush", "shark-and-herring", "pack"],
  ],
  [
    "Lives and evolution",
    ["ecosystem", "emergent", "arms-race", "scarcity", "fear-and-flocking", "colony", "courtship", "feeding-grounds"],
  ],
  ["Published models", ["vicsek", "couzin", "cucker-smale", "topological", "vision", "sheep"]],
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

/** The list in groups, the finest first. Other 3-D worlds are one group; scenarios without a group come last. */
export function groupsOf(list: Shipped[]): Group[] {
  const finest = FINEST.flatMap((name) => list.find((item) => item.name === name) ?? []);
  const others = list.filter((item) => !finest.includes(item));
  const [deep, flat] = [others.filter((item) => item.deep), others.filter((item) => !item.deep)];
  const known = GROUPS.map(([label, names]) => ({
    label,
    items: names.flatMap((name) => flat.find((item) => item.name === name) ?? []),
  }));
  const rest = flat.filter(({ name }) => !GROUPS.some(([, names]) => names.includes(name)));
  const groups = [{ label: FIRST, items: finest }, ...known, { label: IN_SPACE, items: deep }];
  return [...groups, { label: "More", items: rest }].filter(({ items }) => items.length > 0);
}

/** The nine scenarios for keys 1 to 9; missing ones are replaced by others of the list. */
export function nineOf(list: Shipped[]): Shipped[] {
  const best = BEST.flatMap((name) => list.find((item) => item.name === name) ?? []);
  return [...best, ...list.filter((item) => !best.includes(item))].slice(0, 9);
}
