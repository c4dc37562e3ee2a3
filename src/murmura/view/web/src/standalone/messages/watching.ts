/** The animals that the page looks at: the selected one, and those in a close-up. */

import type { ClientMessage, ServerMessage } from "../../net/protocol";
import { bodies, inspect, type Box, type InspectedFlock } from "./inspect";

const INSPECT_MS = 100;

export class Watching {
  private chosen: number | null = null;
  private window: Box | null = null;
  private last = -Infinity;

  constructor(
    private readonly watched: () => InspectedFlock | null,
    private readonly send: (message: ServerMessage) => void,
  ) {}

  /** Another flock begins. */
  begin(): void {
    this.chosen = null;
  }

  /** Send the details, unless that was a moment ago. */
  update(): void {
    if (performance.now() - this.last > INSPECT_MS) this.inspect();
  }

  choose(id: number | null): void {
    this.chosen = id;
    if (id === null) this.send({ type: "inspect", id: null });
    else this.inspect();
  }

  look(message: Extract<ClientMessage, { type: "look" }>): void {
    const { left, top, right, bottom, low = -Infinity, high = Infinity } = message;
    const isSomewhere = left !== null && top !== null && right !== null && bottom !== null;
    this.window = isSomewhere ? { left, top, right, bottom, low, high } : null;
    if (isSomewhere) this.inspect();
    else this.send({ type: "bodies", agents: [] });
  }

  private inspect(): void {
    this.last = performance.now();
    const watched = this.watched();
    if (!watched) return;
    if (this.window) this.send({ type: "bodies", agents: bodies(watched, this.window) });
    if (this.chosen === null) return;
    const found = inspect(watched, this.chosen);
    if (!found) this.chosen = null;
    this.send(found ?? { type: "inspect", id: null });
  }
}
