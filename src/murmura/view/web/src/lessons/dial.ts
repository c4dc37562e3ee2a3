/** The range of a value for the reader's own slider. Independent of the DOM. */

import type { Hello } from "../net/protocol";
import { groupsOf, valueAt } from "../panel/controls/schema";
import type { Dial } from "./card";

export function dialOf(hello: Hello | null, path: string): Dial | null {
  if (!hello) return null;
  const control = groupsOf(hello.schema, hello.scenario)
    .flatMap(({ controls }) => controls)
    .find((each) => each.path === path);
  const value = valueAt(hello.scenario, path);
  if (!control || typeof value !== "number") return null;
  const { label, unit, min, max, step } = control;
  return { label: unit ? `${label} [${unit}]` : label, min, max, step, value };
}
