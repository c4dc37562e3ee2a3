/** One chart: lines or stacked areas over time, with both axes. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../dom";
import type { Spec } from "./catalog";
import type { History, Value } from "./history";

export const HEIGHT = 112;
const MOST_POINTS = 400; // more than the pixels of a chart

export class Plot {
  readonly root = element("div", { class: "plot", "aria-hidden": "true" }); // the table has the same data
  private plot: uPlot | null = null;
  private width = 0; // [px]; 0: hidden
  private mark: number | null = null; // a marked time [s]

  constructor(
    private readonly spec: Spec,
    private readonly light: boolean,
    private readonly height = HEIGHT,
  ) {
    // Reading the width at every point would force a layout each time.
    new ResizeObserver(([entry]) => {
      this.width = Math.round(entry.contentRect.width);
    }).observe(this.root);
  }

  /** Draw the history; `mark` marks a time. */
  draw(history: History, mark: number | null): void {
    this.mark = mark;
    const rows = history.sample(MOST_POINTS);
    const times = rows.map((k) => history.times[k]);
    const values = this.spec.lines
      .map(({ column }) => history.column(column))
      .map((column) => rows.map((k) => column[k]));
    this.plot ??= this.make();
    if (this.width > 0 && this.width !== this.plot.width) this.plot.setSize({ width: this.width, height: this.height });
    if (this.width > 0) this.plot.setData([times, ...(this.spec.stacked ? stacked(values) : values)]);
  }

  /** Draw all of it at this width, in a plot that nobody sees. */
  async painted(history: History, width: number): Promise<HTMLCanvasElement> {
    this.width = width;
    this.draw(history, null);
    await new Promise(requestAnimationFrame); // uPlot draws later
    this.plot ??= this.make();
    return this.plot.ctx.canvas;
  }

  destroy(): void {
    this.plot?.destroy();
  }

  private make(): uPlot {
    const { range, lines } = this.spec;
    const grey = this.light ? "#48566e" : "#a9b6d0";
    const grid = { stroke: "rgb(140 155 190 / 0.16)", width: 1 };
    const axis: uPlot.Axis = { stroke: grey, grid, ticks: { show: false }, font: "10px system-ui" };
    return new uPlot(
      {
        width: Math.max(60, this.width),
        height: this.height,
        legend: { show: false },
        cursor: { show: false },
        padding: [6, 8, 0, 0],
        scales: { x: { time: false }, y: range ? { range } : { range: (_, low, high) => ends(low, high) } },
        axes: [
          { ...axis, size: 20, gap: 2, space: 48, values: (_, splits) => splits.map(timeLabel) },
          {
            ...axis,
            size: 42,
            gap: 4,
            space: 26,
            values: (_, splits) => splits.map(shortNumber),
            ...(range ? { splits: () => [0, 0.5, 1] } : {}),
          },
        ],
        series: [{}, ...lines.map(({ color, dash }) => this.series(color, dash))],
        hooks: {
          draw: [
            (plot) => {
              this.drawMark(plot, grey);
            },
          ],
        },
      },
      [[], ...lines.map(() => [])],
      this.root,
    );
  }

  private series(color: string, dash: number[] | undefined): uPlot.Series {
    const ink = this.light ? `color-mix(in oklab, ${color}, black 30%)` : color;
    return {
      stroke: ink,
      width: this.spec.stacked ? 1 : 1.6,
      points: { show: false },
      spanGaps: true,
      ...(dash ? { dash } : {}),
      ...(this.spec.stacked ? { fill: ink } : this.spec.lines.length === 1 ? { fill: color + "22" } : {}),
    };
  }

  private drawMark(plot: uPlot, color: string): void {
    if (this.mark === null) return;
    const x = plot.valToPos(this.mark, "x", true);
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}

/** Each row plus all rows after it: the first is the highest and is drawn first, then the others cover it. */
export function stacked(rows: Value[][]): Value[][] {
  const sums: Value[][] = [];
  for (let k = rows.length - 1; k >= 0; k--)
    sums.unshift(rows[k].map((value, n) => (value === null ? null : value + (sums[0]?.[n] ?? 0))));
  return sums;
}

/** A scale that contains everything, starts at 0 if that is near, and is never empty. */
export function ends(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const air = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
  return [low >= 0 && low < 2 * (high - low) + air ? 0 : low - air, high + air];
}

/** "40 s", "2 min", "1.5 h" on the time axis. */
export function timeLabel(seconds: number): string {
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`;
  return seconds < 7200 ? `${Number((seconds / 60).toFixed(1))} min` : `${Number((seconds / 3600).toFixed(1))} h`;
}

function shortNumber(value: number): string {
  if (Math.abs(value) >= 10_000) return `${Number((value / 1000).toFixed(1))}k`;
  return String(Number(value.toPrecision(3)));
}
