/** Converts the scenario's JSON Schema into a list of groups and controls. Independent of the DOM. */

import { withoutCodes } from "../../text/labels";
import { isObject, type Json, type JsonObject } from "../../net/protocol";

export type ControlKind = "number" | "integer" | "boolean" | "choice";

export interface Control {
  path: string;
  label: string;
  help: string;
  /** What the documents call it. */
  names: string[];
  unit: string;
  kind: ControlKind;
  nullable: boolean;
  min: number;
  max: number;
  step: number;
  choices: string[];
}

export interface Group {
  path: string;
  label: string;
  help: string;
  /** What the documents call its switch. */
  names: string[];
  /** For a rule: the path of the check box that enables the group. */
  switch: string | null;
  controls: Control[];
}

const SECTIONS = ["world", "motion", "perception", "start", "display"];

export function resolve(schema: JsonObject, node: Json | undefined): JsonObject {
  if (!isObject(node)) return {};
  if (typeof node.$ref !== "string") return node;
  let found: Json | undefined = schema;
  for (const part of node.$ref.replace(/^#\//, "").split("/")) found = isObject(found) ? found[part] : undefined;
  return { ...(isObject(found) ? found : {}), ...node };
}

/** World, motion, perception and so on first, then one group for each rule, including the user's own. */
export function groupsOf(schema: JsonObject, scenario: JsonObject): Group[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const sections = SECTIONS.filter((name) => name in properties).map((name) =>
    groupOf(schema, resolve(schema, properties[name]), name),
  );
  return [...sections, ...rulesOf(schema, resolve(schema, properties.rules), scenario.rules)];
}

function rulesOf(schema: JsonObject, rules: JsonObject, values: Json | undefined): Group[] {
  const known = isObject(rules.properties) ? rules.properties : {};
  const groups = Object.keys(known).map((name) => groupOf(schema, resolve(schema, known[name]), `rules.${name}`));
  const own = Object.keys(isObject(values) ? values : {}).filter((name) => !(name in known));
  return [...groups, ...own.map((name) => groupFromValues(`rules.${name}`, (values as JsonObject)[name]))];
}

function groupOf(schema: JsonObject, node: JsonObject, path: string): Group {
  const properties = isObject(node.properties) ? node.properties : {};
  const all = Object.entries(properties).flatMap(([name, child]) => {
    const control = controlOf(resolve(schema, child), `${path}.${name}`);
    return control ? [{ ...control, names: namesOf(schema, control.path) }] : [];
  });
  const toggle = all.find((control) => control.path === `${path}.enabled`);
  return {
    path,
    label: humanized(path),
    help: typeof node.description === "string" ? withoutCodes(node.description) : "",
    names: toggle?.names ?? [],
    switch: toggle ? toggle.path : null,
    controls: all.filter((control) => control !== toggle),
  };
}

/** A user's own rule has no schema here; its controls follow from its values. */
function groupFromValues(path: string, values: Json): Group {
  const properties: JsonObject = {};
  for (const [name, value] of Object.entries(isObject(values) ? values : {}))
    properties[name] = { type: typeof value, default: value };
  return groupOf({}, { properties }, path);
}

export function controlOf(node: JsonObject, path: string): Control | null {
  const variants = Array.isArray(node.anyOf) ? node.anyOf.filter(isObject) : [];
  const nullable = variants.some((variant) => variant.type === "null");
  const inner = nullable ? (variants.find((variant) => variant.type !== "null") ?? {}) : {};
  const whole: JsonObject = { ...inner, ...node };
  const choices = Array.isArray(whole.enum) ? whole.enum.map(String) : [];
  const kind = choices.length > 0 ? "choice" : whole.type;
  if (kind !== "choice" && kind !== "number" && kind !== "integer" && kind !== "boolean") return null;
  return {
    path,
    label: humanized(path),
    help: typeof whole.description === "string" ? withoutCodes(whole.description) : "",
    names: [],
    unit: typeof whole.unit === "string" ? whole.unit : "",
    kind,
    nullable,
    choices,
    ...rangeOf(whole, kind === "integer"),
  };
}

function rangeOf(node: JsonObject, whole: boolean): { min: number; max: number; step: number } {
  const slider = Array.isArray(node.slider) ? node.slider.map(Number) : null;
  const number = (...keys: string[]) => keys.map((key) => node[key]).find((value) => typeof value === "number");
  const standard = typeof node.default === "number" ? node.default : 1;
  const min = slider?.[0] ?? number("minimum", "exclusiveMinimum") ?? Math.min(0, 2 * standard);
  const top = slider?.[1] ?? number("maximum", "exclusiveMaximum") ?? Math.max(1, 4 * Math.abs(standard));
  const step = whole ? 1 : niceStep(top - min);
  // The slider must not reach an exclusive minimum.
  const open = !slider && node.exclusiveMinimum === min;
  return { min: open ? min + step : min, max: top, step };
}

/** A step of 1, 2 or 5 times a power of ten, with about 200 of them in a range. */
export function niceStep(range: number): number {
  if (!(range > 0)) return 0.01;
  const raw = range / 200;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10;
  return Number((factor * power).toPrecision(1));
}

/** "rules.avoid_obstacles" is called "Avoid obstacles". */
export function humanized(path: string): string {
  const words = (path.split(".").at(-1) ?? path).replace(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function valueAt(data: Json | undefined, path: string): Json | undefined {
  let found: Json | undefined = data;
  for (const part of path.split(".")) found = isObject(found) ? found[part] : undefined;
  return found;
}

/** What the documents call the values at a path or below it. */
export function namesOf(schema: JsonObject, path: string): string[] {
  const names = isObject(schema.names) ? schema.names : {};
  const within = Object.keys(names).filter((each) => each === path || each.startsWith(`${path}.N.`));
  return within.flatMap((each) => names[each]).map(String);
}

/** Whether a control or group matches a search: all words must appear in a name, the path or the help. */
export function matches(item: { label: string; path: string; help: string; names: string[] }, search: string): boolean {
  const text = `${item.label} ${item.path} ${item.help} ${item.names.join(" ")}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** All defaults of the schema. */
export function defaultsOf(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const found: JsonObject = {};
  for (const [name, child] of Object.entries(properties)) {
    const value = resolve(schema, child).default;
    if (value !== undefined) found[name] = value;
  }
  return found;
}
