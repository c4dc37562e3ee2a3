/** Groups of the shipped scenarios, and the nine that keys 1 to 9 load. */

import gallery from "../../../gallery.json";

export const BEST: readonly string[] = gallery.best;
const GROUPS = gallery.groups as [string, string[]][];

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
  const finest = gallery.finest.flatMap((name) => list.find((item) => item.name === name) ?? []);
  const others = list.filter((item) => !finest.includes(item));
  const [deep, flat] = [others.filter((item) => item.deep), others.filter((item) => !item.deep)];
  const known = GROUPS.map(([label, names]) => ({
    label,
    items: names.flatMap((name) => flat.find((item) => item.name === name) ?? []),
  }));
  const rest = flat.filter(({ name }) => !GROUPS.some(([, names]) => names.includes(name)));
  const groups = [{ label: gallery.first, items: finest }, ...known, { label: gallery.space, items: deep }];
  return [...groups, { label: gallery.rest, items: rest }].filter(({ items }) => items.length > 0);
}

/** The nine scenarios for keys 1 to 9; missing ones are replaced by others of the list. */
export function nineOf(list: Shipped[]): Shipped[] {
  const best = BEST.flatMap((name) => list.find((item) => item.name === name) ?? []);
  return [...best, ...list.filter((item) => !best.includes(item))].slice(0, 9);
}
