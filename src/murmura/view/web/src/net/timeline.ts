/**
 * Which two frames to show, and how far between them.
 *
 * Frames arrive unevenly, but the motion must be even. A clock that counts steps runs a little more than one frame
 * behind the newest frame and is gently pulled towards that delay, so that late and early frames are not noticeable.
 */

import type { Frame } from "./protocol";

export const SLOTS = 3;
const PULL_SECONDS = 0.25;
const DELAY_FRAMES = 1.25;

export interface StoredFrame {
  frame: Frame;
  time: number;
  slot: number;
}

export interface Moment {
  from: StoredFrame;
  to: StoredFrame;
  alpha: number;
  step: number;
}

export class Timeline {
  private kept: StoredFrame[] = [];
  private shown = 0;
  private rate = 60; // steps per second of real time
  private interval = 1 / 30; // seconds between frames
  private lastSample = 0;

  get newest(): StoredFrame | null {
    return this.kept.at(-1) ?? null;
  }

  /** Store a frame in a free slot. Times in seconds. */
  push(frame: Frame, time: number): void {
    const before = this.newest;
    if (before && (before.frame.epoch !== frame.epoch || frame.step < before.frame.step)) this.kept = [];
    else if (before?.frame.step === frame.step) this.kept.pop();
    else if (before) this.learn(frame.step - before.frame.step, time - before.time);
    const used = this.kept.slice(1 - SLOTS);
    const slot = [0, 1, 2].find((k) => used.every((kept) => kept.slot !== k)) ?? 0;
    this.kept = [...used, { frame, time, slot }];
    if (this.kept.length === 1) this.shown = frame.step;
  }

  private learn(steps: number, seconds: number): void {
    if (seconds <= 0 || seconds > 0.5) return; // ignore pauses
    this.rate += 0.1 * (steps / seconds - this.rate);
    this.interval += 0.1 * (seconds - this.interval);
  }

  sample(time: number): Moment | null {
    const newest = this.newest;
    if (!newest) return null;
    this.advance(time, newest);
    for (let k = this.kept.length - 1; k > 0; k--) {
      const from = this.kept[k - 1];
      const to = this.kept[k];
      if (this.shown >= from.frame.step || k === 1) return this.between(from, to);
    }
    return { from: newest, to: newest, alpha: 1, step: newest.frame.step };
  }

  private advance(time: number, newest: StoredFrame): void {
    const dt = Math.min(0.1, Math.max(0, time - this.lastSample));
    this.lastSample = time;
    const wanted = newest.frame.step + this.rate * (time - newest.time - DELAY_FRAMES * this.interval);
    this.shown += this.rate * dt;
    this.shown += (wanted - this.shown) * (1 - Math.exp(-dt / PULL_SECONDS));
    this.shown = Math.min(newest.frame.step, Math.max(this.kept[0].frame.step, this.shown));
  }

  private between(from: StoredFrame, to: StoredFrame): Moment {
    const alike =
      from.frame.count === to.frame.count &&
      from.frame.stride === to.frame.stride &&
      from.frame.roster === to.frame.roster;
    if (!alike) return { from: to, to, alpha: 1, step: to.frame.step };
    const alpha = (this.shown - from.frame.step) / (to.frame.step - from.frame.step);
    return { from, to, alpha: Math.min(1, Math.max(0, alpha)), step: this.shown };
  }
}

/** From a to b, the shorter way if the world wraps (`side` > 0). */
export function blend(a: number, b: number, alpha: number, side: number): number {
  let d = b - a;
  if (side > 0) d -= side * Math.round(d / side);
  return a + d * alpha;
}
