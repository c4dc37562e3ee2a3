/** Encodes a flock in space as a frame, like view/wire/space_frames.py. */

import type { JsonObject } from "../../net/protocol";
import type { Extra } from "./encode";
import type { FlockState } from "../flock_state";
import { isObject } from "../objects";

const HEADER_BYTES = 64;
const MAGIC = 0x334d524d;
const SPEEDS = 31;
const ROLLS = 31;
const STEEPEST = Math.PI / 2; // roll [rad] of the greatest code
const BANK = 1.5; // tangent of the roll in a turn at full force, if no rule sets the roll

export function encodeSpace(
  state: FlockState,
  scenario: JsonObject,
  epoch: number,
  extra: Extra | null,
  roster: number,
): ArrayBuffer {
  const world = isObject(scenario.world) ? scenario.world : {};
  const motion = isObject(scenario.motion) ? scenario.motion : {};
  const n = state.count;
  const fastest = motion.policy === "constant" ? Number(motion.speed) : Number(motion.max_speed);
  const topSpeed = 1.6 * fastest;
  const box = windowOf(world, state);
  const buffer = new ArrayBuffer(HEADER_BYTES + 11 * n);
  const view = new DataView(buffer);
  [MAGIC, state.step >>> 0, n, n].forEach((value, k) => {
    view.setUint32(4 * k, value, true);
  });
  [box[0].low, box[1].low, box[0].side, box[1].side].forEach((value, k) => {
    view.setFloat32(16 + 4 * k, value, true);
  });
  view.setUint32(32, epoch, true);
  view.setUint16(36, 1, true);
  view.setUint8(38, extra?.number ?? 0);
  view.setUint8(39, (world.boundary === "wrap" ? 1 : 0) | ((roster & 127) << 1));
  [Number(motion.time_step), topSpeed, box[2].low, box[2].side].forEach((value, k) => {
    view.setFloat32(40 + 4 * k, value, true);
  });
  view.setUint32(56, edgesOf(world)[2] === "wrap" ? 1 : 0, true);
  const words = new Uint32Array(buffer, HEADER_BYTES, 2 * n);
  const looks = new Uint8Array(buffer, HEADER_BYTES + 8 * n);
  const species = state.column("species_id");
  const more = extra ? state.column(extra.column) : null;
  const lean = leaning(state, Number(motion.max_force));
  const headings = state.column("heading");
  for (let k = 0; k < n; k++) {
    const [x, y, z] = placeAt(state, k).map((value, axis) =>
      clamped(((value - box[axis].low) * 65535) / box[axis].side + 0.5, 65535),
    );
    const { ahead, speed } = directionAt(state, k, headings?.[k] ?? 0);
    words[2 * k] = (x | (y << 16)) >>> 0;
    words[2 * k + 1] = (z | (octahedral(ahead) << 16)) >>> 0;
    const pace = clamped((speed * SPEEDS) / topSpeed + 0.5, SPEEDS);
    const roll = clamped((lean(k, ahead) / STEEPEST + 1) * (ROLLS / 2) + 0.5, ROLLS);
    const look = pace | (roll << 5) | (((species?.[k] ?? 0) % 64) << 10);
    looks[3 * k] = look & 255;
    looks[3 * k + 1] = look >> 8;
    looks[3 * k + 2] = more && extra ? clamped((more[k] * 255) / extra.top, 255) : 0;
  }
  return buffer;
}

function clamped(value: number, most: number): number {
  return Math.trunc(Math.min(most, Math.max(0, value)));
}

type Triple = [number, number, number];

function placeAt(state: FlockState, k: number): Triple {
  return [state.quads[4 * k], state.quads[4 * k + 1], state.heights?.[k] ?? 0];
}

/** Direction and speed of flight. An agent at rest has the direction of its horizontal heading. */
function directionAt(state: FlockState, k: number, heading: number): { ahead: Triple; speed: number } {
  const [vx, vy, vz] = [state.quads[4 * k + 2], state.quads[4 * k + 3], state.climbs?.[k] ?? 0];
  const speed = Math.hypot(vx, vy, vz);
  if (speed < 1e-9) return { ahead: [Math.cos(heading), Math.sin(heading), 0], speed };
  return { ahead: [vx / speed, vy / speed, vz / speed], speed };
}

/** Roll of each agent to the left [rad]: from its flight rule, or else estimated from its turn. */
function leaning(state: FlockState, maxForce: number): (k: number, ahead: Triple) => number {
  const rolls = state.column("roll");
  if (rolls) return (k) => rolls[k];
  const [forceX, forceY] = [state.column("acceleration_x"), state.column("acceleration_y")];
  return (k, [x, y]) => {
    const sideways = ((forceY?.[k] ?? 0) * x - (forceX?.[k] ?? 0) * y) / Math.max(Math.hypot(x, y), 1e-6);
    return Math.atan((BANK * sideways) / Math.max(maxForce, 1e-9));
  };
}

/** A unit vector in two bytes, in octahedral encoding. */
function octahedral([ax, ay, az]: Triple): number {
  const size = Math.abs(ax) + Math.abs(ay) + Math.abs(az);
  let [x, y] = [ax / size, ay / size];
  if (az < 0) [x, y] = [(1 - Math.abs(y)) * (x >= 0 ? 1 : -1), (1 - Math.abs(x)) * (y >= 0 ? 1 : -1)];
  const [u, v] = [x, y].map((part) => Math.min(255, Math.max(0, Math.round((part * 0.5 + 0.5) * 255))));
  return u | (v << 8);
}

function edgesOf(world: JsonObject): string[] {
  const edge = String(world.boundary);
  return [edge, world.boundary_y, world.boundary_z].map((own) => (typeof own === "string" ? own : edge));
}

/** The corner and the sides of the box that 0..65535 covers: the world, or all agents along an open axis. */
function windowOf(world: JsonObject, state: FlockState): { low: number; side: number }[] {
  const sides = [world.width, world.height, world.depth].map(Number);
  return edgesOf(world).map((edge, axis) => {
    if (edge !== "open" || state.count === 0) return { low: 0, side: sides[axis] };
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < state.count; k++) {
      const value = placeAt(state, k)[axis];
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return { low, side: Math.max(high - low, 1) };
  });
}
