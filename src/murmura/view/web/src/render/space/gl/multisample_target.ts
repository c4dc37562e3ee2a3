/** A multisampled render target with a depth buffer, which is copied to the canvas. */

export class MultisampleTarget {
  private buffer: WebGLFramebuffer | null = null;
  private single: WebGLFramebuffer | null = null; // samples are resolved here: the canvas may have another format
  private storage: WebGLRenderbuffer[] = [];
  private made = "";
  private size: [number, number] = [0, 0];

  constructor(private readonly gl: WebGL2RenderingContext) {}

  begin(width: number, height: number, samples: number): void {
    const { gl } = this;
    const key = `${width} ${height} ${samples}`;
    if (key !== this.made) this.make(width, height, samples);
    this.made = key;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.buffer);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
  }

  private make(width: number, height: number, samples: number): void {
    const { gl } = this;
    for (const old of [this.buffer, this.single]) if (old) gl.deleteFramebuffer(old);
    for (const old of this.storage) gl.deleteRenderbuffer(old);
    this.size = [width, height];
    this.storage = [];
    const most = Math.min(samples, Number(gl.getParameter(gl.MAX_SAMPLES) ?? 0));
    this.single = most > 0 ? this.framed([[gl.RGBA8, gl.COLOR_ATTACHMENT0]], 0) : null;
    this.buffer = this.framed(
      [
        [gl.RGBA8, gl.COLOR_ATTACHMENT0],
        [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT],
      ],
      most,
    );
  }

  private framed(parts: [number, number][], samples: number): WebGLFramebuffer {
    const { gl } = this;
    const buffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    for (const [format, place] of parts) {
      const storage = gl.createRenderbuffer();
      this.storage.push(storage);
      gl.bindRenderbuffer(gl.RENDERBUFFER, storage);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, ...this.size);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, storage);
    }
    return buffer;
  }

  end(): void {
    const { gl } = this;
    const copy = (from: WebGLFramebuffer | null, to: WebGLFramebuffer | null) => {
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, from);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, to);
      gl.blitFramebuffer(0, 0, ...this.size, 0, 0, ...this.size, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    };
    if (this.single) copy(this.buffer, this.single);
    copy(this.single ?? this.buffer, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
}
