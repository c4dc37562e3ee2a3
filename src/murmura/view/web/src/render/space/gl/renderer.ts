/**
 * Paints a flock in space with WebGL2.
 *
 * In each picture: a blurred shadow map from above; sky and ground, one ray per pixel; the frame of the world; obstacles; the
 * animals, in one draw call; hunters; streaks behind the animals; and lines. The target has its own depth buffer, because the canvas has none,
 * which a plane does not need.
 */

import type { Moment } from "../../../net/timeline";
import { wrapOf } from "../../../net/space_frames";
import { freeTarget, makeProgram, makeTarget, type Program, type Target, type Uniforms } from "../../gl/program";
import { BLUR_FRAGMENT, SCREEN_VERTEX } from "../../gl/shaders";
import type { ColorMode } from "../../palettes";
import type { Scene } from "../../picture";
import {
  BODY_FRAGMENT,
  BODY_VERTEX,
  SHADOW_FRAGMENT,
  SHADOW_VERTEX,
  STREAK_FRAGMENT,
  STREAK_VERTEX,
} from "./agent_shaders";
import { cornersFor, type Shape } from "../bodies";
import { airOf, SUN, type Air } from "../light";
import { PrimitivePainter } from "../primitives/primitive_painter";
import type { PrimitiveBatch } from "../primitives/primitive_batch";
import { MultisampleTarget } from "./multisample_target";
import { SolidPainter } from "./solid_painter";
import { bodyHalf, gridStep, leastHalf, type SpaceScene } from "../scene";
import { FrameTextures } from "./textures";
import { BACKDROP_FRAGMENT, BACKDROP_VERTEX, FRAME_FRAGMENT, FRAME_VERTEX } from "./world_shaders";

const MODES: Partial<Record<ColorMode, number>> = { heading: 0, species: 1, speed: 2, stance: 4 };
const EXTRA = 3;
const SHADOW_SIDE = 256; // px of the shadow map
const MOST_WHOLE_BODIES = 9000; // above this number, bodies have fewer corners
const STREAK_SECONDS = 0.22;
const BEATS = { bird: 17, fish: 7 }; // [rad/s]
const SETTINGS = { air: 0, water: 1, nowhere: 2 };

type Space = Scene & { space: SpaceScene };

