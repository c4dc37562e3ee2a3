/** Changed values of a scenario by path, as the server sends them. Independent of the DOM. */

import { isObject, type Json, type JsonObject } from "./protocol";

/** The scenario with other values; what does not change stays the same object. */
export function withValues(scenario: JsonObject, values: Record<string, Json>): JsonObject {
  return Object.entries(values).reduce((whole, [path, value]) => withValue(whole, path.split("."), value), scenario);
}

function withValue(data: JsonObject, [first, ...rest]: string[], value: Json): JsonObject {
  if (rest.length === 0) return { ...data, [first]: value };
  const inner = data[first];
  return { ...data, [first]: withValue(isObject(inner) ? inner : {}, rest, value) };
}
