/** A world with the shape of the window: a setting of the page, and of some scenarios. */

import { type ClientMessage, type Hello } from "../net/protocol";
import type { Size } from "../render/camera";
import { valueAt } from "./controls/schema";

const WAIT_MS = 400; // wait until the window is no longer being resized
const LEAST = 200; // [u]

export class WindowWorld {
  private timer = 0;
  private asked = ""; // so that a refused size is not requested again

  constructor(
    private readonly hello: () => Hello | null,
    private readonly wanted: () => boolean | null, // the user's choice; null: the scenario decides
    private readonly room: () => Size, // the window, or the area that panels leave free [CSS px]
    private readonly send: (message: ClientMessage) => void,
  ) {
    addEventListener("resize", () => {
      this.later();
    });
  }

  later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.follow();
    }, WAIT_MS);
  }

  private follow(): void {
    const hello = this.hello();
    if (!hello || hello.visitor || hello.history) return;
    if (!(this.wanted() ?? valueAt(hello.scenario, "display.follow_window") === true)) return;
    const size = fillingSize(this.room());
    const now = { width: valueAt(hello.scenario, "world.width"), height: valueAt(hello.scenario, "world.height") };
    const key = `${String(hello.scenario.name)} ${size.width} ${size.height}`;
    if ((now.width === size.width && now.height === size.height) || key === this.asked) return;
    this.asked = key;
    this.send({ type: "window", ...size });
  }
}

/** One unit per pixel, rounded. */
export function fillingSize({ width, height }: Size): Size {
  return { width: Math.max(LEAST, Math.round(width)), height: Math.max(LEAST, Math.round(height)) };
}
