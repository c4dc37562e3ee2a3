/** Frames of a flock in space on the GPU: two integer textures per stored frame, with the bytes as received. */

import type { Frame } from "../../../net/protocol";
import { SLOTS, type StoredFrame } from "../../../net/timeline";

const WIDTH = 2048; // the shader uses the same number

interface Pair {
  words: WebGLTexture;
  looks: WebGLTexture;
  rows: number;
  frame: Frame | null; // their content
}

export class FrameTextures {
  private readonly kept: Pair[] = [];

  constructor(private readonly gl: WebGL2RenderingContext) {
    for (let k = 0; k < SLOTS; k++)
      this.kept.push({ words: gl.createTexture(), looks: gl.createTexture(), rows: 0, frame: null });
  }

  /** The textures of a frame, uploaded when it is first drawn: many frames never are. */
  holding({ frame, slot }: StoredFrame): Pair {
    const pair = this.kept[slot];
    if (pair.frame !== frame) this.upload(frame, pair);
    return pair;
  }

  private upload(frame: Frame, pair: Pair): void {
    const { gl } = this;
    pair.frame = frame;
    const rows = Math.max(1, Math.ceil(frame.count / WIDTH));
    const room = rows > pair.rows;
    if (room) pair.rows = rows;
    gl.activeTexture(gl.TEXTURE0);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1); // three bytes per agent
    this.fill(pair.words, frame.count, room ? rows : 0, [gl.RG32UI, gl.RG_INTEGER, gl.UNSIGNED_INT], frame.words, 2);
    if (frame.space)
      this.fill(
        pair.looks,
        frame.count,
        room ? rows : 0,
        [gl.RGB8UI, gl.RGB_INTEGER, gl.UNSIGNED_BYTE],
        frame.space.looks,
        3,
      );
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
  }

  private fill(
    texture: WebGLTexture,
    count: number,
    grow: number,
    [inside, format, type]: [number, number, number],
    data: Uint32Array | Uint8Array,
    each: number,
  ): void {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, texture);
    if (grow > 0) {
      gl.texImage2D(gl.TEXTURE_2D, 0, inside, WIDTH, grow, 0, format, type, null);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    }
    const full = Math.floor(count / WIDTH);
    const rest = count - full * WIDTH;
    if (full > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDTH, full, format, type, data);
    if (rest > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, full, rest, 1, format, type, data, full * WIDTH * each);
  }
}