export class SpaceRenderer {
  private readonly textures: FrameTextures;
  private readonly body: Program;
  private readonly streak: Program;
  private readonly shadow: Program;
  private readonly blur: Program;
  private readonly backdrop: Program;
  private readonly frame: Program;
  private readonly multisampled: MultisampleTarget;
  private hasDrawn = false;
  private solids: SolidPainter | null = null; // made for the first world that has obstacles
  private primitives: PrimitivePainter | null = null; // made for the first lines
  private readonly shadows: Target[];
  private readonly shapes = new Map<string, { data: Float32Array; count: number }>();

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly software: boolean,
  ) {
    this.textures = new FrameTextures(gl);
    this.body = makeProgram(gl, BODY_VERTEX, BODY_FRAGMENT);
    this.streak = makeProgram(gl, STREAK_VERTEX, STREAK_FRAGMENT);
    this.shadow = makeProgram(gl, SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.blur = makeProgram(gl, SCREEN_VERTEX, BLUR_FRAGMENT);
    this.backdrop = makeProgram(gl, BACKDROP_VERTEX, BACKDROP_FRAGMENT);
    this.frame = makeProgram(gl, FRAME_VERTEX, FRAME_FRAGMENT);
    this.multisampled = new MultisampleTarget(gl);
    this.shadows = [makeTarget(gl, SHADOW_SIDE, SHADOW_SIDE), makeTarget(gl, SHADOW_SIDE, SHADOW_SIDE)];
  }

  draw(moment: Moment | null, scene: Space, palette: WebGLTexture, batch: PrimitiveBatch): void {
    const { gl } = this;
    const [width, height] = [
      Math.max(1, Math.round(scene.view.width * scene.dpr)),
      Math.max(1, Math.round(scene.view.height * scene.dpr)),
    ];
    const shown = moment?.to.frame.space ? moment : null;
    const bare = !this.hasDrawn; // the first picture is painted as soon as possible: shadows and lines follow with the second
    this.hasDrawn = true;
    if (!bare) this.drawShadows(shown);
    // Without a GPU, four samples per pixel would take four times as long.
    this.multisampled.begin(width, height, this.software ? 0 : 4);
    const air = airOf(scene);
    gl.disable(gl.BLEND);
    gl.disable(gl.DEPTH_TEST);
    this.drawBackdrop(scene, air, width, height);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.DEPTH_TEST);
    if (!bare) this.drawFrame(scene, air);
    this.drawSolids(scene, air);
    if (shown) this.drawBodies(shown, scene, air, palette);
    const sight = {
      look: (at: Uniforms) => {
        this.look(at, scene);
      },
      width,
      height,
      dpr: scene.dpr,
    };
    if (batch.solid.count > 0) this.primitivePainter.drawSolid(batch, sight);
    if (shown && scene.trails) this.drawStreaks(shown, scene, air, palette);
    if (batch.translucent.count + batch.lines.count > 0) this.primitivePainter.drawTranslucent(batch, sight);
    gl.disable(gl.DEPTH_TEST);
    this.multisampled.end();
  }

  private get primitivePainter(): PrimitivePainter {
    return (this.primitives ??= new PrimitivePainter(this.gl));
  }

  /** Set the camera of a program. */
  private look(at: Uniforms, { space: { gaze, box }, view }: Space): void {
    const { gl } = this;
    gl.uniform3f(at.u_eye, ...gaze.eye);
    gl.uniform3f(at.u_right, ...gaze.right);
    gl.uniform3f(at.u_up, ...gaze.up);
    gl.uniform3f(at.u_ahead, ...gaze.ahead);
    gl.uniform4f(
      at.u_lens,
      (2 * gaze.focal) / view.width,
      (2 * gaze.focal) / view.height,
      (2 * gaze.centre.x) / view.width - 1,
      1 - (2 * gaze.centre.y) / view.height,
    );
    const reach = Math.hypot(...box.sides) * 4 + Math.hypot(...gaze.eye);
    gl.uniform2f(at.u_range, reach * 2e-4, reach);
  }

  private pull(at: Uniforms, { from, to, alpha }: Moment, palette: WebGLTexture | null): void {
    const { gl } = this;
    const held = [this.textures.holding(from), this.textures.holding(to)];
    const used = [held[0].words, held[1].words, held[0].looks, held[1].looks, palette];
    used.forEach((texture, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    ["u_from", "u_to", "u_looks_from", "u_looks_to", "u_palette"].forEach((name, unit) => {
      gl.uniform1i(at[name] ?? null, unit);
    });
    for (const [end, { frame }] of [
      ["from", from],
      ["to", to],
    ] as const) {
      gl.uniform3f(at[`u_low_${end}`] ?? null, frame.left, frame.top, frame.space?.floor ?? 0);
      gl.uniform3f(at[`u_sides_${end}`] ?? null, frame.width, frame.height, frame.space?.depth ?? 1);
    }
    if (to.frame.space) gl.uniform3f(at.u_wrap, ...wrapOf(to.frame, to.frame.space));
    gl.uniform1f(at.u_alpha, alpha);
  }

  private drawShadows(moment: Moment | null): void {
    const { gl } = this;
    const [map, swap] = this.shadows;
    this.target(map);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!moment) return;
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.useProgram(this.shadow.handle);
    this.pull(this.shadow.at, moment, null);
    gl.uniform1f(this.shadow.at.u_size, 2);
    gl.drawArrays(gl.POINTS, 0, moment.to.frame.count);
    gl.disable(gl.BLEND);
    gl.useProgram(this.blur.handle);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(this.blur.at.u_image, 0);
    for (const [source, target, x, y] of [
      [map, swap, 1, 0],
      [swap, map, 0, 1],
    ] as const) {
      this.target(target);
      gl.bindTexture(gl.TEXTURE_2D, source.texture);
      gl.uniform2f(this.blur.at.u_axis, x / SHADOW_SIDE, y / SHADOW_SIDE);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
  }

  private target({ buffer, width, height }: Target): void {
    this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, buffer);
    this.gl.viewport(0, 0, width, height);
  }

  private drawBackdrop(scene: Space, air: Air, width: number, height: number): void {
    const { gl } = this;
    const { at, handle } = this.backdrop;
    const { box, setting, time, gaze } = scene.space;
    gl.useProgram(handle);
    gl.viewport(0, 0, width, height);
    this.look(at, scene);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadows[0].texture);
    gl.uniform1i(at.u_shadow, 0);
    gl.uniform3f(at.u_low, ...box.low);
    gl.uniform3f(at.u_sides, ...box.sides);
    gl.uniform3f(at.u_sun, ...SUN);
    gl.uniform1i(at.u_place, SETTINGS[setting]);
    gl.uniform1f(at.u_day, scene.light ? 1 : 0);
    gl.uniform1f(at.u_hour, scene.daylight ?? -1);
    gl.uniform1f(at.u_seconds, time);
    gl.uniform1f(at.u_grid, gridStep(box));
    gl.uniform1f(at.u_ruled, scene.space.guides || setting === "nowhere" ? 1 : 0);
    gl.uniform1f(at.u_haze, air.thickness);
    gl.uniform1f(at.u_pixel, 1 / (gaze.focal * scene.dpr));
    gl.uniform1f(at.u_dark, 1.1);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  private drawFrame(scene: Space, air: Air): void {
    const { gl } = this;
    const { at, handle } = this.frame;
    const { box } = scene.space;
    if (scene.open) return;
    gl.useProgram(handle);
    this.look(at, scene);
    gl.uniform3f(at.u_low, ...box.low);
    gl.uniform3f(at.u_sides, ...box.sides);
    gl.uniform3fv(at.u_ink, scene.light ? [0.16, 0.2, 0.28] : [0.74, 0.8, 0.95]);
    gl.uniform2fv(at.u_strength, scene.light ? [0.4, 0.16] : [0.34, 0.13]);
    gl.uniform1f(at.u_haze, air.thickness);
    gl.depthMask(false);
    gl.drawArrays(gl.LINES, 0, 24);
    gl.depthMask(true);
  }

  private drawSolids(scene: Space, air: Air): void {
    const { solids, box } = scene.space;
    if (solids.length === 0) return;
    this.solids ??= new SolidPainter(this.gl);
    this.solids.draw(
      solids,
      box,
      (at) => {
        this.look(at, scene);
      },
      air,
      scene.light,
    );
  }

  private shape(shape: Shape, far: boolean): { data: Float32Array; count: number } {
    const key = `${shape} ${String(far)}`;
    const found = this.shapes.get(key) ?? cornersFor(shape, far);
    this.shapes.set(key, found);
    return found;
  }

  private sizes(at: Uniforms, scene: Space, count: number): void {
    const { gl } = this;
    gl.uniform1f(at.u_half, bodyHalf(scene.space.box, scene.space.shape, scene.size, count));
    gl.uniform1f(at.u_least, leastHalf(scene, count) * scene.dpr);
    gl.uniform1f(at.u_clear, scene.space.gaze.clear);
    gl.uniform1f(at.u_pixels, scene.space.gaze.focal * scene.dpr);
    gl.uniform1i(at.u_mode, MODES[scene.mode] ?? EXTRA);
  }

  private drawBodies(moment: Moment, scene: Space, air: Air, palette: WebGLTexture): void {
    const { gl } = this;
    const { at, handle } = this.body;
    const { shape, time } = scene.space;
    const { count } = moment.to.frame;
    const corners = this.shape(shape, count > MOST_WHOLE_BODIES);
    gl.useProgram(handle);
    this.look(at, scene);
    this.pull(at, moment, palette);
    this.sizes(at, scene, count);
    gl.uniform4fv(at["u_shape[0]"], corners.data);
    gl.uniform1i(at.u_corners, corners.count);
    gl.uniform1f(at.u_seconds, time % 1000);
    gl.uniform1f(at.u_beat, BEATS[shape]);
    gl.uniform1i(at.u_hunters, scene.hunters);
    gl.uniform3fv(at.u_sun, shape === "fish" ? [0, 0, 1] : SUN);
    gl.uniform2f(at.u_still, ...air.lit);
    gl.uniform4f(at.u_haze, ...air.color, air.thickness);
    gl.uniform2f(at.u_gain, ...air.gain);
    gl.drawArrays(gl.TRIANGLES, 0, count * corners.count);
  }

  private drawStreaks(moment: Moment, scene: Space, air: Air, palette: WebGLTexture): void {
    const { gl } = this;
    const { at, handle } = this.streak;
    const { from, to } = moment;
    const steps = to.frame.step - from.frame.step;
    if (steps <= 0) return;
    gl.useProgram(handle);
    this.look(at, scene);
    this.pull(at, moment, palette);
    this.sizes(at, scene, to.frame.count);
    gl.uniform1f(at.u_stretch, (STREAK_SECONDS * (scene.trailLength ?? 1)) / (steps * to.frame.secondsPerStep));
    gl.uniform4f(at.u_haze, ...air.color, air.thickness);
    gl.uniform2fv(at.u_light, scene.light ? [0.3, 0.3] : [0.34, 0.1]);
    gl.uniform2f(at.u_gain, ...air.gain);
    gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLES, 0, to.frame.count * 3);
    gl.depthMask(true);
  }

  free(): void {
    for (const target of this.shadows) freeTarget(this.gl, target);
  }
}
