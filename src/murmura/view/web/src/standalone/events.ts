/** Events as the page shows them (core/events.py, `readable`). */

import type { FlockEvent } from "../net/protocol";
import type { Words } from "./data";

/** An event without a number. */
export type UnnumberedEvent = Omit<FlockEvent, "number">;

/** What happened in some steps. */
export interface Happened {
  /** The first step after which a position was not finite; null: none. */
  failedStep: number | null;
  events: UnnumberedEvent[];
}

/** Rows of step, kind, id, other, x, y, cause, amount, in an order that does not depend on threads. */
export function readable(rows: ArrayLike<number>[], names: Words): UnnumberedEvent[] {
  const ordered = [...rows].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3]);
  return ordered.map((row) => {
    const kind = names.events[row[1]];
    const other = Math.trunc(row[3]);
    return {
      step: row[0],
      kind,
      id: row[2],
      x: row[4],
      y: row[5],
      other: other >= 0 ? other : null,
      cause: row[6] > 0 ? names.causes[row[6]] : null,
      amount: kind === "birth" || kind === "arrival" ? 0 : row[7],
    };
  });
}
