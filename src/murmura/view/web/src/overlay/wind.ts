/** Streaks that drift with the wind and show its direction and speed. */

import { toScreen, visible, type Size } from "../render/camera";
import type { Lines } from "./lines";

const STREAKS = 90;
const SHOWN = 9; // times the wind's speed: the true speed would look too slow
const LIFE = 2.6; // [s]

interface Wind {
  speed: number;
  direction: number;
}

/** Streak k is a pure function of time, so there is no state to update when the window is resized. */
export function streak(
  k: number,
  seconds: number,
  blow: Wind,
  room: Size,
): { x: number; y: number; fade: number; dx: number; dy: number } {
  const angle = (blow.direction * Math.PI) / 180;
  const phase = (seconds / LIFE + hash(k)) % 1;
  const turn = Math.floor(seconds / LIFE + hash(k));
  const pace = SHOWN * blow.speed * (0.7 + 0.6 * hash(k + 511)) * LIFE;
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  const x = hash(k + 7919 * turn) * room.width + dx * pace * (phase - 0.5);
  const y = hash(k + 104729 * turn + 13) * room.height + dy * pace * (phase - 0.5);
  return { x, y, fade: Math.sin(Math.PI * phase), dx, dy };
}

/** A pseudo-random number in [0, 1). */
function hash(k: number): number {
  const x = Math.sin(k * 12.9898 + 78.233) * 43758.5453;
  return x - Math.floor(x);
}

export function drawWind(lines: Lines, blow: Wind, seconds: number): void {
  const { context, camera, view, light } = lines;
  const [left, top, right, bottom] = visible(camera, view);
  const room = { width: right - left, height: bottom - top };
  const length = Math.min(60, 8 + 3.2 * blow.speed);
  context.lineCap = "round";
  context.lineWidth = 1.2;
  for (let k = 0; k < STREAKS; k++) {
    const { x, y, fade, dx, dy } = streak(k, seconds, blow, room);
    const p = toScreen(camera, view, { x: left + x, y: top + y });
    context.strokeStyle = light
      ? `rgb(40 70 110 / ${(0.3 * fade).toFixed(3)})`
      : `rgb(190 215 255 / ${(0.26 * fade).toFixed(3)})`;
    context.beginPath();
    context.moveTo(p.x - dx * length, p.y - dy * length);
    context.lineTo(p.x, p.y);
    context.stroke();
  }
}
