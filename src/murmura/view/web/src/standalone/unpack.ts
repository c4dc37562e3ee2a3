/** Unpacks frames of view/standalone/loop.py: differences from a linear extrapolation, plane by plane. */

import { SPACE_HEADER_BYTES, SPACE_MAGIC } from "../net/space_frames";

interface Layout {
  header: number; // bytes
  each: number; // bytes per agent in a frame
  places: number; // coordinate planes, of two bytes
  coarse: readonly number[]; // dropped bits of each plane
  bits: readonly number[]; // remaining bits of each plane
}

/** As in view/standalone/planes.py. */
const PLANE: Layout = { header: 48, each: 8, places: 2, coarse: [3, 3, 3, 4, 0, 4], bits: [13, 13, 5, 4, 8, 4] };
const SPACE: Layout = {
  header: SPACE_HEADER_BYTES,
  each: 11,
  places: 3,
  coarse: [3, 3, 3, 2, 2, 1, 1, 0, 4],
  bits: [13, 13, 13, 6, 6, 4, 4, 6, 4],
};

export function unpackFrames(
  headers: Uint8Array<ArrayBuffer>,
  planes: Uint8Array<ArrayBuffer>,
  count: number,
): ArrayBuffer[] {
  const frames: ArrayBuffer[] = [];
  const view = new DataView(headers.buffer);
  const body = new DataView(planes.buffer);
  let before: Int32Array[] = [];
  let earlier: Int32Array[] = [];
  let [place, at] = [0, 0];
  for (let k = 0; k < count; k++) {
    const layout = view.getUint32(at, true) === SPACE_MAGIC ? SPACE : PLANE;
    const n = view.getUint32(at + 8, true);
    const now = layout.bits.map((bits, plane) => {
      const wide = plane < layout.places;
      const found = new Int32Array(n);
      const old = before[plane]?.length === n ? before[plane] : null;
      const older = wide && old && earlier[plane]?.length === n ? earlier[plane] : null;
      for (let agent = 0; agent < n; agent++) {
        const change = wide ? body.getUint16(place, true) : body.getUint8(place);
        place += wide ? 2 : 1;
        const was = old?.[agent] ?? 0;
        found[agent] = (was + (older ? was - older[agent] : 0) + change) & ((1 << bits) - 1);
      }
      return found;
    });
    frames.push(frameOf(headers.subarray(at, at + layout.header), layout, now, n));
    at += layout.header;
    [earlier, before] = [before, now];
  }
  return frames;
}

/** Dropped bits are restored to the middle of their range. */
function frameOf(
  header: Uint8Array,
  { header: start, each, coarse }: Layout,
  planes: Int32Array[],
  n: number,
): ArrayBuffer {
  const buffer = new ArrayBuffer(start + each * n);
  new Uint8Array(buffer).set(header);
  const words = new Uint32Array(buffer, start, 2 * n);
  const looks = each > 8 ? new Uint8Array(buffer, start + 8 * n) : null;
  for (let agent = 0; agent < n; agent++) {
    const decoded = planes.map((plane, k) => (plane[agent] << coarse[k]) | ((1 << coarse[k]) >> 1));
    words[2 * agent] = (decoded[0] | (decoded[1] << 16)) >>> 0;
    if (looks) {
      const [, , z, u, v, speed, roll, species, extra] = decoded;
      words[2 * agent + 1] = (z | (u << 16) | (v << 24)) >>> 0;
      const packed = speed | (roll << 5) | (species << 10);
      looks.set([packed & 255, packed >> 8, extra], 3 * agent);
    } else {
      const [, , turn, speed, species, extra] = decoded;
      words[2 * agent + 1] = (turn | (speed << 8) | (species << 16) | (extra << 24)) >>> 0;
    }
  }
  return buffer;
}
