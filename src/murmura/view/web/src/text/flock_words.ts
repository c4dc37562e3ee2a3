/** The flock in words, for who cannot see it: how many groups there are, and where they fly. Independent of the DOM. */

import { agentHeading, agentPosition, type Frame, type Status } from "../net/protocol";
import { compass } from "./words";

const CELLS = 24; // along the longer side of the picture
const MOST_LOOKED_AT = 3000;
const SMALLEST = 0.05; // of the flock; a smaller group is not counted
const SPREAD = 0.45; // of all cells: then it is no group but a crowd everywhere

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six"];

/** "Two groups, flying east", "One group, circling", "Spread over the sky, in all directions". */
export function flockInWords(frame: Frame, status: Pick<Status, "running" | "agents"> | null): string {
  if (frame.count === 0) return "Nobody is left.";
  const paused = status?.running === false ? ", paused" : "";
  return `${groupsInWords(frame)}, ${directionInWords(frame)}${paused}.`;
}

function directionInWords(frame: Frame): string {
  let [x, y] = [0, 0];
  const every = stride(frame);
  for (let k = 0; k < frame.count; k += every) {
    const heading = agentHeading(frame, k);
    x += Math.cos(heading);
    y += Math.sin(heading);
  }
  const order = Math.hypot(x, y) / Math.ceil(frame.count / every);
  if (order < 0.3) return "flying in all directions";
  const way = compass(frame.space ? [x, y, 0] : [x, y]);
  return order > 0.7 ? `flying ${way}` : `mostly flying ${way}`;
}

function groupsInWords(frame: Frame): string {
  const [columns, rows] = grid(frame);
  const counts = occupancy(frame, columns, rows);
  const taken = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  if (taken > SPREAD * columns * rows) return "Spread over the whole picture";
  const all = counts.reduce((sum, count) => sum + count, 0);
  const groups = sizes(counts, columns, rows, frame.wraps).filter((size) => size >= SMALLEST * all).length;
  if (groups === 0 || groups >= NUMBERS.length) return "Many small groups";
  const word = NUMBERS[groups];
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} group${groups === 1 ? "" : "s"}`;
}

const stride = (frame: Frame) => Math.max(1, Math.floor(frame.count / MOST_LOOKED_AT));

function grid({ width, height }: Frame): [number, number] {
  const cell = Math.max(width, height, 1e-9) / CELLS;
  return [Math.max(1, Math.ceil(width / cell - 1e-6)), Math.max(1, Math.ceil(height / cell - 1e-6))];
}

function occupancy(frame: Frame, columns: number, rows: number): number[] {
  const counts = new Array<number>(columns * rows).fill(0);
  for (let k = 0; k < frame.count; k += stride(frame)) {
    const { x, y } = agentPosition(frame, k);
    const column = Math.min(columns - 1, Math.max(0, Math.floor(((x - frame.left) / frame.width) * columns)));
    const row = Math.min(rows - 1, Math.max(0, Math.floor(((y - frame.top) / frame.height) * rows)));
    counts[row * columns + column]++;
  }
  return counts;
}

/** The number of agents in each set of cells that touch, also across an edge that wraps. */
function sizes(counts: number[], columns: number, rows: number, wraps: boolean): number[] {
  const seen = counts.map((count) => count === 0);
  const found: number[] = [];
  for (let start = 0; start < counts.length; start++) {
    if (seen[start]) continue;
    let size = 0;
    const open = [start];
    seen[start] = true;
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      size += counts[cell];
      for (const next of around(cell, columns, rows, wraps)) {
        if (seen[next]) continue;
        seen[next] = true;
        open.push(next);
      }
    }
    found.push(size);
  }
  return found;
}

function around(cell: number, columns: number, rows: number, wraps: boolean): number[] {
  const [column, row] = [cell % columns, Math.floor(cell / columns)];
  const found: number[] = [];
  for (const dy of [-1, 0, 1])
    for (const dx of [-1, 0, 1]) {
      const [x, y] = [column + dx, row + dy];
      const inside = x >= 0 && y >= 0 && x < columns && y < rows;
      if (inside || wraps) found.push(((y + rows) % rows) * columns + ((x + columns) % columns));
    }
  return found;
}

const STABLE_MS = 2000; // a state that lasts less is not told
const PAUSE_MS = 6000; // between two sentences, to be heard to the end

/** Decides when there is something new to say. */
export class Teller {
  private told = "";
  private toldAt = -Infinity;
  private now = "";
  private since = -Infinity;

  /** The sentence to say now; null if there is nothing new, or not for long enough. */
  look(sentence: string, time: number): string | null {
    if (sentence !== this.now) [this.now, this.since] = [sentence, time];
    const isNew = sentence !== this.told && time - this.since >= STABLE_MS && time - this.toldAt >= PAUSE_MS;
    if (!isNew) return null;
    [this.told, this.toldAt] = [sentence, time];
    return sentence;
  }
}
