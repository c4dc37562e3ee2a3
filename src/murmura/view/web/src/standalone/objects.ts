/** The page has its own copy of `isObject`, because this script must not share a module with it. */

import type { JsonObject } from "../net/protocol";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
