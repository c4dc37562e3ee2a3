/** Fields of view, links and density on the floor, for all agents in view in space. */

import type { Frame } from "../../net/protocol";
import type { Rgb, Stroke } from "../../render/space/primitives/primitives";
import { add, type Vec } from "../../render/space/vectors";
import { evenly, type Sight } from "../sight";
import { drawCone } from "./agent";
import { drawRing, drawSegment, rgbOf, seenAt, type SpaceLines } from "./lines";
import { aheadIn, eachSpaceSight, placeIn, type SpaceCrowd } from "./sight";

const MOST_CONES = 60; // a cone in space is twenty lines
const MOST_LINKS = 9000;
const MOST_WATCHERS = 150;
const MOST_DENSE = 1.2; // px of line per px of the flock, as in the plane
const CELLS = 24; // along the longer side of the floor

/** Agents in the window. */
export function inView(lines: SpaceLines, crowd: SpaceCrowd): number[] {
  const found: number[] = [];
  for (let k = 0; k < crowd.count; k++) {
    const p = seenAt(lines, placeIn(crowd, k));
    if (p.far > 0 && p.x >= 0 && p.y >= 0 && p.x <= lines.view.width && p.y <= lines.view.height) found.push(k);
  }
  return found;
}

/** Draws the cones of every n-th agent in view; returns n. */
export function drawSpaceCones(lines: SpaceLines, crowd: SpaceCrowd, sights: Sight[]): number {
  const seen = inView(lines, crowd);
  const every = Math.max(1, Math.ceil(seen.length / MOST_CONES));
  const stroke: Stroke = {
    ...(lines.light ? { rgb: [40, 90, 160], alpha: 0.3 } : { rgb: [160, 200, 255], alpha: 0.26 }),
    width: 0.8,
  };
  for (const k of evenly(seen, every)) {
    const { radius, half } = sights[Math.min(sights.length - 1, crowd.kinds[k])];
    if (half < Math.PI) drawCone(lines, placeIn(crowd, k), aheadIn(crowd, k), half, radius, 8, stroke);
    else drawRing(lines, placeIn(crowd, k), radius, lines.gaze.ahead, stroke);
  }
  return every;
}

/** Draws lines to all neighbours of every n-th agent, few enough to be distinguished; returns n. */
export function drawSpaceSights(lines: SpaceLines, crowd: SpaceCrowd, sights: Sight[]): number {
  const seen = inView(lines, crowd);
  const most = Math.max(1, Math.ceil(seen.length / MOST_WATCHERS));
  const links = new Map<number, Vec[]>(evenly(seen, most).map((me) => [me, []]));
  eachSpaceSight(crowd, [...links.keys()], sights, MOST_LINKS, (me, way) => {
    links.get(me)?.push(way);
  });
  const fewer = Math.max(1, Math.ceil(lineDensity(lines, crowd, links) / MOST_DENSE));
  const stroke: Stroke = { rgb: lines.light ? [30, 70, 130] : [150, 200, 255], alpha: 0.4, width: 0.9 };
  const spot: Stroke = { rgb: rgbOf(lines.light ? "#1b2f4f" : "#eaf3ff"), alpha: 1, width: 4 };
  for (const me of evenly([...links.keys()], fewer)) {
    const at = placeIn(crowd, me);
    for (const way of links.get(me) ?? []) lines.draw.line(at, add(at, way), stroke);
    if (most * fewer > 1) drawSegment(lines, at, seenAt(lines, at).scale, [-2, 0], [2, 0], spot);
  }
  return most * fewer;
}

/** Px of line per px of the screen that most of the flock covers: an ellipse two standard deviations wide. */
function lineDensity(lines: SpaceLines, crowd: SpaceCrowd, links: Map<number, Vec[]>): number {
  let [length, x, y, xx, yy] = [0, 0, 0, 0, 0];
  for (const [me, ways] of links) {
    const at = placeIn(crowd, me);
    const p = seenAt(lines, at);
    for (const way of ways) {
      const q = seenAt(lines, add(at, way));
      length += Math.min(Math.hypot(q.x - p.x, q.y - p.y), lines.view.width);
    }
    [x, y, xx, yy] = [x + p.x, y + p.y, xx + p.x * p.x, yy + p.y * p.y];
  }
  const n = Math.max(1, links.size);
  const wide = (sum: number, squares: number) => 2 * Math.sqrt(Math.max(1, squares / n - (sum / n) ** 2));
  return length / (Math.PI * wide(x, xx) * wide(y, yy));
}

/** Draws the number of agents above each square of the floor; returns the number per 100 u x 100 u in the densest one. */
export function drawFloorDensity(lines: SpaceLines, frame: Frame): number {
  const { draw, light, box } = lines;
  const rgb: Rgb = light ? [30, 80, 150] : [120, 190, 255];
  const cell = Math.max(frame.width, frame.height) / CELLS;
  const columns = Math.ceil(frame.width / cell);
  const counts = new Map<number, number>();
  for (let k = 0; k < frame.count; k++) {
    const word = frame.words[2 * k];
    const [across, down] = [((word & 0xffff) / 65536) * frame.width, ((word >>> 16) / 65536) * frame.height];
    const at = Math.floor(across / cell) + columns * Math.floor(down / cell);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const most = Math.max(1, ...counts.values());
  for (const [at, count] of counts) {
    const [x, y] = [frame.left + (at % columns) * cell, frame.top + Math.floor(at / columns) * cell];
    const corner = (dx: number, dy: number): Vec => [x + dx * cell * 0.96, y + dy * cell * 0.96, box.low[2]];
    draw.face([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)], rgb, 0.06 + 0.5 * (count / most) ** 0.6);
  }
  return (most * frame.stride * 100 ** 2) / cell ** 2;
}
