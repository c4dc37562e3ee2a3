/** Encodes the state of a flock as a frame, like view/wire/frames.py. */

import type { JsonObject } from "../../net/protocol";
import { encodeSpace } from "./encode_space";
import { isObject } from "../objects";
import type { FlockState } from "../flock_state";

const HEADER_BYTES = 48;
const MAGIC = 0x314d524d;
const PER_TURN = 40.74366543152521; // 256 steps in a full turn

export interface Extra {
  number: number;
  column: string;
  top: number;
}

export function encodeFrame(
  state: FlockState,
  scenario: JsonObject,
  epoch: number,
  extra: Extra | null,
  roster: number,
): ArrayBuffer {
  if (state.heights) return encodeSpace(state, scenario, epoch, extra, roster);
  const world = isObject(scenario.world) ? scenario.world : {};
  const motion = isObject(scenario.motion) ? scenario.motion : {};
  const n = state.quads.length / 4;
  const [left, top, width, height] = frameWindow(world, state.quads);
  const fastest = motion.policy === "constant" ? Number(motion.speed) : Number(motion.max_speed);
  const topSpeed = 1.6 * fastest;
  const buffer = new ArrayBuffer(HEADER_BYTES + 8 * n);
  const view = new DataView(buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, state.step >>> 0, true);
  view.setUint32(8, n, true);
  view.setUint32(12, n, true);
  [left, top, width, height].forEach((value, k) => {
    view.setFloat32(16 + 4 * k, value, true);
  });
  view.setUint32(32, epoch, true);
  view.setUint16(36, 1, true);
  view.setUint8(38, extra?.number ?? 0);
  view.setUint8(39, (world.boundary === "wrap" ? 1 : 0) | ((roster & 127) << 1));
  view.setFloat32(40, Number(motion.time_step), true);
  view.setFloat32(44, topSpeed, true);
  const words = new Uint32Array(buffer, HEADER_BYTES);
  const headings = state.column("heading");
  const species = state.column("species_id");
  const more = extra ? state.column(extra.column) : null;
  const { quads } = state;
  for (let k = 0; k < n; k++) {
    const [vx, vy] = [quads[4 * k + 2], quads[4 * k + 3]];
    const across = clamped(((quads[4 * k] - left) * 65535) / width + 0.5, 65535);
    const down = clamped(((quads[4 * k + 1] - top) * 65535) / height + 0.5, 65535);
    const turn = Math.trunc((headings?.[k] ?? 0) * PER_TURN + 1024) & 255;
    const speed = clamped((Math.sqrt(vx * vx + vy * vy) * 255) / topSpeed, 255);
    const share = more && extra ? clamped((more[k] * 255) / extra.top, 255) : 0;
    words[2 * k] = (across | (down << 16)) >>> 0;
    words[2 * k + 1] = (turn | (speed << 8) | (((species?.[k] ?? 0) & 255) << 16) | (share << 24)) >>> 0;
  }
  return buffer;
}

function clamped(value: number, most: number): number {
  return Math.trunc(Math.min(most, Math.max(0, value)));
}

/** The box that 0..65535 covers: the world, or in an open one the bounding box of all agents. */
function frameWindow(world: JsonObject, quads: Float32Array): [number, number, number, number] {
  if (world.boundary !== "open" || quads.length === 0) return [0, 0, Number(world.width), Number(world.height)];
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < quads.length; k += 4) {
    left = Math.min(left, quads[k]);
    right = Math.max(right, quads[k]);
    top = Math.min(top, quads[k + 1]);
    bottom = Math.max(bottom, quads[k + 1]);
  }
  return [left, top, Math.max(right - left, 1), Math.max(bottom - top, 1)];
}
