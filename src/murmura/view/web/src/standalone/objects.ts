/** Small helpers. The page has its own copy of `isObject`, because this script must not share a module with it. */

import type { JsonObject } from "../net/protocol";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** WebGPU's flags, which TypeScript declares as types only. */
export const USAGE = { MAP_READ: 0x1, COPY_SRC: 0x4, COPY_DST: 0x8, UNIFORM: 0x40, STORAGE: 0x80 };
export const COMPUTE_STAGE = 0x4;
export const READ_MODE = 0x1;
