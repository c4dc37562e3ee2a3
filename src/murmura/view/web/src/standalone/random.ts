/** Randomness and the start of a flock as `core/randomness.py` and `engine/initial.py` have them. */

import type { JsonObject } from "../net/protocol";
import { isObject } from "./objects";

const PARITY = 0x1bd11bda;
const GOLDEN = 0x9e3779b9;
const ROTATIONS = [
  [13, 15, 26, 6],
  [17, 29, 16, 24],
];
const STREAM_POSITION = 1;
const STREAM_HEADING = 2;
const STREAM_SPEED = 7;

/** Threefry-2x32 with 20 rounds. */
export function threefry(key0: number, key1: number, a: number, b: number): [number, number] {
  const keys = [key0 | 0, key1 | 0, (key0 ^ key1 ^ PARITY) | 0];
  let x = (a + keys[0]) | 0;
  let y = (b + keys[1]) | 0;
  for (let round = 0; round < 5; round++) {
    for (const bits of ROTATIONS[round % 2]) {
      x = (x + y) | 0;
      y = ((y << bits) | (y >>> (32 - bits))) ^ x;
    }
    x = (x + keys[(round + 1) % 3]) | 0;
    y = (y + keys[(round + 2) % 3] + round + 1) | 0;
  }
  return [x >>> 0, y >>> 0];
}

/** The lower and the upper 32 bits of a seed. */
export function seedWords(seed: number): [number, number] {
  return [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0];
}

/** Two numbers in [0, 1) for this agent, step and stream. */
export function uniformPair(seed: [number, number], step: number, id: number, stream: number): [number, number] {
  const [u, v] = threefry(seed[0], (seed[1] ^ Math.imul(stream, GOLDEN)) >>> 0, id, step);
  return [(u >>> 8) * 2 ** -24, (v >>> 8) * 2 ** -24];
}

function numberAt(data: JsonObject, owner: string, name: string): number {
  const part = data[owner];
  return Number(isObject(part) ? part[name] : 0);
}

/** Places, velocities and headings of so many agents at the start: four numbers each, and one. */
export function drawnStart(scenario: JsonObject, seed: number, count: number): { quads: Float32Array<ArrayBuffer>; headings: Float32Array<ArrayBuffer> } {
  const words = seedWords(seed);
  const world = { width: numberAt(scenario, "world", "width"), height: numberAt(scenario, "world", "height") };
  const start = isObject(scenario.start) ? scenario.start : {};
  const motion = isObject(scenario.motion) ? scenario.motion : {};
  const wraps = isObject(scenario.world) && scenario.world.boundary === "wrap";
  const margin = Number(start.margin);
  const reach = Math.min(Number(start.radius), 0.49 * Math.min(world.width, world.height));
  const quads = new Float32Array(4 * count);
  const headings = new Float32Array(count);
  for (let id = 0; id < count; id++) {
    const [u, v] = uniformPair(words, 0, id, STREAM_POSITION);
    const disc = start.layout === "disc";
    const distance = Math.sqrt(u) * reach;
    const x = disc ? world.width / 2 + distance * Math.cos(2 * Math.PI * v) : margin + u * (world.width - 2 * margin);
    const y = disc ? world.height / 2 + distance * Math.sin(2 * Math.PI * v) : margin + v * (world.height - 2 * margin);
    const turn = uniformPair(words, 0, id, STREAM_HEADING)[0];
    const extra = uniformPair(words, 0, id, STREAM_SPEED)[0];
    const speed = motion.policy === "constant" ? Number(motion.speed) : Number(start.speed) + extra * Number(start.speed_spread);
    const vx = Math.cos(2 * Math.PI * turn) * speed;
    const vy = Math.sin(2 * Math.PI * turn) * speed;
    quads.set([wraps ? below(x, world.width) : x, wraps ? below(y, world.height) : y, vx, vy], 4 * id);
    headings[id] = Math.hypot(vx, vy) > 0.1 ? Math.atan2(vy, vx) : 0;
  }
  return { quads, headings };
}

/** Rounding to single precision must not put an agent on the far edge of a world that wraps. */
function below(x: number, side: number): number {
  const rounded = Math.fround(x);
  return rounded < Math.fround(side) ? rounded : Math.fround(side * (1 - 2 ** -24));
}
