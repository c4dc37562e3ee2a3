/** Hunters in space: winged or finned bodies that bank in turns, their fright radius and their target. */

import type { Predator } from "../../net/protocol";
import { facetsOf, type Shape } from "../../render/space/bodies";
import type { Rgb, Stroke } from "../../render/space/primitives/primitives";
import { add, cross, dot, minus, times, unit, type Vec } from "../../render/space/vectors";
import { looksOf } from "../../render/hunter_shapes";
import { attacks, dashes, dives, ink, shade, things } from "../../render/looks_of_things";
import { inside } from "../scenery";
import { drawBall, drawRing, drawStalk, seenAt, vecOf, type SpaceLines } from "./lines";
import { say } from "../../text/language";

const LEAST_PX = 9; // half the length of a body

export interface HunterScene {
  half: number; // half the length of a member of the flock [u]
  seconds: number; // simulated
}

export function drawHunter(lines: SpaceLines, hunter: Predator, scene: HunterScene): void {
  const { light } = lines;
  const at = vecOf(hunter, lines.box);
  const p = seenAt(lines, at);
  if (p.far <= 0) return;
  const rgb: Rgb = shade(things.hunter.ring, light);
  drawStalk(lines, at, rgb, 0.55);
  if (lines.guides) drawFright(lines, hunter, at, rgb);
  drawTarget(lines, hunter, at, rgb);
  const size = Math.max(2.8 * scene.half, LEAST_PX / p.scale);
  const { attacking, calm } = things.hunter;
  drawBody(lines, hunter, at, size, shade(attacks(hunter.state) ? attacking : calm, light), scene.seconds);
  drawWords(lines, hunter, at, p.x, p.y + size * p.scale * 1.3 + 6);
}

function drawFright(lines: SpaceLines, hunter: Predator, at: Vec, rgb: Rgb): void {
  if (hunter.fright === undefined || hunter.fright <= 0) return;
  drawBall(lines, at, hunter.fright, rgb, 0.035);
  const rim: Stroke = { rgb, alpha: 0.35, width: 1, dash: dashes(things.hunter.dash.fright) };
  for (const normal of [lines.gaze.ahead, [0, 0, 1] as Vec]) drawRing(lines, at, hunter.fright, normal, rim);
}

function drawTarget(lines: SpaceLines, hunter: Predator, at: Vec, rgb: Rgb): void {
  if (hunter.target_x === undefined || hunter.target_y === undefined) return;
  const prey = vecOf(
    { x: hunter.target_x, y: hunter.target_y, ...(hunter.target_z === undefined ? {} : { z: hunter.target_z }) },
    lines.box,
  );
  lines.draw.line(at, prey, { rgb, alpha: 0.85, width: 1.4, dash: dashes(things.hunter.dash.target) });
  drawRing(lines, prey, 7 / seenAt(lines, prey).scale, lines.gaze.ahead, { rgb, alpha: 0.85, width: 1.4 });
}

/** Facets from far to near, because the canvas has no depth buffer; the more they face the sky, the lighter they are. */
function drawBody(lines: SpaceLines, hunter: Predator, at: Vec, size: number, [r, g, b]: Rgb, seconds: number): void {
  const { draw, gaze } = lines;
  const shape: Shape = looksOf(hunter.species).body;
  const ahead = unit([hunter.vx ?? Math.cos(hunter.heading), hunter.vy ?? Math.sin(hunter.heading), hunter.vz ?? 0]);
  const left = unit(Math.abs(ahead[2]) > 0.999 ? [0, 1, 0] : cross([0, 0, 1], ahead));
  const up = cross(ahead, left);
  // In a stoop the wings are folded.
  const diving = dives(hunter.state);
  const beat = diving ? 0.1 : 0.35 * Math.sin(9 * seconds + hunter.id);
  const placed = facetsOf(shape, false).map(({ corners, part, shade }) => {
    const moved = corners.map(([x, y, z]): Vec => {
      const out = part === 1 ? Math.max(0, Math.abs(y) - 0.12) : 0;
      const [px, py] = diving && part === 1 ? [x - 0.75 * out, y * 0.55] : [x, y];
      return add(at, times(add(times(ahead, px), add(times(left, py), times(up, z + beat * out))), size));
    });
    const normal = unit(cross(minus(moved[1], moved[0]), minus(moved[2], moved[0])));
    return {
      moved,
      far: Math.min(...moved.map((corner) => dot(corner, gaze.ahead))),
      lit: shade * (0.62 + 0.38 * Math.abs(normal[2])),
    };
  });
  for (const { moved, lit } of placed.sort((a, b) => b.far - a.far))
    draw.face(moved, [Math.round(r * lit), Math.round(g * lit), Math.round(b * lit)], 1);
}

/** Energy and state; pale if the hunter is behind an obstacle. */
function drawWords(
  { context, view, light, isHidden }: SpaceLines,
  hunter: Predator,
  at: Vec,
  x: number,
  top: number,
): void {
  const wide = 34;
  context.globalAlpha = isHidden(at) ? 0.4 : 1;
  context.fillStyle = ink(things.energy.trough, light, 0.25);
  context.fillRect(x - wide / 2, top, wide, 3);
  context.fillStyle = ink(hunter.energy < 0.25 ? things.energy.low : things.energy.full, light);
  context.fillRect(x - wide / 2, top, wide * Math.min(1, Math.max(0, hunter.energy)), 3);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = light ? "#18202e" : "#e8edf8";
  const words = `${say(hunter.species)} · ${say(hunter.state)}`;
  context.fillText(words, inside(x, context.measureText(words).width, view.width), top + 16);
  context.globalAlpha = 1;
}
