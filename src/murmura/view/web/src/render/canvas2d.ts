/** Paints the flock without WebGL2: the same darts and trails, without glow. */

import { toScreen } from "./camera";
import { colorTable } from "./palettes";
import { paintSpace } from "./space/canvas";
import { copiesBeside, nearestCopy } from "./tiles";
import { agentHalf, type Form, type Picture, type Scene } from "./picture";
import { agentHeading, agentPosition } from "../net/protocol";
import { blend, type Moment } from "../net/timeline";

const MOST_DRAWN = 20_000;
/** Half a length ahead, half a length to the right. */
const OUTLINES: Record<Exclude<Form, "dot">, [number, number][]> = {
  dart: [
    [1, 0],
    [-1, 0.5],
    [-0.5, 0],
    [-1, -0.5],
  ],
  bird: [
    [0.9, 0],
    [0.3, 0.15],
    [-0.4, 1.1],
    [-0.2, 0.15],
    [-0.85, 0.13],
    [-0.85, -0.13],
    [-0.2, -0.15],
    [-0.4, -1.1],
    [0.3, -0.15],
  ],
  fish: [
    [1, 0],
    [0.4, 0.28],
    [-0.5, 0.08],
    [-1, 0.35],
    [-1, -0.35],
    [-0.5, -0.08],
    [0.4, -0.28],
  ],
};

export class RendererCanvas implements Picture {
  readonly software = true;
  readonly batch = null;
  private readonly context: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser supports neither WebGL2 nor a 2-D canvas");
    this.context = context;
  }

  clear(): void {
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  draw(moment: Moment, scene: Scene): void {
    const { context, canvas } = this;
    const [width, height] = [Math.round(scene.view.width * scene.dpr), Math.round(scene.view.height * scene.dpr)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.setTransform(scene.dpr, 0, 0, scene.dpr, 0, 0);
    if (scene.space) {
      context.globalAlpha = 1;
      paintSpace(context, moment, { ...scene, space: scene.space });
      return;
    }
    context.globalAlpha = scene.trails && scene.moving ? Math.min(1, 0.18 / (scene.trailLength ?? 1)) : 1;
    context.fillStyle = scene.light ? "#eef1f4" : "#05070f";
    context.fillRect(0, 0, scene.view.width, scene.view.height);
    context.globalAlpha = 0.9;
    this.drawAgents(moment, scene);
  }

  private drawAgents({ from, to, alpha }: Moment, scene: Scene): void {
    const table = colorTable(scene.mode, scene.palette, scene.speciesColors, scene.light, scene.own);
    const half = agentHalf(scene, to.frame.count);
    const [sideX, sideY] = to.frame.wraps ? [to.frame.width, to.frame.height] : [0, 0];
    const offsets = offsetsOf(scene);
    const every = Math.max(1, Math.ceil(to.frame.count / MOST_DRAWN));
    for (let k = 0; k < to.frame.count; k += every) {
      const a = agentPosition(from.frame, k);
      const b = agentPosition(to.frame, k);
      const at = { x: blend(a.x, b.x, alpha, sideX), y: blend(a.y, b.y, alpha, sideY) };
      const p = toScreen(scene.camera, scene.view, nearestCopy(at, scene.camera, scene.wrap));
      const shade = 4 * this.shade(scene, to.frame.words[2 * k + 1]);
      this.context.fillStyle = `rgb(${table[shade]} ${table[shade + 1]} ${table[shade + 2]})`;
      const species = (to.frame.words[2 * k + 1] >>> 16) & 0xff;
      const hunter = species < 31 && ((scene.hunters >> species) & 1) === 1;
      for (const [right, down] of offsets)
        this.body(p.x + right, p.y + down, agentHeading(to.frame, k), hunter ? 2.1 * half : half, scene.form);
    }
  }

  private shade(scene: Scene, word: number): number {
    if (scene.mode === "heading") return word & 0xff;
    if (scene.mode === "species") return (word >>> 16) & 0xff;
    return (word >>> (scene.mode === "speed" ? 8 : 24)) & 0xff;
  }

  private body(x: number, y: number, heading: number, half: number, form: Form): void {
    const [c, s] = [Math.cos(heading) * half, Math.sin(heading) * half];
    this.context.beginPath();
    if (form === "dot") this.context.arc(x, y, 0.5 * half, 0, 2 * Math.PI);
    else
      for (const [along, across] of OUTLINES[form])
        this.context.lineTo(x + along * c - across * s, y + along * s + across * c);
    this.context.fill();
  }
}

/** Where copies of a wrapping world are drawn, relative to the nearest [CSS px]. */
function offsetsOf({ camera, view, wrap }: Scene): [number, number][] {
  if (!wrap) return [[0, 0]];
  const [beside, above] = copiesBeside(camera, view, wrap);
  const steps = (most: number, side: number) =>
    Array.from({ length: 2 * most + 1 }, (_, k) => (k - most) * side * camera.zoom);
  return steps(beside, wrap.width).flatMap((x) => steps(above, wrap.height).map((y): [number, number] => [x, y]));
}
