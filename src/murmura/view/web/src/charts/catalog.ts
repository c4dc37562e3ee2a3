/** The charts for the available measures: titles, units, fixed scales and lines. Independent of the DOM. */

import type { SpeciesInfo, Status } from "../net/protocol";
import { humanized } from "../panel/controls/schema";
import type { Values } from "./history";

export interface Line {
  column: string;
  label: string;
  color: string;
  dash?: number[] | undefined;
}

export interface Spec {
  name: string;
  title: string;
  unit: string;
  meaning: string;
  /** Null if the range is unknown. */
  range: [number, number] | null;
  stacked: boolean;
  lines: Line[];
}

export interface MeasureFacts {
  unit: string;
  meaning: string;
}

export const LIFE = "births_and_deaths";
/** Measures from 0 to 1. */
const SHARES =
  /^(polarization|milling|clustering_coefficient|gene_diversity|part_heterozygosity|energy_mean|gene_.*_mean)$/;
const WIDER = /^gene_size/; // a gene with a wider range
const UNITS: Record<string, string> = {
  age_mean: "s",
  agents: "agents",
  population: "agents",
  stance: "agents",
  steps_per_second: "1/s",
  hunters_per_prey: "",
};
const MEANINGS: Record<string, string> = {
  population: "Number of agents of each species.",
  stance: "What agents are doing.",
  hunters_per_prey: "Hunters per prey animal.",
  [LIFE]: "Since the flock began.",
};
/** Colours that can be told apart by red-green colour-blind readers. */
const COLORS = ["#5aa9ff", "#ffb35c", "#2fbf9b", "#d68ad0", "#d9c93a", "#8f9bff", "#ff8a5c", "#a9b4cc"];
const DASHES = [undefined, [5, 3], [2, 3], [8, 3, 2, 3]];

/** How many agents there are: those that were counted, so that all figures of a moment agree. */
export function agentsOf({ agents, population }: Pick<Status, "agents" | "population">): number {
  const counts = Object.values(population?.species ?? {});
  return counts.length > 0 ? counts.reduce((sum, count) => sum + count, 0) : agents;
}

/** A status as a row of the history. */
export function rowOf(status: Status): Values {
  const { population = {} } = status;
  const { species, stances, ...counts } = population;
  const row: Values = { ...status.measures, agents: agentsOf(status) };
  for (const [kind, count] of Object.entries(species ?? {})) row[`population@${kind}`] = count;
  for (const [stance, count] of Object.entries(stances ?? {})) row[`stance@${stance}`] = count;
  for (const [name, count] of Object.entries(counts)) if (typeof count === "number") row[name] = count;
  if (population.hunters !== undefined && population.prey !== undefined)
    row.hunters_per_prey = population.prey > 0 ? population.hunters / population.prey : null;
  if (status.births !== undefined)
    Object.assign(row, { births_total: status.births, deaths_total: status.deaths ?? null });
  return row;
}

/** All charts for these columns, the most informative first. */
export function specsOf(columns: string[], facts: Record<string, MeasureFacts>, species: SpeciesInfo[]): Spec[] {
  const bases = [...new Set(columns.map((column) => column.split("@")[0]))].filter((base) => !base.endsWith("_total"));
  const found = bases.map((base) => specOf(base, columns, facts[base], species));
  if (columns.includes("births_total")) found.push(lifeSpec());
  const lead = found.some(isLife) ? LIVES : [];
  const rank = (name: string) => [...lead, ...FIRST, name].indexOf(name);
  return found.sort((a, b) => rank(a.name) - rank(b.name));
}

/** What leads where agents are born or die. */
const LIVES = ["population", "stance", LIFE];
const isLife = ({ name }: Spec) => name === LIFE || name === "stance";

const FIRST = [
  "polarization",
  "population",
  "stance",
  LIFE,
  "energy_mean",
  "age_mean",
  "hunters_per_prey",
  "milling",
  "mean_speed",
];

/** The default charts: order, or populations first if agents are born or die. */
export function usualSpecs(specs: Spec[]): string[] {
  const wanted = specs.some(isLife) ? [...LIVES, "polarization"] : ["polarization", "population", "milling"];
  return wanted.filter((name) => specs.some((spec) => spec.name === name));
}

function specOf(base: string, columns: string[], facts: MeasureFacts | undefined, species: SpeciesInfo[]): Spec {
  const parts = columns.filter((column) => column.startsWith(`${base}@`));
  const lines = parts.map((column, k) => lineOf(column, k, species));
  if (columns.includes(base))
    lines.unshift({ column: base, label: parts.length > 0 ? "All" : humanized(base), color: COLORS[0] });
  if (parts.length > 0 && columns.includes(base)) lines[0].color = "#8d99b3";
  return {
    name: base,
    title: titleOf(base),
    unit: facts?.unit ?? UNITS[base] ?? "",
    meaning: facts?.meaning ?? MEANINGS[base] ?? "",
    range: SHARES.test(base) && !WIDER.test(base) ? [0, 1] : null,
    stacked: base === "stance",
    lines,
  };
}

const STATISTICS: Record<string, string> = {
  mean: "Mean",
  sd: "Spread of",
  max: "Greatest",
  min: "Least",
  median: "Median",
};

/** "gene_speed_sd" is called "Spread of gene speed". */
export function titleOf(base: string): string {
  const [, trait, word] = /^(.+)_(mean|sd|max|min|median)$/.exec(base) ?? [];
  if (trait === undefined) return base === "stance" ? "Stances" : humanized(base);
  return `${STATISTICS[word]} ${humanized(trait).toLowerCase()}`;
}

function lineOf(column: string, k: number, species: SpeciesInfo[]): Line {
  const kind = column.slice(column.indexOf("@") + 1);
  const known = species.findIndex(({ name }) => name === kind);
  const alike = new Set(species.map(({ color }) => color)).size < species.length;
  const color = known >= 0 && !alike ? species[known].color : COLORS[k % COLORS.length];
  return { column, label: humanized(kind), color, dash: known >= 0 ? DASHES[known % DASHES.length] : undefined };
}

function lifeSpec(): Spec {
  const lines = [
    { column: "births_total", label: "Births", color: "#56b4e9" },
    { column: "deaths_total", label: "Deaths", color: "#e69f00", dash: [4, 3] },
  ];
  return {
    name: LIFE,
    title: "Births and deaths",
    unit: "so far",
    meaning: MEANINGS[LIFE],
    range: null,
    stacked: false,
    lines,
  };
}
