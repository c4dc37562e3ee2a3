/** What a list has sent and the server has not confirmed: until then, an older state must not replace it. */

import { isObject, type Json } from "../net/protocol";

const PATIENCE_MS = 5000; // then the server's state is shown, whatever it is

export class Unconfirmed {
  private sent: Json = null;
  private since = 0;

  note(value: Json): void {
    this.sent = value;
    this.since = performance.now();
  }

  clear(): void {
    this.sent = null;
  }

  /** Whether a state from the server is older than what was sent. */
  isNewerThan(found: Json): boolean {
    if (this.sent !== null && (contains(found, this.sent) || performance.now() - this.since > PATIENCE_MS))
      this.clear();
    return this.sent !== null;
  }
}

/** Whether a state has all that was sent; the server adds the fields that were left out. */
export function contains(whole: Json | undefined, part: Json): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && whole.length === part.length && part.every((each, k) => contains(whole[k], each));
  if (isObject(part))
    return isObject(whole) && Object.entries(part).every(([key, value]) => contains(whole[key], value));
  return whole === part;
}
