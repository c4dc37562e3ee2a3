/** Describes the history of a population. */

import type { Status } from "../net/protocol";
import { humanized } from "../panel/controls/schema";

/** "Deaths: starvation 12, age 3", the most frequent first. */
export function causesInWords(causes: Status["causes"] = {}): string {
  const known = Object.entries(causes).sort(([, a], [, b]) => b - a);
  return known.length === 0
    ? ""
    : `Deaths: ${known.map(([cause, count]) => `${cause} ${count.toLocaleString("en")}`).join(", ")}`;
}

/** "Boom since 40 s", "Starvation 12–30 s", the newest first. */
export function timesInWords(times: Status["times"] = []): string[] {
  return [...times]
    .reverse()
    .map(
      ({ kind, begin, end, lasts }) =>
        `${humanized(kind)} ${lasts ? `since ${Math.round(begin)} s` : `${Math.round(begin)}–${Math.round(end)} s`}`,
    );
}
