/** Hunters in space: winged or finned bodies that bank in turns, their fright radius and their target. */

import type { Predator } from "../../net/protocol";
import { facetsOf, type Shape } from "../../render/space/bodies";
import { add, cross, dot, times, unit, type Vec } from "../../render/space/vectors";
import { inside } from "../scenery";
import { drawBall, drawStalk, seenAt, traceFace, traceLine, traceRing, vecOf, type SpaceLines } from "./lines";
import { say } from "../../text/language";

const AFTER_PREY = /hunt|chas|dive|diving|attack|stoop|pursu|strik/;
const FISH = /shark|barracuda|tuna|pike|bass|cod|dolphin|orca|whale|seal|porpoise/;
const LEAST_PX = 9; // half a body

export interface HunterScene {
  half: number; // half the length of a member of the flock [u]
  seconds: number; // simulated
}

export function drawHunter(lines: SpaceLines, hunter: Predator, scene: HunterScene): void {
  const { light } = lines;
  const at = vecOf(hunter, lines.box);
  const p = seenAt(lines, at);
  if (p.far <= 0) return;
  const rgb = light ? "156 31 16" : "255 140 110";
  drawStalk(lines, at, `rgb(${rgb} / 0.55)`);
  drawIntent(lines, hunter, at, rgb);
  const size = Math.max(2.8 * scene.half, LEAST_PX / p.scale);
  const angry = AFTER_PREY.test(hunter.state);
  drawBody(lines, hunter, at, size, light ? (angry ? [156, 31, 16] : [74, 43, 18]) : angry ? [255, 122, 92] : [255, 217, 168], scene.seconds);
  drawWords(lines, hunter, p.x, p.y + size * p.scale * 1.3 + 6);
}

function drawIntent(lines: SpaceLines, hunter: Predator, at: Vec, rgb: string): void {
  const { context, gaze } = lines;
  if (hunter.fright !== undefined && hunter.fright > 0) {
    drawBall(lines, at, hunter.fright, rgb, 0.035);
    context.strokeStyle = `rgb(${rgb} / 0.35)`;
    context.lineWidth = 1;
    context.setLineDash([3, 6]);
    context.beginPath();
    traceRing(lines, at, hunter.fright, gaze.ahead);
    traceRing(lines, at, hunter.fright, [0, 0, 1]);
    context.stroke();
    context.setLineDash([]);
  }
  if (hunter.target_x === undefined || hunter.target_y === undefined) return;
  const prey = vecOf({ x: hunter.target_x, y: hunter.target_y, ...(hunter.target_z === undefined ? {} : { z: hunter.target_z }) }, lines.box);
  const q = seenAt(lines, prey);
  context.strokeStyle = `rgb(${rgb} / 0.85)`;
  context.lineWidth = 1.4;
  context.setLineDash([7, 4]);
  context.beginPath();
  traceLine(lines, at, prey);
  context.stroke();
  context.setLineDash([]);
  if (q.far <= 0) return;
  context.beginPath();
  context.arc(q.x, q.y, 7, 0, 2 * Math.PI);
  context.stroke();
}

/** Facets from far to near, lighter the more they face the sky. */
function drawBody(lines: SpaceLines, hunter: Predator, at: Vec, size: number, [r, g, b]: Vec, seconds: number): void {
  const { context, gaze } = lines;
  const shape: Shape = FISH.test(hunter.species.toLowerCase()) ? "fish" : "bird";
  const ahead = unit([hunter.vx ?? Math.cos(hunter.heading), hunter.vy ?? Math.sin(hunter.heading), hunter.vz ?? 0]);
  const left = unit(Math.abs(ahead[2]) > 0.999 ? [0, 1, 0] : cross([0, 0, 1], ahead));
  const up = cross(ahead, left);
  // In a stoop the wings are folded.
  const diving = /dive|diving|stoop|strik/.test(hunter.state);
  const beat = diving ? 0.1 : 0.35 * Math.sin(9 * seconds + hunter.id);
  const placed = facetsOf(shape, false).map(({ corners, part, shade }) => {
    const moved = corners.map(([x, y, z]): Vec => {
      const out = part === 1 ? Math.max(0, Math.abs(y) - 0.12) : 0;
      const [px, py] = diving && part === 1 ? [x - 0.75 * out, y * 0.55] : [x, y];
      return add(at, times(add(times(ahead, px), add(times(left, py), times(up, z + beat * out))), size));
    });
    const normal = unit(cross(add(moved[1], times(moved[0], -1)), add(moved[2], times(moved[0], -1))));
    return { moved, far: Math.min(...moved.map((corner) => dot(corner, gaze.ahead))), lit: shade * (0.62 + 0.38 * Math.abs(normal[2])) };
  });
  for (const { moved, lit } of placed.sort((a, b) => b.far - a.far)) {
    context.fillStyle = context.strokeStyle = `rgb(${[r, g, b].map((c) => Math.round(c * lit)).join(" ")})`;
    context.lineWidth = 0.6;
    context.beginPath();
    traceFace(lines, moved);
    context.fill();
    context.stroke();
  }
}

function drawWords({ context, view, light }: SpaceLines, hunter: Predator, x: number, top: number): void {
  const wide = 34;
  context.fillStyle = light ? "rgb(20 30 50 / 0.25)" : "rgb(220 230 255 / 0.25)";
  context.fillRect(x - wide / 2, top, wide, 3);
  context.fillStyle = hunter.energy < 0.25 ? (light ? "#9c1f10" : "#ff7a5c") : light ? "#1b6e48" : "#7ee2a8";
  context.fillRect(x - wide / 2, top, wide * Math.min(1, Math.max(0, hunter.energy)), 3);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = light ? "#18202e" : "#e8edf8";
  const words = `${say(hunter.species)} · ${say(hunter.state)}`;
  context.fillText(words, inside(x, context.measureText(words).width, view.width), top + 16);
}
