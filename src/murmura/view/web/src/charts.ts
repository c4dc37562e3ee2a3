/** Measures over time: one chart that is always there, one to choose, and a table for those who cannot see them. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "./dom";
import type { Status } from "./protocol";
import { humanized } from "./schema";

const KEPT = 300; // points: a minute at 5 a second
const HEIGHT = 74;

class Chart {
  readonly root = element("div", { class: "plot" });
  private plot: uPlot | null = null;
  private times: number[] = [];
  private values: (number | null)[] = [];

  constructor(private readonly color: string, private readonly range: [number, number] | null) {}

  add(time: number, value: number | null): void {
    this.times.push(time);
    this.values.push(value);
    if (this.times.length > KEPT) {
      this.times.shift();
      this.values.shift();
    }
    this.plot ??= this.make();
    const width = this.root.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
    if (width > 0) this.plot.setData([this.times, this.values]);
  }

  clear(): void {
    this.times = [];
    this.values = [];
  }

  private make(): uPlot {
    const grey = matchMedia("(prefers-color-scheme: light)").matches ? "#56637d" : "#9aa7c2";
    const axis: uPlot.Axis = { stroke: grey, grid: { stroke: "rgb(140 155 190 / 0.14)", width: 1 }, ticks: { show: false }, font: "10px system-ui" };
    return new uPlot(
      {
        width: Math.max(60, this.root.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        padding: [6, 4, 5, 0],
        scales: { x: { time: false }, y: this.range ? { range: this.range } : {} },
        axes: [{ ...axis, show: false }, { ...axis, size: 38, splits: this.range ? () => [0, 0.5, 1] : undefined } as uPlot.Axis],
        series: [{}, { stroke: this.color, width: 1.6, fill: this.color + "22", points: { show: false }, spanGaps: true }],
      },
      [[], []],
      this.root,
    );
  }
}

export class Charts {
  readonly root: HTMLElement;
  private readonly order = new Chart("#5aa9ff", [0, 1]);
  private readonly other = new Chart("#ffb35c", null);
  private readonly choice = element("select", { "aria-label": "Second chart" });
  private readonly table = element("table", { class: "measures" });
  private lastStep = -1;

  constructor() {
    this.choice.addEventListener("change", () => { this.other.clear(); });
    this.root = element(
      "section",
      { class: "charts glass", "aria-label": "Charts" },
      element("h2", {}, "Polarization"),
      this.order.root,
      this.choice,
      this.other.root,
      element("details", {}, element("summary", {}, "All measures"), this.table),
    );
  }

  status(status: Status): void {
    if (status.step < this.lastStep) {
      this.order.clear();
      this.other.clear();
    }
    if (status.step === this.lastStep) return;
    this.lastStep = status.step;
    const measures: Record<string, number | null> = { ...status.measures, agents: status.agents, steps_per_second: status.steps_per_second };
    this.offer(Object.keys(measures).filter((name) => name !== "polarization"));
    this.order.add(status.time, measures.polarization ?? null);
    this.other.add(status.time, measures[this.choice.value] ?? null);
    this.table.replaceChildren(
      element("caption", { class: "quiet" }, "Measures now"),
      ...Object.entries(measures).map(([name, value]) =>
        element("tr", {}, element("th", { scope: "row" }, humanized(name)), element("td", {}, value === null ? "–" : String(Number(value.toPrecision(4))))),
      ),
    );
  }

  private offer(names: string[]): void {
    const have = [...this.choice.options].map((option) => option.value);
    if (have.join() === names.join()) return;
    const chosen = this.choice.value;
    this.choice.replaceChildren(...names.map((name) => element("option", { value: name }, humanized(name))));
    this.choice.value = names.includes(chosen) ? chosen : names.includes("milling") ? "milling" : (names[0] ?? "");
  }
}
