/**
 * Paints the flock with WebGL2.
 *
 * In each picture the old trails fade and follow the camera, agents add light to them, two blurred
 * reductions of that light become the glow, and the agents themselves are drawn sharply on top.
 */

import looks from "../../../../../looks.json";
import { colorTable, TABLE_SIZE } from "../palettes";
import { agentHalf, FORMS, type Picture, type Scene } from "../picture";
import type { Moment } from "../../net/timeline";
import { Agents, type AgentLook } from "./agents";
import { PrimitiveBatch } from "../space/primitives/primitive_batch";
import { SpaceRenderer } from "../space/gl/renderer";
import type { SpaceScene } from "../space/scene";
import { freeTarget, makeProgram, makeTarget, type Program, type Target } from "./program";
import { copiesBeside } from "../tiles";
import { BLUR_FRAGMENT, FADE_FRAGMENT, SCREEN_VERTEX, SHRINK_FRAGMENT, SKY_FRAGMENT } from "./shaders";

const TRAIL_SECONDS = looks.trail_seconds;
const NO_TRAIL_SECONDS = 0.02;
const FIRST_LIGHT = 0.3; // light of the first picture, which may stay on screen for long: about as much as the trails of a moving flock

export class RendererGl implements Picture {
  private readonly agents: Agents;
  private readonly fade: Program;
  private readonly blur: Program;
  private readonly shrink: Program;
  private readonly sky: Program;
  private readonly palette: WebGLTexture;
  private paletteKey = "";
  private targets: Target[] = [];
  private view: Scene["view"] = { width: 0, height: 0 }; // the size of the targets
  private before: { camera: Scene["camera"] } | null = null;
  private space: SpaceRenderer | null = null;
  private hasDrawn = false;
  private isFirst = false; // the trails contain only the light of the first picture
  /** Rendered by the CPU: light has half the resolution, which the glow hides. */
  readonly software: boolean;
  readonly batch = new PrimitiveBatch();

