/** Frames assembled byte by byte. */

/** A frame of a 3-D world; agents as x, y, z, direction (two bytes), looks (speed | roll << 5 | species << 10), extra. */
export function makeSpaceFrame(agents: number[][], { wraps = false, wrapsZ = false } = {}): ArrayBuffer {
  const buffer = new ArrayBuffer(64 + 11 * agents.length);
  const view = new DataView(buffer);
  new Uint8Array(buffer).set(new Uint8Array(makeFrame([], { wraps })));
  view.setUint8(3, "3".charCodeAt(0));
  view.setUint32(8, agents.length, true);
  view.setFloat32(48, -5, true);
  view.setFloat32(52, 500, true);
  view.setUint32(56, wrapsZ ? 1 : 0, true);
  agents.forEach(([x, y, z, ahead, looks, extra], k) => {
    [x, y, z, ahead].forEach((value, n) => {
      view.setUint16(64 + 8 * k + 2 * n, value, true);
    });
    view.setUint16(64 + 8 * agents.length + 3 * k, looks, true);
    view.setUint8(64 + 8 * agents.length + 3 * k + 2, extra);
  });
  return buffer;
}

export function makeFrame(
  agents: number[][],
  header: { step?: number; epoch?: number; wraps?: boolean; roster?: number } = {},
): ArrayBuffer {
  const buffer = new ArrayBuffer(48 + 8 * agents.length);
  const view = new DataView(buffer);
  [..."MRM1"].forEach((letter, k) => {
    view.setUint8(k, letter.charCodeAt(0));
  });
  view.setUint32(4, header.step ?? 12, true);
  view.setUint32(8, agents.length, true);
  view.setUint32(12, 4 * agents.length, true);
  [-10, 20, 1600, 1000].forEach((value, k) => {
    view.setFloat32(16 + 4 * k, value, true);
  });
  view.setUint32(32, header.epoch ?? 3, true);
  view.setUint16(36, 4, true);
  view.setUint8(38, 1);
  view.setUint8(39, (header.wraps ? 1 : 0) | ((header.roster ?? 0) << 1));
  view.setFloat32(40, 0.5, true);
  view.setFloat32(44, 24, true);
  agents.forEach(([x, y, heading], k) => {
    view.setUint16(48 + 8 * k, x, true);
    view.setUint16(50 + 8 * k, y, true);
    view.setUint8(52 + 8 * k, heading);
  });
  return buffer;
}
