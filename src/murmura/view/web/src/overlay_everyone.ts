/** What everybody in view sees, who sees whom, and how dense it is where. */

import { toScreen, visible } from "./camera";
import type { Lines } from "./lines";
import type { Frame } from "./protocol";
import { eachSight, within, type Crowd, type Sight } from "./sight";

const MOST_CONES = 600;
const MOST_WATCHERS = 2500;
const MOST_LINKS = 24_000;
/** With more agents than this the lines would be one blot, and working them out would stop the picture. */
export const MOST_CROWD = 20_000;

export function drawCones(lines: Lines, crowd: Crowd, sights: Sight[]): void {
  const { context, camera, view, light } = lines;
  context.beginPath();
  for (const k of within(crowd, visible(camera, view), MOST_CONES)) {
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
}

export function drawSights(lines: Lines, crowd: Crowd, sights: Sight[]): void {
  const { context, camera, view, light } = lines;
  context.strokeStyle = light ? "rgb(30 70 130 / 0.34)" : "rgb(150 200 255 / 0.30)";
  context.lineWidth = 0.8;
  let pending = 0;
  context.beginPath();
  eachSight(crowd, within(crowd, visible(camera, view), MOST_WATCHERS), sights, MOST_LINKS, (me, _other, dx, dy) => {
    const p = toScreen(camera, view, { x: crowd.xs[me], y: crowd.ys[me] });
    context.moveTo(p.x, p.y);
    context.lineTo(p.x + dx * camera.zoom, p.y + dy * camera.zoom);
    // One path of twenty thousand lines takes a rasteriser many times longer than many short ones.
    if (++pending < 128) return;
    pending = 0;
    context.stroke();
    context.beginPath();
  });
  context.stroke();
}

/** Agents for each square of a coarse grid. */
export class DensityGrid {
  private counted: Frame | null = null;
  private counts = new Uint32Array(0);
  private most = 1;

  draw({ context, camera, view, light }: Lines, frame: Frame, cells = 40): void {
    const cell = frame.width / cells;
    if (frame !== this.counted) this.count(frame, cells, Math.max(1, Math.ceil(frame.height / cell)));
    this.counts.forEach((count, k) => {
      if (count === 0) return;
      const p = toScreen(camera, view, { x: frame.left + (k % cells) * cell, y: frame.top + Math.floor(k / cells) * cell });
      context.fillStyle = `rgb(${light ? "30 80 150" : "120 190 255"} / ${(0.05 + 0.4 * (count / this.most) ** 0.6).toFixed(3)})`;
      context.fillRect(p.x, p.y, cell * camera.zoom - 1, cell * camera.zoom - 1);
    });
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
