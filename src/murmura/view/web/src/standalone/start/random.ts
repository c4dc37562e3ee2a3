/** Random numbers and the start of a flock, as in `core/randomness.py` and `engine/initial.py`. */

import type { JsonObject } from "../../net/protocol";
import { isObject } from "../objects";

const PARITY = 0x1bd11bda;
const GOLDEN = 0x9e3779b9;
const ROTATIONS = [
  [13, 15, 26, 6],
  [17, 29, 16, 24],
];
const STREAM_POSITION = 1;
const STREAM_HEADING = 2;
const STREAM_GENDER = 3;
const STREAM_SPEED = 7;
const AXES = "xyz";
export const STREAM_HUNTER_START = 20;
const STREAM_NOISE_OFFSET = 4;
const IN_SPACE = 500; // offset of the streams that only 3-D worlds use

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

/** The offset in the noise lattice for this seed. */
export function noiseOffset(seed: [number, number]): [number, number, number] {
  const [x, y] = uniformPair(seed, 0, 0, STREAM_NOISE_OFFSET);
  const [z] = uniformPair(seed, 0, 0, STREAM_NOISE_OFFSET + IN_SPACE);
  return [Math.floor(x * 256), Math.floor(y * 256), Math.floor(z * 256)];
}

/** The columns of a start that differ from agent to agent. */
export function drawnStart(
  scenario: JsonObject,
  seed: number,
  count: number,
): Record<string, Float32Array<ArrayBuffer>> {
  const world = isObject(scenario.world) ? scenario.world : {};
  const sides = [world.width, world.height, ...(typeof world.depth === "number" ? [world.depth] : [])].map(Number);
  const found: Record<string, Float32Array<ArrayBuffer>> = {};
  const words = seedWords(seed);
  const put = (name: string, id: number, value: number): void => {
    (found[name] ??= new Float32Array(count))[id] = value;
  };
  for (let id = 0; id < count; id++) {
    const velocity = velocityOf(scenario, words, id, sides.length - 1);
    placeOf(scenario, words, id, sides).forEach((x, axis) => {
      put(`position_${AXES[axis]}`, id, edgeOf(world, axis) === "wrap" ? below(x, sides[axis]) : x);
      put(`velocity_${AXES[axis]}`, id, velocity[axis]);
    });
    put("heading", id, Math.hypot(...velocity) > 0.1 ? Math.atan2(velocity[1], velocity[0]) : 0);
    const [coin, temper] = uniformPair(words, 0, id, STREAM_GENDER);
    put("gender", id, Number(coin < 0.5)); // 1: male
    put("aggression_level", id, coin < 0.5 ? 0.5 + 0.5 * temper : 0);
  }
  return found;
}

function edgeOf(world: JsonObject, axis: number): unknown {
  const own = [null, world.boundary_y, world.boundary_z][axis];
  return typeof own === "string" ? own : world.boundary;
}

function placeOf(scenario: JsonObject, seed: [number, number], id: number, sides: number[]): number[] {
  const start = isObject(scenario.start) ? scenario.start : {};
  const [u, v] = uniformPair(seed, 0, id, STREAM_POSITION);
  const [w] = sides.length > 2 ? uniformPair(seed, 0, id, STREAM_POSITION + IN_SPACE) : [0];
  const margin = Number(start.margin);
  if (start.layout !== "disc")
    return [u, v, w].slice(0, sides.length).map((chance, axis) => margin + chance * (sides[axis] - 2 * margin));
  const reach = Math.min(Number(start.radius), 0.49 * Math.min(...sides));
  const away =
    sides.length > 2
      ? anyDirection(2 * Math.PI * v, w, Math.cbrt(u) * reach)
      : [Math.cos(2 * Math.PI * v), Math.sin(2 * Math.PI * v)].map((part) => part * Math.sqrt(u) * reach);
  return away.map((part, axis) => sides[axis] / 2 + part);
}

function velocityOf(scenario: JsonObject, seed: [number, number], id: number, planes: number): number[] {
  const start = isObject(scenario.start) ? scenario.start : {};
  const motion = isObject(scenario.motion) ? scenario.motion : {};
  const [turn, height] = uniformPair(seed, 0, id, STREAM_HEADING);
  const [extra] = uniformPair(seed, 0, id, STREAM_SPEED);
  const speed =
    motion.policy === "constant" ? Number(motion.speed) : Number(start.speed) + extra * Number(start.speed_spread);
  const angle = 2 * Math.PI * turn;
  if (typeof start.direction === "number")
    return directed(start.direction, Number(start.direction_spread), turn, height, planes).map((part) => part * speed);
  return planes === 1 ? [Math.cos(angle) * speed, Math.sin(angle) * speed] : anyDirection(angle, height, speed);
}

/** A direction within a spread of another, all equally likely: on an arc, or on the cap of a sphere [deg]. */
function directed(direction: number, spread: number, turn: number, height: number, planes: number): number[] {
  const [along, half] = [direction, spread].map((degrees) => (degrees * Math.PI) / 180);
  if (planes === 1) return [Math.cos(along + half * (2 * turn - 1)), Math.sin(along + half * (2 * turn - 1))];
  const lost = 2 * Math.sin(half / 2) ** 2 * height;
  const across = Math.sqrt(Math.max(0, lost * (2 - lost)));
  const [ahead, left] = [1 - lost, across * Math.cos(2 * Math.PI * turn)];
  return [
    ahead * Math.cos(along) - left * Math.sin(along),
    ahead * Math.sin(along) + left * Math.cos(along),
    across * Math.sin(2 * Math.PI * turn),
  ];
}

/** Heights on the unit sphere are uniform, so every direction is equally likely. */
function anyDirection(angle: number, chance: number, size: number): number[] {
  const height = 2 * chance - 1;
  const flat = Math.sqrt(Math.max(0, 1 - height * height)) * size;
  return [Math.cos(angle) * flat, Math.sin(angle) * flat, height * size];
}

/** Rounding to single precision must not put an agent on the far edge of a world that wraps. */
function below(x: number, side: number): number {
  const rounded = Math.fround(x);
  return rounded < Math.fround(side) ? rounded : Math.fround(side * (1 - 2 ** -24));
}
