/** Paints a batch of primitives among the animals: bodies hide and are hidden; what is behind something is thin and pale, or not seen at all. */

import { makeProgram, type Program, type Uniforms } from "../../gl/program";
import { PRIMITIVE_FRAGMENT, PRIMITIVE_VERTEX } from "./primitive_shaders";
import { ROW, type InstanceRows, type PrimitiveBatch } from "./primitive_batch";

const BEHIND = { thin: 0.6, strength: 0.3 }; // of a line: a tool that vanished behind a rock would be of no use
const PARTS = [
  [0, 3, 0],
  [1, 3, 12],
  [2, 3, 24],
  [4, 1, 40],
] as const; // place, numbers, offset [bytes]

export interface Sight {
  look: (at: Uniforms) => void;
  width: number; // of the picture [px]
  height: number;
  dpr: number;
}

export class PrimitivePainter {
  private readonly program: Program;
  private readonly held: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = makeProgram(gl, PRIMITIVE_VERTEX, PRIMITIVE_FRAGMENT);
    this.held = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.held);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [place, numbers, offset] of PARTS)
      gl.vertexAttribPointer(place, numbers, gl.FLOAT, false, 4 * ROW, offset);
    gl.vertexAttribPointer(3, 4, gl.UNSIGNED_BYTE, true, 4 * ROW, 36);
    for (let place = 0; place < 5; place++) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribDivisor(place, 1);
    }
    gl.bindVertexArray(null);
  }

  /** What is opaque: it belongs before everything that one looks through. */
  drawSolid(batch: PrimitiveBatch, sight: Sight): void {
    this.begin(sight);
    this.draw(batch.solid);
    this.gl.bindVertexArray(null);
  }

  drawTranslucent(batch: PrimitiveBatch, sight: Sight): void {
    const { gl } = this;
    this.begin(sight);
    gl.depthMask(false);
    this.draw(batch.translucent);
    this.draw(batch.lines);
    gl.depthFunc(gl.GREATER);
    gl.uniform1f(this.program.at.u_thin, BEHIND.thin);
    gl.uniform1f(this.program.at.u_strength, BEHIND.strength);
    this.again(batch.lines);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.bindVertexArray(null);
  }

  private begin({ look, width, height, dpr }: Sight): void {
    const { gl } = this;
    const { at, handle } = this.program;
    gl.useProgram(handle);
    look(at);
    gl.uniform2f(at.u_half, width / 2, height / 2);
    gl.uniform1f(at.u_dpr, dpr);
    gl.uniform1f(at.u_thin, 1);
    gl.uniform1f(at.u_strength, 1);
    gl.bindVertexArray(this.held);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
  }

  private draw(rows: InstanceRows): void {
    if (rows.count > 0)
      this.gl.bufferData(this.gl.ARRAY_BUFFER, rows.numbers, this.gl.STREAM_DRAW, 0, ROW * rows.count);
    this.again(rows);
  }

  private again({ count }: InstanceRows): void {
    if (count > 0) this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, count);
  }
}