  /** Null if the browser does not support it. */
  static create(canvas: HTMLCanvasElement): RendererGl | null {
    const gl = canvas.getContext("webgl2", {
      alpha: false,
      antialias: false,
      depth: false,
      powerPreference: "high-performance",
    });
    if (!gl?.getExtension("EXT_color_buffer_float")) return null;
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
    });
    canvas.addEventListener("webglcontextrestored", () => {
      location.reload();
    }); // the simulation runs on the server
    return new RendererGl(gl, canvas);
  }

  private constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.agents = new Agents(gl);
    this.fade = makeProgram(gl, SCREEN_VERTEX, FADE_FRAGMENT);
    this.blur = makeProgram(gl, SCREEN_VERTEX, BLUR_FRAGMENT);
    this.shrink = makeProgram(gl, SCREEN_VERTEX, SHRINK_FRAGMENT);
    this.sky = makeProgram(gl, SCREEN_VERTEX, SKY_FRAGMENT);
    this.palette = gl.createTexture();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.software = /swiftshader|llvmpipe|software/i.test(name);
    gl.bindVertexArray(gl.createVertexArray());
  }

  clear(): void {
    this.before = null;
  }

  draw(moment: Moment, scene: Scene): void {
    if (scene.space) {
      this.drawSpace(moment, { ...scene, space: scene.space });
      return;
    }
    this.fitTargets(scene);
    this.setPalette(scene);
    const bare = !this.hasDrawn; // the first picture is painted as soon as possible; its light follows with the second
    this.hasDrawn = true;
    if (!bare) {
      this.drawTrails(moment, scene);
      this.drawGlow();
    }
    this.drawSky(scene, moment.to.frame.count);
    this.drawAgents(moment, scene);
    if (!bare) this.before = { camera: { ...scene.camera } };
  }

  /** Programs for 3-D worlds are created when the first one is shown. */
  private drawSpace(moment: Moment, scene: Scene & { space: SpaceScene }): void {
    const [width, height] = [scene.view.width, scene.view.height].map((side) =>
      Math.max(1, Math.round(side * scene.dpr)),
    );
    if (this.canvas.width !== width || this.canvas.height !== height) {
      Object.assign(this.canvas, { width, height });
      this.view = { width: 0, height: 0 }; // the next flock in a plane starts without trails
      this.before = null;
    }
    this.setPalette(scene);
    this.space ??= new SpaceRenderer(this.gl, this.software);
    this.space.draw(moment, scene, this.palette, this.batch);
  }

  private look(scene: Scene, count: number, gain: number, cover: number, shrunk = 1): AgentLook {
    const { camera, view } = scene;
    const dpr = scene.dpr / shrunk;
    return {
      copies: scene.wrap ? copiesBeside(camera, view, scene.wrap) : [0, 0],
      camera: [camera.x, camera.y, camera.zoom * dpr],
      view: [view.width * dpr, view.height * dpr],
      half: agentHalf(scene, count) * dpr,
      mode: scene.mode,
      hunters: scene.hunters,
      form: FORMS.indexOf(scene.form),
      gain,
      cover,
    };
  }

  private drawTrails(moment: Moment, scene: Scene): void {
    const gl = this.gl;
    const [old, fresh] = this.targets;
    const { keep, light } = this.trailLight(scene);
    this.use(this.fade, fresh, [old.texture]);
    gl.disable(gl.BLEND);
    gl.uniform1f(this.fade.at.u_keep, keep);
    gl.uniform3f(this.fade.at.u_moved, ...this.movement(scene));
    this.fill();
    if (light > 0) {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE);
      this.agents.draw(moment, this.look(scene, moment.to.frame.count, light, 1, this.software ? 2 : 1), this.palette);
    }
    this.targets = [fresh, old, ...this.targets.slice(2)];
  }

  /**
   * How much of the old light stays, and how much agents add.
   * The light of the first picture is removed as soon as they move; otherwise it would stay as a ghost.
   */
  private trailLight(scene: Scene): { keep: number; light: number } {
    const fading =
      1 -
      Math.exp(
        -Math.max(scene.seconds, 1e-3) / (scene.trails ? TRAIL_SECONDS * (scene.trailLength ?? 1) : NO_TRAIL_SECONDS),
      );
    if (this.before === null) {
      this.isFirst = true;
      return { keep: 0, light: scene.trails ? FIRST_LIGHT : 1 };
    }
    if (!scene.moving && scene.trails) return { keep: 1, light: 0 };
    const keep = this.isFirst && scene.moving ? 0 : 1 - fading;
    if (scene.moving) this.isFirst = false;
    return { keep, light: fading };
  }

  /** The movement of the camera since the previous picture, in uv of the trails. */
  private movement({ camera, view }: Scene): [number, number, number] {
    const was = this.before?.camera ?? camera;
    const x = ((camera.x - was.x) * was.zoom) / view.width;
    const y = ((camera.y - was.y) * was.zoom) / view.height;
    return [x, -y, was.zoom / camera.zoom];
  }

  private drawGlow(): void {
    const gl = this.gl;
    const [trails, , near, nearSwap, far, farSwap] = this.targets;
    gl.disable(gl.BLEND);
    this.reduce(trails, near, true);
    this.smooth(near, nearSwap, 1);
    this.reduce(near, far, false);
    this.smooth(far, farSwap, 1.6);
  }

  private reduce(source: Target, target: Target, limited: boolean): void {
    this.use(this.shrink, target, [source.texture]);
    // Four taps, each between four texels, cover a square of four by four; a larger one takes sixteen taps.
    const taps = source.width > 4.5 * target.width ? 4 : 2;
    this.gl.uniform2f(this.shrink.at.u_axis, 1 / (taps * target.width), 1 / (taps * target.height));
    this.gl.uniform1i(this.shrink.at.u_taps, taps);
    this.gl.uniform1i(this.shrink.at.u_limited, limited ? 1 : 0);
    this.fill();
  }

  private smooth(image: Target, swap: Target, reach: number): void {
    const gl = this.gl;
    this.use(this.blur, swap, [image.texture]);
    gl.uniform2f(this.blur.at.u_axis, reach / image.width, 0);
    this.fill();
    this.use(this.blur, image, [swap.texture]);
    gl.uniform2f(this.blur.at.u_axis, 0, reach / image.height);
    this.fill();
  }

  private drawSky(scene: Scene, count: number): void {
    const gl = this.gl;
    const { camera, view, world } = scene;
    const [trails, , near, , far] = this.targets;
    this.use(this.sky, null, [trails.texture, near.texture, far.texture]);
    const { at } = this.sky;
    gl.uniform1i(at.u_trails, 0);
    gl.uniform1i(at.u_near, 1);
    gl.uniform1i(at.u_far, 2);
    gl.uniform1f(at.u_light, scene.light ? 1 : 0);
    gl.uniform1f(at.u_daylight, scene.daylight ?? -1);
    // The share of the picture that agents cover: in crowds each agent glows less.
    const covered = (count * agentHalf(scene, count) ** 2) / (world.width * world.height * camera.zoom ** 2);
    const crowd = Math.min(1, (0.05 / Math.max(1e-6, covered)) ** 0.7);
    const shine = (0.8 + 2.5 * scene.glow) * crowd;
    gl.uniform3f(at.u_amount, scene.trails ? 1.15 * Math.max(0.5, crowd) : 0, 1.5 * shine, 2.1 * shine);
    const edge = (value: number, centre: number, side: number) => ((value - centre) * camera.zoom) / side + 0.5;
    const far_away: [number, number, number, number] = [-1e6, -1e6, 1e6, 1e6];
    gl.uniform4f(
      at.u_world,
      ...(scene.open
        ? far_away
        : ([
            edge(0, camera.x, view.width),
            1 - edge(world.height, camera.y, view.height),
            edge(world.width, camera.x, view.width),
            1 - edge(0, camera.y, view.height),
          ] as const)),
    );
    gl.uniform2f(at.u_view, view.width, view.height);
    this.fill();
  }

  private drawAgents(moment: Moment, scene: Scene): void {
    const gl = this.gl;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const crowd = Math.min(1, (30_000 / Math.max(1, moment.to.frame.count)) ** 0.5);
    const shine = 0.9 + 0.5 * Math.min(0.8, scene.glow); // agents emit light instead of reflecting it
    const look = this.look(scene, moment.to.frame.count, scene.light ? 0.92 : shine * crowd, scene.light ? 1 : 0.75);
    this.agents.draw(moment, look, this.palette);
  }

  private use(program: Program, target: Target | null, images: WebGLTexture[]): void {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target?.buffer ?? null);
    gl.viewport(0, 0, target?.width ?? this.canvas.width, target?.height ?? this.canvas.height);
    gl.useProgram(program.handle);
    images.forEach((texture, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    if (images.length === 1) gl.uniform1i(program.at.u_image, 0);
  }

  private fill(): void {
    this.gl.drawArrays(this.gl.TRIANGLES, 0, 3);
  }

  private fitTargets({ view, dpr }: Scene): void {
    const width = Math.max(1, Math.round(view.width * dpr));
    const height = Math.max(1, Math.round(view.height * dpr));
    if (this.targets.length > 0 && this.canvas.width === width && this.canvas.height === height) return;
    const old = this.targets;
    this.canvas.width = width;
    this.canvas.height = height;
    const trails = this.software ? 2 : 1;
    // The glow has the same radius on every screen, so its layers are in CSS px.
    const [near, far] = this.software ? [6, 24] : [3, 12];
    const sizes = [
      [width / trails, height / trails],
      [view.width / near, view.height / near],
      [view.width / far, view.height / far],
    ];
    this.targets = sizes.flatMap(([w, h]) => [makeTarget(this.gl, w, h), makeTarget(this.gl, w, h)]);
    if (this.view.width === view.width && this.view.height === view.height && old.length > 0)
      this.carryOver(old[0], this.targets[0]);
    else this.before = null;
    this.view = { ...view };
    for (const target of old) freeTarget(this.gl, target);
  }

  /** Keep the light when the resolution changes: a paused flock glows as before. */
  private carryOver(from: Target, to: Target): void {
    const gl = this.gl;
    this.use(this.fade, to, [from.texture]);
    gl.disable(gl.BLEND);
    gl.uniform1f(this.fade.at.u_keep, 1);
    gl.uniform3f(this.fade.at.u_moved, 0, 0, 1);
    this.fill();
  }

  private setPalette(scene: Scene): void {
    const key = `${scene.mode} ${scene.palette} ${scene.own.join()} ${String(scene.light)} ${scene.speciesColors.join()}`;
    if (key === this.paletteKey) return;
    this.paletteKey = key;
    const gl = this.gl;
    const table = colorTable(scene.mode, scene.palette, scene.speciesColors, scene.light, scene.own);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, TABLE_SIZE, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  }
}
