/** Pointer input on the canvas: turns mouse, pen and touch events into tool strokes and camera moves. */

import type { Point } from "../net/protocol";

const HOLD_MS = 140; // a shorter press without movement is a click
const LONG_MS = 550;
const SLACK = 6; // a click may move this far [px]
const DOUBLE_MS = 320;

export interface Gestures {
  /** A press; `second` is the right button, shift, or a long press. */
  press(at: Point, second: boolean): void;
  drag(at: Point): void;
  release(at: Point): void;
  click(at: Point, second: boolean): void;
  doubleClick(at: Point): void;
  /** Move the view; in space this rotates it, unless `sliding` (shift) is set. */
  pan(dx: number, dy: number, sliding: boolean): void;
  zoom(at: Point, factor: number): void;
}

interface PointerState {
  start: Point;
  now: Point;
  second: boolean;
  touch: boolean;
  time: number;
  pressing: boolean;
}

export class Input {
  private readonly downs = new Map<number, PointerState>();
  private panning: Point | null = null;
  private timer = 0;
  private lastClick = { time: -Infinity, at: { x: 0, y: 0 } };
  private pinched = false; // touches that moved the view must not click when they end

  constructor(
    private readonly canvas: HTMLElement,
    private readonly gestures: Gestures,
  ) {
    canvas.addEventListener("pointerdown", (event) => {
      this.down(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.move(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      this.up(event, true);
    });
    canvas.addEventListener("pointercancel", (event) => {
      this.up(event, false);
    });
    canvas.addEventListener("dblclick", (event) => {
      this.gestures.doubleClick(place(event));
    });
    canvas.addEventListener("mousedown", (event) => {
      event.preventDefault();
    });
    canvas.addEventListener("contextmenu", (event) => {
      event.preventDefault();
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        this.wheel(event);
      },
      { passive: false },
    );
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    // A press on the canvas takes the focus from any field but shows no focus ring.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    const at = place(event);
    if (event.button === 1) {
      event.preventDefault();
      this.panning = at;
      return;
    }
    const touch = event.pointerType === "touch";
    const down: PointerState = {
      start: at,
      now: at,
      second: event.button === 2 || event.shiftKey,
      touch,
      time: event.timeStamp,
      pressing: false,
    };
    this.downs.set(event.pointerId, down);
    clearTimeout(this.timer);
    if (this.downs.size > 1) {
      this.pinched = true;
      this.stopPressing();
      return;
    }
    this.pinched = false;
    this.timer = window.setTimeout(
      () => {
        if (touch) down.second = true;
        this.begin(down);
      },
      touch ? LONG_MS : HOLD_MS,
    );
  }

  private begin(down: PointerState): void {
    if (down.pressing) return;
    clearTimeout(this.timer);
    down.pressing = true;
    this.gestures.press(down.start, down.second);
  }

  private move(event: PointerEvent): void {
    const at = place(event);
    if (this.panning) {
      this.gestures.pan(at.x - this.panning.x, at.y - this.panning.y, event.shiftKey);
      this.panning = at;
      return;
    }
    const down = this.downs.get(event.pointerId);
    if (!down) return;
    const before = down.now;
    if (this.downs.size > 1) {
      this.pinch(down, before, at);
      return;
    }
    down.now = at;
    if (this.pinched) return;
    if (!down.pressing && distance(down.start, at) > SLACK) this.begin(down);
    if (down.pressing) this.gestures.drag(at);
  }

  /** Pinch: the centre of two touches moves the view, their distance zooms it. */
  private pinch(down: PointerState, before: Point, at: Point): void {
    const other = [...this.downs.values()].find((each) => each !== down);
    if (!other) return;
    down.now = at;
    this.gestures.pan((at.x - before.x) / 2, (at.y - before.y) / 2, false);
    const middle = { x: (at.x + other.now.x) / 2, y: (at.y + other.now.y) / 2 };
    this.gestures.zoom(middle, distance(at, other.now) / Math.max(1, distance(before, other.now)));
  }

  private up(event: PointerEvent, real: boolean): void {
    this.panning = null;
    const down = this.downs.get(event.pointerId);
    this.downs.delete(event.pointerId);
    clearTimeout(this.timer);
    if (!down) return;
    if (down.pressing) this.gestures.release(place(event));
    else if (real && !this.pinched) this.clicked(down, event.timeStamp);
  }

  /** The browser detects double clicks; double taps are timed here. */
  private clicked(down: PointerState, time: number): void {
    const { lastClick } = this;
    if (!down.touch) {
      this.gestures.click(down.now, down.second);
      return;
    }
    const double = time - lastClick.time < DOUBLE_MS && distance(lastClick.at, down.now) < 4 * SLACK;
    this.lastClick = { time: double ? -Infinity : time, at: down.now };
    if (double) this.gestures.doubleClick(down.now);
    else this.gestures.click(down.now, down.second);
  }

  private stopPressing(): void {
    for (const down of this.downs.values()) {
      if (down.pressing) this.gestures.release(down.now);
      down.pressing = false;
    }
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.gestures.zoom(place(event), Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)));
  }
}

function place(event: MouseEvent): Point {
  return { x: event.clientX, y: event.clientY };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
