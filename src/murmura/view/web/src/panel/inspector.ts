/** The panel about the selected agent: text first, numbers below. */

import { element } from "../dom";
import { ruleColor } from "../overlay/agent";
import { lifeStory, relations, type Relation } from "../text/family";
import type { Inspection } from "../net/protocol";
import { humanized } from "./controls/schema";
import type { Looks, Settings } from "./settings";
import { bodyInWords, bonds, doings, genesOf, sexOf, vitals, type Gauge } from "../text/animal";
import { describe, facts, ruleForces } from "../text/words";
import { say } from "../text/language";

/** Switches for the overlays of the selected agent (S4-19, S4-70). */
const SWITCHES: [keyof Pick<Looks, "circle" | "wedge" | "links" | "forces">, string][] = [
  ["circle", "Perception circle"],
  ["wedge", "Field of view"],
  ["links", "Neighbour lines"],
  ["forces", "Forces"],
];

export interface InspectorCallbacks {
  follow(): void;
  ride(): void;
  release(): void;
  select(id: number): void;
}

export class Inspector {
  readonly root: HTMLElement;
  private readonly heading = element("h2", {});
  private readonly text = element("div", { class: "story" });
  private readonly rules = element("ul", { class: "rule-forces" });
  private readonly table = element("dl", { class: "figures" });
  private readonly family = element("section", { class: "family", "aria-label": "Family", hidden: true });
  private kinShown = "";
  private lifeShown = "";
  private readonly life = element("div", { class: "life" });
  private readonly followButton: HTMLButtonElement;
  private readonly rideButton: HTMLButtonElement;
  private last = 0;

  constructor(
    private readonly callbacks: InspectorCallbacks,
    private readonly settings: Settings,
  ) {
    this.followButton = element(
      "button",
      {
        type: "button",
        click: () => {
          callbacks.follow();
        },
      },
      "Follow",
    );
    this.rideButton = element(
      "button",
      {
        type: "button",
        hidden: true,
        click: () => {
          callbacks.ride();
        },
      },
      "Fly along",
    );
    const close = element(
      "button",
      {
        type: "button",
        class: "bare close",
        "aria-label": "Deselect the agent",
        click: () => {
          callbacks.release();
        },
      },
      "×",
    );
    this.root = element(
      "section",
      { class: "inspector glass", "aria-label": "Selected agent", hidden: true },
      close,
      this.heading,
      this.text,
      this.life,
      this.family,
      this.rules,
      this.table,
      this.switches(),
      this.followButton,
      this.rideButton,
    );
  }

  private switches(): HTMLElement {
    const boxes = SWITCHES.map(([key, label]) => {
      const box = element("input", { type: "checkbox", id: `show-${key}` });
      box.checked = this.settings.looks[key];
      box.addEventListener("change", () => {
        this.settings.set({ [key]: box.checked });
      });
      return element("label", { for: `show-${key}` }, box, ` ${label}`);
    });
    return element("fieldset", { class: "switches" }, element("legend", { class: "quiet" }, "Overlays"), ...boxes);
  }

  /** Rebuilt only if it changed: a button that is replaced under the pointer cannot be pressed. */
  private showFamily({ id, family }: Inspection): void {
    this.family.hidden = family === undefined;
    const text = JSON.stringify([id, family]);
    if (family === undefined || text === this.kinShown) return;
    this.kinShown = text;
    this.family.replaceChildren(
      element("h3", {}, "Family"),
      element("p", {}, lifeStory(id, family)),
      this.tree(relations(family)),
    );
  }

  /** Energy, health and age, mate and prey, body and genes. */
  private showLife(agent: Inspection): void {
    const gauges = (found: Gauge[]) =>
      element(
        "dl",
        { class: "gauges" },
        ...found.map(({ name, share, text }) => {
          const bar = element("span", { class: "bar" });
          bar.style.width = `${100 * share}%`;
          return element(
            "div",
            {},
            element("dt", {}, name),
            element("dd", {}, element("span", { class: "track" }, bar), element("output", {}, text)),
          );
        }),
      );
    const body = bodyInWords(agent);
    const genes = genesOf(agent);
    const shown = genes.length > 0;
    const opened = this.life.querySelector("details")?.open ?? false;
    const key = JSON.stringify([agent.id, vitals(agent), bonds(agent), body, genes]);
    if (key === this.lifeShown) return;
    this.lifeShown = key;
    this.life.replaceChildren(
      gauges(vitals(agent)),
      ...bonds(agent).map(({ label, id }) =>
        element(
          "p",
          {},
          `${label}: `,
          element(
            "button",
            {
              type: "button",
              class: "link",
              click: () => {
                this.callbacks.select(id);
              },
            },
            `agent ${id}`,
          ),
        ),
      ),
      ...(body ? [element("p", {}, `Body: ${body}.`)] : []),
      ...(shown
        ? [element("details", opened ? { open: true } : {}, element("summary", {}, "Genes"), gauges(genes))]
        : []),
    );
  }

  private tree(found: Relation[]): HTMLElement {
    return element(
      "ul",
      {},
      ...found.map(({ id, label, alive, below }) => {
        const name = alive
          ? element(
              "button",
              {
                type: "button",
                class: "bare",
                title: "Select this agent",
                click: () => {
                  this.callbacks.select(id);
                },
              },
              String(id),
            )
          : element("span", { class: "gone" }, String(id));
        return element("li", {}, name, ` ${label}`, ...(below.length > 0 ? [this.tree(below)] : []));
      }),
    );
  }

  show(agent: Inspection | null, following: boolean): void {
    this.root.hidden = agent === null;
    const now = performance.now();
    // Text that changes ten times a second cannot be read.
    if (!agent || now - this.last < 300) return;
    this.last = now;
    this.followButton.textContent = say(following ? "Stop following" : "Follow");
    this.rideButton.hidden = agent.position.length < 3;
    this.heading.textContent = [say(`Agent ${agent.id}`), say(sexOf(agent))].filter(Boolean).join(" ");
    this.showLife(agent);
    this.text.replaceChildren(...[...doings(agent), ...describe(agent)].map((line) => element("p", {}, line)));
    const strongest = ruleForces(agent)[0]?.strength || 1;
    this.rules.replaceChildren(
      ...ruleForces(agent).map(({ name, strength, text }) => {
        const bar = element("span", { class: "bar" });
        bar.style.width = `${(100 * strength) / strongest}%`;
        bar.style.background = ruleColor(name);
        return element("li", {}, element("strong", {}, humanized(name)), ` ${text}`, bar);
      }),
    );
    this.showFamily(agent);
    this.table.replaceChildren(
      ...facts(agent).map(([key, value]) => element("div", {}, element("dt", {}, key), element("dd", {}, value))),
    );
  }
}
