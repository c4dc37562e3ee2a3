/** The flock on the GPU: one integer texture per stored frame, one draw call for all agents. */

import type { ColorMode } from "../palettes";
import type { Frame } from "../../net/protocol";
import { SLOTS, type StoredFrame, type Moment } from "../../net/timeline";
import { AGENT_FRAGMENT, AGENT_VERTEX } from "./shaders";
import { makeProgram, type Program } from "./program";

const TEXTURE_WIDTH = 2048; // the shader uses the same number
const MODES: Partial<Record<ColorMode, number>> = { heading: 0, species: 1, speed: 2, stance: 4 };
const EXTRA = 3; // all other modes: a fraction in byte 7

export interface AgentLook {
  camera: [number, number, number]; // centre [u], device px per u
  view: [number, number]; // device px
  half: number; // device px
  mode: ColorMode;
  copies: [number, number]; // on each side, in a wrapping world
  hunters: number; // bit k: species k hunts
  form: number; // of FORMS
  gain: number;
  cover: number;
}

interface Texture {
  handle: WebGLTexture;
  rows: number;
  frame: Frame | null; // its content
}

export class Agents {
  private readonly program: Program;
  private readonly textures: Texture[] = []; // one for each slot of the timeline

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = makeProgram(gl, AGENT_VERTEX, AGENT_FRAGMENT);
    for (let k = 0; k < SLOTS; k++) this.textures.push({ handle: gl.createTexture(), rows: 0, frame: null });
  }

  /** The texture of a frame, uploaded when it is first drawn: many frames never are. */
  private holding({ frame, slot }: StoredFrame): WebGLTexture {
    const texture = this.textures[slot];
    if (texture.frame !== frame) this.upload(frame, texture);
    return texture.handle;
  }

  private upload(frame: Frame, texture: Texture): void {
    const gl = this.gl;
    texture.frame = frame;
    const rows = Math.max(1, Math.ceil(frame.count / TEXTURE_WIDTH));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture.handle);
    if (rows > texture.rows) this.grow(texture, rows);
    const full = Math.floor(frame.count / TEXTURE_WIDTH);
    const rest = frame.count - full * TEXTURE_WIDTH;
    const [format, type] = [gl.RG_INTEGER, gl.UNSIGNED_INT];
    if (full > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, full, format, type, frame.words);
    if (rest > 0) {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, full, rest, 1, format, type, frame.words, full * TEXTURE_WIDTH * 2);
    }
  }

  private grow(texture: Texture, rows: number): void {
    const gl = this.gl;
    texture.rows = rows;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG32UI, TEXTURE_WIDTH, rows, 0, gl.RG_INTEGER, gl.UNSIGNED_INT, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  draw(moment: Moment, look: AgentLook, palette: WebGLTexture): void {
    const gl = this.gl;
    const { handle, at } = this.program;
    const { from, to } = moment;
    gl.useProgram(handle);
    [this.holding(from), this.holding(to), palette].forEach((texture, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    gl.uniform1i(at.u_from, 0);
    gl.uniform1i(at.u_to, 1);
    gl.uniform1i(at.u_palette, 2);
    gl.uniform4f(at.u_window_from, from.frame.left, from.frame.top, from.frame.width, from.frame.height);
    gl.uniform4f(at.u_window_to, to.frame.left, to.frame.top, to.frame.width, to.frame.height);
    gl.uniform1f(at.u_alpha, moment.alpha);
    gl.uniform2f(at.u_wrap, to.frame.wraps ? to.frame.width : 0, to.frame.wraps ? to.frame.height : 0);
    gl.uniform3f(at.u_camera, ...look.camera);
    gl.uniform2f(at.u_view, ...look.view);
    gl.uniform1f(at.u_half, look.half);
    gl.uniform1i(at.u_mode, MODES[look.mode] ?? EXTRA);
    gl.uniform1i(at.u_hunters, look.hunters);
    gl.uniform1i(at.u_form, look.form);
    gl.uniform1f(at.u_gain, look.gain);
    gl.uniform1f(at.u_cover, look.cover);
    const [beside, above] = look.copies;
    gl.uniform2i(at.u_copies, beside, above);
    const copies = (2 * beside + 1) * (2 * above + 1);
    if (copies === 1) gl.drawArrays(gl.TRIANGLES, 0, to.frame.count * 3);
    else gl.drawArraysInstanced(gl.TRIANGLES, 0, to.frame.count * 3, copies);
  }
}
