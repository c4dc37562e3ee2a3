/** Asks for details of single animals while only a few are in view. */

import type { ClientMessage } from "../net/protocol";

export class CloseUp {
  private asked: string | null = null; // for this window; null: not yet of this flock

  constructor(private readonly send: (message: ClientMessage) => void) {}

  /** Requests for an earlier flock do not count. */
  forget(): void {
    this.asked = null;
  }

  /** Ask for the animals in this part of the world: left, top, right, bottom and, in space, low and high. */
  look(window: readonly number[] | null): void {
    if (String(window) === this.asked) return;
    this.asked = String(window);
    const [left = null, top = null, right = null, bottom = null, low, high] = window ?? [];
    this.send({ type: "look", left, top, right, bottom, ...(low === undefined ? {} : { low, high }) });
  }
}
