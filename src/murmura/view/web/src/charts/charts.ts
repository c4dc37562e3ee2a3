/** Measures over time: charts that the user adds and removes, the history of the population, and all of it as a table and a file. */

import { download, element } from "../dom";
import type { Hello, SpeciesInfo, Status } from "../net/protocol";
import { humanized } from "../panel/controls/schema";
import { saved } from "../share/capture";
import { say } from "../text/language";
import { causesInWords, timesInWords } from "../text/times";
import { note } from "../text/toasts";
import { Card, shown } from "./card";
import { rowOf, specsOf, usualSpecs, type MeasureFacts, type Spec } from "./catalog";
import { History } from "./history";
import { pictureOf } from "./picture";

const TABLE_ROWS = 15;
const TABLE_MS = 1000; // a table that changes more often cannot be read

export interface StoredFrame {
  get(): string[] | null;
  set(names: string[] | null): void;
}

export class Charts {
  readonly root: HTMLElement;
  readonly history = new History();
  private readonly place = element("div", { class: "cards" });
  private readonly causes = element("p", { class: "causes" });
  private readonly log = element("ul", { class: "times", "aria-label": "Periods of the population" });
  private readonly table = element("table", { class: "measures" });
  private readonly past = element("table", { class: "measures" });
  private readonly details: HTMLDetailsElement;
  private cards: Card[] = [];
  private specs: Spec[] = [];
  private facts: Record<string, MeasureFacts> = {};
  private species: SpeciesInfo[] = [];
  private key = "";
  private dealt = "";
  private featured = ""; // by a lesson
  private lastTable = -Infinity;
  private recorded = false; // a recorded run: all measurements are known in advance
  private name = "murmura";
  light = false;

  /** `kept`: names of the charts that the user chose; by default, those that suit the scenario. */
  constructor(private readonly kept: StoredFrame) {
    this.details = element(
      "details",
      {},
      element("summary", {}, "As a table"),
      element(
        "div",
        { class: "tables", tabindex: "0", role: "region", "aria-label": "Measures as tables" },
        this.table,
        this.past,
      ),
    );
    const add = element(
      "button",
      {
        type: "button",
        click: () => {
          this.add();
        },
      },
      "Add a chart",
    );
    const save = element(
      "button",
      {
        type: "button",
        title: "Everything measured so far, as comma-separated values",
        click: () => {
          this.save();
        },
      },
      "Save as CSV",
    );
    this.root = element(
      "section",
      { class: "charts glass", "aria-label": "Charts" },
      this.place,
      this.causes,
      this.log,
      element("div", { class: "row" }, add, save),
      this.details,
    );
  }

  hello(hello: Hello): void {
    this.facts = hello.measures ?? {};
    this.species = hello.species;
    this.name = `murmura-${String(hello.scenario.name ?? "scene")}-seed${hello.seed}`;
    this.recorded = false;
    this.history.clear();
    this.key = "";
    if (hello.history && hello.history.times.length > 0) this.fill(hello.history);
  }

