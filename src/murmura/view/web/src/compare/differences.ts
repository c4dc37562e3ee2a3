/** What two scenarios differ in, in words, and what one might want to compare. Independent of the DOM. */

import { isObject, type Json, type JsonObject } from "../net/protocol";
import { valueAt } from "../panel/controls/schema";

export interface Difference {
  path: string;
  left: Json;
  right: Json;
}

/** Values that differ, by path; what it is called and how it is shown is not one. */
export function differences(left: JsonObject, right: JsonObject, start = ""): Difference[] {
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return keys.flatMap((key) => {
    const path = `${start}${key}`;
    if (path === "name" || path === "title" || path === "display") return [];
    const [one, other] = [left[key] ?? null, right[key] ?? null];
    if (isObject(one) && isObject(other)) return differences(one, other, `${path}.`);
    return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ path, left: one, right: other }];
  });
}

const SECTIONS = ["rules", "motion", "world", "start"];
const words = (name: string) => name.replace(/[_-]/g, " ");

/** "alignment 1", "cohesion off", "3 hunters". */
export function valueInWords(path: string, value: Json): string {
  const parts = path.split(".").filter((part, k) => !(k === 0 && SECTIONS.includes(part)));
  const last = parts.at(-1);
  if (Array.isArray(value)) return `${value.length} ${words(last ?? "")}`;
  if (last === "weight" || last === "enabled") parts.pop();
  const name = words(parts.join(" "));
  if (typeof value === "boolean") return `${name} ${value ? "on" : "off"}`;
  if (isObject(value)) return `another ${name}`;
  return `${name} ${typeof value === "number" ? Number(value.toPrecision(4)) : value === null ? "none" : words(value)}`;
}

/** The captions of both sides: the one difference, or the first and how many more there are. */
export function captions(left: JsonObject, right: JsonObject): [string, string] {
  if (left.name !== right.name) return [nameInWords(left), nameInWords(right)];
  const found = differences(left, right);
  if (found.length === 0) return ["the same", "the same: change something on one side"];
  const [{ path, left: one, right: other }] = found;
  const more = found.length > 1 ? ` and ${found.length - 1} more` : "";
  return [`${valueInWords(path, one)}${more}`, `${valueInWords(path, other)}${more}`];
}

function nameInWords({ name }: JsonObject): string {
  return words(String(name));
}

export interface Suggestion {
  label: string;
  values: Record<string, Json>;
}

const MOST = 7;

/** Changes that teach something about this scenario, the user's own first. */
export function suggestions(scenario: JsonObject, loaded: JsonObject, idle: readonly string[] = []): Suggestion[] {
  const own = differences(scenario, loaded).filter(({ path }) => path !== "agents" && !path.startsWith("world."));
  const found: Suggestion[] =
    own.length > 0
      ? [
          {
            label: "As it was before your changes",
            values: Object.fromEntries(own.map((each) => [each.path, each.right])),
          },
        ]
      : [];
  const rules = isObject(scenario.rules) ? scenario.rules : {};
  for (const [name, rule] of Object.entries(rules)) {
    if (!isObject(rule) || rule.enabled !== true || idle.includes(name)) continue;
    if (typeof rule.weight === "number" && rule.weight > 0)
      found.push({ label: `No ${words(name)}`, values: { [`rules.${name}.weight`]: 0 } });
    else if (name === "predators" || name === "fear" || name === "noise" || name === "wind")
      found.push({ label: `No ${words(name)}`, values: { [`rules.${name}.enabled`]: false } });
  }
  const radius = valueAt(scenario, "perception.radius");
  if (typeof radius === "number")
    found.push({ label: "They see half as far", values: { "perception.radius": radius / 2 } });
  return [...found.slice(0, MOST), { label: "The same: I change it there", values: {} }];
}
