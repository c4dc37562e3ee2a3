/** Recorded frames that a file carries, shown in a loop: where a browser has no WebGPU, and for recorded runs. */

import type { ClientMessage, Hello } from "../net/protocol";
import { bytesOf, inflated, type FileData, type Packing } from "./data";
import type { Answerer, Say } from "./line";
import { prunedSchema } from "./values";

const STATUS_MS = 200;

/** Frames as view/standalone/loop.py packs them: differences from a flock that flies on as before, plane by plane. */
export function unpackFrames(headers: Uint8Array<ArrayBuffer>, planes: Uint8Array<ArrayBuffer>, count: number, packing: Packing): ArrayBuffer[] {
  const frames: ArrayBuffer[] = [];
  const { header, wide, bits, coarse } = packing;
  const view = new DataView(headers.buffer);
  const body = new DataView(planes.buffer);
  let before: Int32Array[] = [];
  let earlier: Int32Array[] = [];
  let place = 0;
  for (let k = 0; k < count; k++) {
    const n = view.getUint32(header * k + 8, true);
    const now = bits.map((size, plane) => {
      const found = new Int32Array(n);
      const mask = (1 << size) - 1;
      const old = before[plane]?.length === n ? before[plane] : null;
      const older = plane < wide && old && earlier[plane]?.length === n ? earlier[plane] : null;
      for (let agent = 0; agent < n; agent++) {
        const change = plane < wide ? body.getUint16(place, true) : body.getUint8(place);
        place += plane < wide ? 2 : 1;
        const was = old?.[agent] ?? 0;
        found[agent] = (was + (older ? was - older[agent] : 0) + change) & mask;
      }
      return found;
    });
    const parts = now.map((plane, which) => plane.map((value) => (value << coarse[which]) | ((1 << coarse[which]) >> 1)));
    frames.push(wide === 2 ? planeFrame(headers, header * k, n, parts) : spaceFrame(headers, header * k, n, parts));
    earlier = before;
    before = now;
  }
  return frames;
}

function planeFrame(headers: Uint8Array, at: number, n: number, [x, y, turn, speed, species, extra]: Int32Array[]): ArrayBuffer {
  const buffer = new ArrayBuffer(48 + 8 * n);
  new Uint8Array(buffer).set(headers.subarray(at, at + 48));
  const words = new Uint32Array(buffer, 48);
  for (let k = 0; k < n; k++) {
    words[2 * k] = (x[k] | (y[k] << 16)) >>> 0;
    words[2 * k + 1] = (turn[k] | (speed[k] << 8) | (species[k] << 16) | (extra[k] << 24)) >>> 0;
  }
  return buffer;
}

function spaceFrame(headers: Uint8Array, at: number, n: number, [x, y, z, u, v, speed, roll, species, extra]: Int32Array[]): ArrayBuffer {
  const buffer = new ArrayBuffer(64 + 11 * n);
  new Uint8Array(buffer).set(headers.subarray(at, at + 64));
  const words = new Uint32Array(buffer, 64, 2 * n);
  const looks = new Uint8Array(buffer, 64 + 8 * n);
  for (let k = 0; k < n; k++) {
    words[2 * k] = (x[k] | (y[k] << 16)) >>> 0;
    words[2 * k + 1] = (z[k] | (u[k] << 16) | (v[k] << 24)) >>> 0;
    const look = speed[k] | (roll[k] << 5) | (species[k] << 10);
    looks.set([look & 255, look >> 8, extra[k]], 3 * k);
  }
  return buffer;
}

export class Recorded implements Answerer {
  private say: Say | null = null;
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
    private readonly notice: string,
  ) {}

  static async of(data: FileData, notice: string): Promise<Recorded> {
    const planes = await inflated(bytesOf(data.loop.planes));
    return new Recorded(data, unpackFrames(bytesOf(data.loop.headers), planes, data.loop.frames, data.loop.packing), notice);
  }

  private step(k: number): number {
    return new DataView(this.frames[k]).getUint32(4, true);
  }

  private get secondsPerStep(): number {
    return new DataView(this.frames[0]).getFloat32(40, true);
  }

  open(say: Say): void {
    this.say = say;
    this.greet();
    if (this.notice) say.message({ type: "error", message: this.notice });
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

  private greet(): void {
    const hello: Hello = {
      ...this.data.scenes[0].hello, bundled: true,
      schema: prunedSchema(this.data.schema, null), scenarios: this.data.scenarios.slice(0, 1), running: this.running, speed: this.speed,
    };
    this.say?.message(hello);
  }

  /** The frame of this time; after the last comes the first. */
  private follow(): void {
    const first = this.step(0);
    const length = this.step(this.frames.length - 1) - first;
    if (length > 0 && this.clock > length) {
      this.clock = 0;
      this.at = 0;
      this.epoch++; // a page must not blend the last frame into the first
    }
    while (this.at + 1 < this.frames.length && this.step(this.at + 1) - first <= this.clock) this.at++;
  }

  private show(): void {
    this.shown = this.at;
    this.wanted = false;
    const frame = this.frames[this.at].slice(0);
    new DataView(frame).setUint32(32, this.epoch, true);
    this.say?.frame(frame);
  }

  private report(): void {
    this.lastStatus = performance.now();
    const step = this.step(this.at);
    const last = this.step(this.frames.length - 1);
    this.say?.message({
      type: "status", step, time: step * this.secondsPerStep, agents: new DataView(this.frames[this.at]).getUint32(12, true), hash: null,
      steps_per_second: null, running: this.running, speed: this.speed, measures: {},
      playback: { name: this.data.run ?? "a recorded loop", first: this.step(0), last, frames: this.frames.length, at: step, live: false, waiting: false, told: "" },
    });
  }

  hear(message: ClientMessage): void {
    switch (message.type) {
      case "ready": this.wanted = true; return;
      case "play": this.running = true; break;
      case "pause": this.running = false; break;
      case "speed": this.speed = message.value; break;
      case "seek": this.seek(message.step); break;
      case "step": this.running = false; this.at = Math.min(this.frames.length - 1, this.at + message.count); this.clock = this.step(this.at) - this.step(0); break;
      case "reset": this.seek(this.step(0)); break;
      case "extra": case "pointer": return;
      case "select": case "pick": this.say?.message({ type: "inspect", id: null }); return;
      default: this.say?.message({ type: "error", message: "These are recorded frames: they can be played, paused and scrubbed, not changed." });
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
