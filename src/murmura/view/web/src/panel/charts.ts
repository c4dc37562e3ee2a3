/** Measures over time: one chart that is always there, one to choose, births and deaths where there are any, and all of it as a table. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../dom";
import type { Status } from "../net/protocol";
import { humanized } from "./schema";
import { causesInWords, timesInWords } from "../text/times";

const KEPT = 300; // points: a minute at 5 a second
const HEIGHT = 74;
const TABLE_ROWS = 15;
const TABLE_MS = 1000; // a table that changes more often cannot be read

interface Line {
  name: string;
  color: string;
  dash?: number[];
}

class Chart {
  readonly root = element("div", { class: "plot", "aria-hidden": "true" }); // the table says the same
  private plot: uPlot | null = null;
  private times: number[] = [];
  private values: (number | null)[][];
  private width = 0; // [px]; 0: not to be seen

  constructor(private readonly lines: Line[], private readonly range: [number, number] | null) {
    this.values = lines.map(() => []);
    // To ask for it at every point would have the browser lay out the page there and then.
    new ResizeObserver(([entry]) => { this.width = Math.round(entry.contentRect.width); }).observe(this.root);
  }

  add(time: number, values: (number | null)[]): void {
    this.times.push(time);
    values.forEach((value, k) => this.values[k].push(value));
    if (this.times.length > KEPT) for (const list of [this.times, ...this.values]) list.shift();
    this.plot ??= this.make();
    if (this.width > 0 && this.width !== this.plot.width) this.plot.setSize({ width: this.width, height: HEIGHT });
    if (this.width > 0) this.plot.setData([this.times, ...this.values]);
  }

  clear(): void {
    this.times = [];
    this.values = this.lines.map(() => []);
  }

  private make(): uPlot {
    const grey = matchMedia("(prefers-color-scheme: light)").matches ? "#56637d" : "#9aa7c2";
    const axis: uPlot.Axis = { stroke: grey, grid: { stroke: "rgb(140 155 190 / 0.14)", width: 1 }, ticks: { show: false }, font: "10px system-ui" };
    return new uPlot(
      {
        width: Math.max(60, this.width),
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        padding: [6, 4, 5, 0],
        scales: { x: { time: false }, y: this.range ? { range: this.range } : {} },
        axes: [{ ...axis, show: false }, { ...axis, size: 38, splits: this.range ? () => [0, 0.5, 1] : undefined } as uPlot.Axis],
        series: [{}, ...this.lines.map(({ color, dash }, k) => ({ stroke: color, width: 1.6, points: { show: false }, spanGaps: true, ...(dash ? { dash } : {}), ...(k === 0 ? { fill: color + "22" } : {}) }))],
      },
      [[], ...this.lines.map(() => [])],
      this.root,
    );
  }
}

type Row = { time: number } & Record<string, number | null>;

export class Charts {
  readonly root: HTMLElement;
  private readonly order = new Chart([{ name: "polarization", color: "#5aa9ff" }], [0, 1]);
  private readonly other = new Chart([{ name: "other", color: "#ffb35c" }], null);
  private readonly life = new Chart([{ name: "births", color: "#56b4e9" }, { name: "deaths", color: "#e69f00", dash: [4, 3] }], null);
  private readonly causes = element("p", { class: "causes" });
  private readonly log = element("ul", { class: "times", "aria-label": "Times of the population" });
  private readonly lifeBox = element("div", { hidden: true }, element("h2", {}, element("span", { class: "births" }, "Births"), " and ", element("span", { class: "deaths" }, "deaths")), this.life.root, this.causes, this.log);
  private readonly choice = element("select", { "aria-label": "Second chart" });
  private readonly table = element("table", { class: "measures" });
  private readonly history = element("table", { class: "measures" });
  private readonly details: HTMLDetailsElement;
  private readonly rows: Row[] = [];
  private lastStep = -1;
  private lastTable = -Infinity;

  constructor() {
    this.choice.addEventListener("change", () => { this.other.clear(); });
    this.details = element(
      "details",
      {},
      element("summary", {}, "As a table"),
      element("div", { class: "tables", tabindex: "0", role: "region", "aria-label": "Measures as tables" }, this.table, this.history),
    );
    this.root = element("section", { class: "charts glass", "aria-label": "Charts" }, element("h2", {}, "Polarization"), this.order.root, this.choice, this.other.root, this.lifeBox, this.details);
  }

  status(status: Status): void {
    if (status.step < this.lastStep) {
      for (const chart of [this.order, this.other, this.life]) chart.clear();
      this.rows.length = 0;
    }
    this.tell(status); // counted now and then: of a flock that has stopped, maybe after its last step was shown
    if (status.step === this.lastStep) return;
    this.lastStep = status.step;
    const measures: Record<string, number | null> = { ...status.measures, agents: status.agents, steps_per_second: status.steps_per_second };
    this.offer(Object.keys(measures).filter((name) => name !== "polarization"));
    this.order.add(status.time, [measures.polarization ?? null]);
    this.other.add(status.time, [measures[this.choice.value] ?? null]);
    this.lives(status);
    this.tabulate(status, measures);
  }

  /** Only where the server counts them. */
  private lives({ time, births, deaths }: Status): void {
    if (!this.lifeBox.hidden) this.life.add(time, [births ?? null, deaths ?? null]);
  }

  private tell({ births, deaths, causes, times }: Status): void {
    this.lifeBox.hidden = births === undefined && deaths === undefined;
    write(this.causes, causesInWords(causes));
    const lines = timesInWords(times);
    if ([...this.log.children].map((line) => line.textContent).join() !== lines.join()) this.log.replaceChildren(...lines.map((line) => element("li", {}, line)));
  }

  private tabulate(status: Status, measures: Record<string, number | null>): void {
    const now = performance.now();
    if (now - this.lastTable < TABLE_MS) return;
    this.lastTable = now;
    const lives = status.births === undefined ? {} : { births: status.births, deaths: status.deaths ?? null };
    const chosen = this.choice.value;
    this.rows.unshift({ time: status.time, polarization: measures.polarization ?? null, ...(chosen ? { [chosen]: measures[chosen] ?? null } : {}), ...lives });
    this.rows.length = Math.min(this.rows.length, TABLE_ROWS);
    if (!this.details.open) return;
    this.table.replaceChildren(
      element("caption", {}, "Now"),
      ...Object.entries(measures).map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, humanized(name)), element("td", {}, shown(value)))),
    );
    const names = Object.keys(this.rows[0]);
    this.history.replaceChildren(
      element("caption", {}, "Newest first"),
      element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, humanized(name)))),
      ...this.rows.map((row) => element("tr", {}, ...names.map((name) => element("td", {}, shown(row[name] ?? null))))),
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

function write(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

function shown(value: number | null): string {
  return value === null ? "–" : String(Number(value.toPrecision(4)));
}
