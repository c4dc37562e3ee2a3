/** Replaces WebSocket: messages of the page go to a flock in the same file. */

import type { ClientMessage, ServerMessage } from "../net/protocol";

/** What takes the server's place. */
export interface LocalServer {
  receive(message: ClientMessage): void;
  open(page: PageSocket): void;
}

export interface PageSocket {
  message(message: ServerMessage): void;
  frame(frame: ArrayBuffer): void;
}

export function replaceWebSocket(server: Promise<LocalServer>): void {
  class LocalWebSocket {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSED = 3;
    readyState = 0;
    binaryType = "arraybuffer";
    onopen: (() => void) | null = null;
    onclose: (() => void) | null = null;
    onmessage: ((event: { data: string | ArrayBuffer }) => void) | null = null;
    private other: LocalServer | null = null;

    constructor() {
      void server.then((found) => {
        this.other = found;
        this.readyState = 1;
        this.onopen?.();
        found.open({
          message: (message) => this.onmessage?.({ data: JSON.stringify(message) }),
          frame: (frame) => this.onmessage?.({ data: frame }),
        });
      });
    }

    send(text: string): void {
      this.other?.receive(JSON.parse(text) as ClientMessage);
    }

    close(): void {
      this.readyState = 3;
    }
  }
  Object.assign(globalThis, { WebSocket: LocalWebSocket });
}
