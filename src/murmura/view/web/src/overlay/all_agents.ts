/** Fields of view, links and density for all agents in view. */

import { toScreen, visible } from "../render/camera";
import type { Lines } from "./lines";
import type { Frame } from "../net/protocol";
import { eachSight, evenly, within, type Crowd, type Sight } from "./sight";

const MOST_CONES = 600;
const MOST_LINKS = 24_000;
const ASKED = 60; // sample of agents for estimating the crowding
const MOST_DENSE = 1.2; // px of line per px in crowded areas: with more, lines merge into a blot
/** With more agents than this, the lines would merge, and computing them would stall the picture. */
export const MOST_CROWD = 20_000;

/** Draws the cones of every n-th agent in view; returns n. */
export function drawCones(lines: Lines, crowd: Crowd, sights: Sight[]): number {
  const { context, camera, view, light } = lines;
  const seen = within(crowd, visible(camera, view));
  const every = Math.max(1, Math.ceil(seen.length / MOST_CONES));
  context.beginPath();
  for (const k of evenly(seen, every)) {
    const { radius, half } = sights[Math.min(sights.length - 1, crowd.kinds[k])];
    const p = toScreen(camera, view, { x: crowd.xs[k], y: crowd.ys[k] });
    const [size, heading] = [radius * camera.zoom, crowd.headings[k]];
    if (half < Math.PI) context.moveTo(p.x, p.y);
    else context.moveTo(p.x + size, p.y);
    context.arc(p.x, p.y, size, half < Math.PI ? heading - half : 0, half < Math.PI ? heading + half : 2 * Math.PI);
    context.closePath();
  }
  context.fillStyle = light ? "rgb(40 90 160 / 0.07)" : "rgb(150 195 255 / 0.06)";
  context.strokeStyle = light ? "rgb(40 90 160 / 0.28)" : "rgb(160 200 255 / 0.22)";
  context.lineWidth = 0.8;
  context.fill();
  context.stroke();
  return every;
}

/** Draws lines to all neighbours of every n-th agent, few enough to be distinguished; returns n. */
export function drawSights(lines: Lines, crowd: Crowd, sights: Sight[]): number {
  const { context, camera, view, light } = lines;
  const seen = within(crowd, visible(camera, view));
  const every = Math.max(1, Math.ceil(lineDensity(crowd, seen, sights, camera.zoom) / MOST_DENSE));
  const watchers = evenly(seen, every);
  const alpha = every > 1 ? 0.45 : 0.32;
  context.strokeStyle = light ? `rgb(30 70 130 / ${alpha})` : `rgb(150 200 255 / ${alpha})`;
  context.lineWidth = every > 1 ? 1 : 0.8;
  let pending = 0;
  context.beginPath();
  eachSight(crowd, watchers, sights, MOST_LINKS, (me, _other, dx, dy) => {
    const p = toScreen(camera, view, { x: crowd.xs[me], y: crowd.ys[me] });
    context.moveTo(p.x, p.y);
    context.lineTo(p.x + dx * camera.zoom, p.y + dy * camera.zoom);
    // One path of twenty thousand lines takes many times longer to rasterise than many short paths.
    if (++pending < 128) return;
    pending = 0;
    context.stroke();
    context.beginPath();
  });
  context.stroke();
  if (every > 1) drawWatchers(lines, crowd, watchers);
  return every;
}

/** The agents whose lines are drawn. */
function drawWatchers({ context, camera, view, light }: Lines, crowd: Crowd, watchers: number[]): void {
  context.fillStyle = light ? "#1b2f4f" : "#eaf3ff";
  for (const k of watchers) {
    const p = toScreen(camera, view, { x: crowd.xs[k], y: crowd.ys[k] });
    context.fillRect(p.x - 2, p.y - 2, 4, 4);
  }
}

/**
 * How much of a crowded area all lines would cover: n agents within reach have n lines each, on average two
 * thirds of the reach long. Squares are averaged, because crowds are what becomes a blot.
 */
function lineDensity(crowd: Crowd, seen: number[], sights: Sight[], zoom: number): number {
  const some = evenly(seen, Math.max(1, Math.floor(seen.length / ASKED)));
  const counts = new Map<number, number>();
  eachSight(crowd, some, sights, Infinity, (me) => {
    counts.set(me, (counts.get(me) ?? 0) + 1);
  });
  const squares = [...counts.values()].reduce((sum, n) => sum + n * n, 0) / Math.max(1, some.length);
  const reach = Math.max(...sights.map((sight) => sight.radius)) * zoom;
  return ((2 / 3) * squares) / (Math.PI * Math.max(1, reach));
}

/** Number of agents in each square of a coarse grid. */
export class DensityGrid {
  private counted: Frame | null = null;
  private counts = new Uint32Array(0);
  private most = 1;

  /** Returns the number of agents per 100 u x 100 u in the densest square. */
  draw({ context, camera, view, light }: Lines, frame: Frame, cells = 40): number {
    const cell = frame.width / cells;
    if (frame !== this.counted) this.count(frame, cells, Math.max(1, Math.ceil(frame.height / cell)));
    this.counts.forEach((count, k) => {
      if (count === 0) return;
      const p = toScreen(camera, view, {
        x: frame.left + (k % cells) * cell,
        y: frame.top + Math.floor(k / cells) * cell,
      });
      context.fillStyle = `rgb(${light ? "30 80 150" : "120 190 255"} / ${(0.05 + 0.4 * (count / this.most) ** 0.6).toFixed(3)})`;
      context.fillRect(p.x, p.y, cell * camera.zoom - 1, cell * camera.zoom - 1);
    });
    return (this.most * frame.stride * 100 ** 2) / cell ** 2;
  }

  private count(frame: Frame, cells: number, rows: number): void {
    this.counted = frame;
    this.counts = new Uint32Array(cells * rows);
    const perRow = (cells * frame.height) / frame.width / 65536;
    for (let k = 0; k < frame.count; k++) {
      const word = frame.words[2 * k];
      this.counts[(((word & 0xffff) * cells) >> 16) + cells * Math.min(rows - 1, Math.floor((word >>> 16) * perRow))]++;
    }
    this.most = this.counts.reduce((most, count) => Math.max(most, count), 1);
  }
}