  /** A recorded run: all measurements are known from the beginning. */
  private fill({ times, columns }: NonNullable<Hello["history"]>): void {
    times.forEach((time, k) => {
      this.history.add(
        time,
        Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[k] ?? null])),
      );
    });
    this.recorded = true;
    this.offer();
    this.drawAll(null);
  }

  status(status: Status): void {
    this.tell(status); // counts may arrive after the last step of a paused flock was shown
    if (this.recorded) {
      this.drawAll(status.time);
      return;
    }
    const time = status.measured ?? null;
    if (status.past?.back) {
      this.drawAll(status.time); // what came later stays, for the way back to now
      return;
    }
    this.history.cut(status.time);
    if (time === null || time <= this.history.last) return;
    this.history.add(time, rowOf(status));
    this.offer();
    this.drawAll(null);
    this.tabulate(status);
  }

  /** Set the colours of species. */
  paint(species: SpeciesInfo[]): void {
    if (JSON.stringify(species) === JSON.stringify(this.species)) return;
    this.species = species;
    this.key = "";
  }

  /** The theme of the page changed. */
  repaint(light: boolean): void {
    if (light === this.light) return;
    this.light = light;
    this.key = "";
    if (this.history.length > 0) this.offer();
  }

  private drawAll(mark: number | null): void {
    if (this.root.hidden) return;
    for (const card of this.cards) card.draw(this.history, mark);
  }

  /** New columns make new charts; only then are the cards rebuilt. */
  private offer(): void {
    const key = this.history.names.join();
    if (key === this.key) return;
    this.key = key;
    this.specs = specsOf(this.history.names, this.facts, this.species);
    this.deal(this.chosen());
  }

  private chosen(): string[] {
    const kept = this.kept.get()?.filter((name) => this.specs.some((spec) => spec.name === name)) ?? [];
    const names = kept.length > 0 ? kept : usualSpecs(this.specs);
    const has =
      this.featured === "" || names.includes(this.featured) || !this.specs.some(({ name }) => name === this.featured);
    return has ? names : [this.featured, ...names];
  }

  /** Unchanged cards stay, so that they keep the focus. */
  private deal(names: string[]): void {
    const dealt = JSON.stringify([names, this.specs, this.light]);
    if (dealt === this.dealt) return;
    this.dealt = dealt;
    for (const card of this.cards) card.destroy();
    this.cards = names.flatMap((name, k) => {
      const spec = this.specs.find((each) => each.name === name);
      return spec
        ? [
            new Card(spec, this.specs, this.light, {
              choose: (other) => {
                this.change(names.with(k, other));
              },
              remove: () => {
                this.change(names.toSpliced(k, 1));
              },
              save: (kind) => {
                void this.saveCard(spec, kind);
              },
            }),
          ]
        : [];
    });
    this.place.replaceChildren(...this.cards.map((card) => card.root));
  }

  private change(names: string[]): void {
    this.kept.set(names.length > 0 ? names : null);
    this.deal(names.length > 0 ? names : this.chosen());
    this.drawAll(null);
  }

  /** Show a measure temporarily, without changing the user's choice. */
  feature(name: string): void {
    this.featured = name;
    this.key = "";
    if (this.history.length > 0) this.offer();
  }

  private add(): void {
    const names = this.cards.map(({ spec }) => spec.name);
    const next = this.specs.find(({ name }) => !names.includes(name));
    if (next) this.change([...names, next.name]);
  }

  private save(): void {
    download(`${this.name}-measures.csv`, new Blob([this.history.csv()], { type: "text/csv" }));
    note(saved(`${this.name}-measures.csv`));
  }

  private async saveCard(spec: Spec, kind: "picture" | "table"): Promise<void> {
    const file = `${this.name}-${spec.name.replace(/\W+/g, "-")}.${kind === "picture" ? "png" : "csv"}`;
    const content =
      kind === "picture"
        ? await pictureOf(spec, this.history, this.light)
        : new Blob([this.history.csv(spec.lines.map(({ column }) => column))], { type: "text/csv" });
    download(file, content);
    note(saved(file));
  }

  private tell({ causes, times }: Status): void {
    write(this.causes, causesInWords(causes));
    const lines = timesInWords(times);
    if ([...this.log.children].map((line) => line.textContent).join() !== lines.join())
      this.log.replaceChildren(...lines.map((line) => element("li", {}, line)));
  }

  private tabulate(status: Status): void {
    const now = performance.now();
    if (!this.details.open || this.root.hidden || now - this.lastTable < TABLE_MS) return;
    this.lastTable = now;
    const values = { ...rowOf(status), steps_per_second: status.steps_per_second };
    this.table.replaceChildren(
      element("caption", {}, "Now"),
      ...Object.entries(values).map(([name, value]) =>
        element("tr", {}, element("th", { scope: "row" }, columnName(name)), element("td", {}, shown(value))),
      ),
    );
    const columns = this.cards.flatMap(({ spec }) => spec.lines.map(({ column }) => column));
    const last = this.history.length - 1;
    const rows = Array.from({ length: Math.min(TABLE_ROWS, last + 1) }, (_, k) => last - k);
    this.past.replaceChildren(
      element("caption", {}, "Newest first"),
      element("tr", {}, ...["time", ...columns].map((name) => element("th", { scope: "col" }, columnName(name)))),
      ...rows.map((k) =>
        element(
          "tr",
          {},
          element("td", {}, shown(this.history.times[k])),
          ...columns.map((name) => element("td", {}, shown(this.history.column(name)[k] ?? null))),
        ),
      ),
    );
  }
}

function columnName(column: string): string {
  const [base, kind] = column.split("@");
  return kind === undefined ? humanized(base) : `${humanized(base)} of ${kind.replace(/[_-]/g, " ")}`;
}

function write(place: HTMLElement, english: string): void {
  const text = say(english);
  if (place.textContent !== text) place.textContent = text;
}
