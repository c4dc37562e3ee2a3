/** Describes an animal: its life, its genes, its body. */

import type { Inspection } from "../net/protocol";

export interface Gauge {
  name: string;
  share: number; // 0..1, for a bar
  text: string;
}

/** What it is doing and why, in sentences. */
export function doings({ doing = [], stance }: Inspection): string[] {
  const said = stance ? [`${sentence(stance.name)} for ${stance.time.toFixed(1)} s: ${stance.reason}.`] : [];
  // The server's first sentence repeats the stance.
  return [
    ...said,
    ...doing
      .slice(stance ? 1 : 0)
      .map(sentence)
      .map((line) => (line.endsWith(".") ? line : `${line}.`)),
  ];
}

/** Energy, health, fear and age as bars. */
export function vitals({ state, life }: Inspection): Gauge[] {
  const found: Gauge[] = [];
  const add = (name: string, value: unknown, top: number) => {
    if (typeof value === "number")
      found.push({ name, share: clamp(value / top), text: String(Number(value.toPrecision(3))) });
  };
  add("Energy", state.energy, 1);
  add("Health", life?.health, 1);
  if (typeof state.panic === "number" && state.panic > 0) add("Fear", state.panic, 1);
  if (typeof life?.age === "number") found.push({ name: "Age", share: 0, text: `${life.age.toFixed(0)} s` });
  return found;
}

const TOPS: Record<string, number> = { size: 3 };

/** Genes as bars, without the hue, which the colour of the animal shows. */
export function genesOf({ genome }: Inspection): Gauge[] {
  return Object.entries(genome ?? {})
    .filter(([name]) => name.startsWith("gene_") && name !== "gene_hue")
    .map(([name, value]) => ({
      name: sentence(name.slice(5)),
      share: clamp(value / (TOPS[name.slice(5)] ?? 1)),
      text: value.toFixed(2),
    }));
}

const PLURALS: Record<string, string> = { antenna: "antennae", glow: "glowing organs" };

/** "2 eyes, 1 fin, 3 spikes"; empty if a body has no parts. */
export function bodyInWords({ genome }: Inspection): string {
  const parts = Object.entries(genome ?? {}).filter(
    ([name, count]) => name.startsWith("part_") && Math.round(count) > 0,
  );
  return parts
    .map(([name, count]) => {
      const [part, n] = [name.slice(5), Math.round(count)];
      return `${n} ${n === 1 ? part : (PLURALS[part] ?? `${part}s`)}`;
    })
    .join(", ");
}

export interface Relationship {
  label: string;
  id: number;
}

/** The agents it is after. */
export function bonds({ target }: Inspection): Relationship[] {
  const named = [
    { label: "Mate", id: target?.mate },
    { label: "Hunts", id: target?.prey },
  ];
  return named.filter((each): each is Relationship => typeof each.id === "number" && each.id >= 0);
}

export function sexOf({ state }: Inspection): string {
  return state.gender === "male" ? "♂ male" : state.gender === "female" ? "♀ female" : "";
}

function sentence(text: string): string {
  const words = text.replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
