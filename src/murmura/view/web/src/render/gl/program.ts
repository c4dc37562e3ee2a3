/** WebGL2 programs and render targets. */

export type Uniforms = Record<string, WebGLUniformLocation | null>;

export interface Program {
  readonly handle: WebGLProgram;
  readonly at: Uniforms;
}

/** A program that is compiled when it is first used: most pictures need only a few. */
export function makeProgram(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  let made: Program | null = null;
  const get = () => (made ??= compile(gl, vertex, fragment));
  return {
    get handle() {
      return get().handle;
    },
    get at() {
      return get().at;
    },
  };
}

function compile(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  const handle = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind);
    if (!shader) throw new Error("WebGL2 could not create a shader");
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(handle, shader);
  }
  gl.linkProgram(handle);
  // Check once for all shaders, because each query waits for the GPU.
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = (gl.getAttachedShaders(handle) ?? []).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error(`shaders: ${[...logs, gl.getProgramInfoLog(handle)].filter(Boolean).join("; ")}`);
  }
  const at: Uniforms = {};
  const count = Number(gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS) ?? 0);
  for (let k = 0; k < count; k++) {
    const name = gl.getActiveUniform(handle, k)?.name ?? "";
    at[name] = gl.getUniformLocation(handle, name);
  }
  return { handle, at };
}

export interface Target {
  texture: WebGLTexture;
  buffer: WebGLFramebuffer;
  width: number;
  height: number;
}

/** A render target of half floats: trails fade over hundreds of frames, for which bytes are too coarse. */
export function makeTarget(gl: WebGL2RenderingContext, width: number, height: number): Target {
  const texture = gl.createTexture();
  const buffer = gl.createFramebuffer();
  const [w, h] = [Math.max(1, Math.round(width)), Math.max(1, Math.round(height))];
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA16F, w, h);
  for (const [key, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
    [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ])
    gl.texParameteri(gl.TEXTURE_2D, key, value);
  gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
  return { texture, buffer, width: w, height: h };
}

export function freeTarget(gl: WebGL2RenderingContext, target: Target): void {
  gl.deleteTexture(target.texture);
  gl.deleteFramebuffer(target.buffer);
}
