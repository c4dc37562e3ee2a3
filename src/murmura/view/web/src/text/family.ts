/** Describes the relatives of an agent. */

import type { Ancestor, Family } from "../net/protocol";

/** One line of the family list; living relatives can be selected. */
export interface Relation {
  id: number;
  label: string;
  alive: boolean;
  below: Relation[];
}

export function lifeStory(id: number, family: Family): string {
  const line = family.founder === id ? "a founder" : `descended from founder ${family.founder}`;
  const young =
    family.young === 0
      ? "no offspring yet"
      : `${family.young} offspring, ${family.living === family.young ? "all" : family.living || "none"} of them alive`;
  return `Generation ${family.generation}, born at ${Number(family.born.toFixed(1))} s, ${line}; ${young}.`;
}

/** Parents, each followed by their own parents, then living children. */
export function relations(family: Family): Relation[] {
  const children = family.children.map((id) => ({ id, label: "child", alive: true, below: [] }));
  return [...family.ancestors.map((parent) => ancestor(parent, [])), ...children];
}

function ancestor({ id, role, alive, fate, parents }: Ancestor, path: string[]): Relation {
  const roles = [...path, role];
  return {
    id,
    label: named(roles) + (alive ? "" : `, † ${fate ?? "gone"}`),
    alive,
    below: parents.map((parent) => ancestor(parent, roles)),
  };
}

/** "mother", "mother's father", "great-grandmother". */
function named(roles: string[]): string {
  const last = roles[roles.length - 1];
  if (roles.length === 1) return last;
  return `${"great-".repeat(roles.length - 2)}grand${last}`;
}
