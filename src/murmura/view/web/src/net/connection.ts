/** The connection to the server: requests one frame at a time and reconnects by itself. */

import { decodeFrame, parseMessage, type ClientMessage, type Frame, type ServerMessage } from "./protocol";

const FIRST_WAIT = 300; // ms
const LONGEST_WAIT = 8000;

export interface ConnectionHandlers {
  frame(frame: Frame): void;
  message(message: ServerMessage): void;
  state(connected: boolean): void;
  /** Time that handling a message took [ms]. */
  spent(ms: number): void;
}

/** Delay before attempt number `k` [ms]. */
export function backOff(k: number): number {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** k);
}

const address = () => `${location.origin.replace(/^http/, "ws")}${location.pathname.replace(/[^/]*$/, "ws")}`;
let early: WebSocket | null = null;

/** Connect before the page is built, so that the hello arrives while shaders compile. Messages are handled after `open`. */
export function connectEarly(): void {
  early = new WebSocket(address());
}

/** The server pauses until the next frame is requested. Requesting it after painting leaves the processor to the first picture. */
function afterPicture(act: () => void): void {
  requestAnimationFrame(() => {
    setTimeout(act);
  });
}

export class Connection {
  private socket: WebSocket | null = null;
  private attempts = 0;
  private epoch = -1; // of the last frame
  private owed = false; // a frame request that was held back while the page was hidden

  constructor(private readonly handlers: ConnectionHandlers) {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.owed) this.askFrame();
    });
  }

  open(): void {
    const socket = early ?? new WebSocket(address());
    early = null;
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.attempts = 0;
      this.handlers.state(true);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      const began = performance.now();
      this.receive(event.data);
      this.handlers.spent(performance.now() - began);
    };
    socket.onclose = () => {
      this.handlers.state(false);
      setTimeout(() => {
        this.open();
      }, backOff(this.attempts++));
    };
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      const message = parseMessage(data);
      if (message) this.handlers.message(message);
      return;
    }
    let first = false;
    try {
      const frame = decodeFrame(data);
      first = frame.epoch !== this.epoch;
      this.epoch = frame.epoch;
      this.handlers.frame(frame);
    } catch (error) {
      // One bad frame must not stop the stream: request the next one anyway.
      this.handlers.message({ type: "error", message: error instanceof Error ? error.message : "unreadable frame" });
    }
    if (document.hidden) this.owed = true;
    else if (first)
      afterPicture(() => {
        this.askFrame();
      });
    else this.askFrame();
  }

  private askFrame(): void {
    this.owed = false;
    this.send({ type: "ready" });
  }

  send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
