/** Plays the frames of a recorded run in a loop. */

import type { ClientMessage, Hello } from "../net/protocol";
import { bytesOf, inflated, type FileData, type Loop } from "./data";
import type { LocalServer, PageSocket } from "./local_socket";
import { unpackFrames } from "./unpack";
import { prunedSchema } from "./values";

const STATUS_MS = 200;

export class Recorded implements LocalServer {
  private page: PageSocket | null = null;
  private at = 0;
  private running = true;
  private speed = 1;
  private wanted = true;
  private clock = 0; // [steps] since the first frame
  private lastStatus = -Infinity;
  private shown = -1;
  private epoch = 1;

  private constructor(
    private readonly data: FileData,
    private readonly frames: ArrayBuffer[],
  ) {}

  static async of(data: FileData, { headers, planes, frames }: Loop): Promise<Recorded> {
    return new Recorded(data, unpackFrames(bytesOf(headers), await inflated(bytesOf(planes)), frames));
  }

  private step(k: number): number {
    return new DataView(this.frames[k]).getUint32(4, true);
  }

  private get secondsPerStep(): number {
    return new DataView(this.frames[0]).getFloat32(40, true);
  }

  open(page: PageSocket): void {
    this.page = page;
    this.sayHello();
    let last = performance.now();
    const turn = (): void => {
      const now = performance.now();
      if (this.running) this.clock += (Math.min(0.25, (now - last) / 1000) * this.speed) / this.secondsPerStep;
      last = now;
      this.follow();
      if (this.wanted && this.shown !== this.at) this.show();
      if (now - this.lastStatus > STATUS_MS) this.report();
      if (document.hidden) setTimeout(turn, STATUS_MS);
      else requestAnimationFrame(turn);
    };
    turn();
  }

  private sayHello(): void {
    const hello: Hello = {
      ...this.data.scenes[0].hello,
      bundled: true,
      schema: prunedSchema(this.data.schema, null),
      scenarios: this.data.scenarios.slice(0, 1),
      running: this.running,
      speed: this.speed,
    };
    this.page?.message(hello);
  }

  /** The frame at this time; the first follows the last. */
  private follow(): void {
    const first = this.step(0);
    const length = this.step(this.frames.length - 1) - first;
    if (length > 0 && this.clock > length) {
      this.clock = 0;
      this.at = 0;
      this.epoch++; // the page must not interpolate from the last frame to the first
    }
    while (this.at + 1 < this.frames.length && this.step(this.at + 1) - first <= this.clock) this.at++;
  }

  private show(): void {
    this.shown = this.at;
    this.wanted = false;
    const frame = this.frames[this.at].slice(0);
    new DataView(frame).setUint32(32, this.epoch, true);
    this.page?.frame(frame);
  }

  private report(): void {
    this.lastStatus = performance.now();
    const step = this.step(this.at);
    const last = this.step(this.frames.length - 1);
    this.page?.message({
      type: "status",
      step,
      time: step * this.secondsPerStep,
      agents: new DataView(this.frames[this.at]).getUint32(12, true),
      hash: null,
      steps_per_second: null,
      running: this.running,
      speed: this.speed,
      measures: {},
      playback: {
        name: this.data.run ?? "",
        first: this.step(0),
        last,
        frames: this.frames.length,
        at: step,
        live: false,
        waiting: false,
        told: "",
      },
    });
  }

  receive(message: ClientMessage): void {
    switch (message.type) {
      case "ready":
        this.wanted = true;
        return;
      case "play":
        this.running = true;
        break;
      case "pause":
        this.running = false;
        break;
      case "speed":
        this.speed = message.value;
        break;
      case "seek":
        this.seek(message.step);
        break;
      case "step":
        this.running = false;
        this.at = Math.min(this.frames.length - 1, this.at + message.count);
        this.clock = this.step(this.at) - this.step(0);
        break;
      case "reset":
        this.seek(this.step(0));
        break;
      case "extra":
      case "pointer":
      case "look":
      case "window":
        return;
      case "select":
      case "pick":
        this.page?.message({ type: "inspect", id: null });
        return;
      default:
        this.page?.message({
          type: "error",
          message: "These are recorded frames: you can play, pause and scrub them, but not change anything.",
        });
    }
    this.lastStatus = -Infinity;
  }

  private seek(step: number): void {
    const found = this.frames.findIndex((_, k) => this.step(k) >= step);
    this.at = found < 0 ? this.frames.length - 1 : found;
    this.clock = this.step(this.at) - this.step(0);
    this.epoch++;
  }
}
