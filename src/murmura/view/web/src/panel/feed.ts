/** Recent events, newest first: can be filtered by kind, located in the world, and copied as text. */

import { element } from "../dom";
import type { FlockEvent, Point, Status } from "../net/protocol";
import { EVENT_KINDS, eventInWords } from "../text/events";
import { timeLabel } from "../charts/plot";
import { note } from "../text/toasts";

const MOST = 200;
const SHOWN = 60;
const QUIET = ["meal"]; // so frequent that they would hide the others

export interface FeedCallbacks {
  go(place: Point): void;
}

export class Feed {
  readonly root: HTMLElement;
  private readonly list = element("ol", { class: "events", "aria-label": "Events, newest first", tabindex: "0" });
  private readonly boxes = new Map<string, { box: HTMLInputElement; label: HTMLElement; count: HTMLElement }>();
  private events: FlockEvent[] = [];
  private secondsPerStep = 1 / 60;
  private isStale = false;
  private last = 0;

  constructor(private readonly callbacks: FeedCallbacks) {
    const filters = element(
      "fieldset",
      { class: "filters" },
      element("legend", { class: "quiet" }, "Kinds of events"),
      ...Object.entries(EVENT_KINDS).map(([kind, plural]) => this.filter(kind, plural)),
    );
    const copy = element(
      "button",
      {
        type: "button",
        click: () => {
          void this.copy();
        },
      },
      "Copy",
    );
    this.root = element(
      "section",
      { class: "feed glass", "aria-label": "Events", hidden: true },
      element("div", { class: "row" }, element("h2", {}, "Events"), copy),
      filters,
      this.list,
    );
  }

  private filter(kind: string, plural: string): HTMLElement {
    const box = element("input", { type: "checkbox", id: `event-${kind}` });
    box.checked = !QUIET.includes(kind);
    box.addEventListener("change", () => {
      this.show();
    });
    const count = element("span", {}, "0");
    const label = element("label", { for: `event-${kind}`, hidden: true }, box, ` ${plural} `, count);
    this.boxes.set(kind, { box, label, count });
    return label;
  }

  /** A new flock begins. */
  clear(secondsPerStep: number): void {
    this.secondsPerStep = secondsPerStep;
    this.events = [];
    for (const { label } of this.boxes.values()) label.hidden = true;
    this.fill();
  }

  add(events: FlockEvent[]): void {
    this.events = [...this.events, ...events].slice(-MOST);
    this.isStale = true;
  }

  /** The flock has gone back: later events have not happened. */
  private forgetAfter(step: number): void {
    this.events = this.events.filter((event) => event.step <= step);
    this.isStale = true;
  }

  /** Called with every status: a list that changes more often cannot be read. */
  status({ totals = {}, step }: Status): void {
    if (step < (this.events.at(-1)?.step ?? 0)) this.forgetAfter(step);
    for (const [kind, { label, count }] of this.boxes) {
      label.hidden = !(kind in totals);
      const text = (totals[kind] ?? 0).toLocaleString("en");
      if (count.textContent !== text) count.textContent = text;
    }
    if (this.isStale && performance.now() - this.last > 500) this.show();
  }

  private get chosen(): FlockEvent[] {
    return this.events.filter(({ kind }) => this.boxes.get(kind)?.box.checked ?? true);
  }

  private show(): void {
    // A line under the pointer stays there, and so does one that the keyboard has reached.
    if (!this.root.hidden && !this.list.matches(":hover, :focus-visible, :has(:focus-visible)")) this.fill();
  }

  private fill(): void {
    this.isStale = false;
    this.last = performance.now();
    const rows = this.chosen.slice(-SHOWN).reverse();
    this.list.replaceChildren(
      ...(rows.length > 0
        ? rows.map((event) => this.line(event))
        : [element("li", { class: "none" }, "No events yet.")]),
    );
  }

  private line(event: FlockEvent): HTMLElement {
    const place = { x: event.x, y: event.y };
    return element(
      "li",
      { class: event.kind },
      element(
        "button",
        {
          type: "button",
          class: "bare",
          title: "Go there",
          click: () => {
            this.callbacks.go(place);
          },
        },
        element("time", {}, this.time(event)),
        ` ${eventInWords(event)}`,
      ),
    );
  }

  private time({ step }: FlockEvent): string {
    return timeLabel(step * this.secondsPerStep);
  }

  private async copy(): Promise<void> {
    const text = this.chosen
      .map(
        (event) =>
          `${this.time(event)}\t${event.kind}\t${eventInWords(event)}\t${event.x.toFixed(1)}\t${event.y.toFixed(1)}`,
      )
      .join("\n");
    try {
      await navigator.clipboard.writeText(text);
      note(`${this.chosen.length} events copied.`);
    } catch {
      note("This browser does not allow copying.", "error");
    }
  }
}
