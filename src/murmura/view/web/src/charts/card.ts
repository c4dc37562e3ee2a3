/** A chart with its heading, unit and legend, and controls to change or remove it. */

import { element } from "../dom";
import type { Spec } from "./catalog";
import type { History, Value } from "./history";
import { Plot } from "./plot";

export interface CardCallbacks {
  choose(name: string): void;
  remove(): void;
  save(kind: "picture" | "table"): void;
}

export class Card {
  readonly root: HTMLElement;
  private readonly plot: Plot;
  private readonly values: HTMLElement[];

  constructor(
    readonly spec: Spec,
    all: Spec[],
    light: boolean,
    callbacks: CardCallbacks,
  ) {
    this.plot = new Plot(spec, light);
    const choice = element("select", {
      "aria-label": `Measure of this chart, now ${spec.title.toLowerCase()}`,
      title: spec.meaning,
    });
    choice.append(...all.map(({ name, title }) => element("option", { value: name }, title)));
    choice.value = spec.name;
    choice.addEventListener("change", () => {
      callbacks.choose(choice.value);
    });
    const close = element(
      "button",
      {
        type: "button",
        class: "bare",
        "aria-label": `Remove the chart ${spec.title}`,
        title: "Remove this chart",
        click: () => {
          callbacks.remove();
        },
      },
      "×",
    );
    this.values = spec.lines.map(() => element("output", {}));
    const save = (kind: "picture" | "table", label: string, title: string) =>
      element(
        "button",
        {
          type: "button",
          title,
          "aria-label": `${label} of the chart ${spec.title}`,
          click: () => {
            callbacks.save(kind);
          },
        },
        label,
      );
    const key = element(
      "div",
      { class: "key" },
      ...spec.lines.map((line, k) => this.entry(line.label, line.color, k)),
      element(
        "span",
        { class: "saves" },
        save("picture", "Picture", "Save this chart as a picture"),
        save("table", "CSV", "Save what this chart shows as a table"),
      ),
    );
    this.root = element(
      "section",
      { class: "card", "aria-label": `Chart of ${spec.title.toLowerCase()}`, "data-chart": spec.name },
      element(
        "div",
        { class: "head" },
        choice,
        element("span", { class: "unit" }, spec.unit ? `[${spec.unit}]` : ""),
        close,
      ),
      key,
      this.plot.root,
    );
  }

  private entry(label: string, color: string, k: number): HTMLElement {
    const name = this.spec.lines.length > 1 ? `${label} ` : "";
    const entry = element("span", { class: "dot" }, name, this.values[k]);
    entry.style.setProperty("--dot", color);
    return entry;
  }

  draw(history: History, mark: number | null): void {
    this.spec.lines.forEach(({ column }, k) => {
      const text = shown(history.latest(column));
      if (this.values[k].textContent !== text) this.values[k].textContent = text;
    });
    this.plot.draw(history, mark);
  }

  destroy(): void {
    this.plot.destroy();
    this.root.remove();
  }
}

export function shown(value: Value): string {
  return value === null
    ? "–"
    : Number(value.toPrecision(4)).toLocaleString("en", {
        maximumFractionDigits: 6,
        useGrouping: Math.abs(value) >= 10_000,
      });
}
