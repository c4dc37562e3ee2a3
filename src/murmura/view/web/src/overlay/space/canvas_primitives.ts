/** Draws on the upper canvas in perspective, for browsers without WebGL2. Nothing hides its lines. */

import { project, type Box, type Gaze } from "../../render/space/camera";
import type { Primitives, Rgb, Stroke } from "../../render/space/primitives/primitives";
import { mix, type Vec } from "../../render/space/vectors";

const NEAREST = 0.002; // of the longest side of the world: nearer parts of lines are clipped
const TOGETHER = 128; // lines in a path: with more, paths become slow

export class CanvasPrimitives implements Primitives {
  private stroke: Stroke | null = null; // of the lines that are pending
  private readonly pending: number[] = []; // x, y of both ends
  private readonly least: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly gaze: Gaze,
    box: Box,
  ) {
    this.least = NEAREST * Math.max(...box.sides);
  }

  line(a: Vec, b: Vec, stroke: Stroke): void {
    const [d0, d1] = [project(this.gaze, a).far, project(this.gaze, b).far];
    if (Math.max(d0, d1) < this.least) return;
    const p = project(this.gaze, d0 < this.least ? mix(a, b, (this.least - d0) / (d1 - d0)) : a);
    const q = project(this.gaze, d1 < this.least ? mix(b, a, (this.least - d1) / (d0 - d1)) : b);
    if (stroke !== this.stroke || this.pending.length >= 4 * TOGETHER) this.flush();
    this.stroke = stroke;
    this.pending.push(p.x, p.y, q.x, q.y);
  }

  disc(at: Vec, radius: number, rgb: Rgb, inner: number, outer: number): void {
    this.flush();
    const { context, gaze } = this;
    const p = project(gaze, at);
    if (p.far <= radius) return; // the camera is inside
    const size = (radius * gaze.focal) / Math.sqrt(p.far * p.far - radius * radius);
    const highlight = outer > inner ? size : 0; // a ball is lit from the upper left
    const shade = context.createRadialGradient(p.x - 0.35 * highlight, p.y - 0.4 * highlight, 0, p.x, p.y, size);
    shade.addColorStop(0, css(rgb, inner));
    if (outer < inner) shade.addColorStop(0.6, css(rgb, 0.25 * inner));
    shade.addColorStop(1, css(rgb, outer));
    context.fillStyle = shade;
    context.beginPath();
    context.arc(p.x, p.y, size, 0, 2 * Math.PI);
    context.fill();
  }

  face(corners: readonly Vec[], rgb: Rgb, alpha: number): void {
    this.flush();
    const { context } = this;
    const shown = corners.map((corner) => project(this.gaze, corner));
    if (shown.some((p) => p.far <= 0)) return;
    context.fillStyle = css(rgb, alpha);
    context.beginPath();
    shown.forEach((p, k) => {
      if (k === 0) context.moveTo(p.x, p.y);
      else context.lineTo(p.x, p.y);
    });
    context.closePath();
    context.fill();
  }

  /** Draw the lines that are pending. */
  flush(): void {
    if (!this.stroke) return;
    const { rgb, alpha, width, dash } = this.stroke;
    this.context.strokeStyle = css(rgb, alpha);
    this.context.lineWidth = width;
    this.context.setLineDash(dash ? [...dash] : []);
    this.context.beginPath();
    for (let k = 0; k < this.pending.length; k += 4) {
      this.context.moveTo(this.pending[k], this.pending[k + 1]);
      this.context.lineTo(this.pending[k + 2], this.pending[k + 3]);
    }
    this.context.stroke();
    this.context.setLineDash([]);
    this.stroke = null;
    this.pending.length = 0;
  }
}

function css([r, g, b]: Rgb, alpha: number): string {
  return `rgb(${r} ${g} ${b} / ${alpha.toFixed(3)})`;
}
