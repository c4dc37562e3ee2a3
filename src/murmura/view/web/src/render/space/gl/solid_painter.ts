/** Paints obstacles with depth: they hide animals behind them and are hidden by those in front. */

import type { SceneObject } from "../../../net/protocol";
import { makeProgram, type Program, type Uniforms } from "../../gl/program";
import type { Box } from "../camera";
import type { Air } from "../light";
import { meshOf } from "../solids";
import { SOLID_FRAGMENT, SOLID_VERTEX } from "./world_shaders";

const GLASS = 0.12; // opacity of a plane seen from behind

export class SolidPainter {
  private readonly program: Program;
  private readonly held: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private made: { things: readonly SceneObject[]; box: Box } | null = null;
  private corners = 0;
  private solid = 0;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = makeProgram(gl, SOLID_VERTEX, SOLID_FRAGMENT);
    this.held = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.held);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [place, offset] of [
      [0, 0],
      [1, 12],
    ]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, offset);
    }
    gl.bindVertexArray(null);
  }

  /** Triangles are uploaded when the obstacles change, not for every picture. */
  private update(things: readonly SceneObject[], box: Box): void {
    if (this.made?.things === things && this.made.box === box) return;
    this.made = { things, box };
    const { corners, solid } = meshOf(things, box);
    [this.corners, this.solid] = [corners.length / 6, solid];
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, corners, this.gl.STATIC_DRAW);
  }

  draw(things: readonly SceneObject[], box: Box, look: (at: Uniforms) => void, air: Air, light: boolean): void {
    this.update(things, box);
    if (this.corners === 0) return;
    const { gl } = this;
    const { at, handle } = this.program;
    gl.useProgram(handle);
    look(at);
    gl.uniform3fv(at.u_stone, light ? [0.6, 0.62, 0.67] : [0.3, 0.32, 0.42]);
    gl.uniform4f(at.u_haze, ...air.color, air.thickness);
    gl.bindVertexArray(this.held);
    gl.enable(gl.CULL_FACE);
    gl.uniform1f(at.u_cover, 1);
    gl.drawArrays(gl.TRIANGLES, 0, this.solid);
    if (this.corners > this.solid) {
      gl.depthMask(false);
      gl.uniform1f(at.u_cover, GLASS);
      gl.drawArrays(gl.TRIANGLES, this.solid, this.corners - this.solid);
      gl.depthMask(true);
    }
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(null);
  }
}
