/** Events since the flock began: counts, causes of death, and the latest ones for the page (view/session/observing/chronicle.py). */

import type { FlockEvent, Status } from "../../net/protocol";
import type { UnnumberedEvent } from "../events";

const MOST_SENT = 60; // events per message; if there are more, only the newest are sent

export class Chronicle {
  private newest = 0;
  private totals: Record<string, number> = {};
  private causes: Record<string, number> = {};
  private waiting: FlockEvent[] = [];

  begin(): void {
    this.totals = {};
    this.causes = {};
    this.waiting = [];
  }

  add(events: UnnumberedEvent[]): void {
    for (const event of events) {
      this.totals[event.kind] = (this.totals[event.kind] ?? 0) + 1;
      if (event.kind === "death" && event.cause) this.causes[event.cause] = (this.causes[event.cause] ?? 0) + 1;
      this.waiting.push({ number: ++this.newest, ...event });
    }
    this.waiting = this.waiting.slice(-MOST_SENT);
  }

  /** The events since the last call. */
  news(): FlockEvent[] {
    const sent = this.waiting;
    this.waiting = [];
    return sent;
  }

  /** Part of a status message; births and deaths are absent while there are none. */
  report(): Partial<Status> {
    const births = this.totals.birth ?? 0;
    const deaths = this.totals.death ?? 0;
    return {
      ...(Object.keys(this.totals).length > 0 ? { totals: { ...this.totals } } : {}),
      ...(births > 0 || deaths > 0 ? { births, deaths, causes: { ...this.causes }, times: [] } : {}),
    };
  }
}
