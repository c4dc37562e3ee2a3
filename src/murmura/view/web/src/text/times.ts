/** Describes the history of a population. */

import type { Status } from "../net/protocol";
import { humanized } from "../panel/controls/schema";

/** "Died: 12 of starvation, 3 of age", the most frequent first. */
export function causesInWords(causes: Status["causes"] = {}): string {
  const known = Object.entries(causes).sort(([, a], [, b]) => b - a);
  return known.length === 0 ? "" : `Died: ${known.map(([cause, count]) => `${count.toLocaleString("en")} ${cause === "removed" ? cause : `of ${cause}`}`).join(", ")}`;
}

/** "Boom since 40 s", "Starvation 12–30 s", the newest first. */
export function timesInWords(times: Status["times"] = []): string[] {
  return [...times].reverse().map(({ kind, begin, end, lasts }) => `${humanized(kind)} ${lasts ? `since ${Math.round(begin)} s` : `${Math.round(begin)}–${Math.round(end)} s`}`);
}
