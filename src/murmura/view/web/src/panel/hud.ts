/** Title of the scene and what to watch, for a while and whenever one comes back to the title; numbers behind “Details”. */

import { agentsOf } from "../charts/catalog";
import { element } from "../dom";
import type { Hello, SceneObject, Status } from "../net/protocol";
import { say } from "../text/language";
import { sceneTitle } from "../text/scene_title";

const TOLD_MS = 10_000;

const ROWS = [
  "seed",
  "step",
  "hash",
  "steps/s",
  "agents",
  "polarization",
  "hunters",
  "males",
  "females",
  "pairs",
  "fights",
  "meals",
  "captures",
  "time of day",
  "fps",
] as const;

export class Hud {
  readonly root: HTMLElement;
  private readonly name = element("button", {
    type: "button",
    class: "name",
    title: "What to watch",
    "aria-describedby": "sentence",
    click: () => {
      this.root.classList.toggle("telling");
    },
  });
  private readonly details = element(
    "button",
    { type: "button", class: "details", "aria-expanded": "false", "aria-controls": "facts" },
    "Details",
  );
  private shown = ""; // the title
  private leaving = 0; // the timer of the sentence
  private readonly brief = element("span", { class: "brief" });
  private readonly more: HTMLElement;
  private readonly title = element("p", { class: "title", id: "sentence" });
  private readonly cells = new Map<string, HTMLElement>();
  private readonly share = element("span", { class: "share" });
  private live = "live"; // or what simulates an exported page
  private word = "live"; // or "replay" or "watching"
  private isVisitor = false;
  private pictures = 0;
  private drawn = 0;
  private counted = 0; // when [ms]
  private readonly line = element("span", { class: "line off", role: "status" }, "connecting …");

  constructor(unfold: () => void) {
    const list = element("dl", { class: "figures" });
    for (const row of ROWS) {
      const cell = element("dd", {}, "–");
      this.cells.set(row, cell);
      list.append(element("div", {}, element("dt", {}, row), cell));
    }
    this.details.addEventListener("click", unfold);
    this.more = element("div", { id: "facts", class: "more glass", hidden: true }, this.brief, list);
    this.root = element(
      "section",
      { class: "hud", "aria-label": "Run status" },
      element(
        "div",
        { class: "brand" },
        element("span", { class: "product" }, "Murmura"),
        this.line,
        this.details,
        this.share,
      ),
      this.name,
      this.title,
      this.more,
    );
  }

  unfolded(yes: boolean): void {
    this.more.hidden = !yes;
    this.details.setAttribute("aria-expanded", String(yes));
  }

  connected(yes: boolean): void {
    this.show(yes ? this.word : "reconnecting …", yes);
  }

  /** The server is connected but sends nothing: it is compiling a new set of rules. */
  silent(): void {
    if (this.line.textContent === say(this.word) && this.word === "live") this.show("compiling …", false);
  }

  private show(text: string, good: boolean): void {
    const words = say(text);
    if (this.line.textContent !== words) this.line.textContent = words;
    this.line.classList.toggle("off", !good);
  }

  hello(hello: Hello): void {
    const { heading, sentence } = sceneTitle(String(hello.scenario.name ?? ""), String(hello.scenario.title ?? ""));
    this.name.textContent = say(hello.label?.replaceAll("-", " ") ?? heading);
    this.title.textContent = say(sentence);
    this.isVisitor = hello.visitor === true;
    this.live = hello.word ?? "live";
    if (this.isVisitor) this.word = "watching";
    this.scene([]);
    this.tell(`${this.name.textContent} ${sentence}`);
    this.write("seed", String(hello.seed));
  }

  /** Show the sentence for a while, if it is a new one. */
  private tell(title: string): void {
    if (title === this.shown) return;
    this.shown = title;
    this.root.classList.remove("telling");
    this.root.classList.add("new");
    clearTimeout(this.leaving);
    this.leaving = window.setTimeout(() => {
      this.root.classList.remove("new");
    }, TOLD_MS);
  }

  status(status: Status): void {
    this.live = status.word ?? this.live;
    if (!this.isVisitor) this.word = status.playback && !status.playback.live ? "replay" : this.live;
    if (status.compiling) this.show(status.progress || "compiling …", false);
    else this.connected(true);
    this.write("step", status.step.toLocaleString("en"));
    this.write("hash", status.hash?.slice(0, 8) ?? "–");
    const rate = status.steps_per_second;
    this.write("steps/s", status.running ? (rate === null ? "–" : rate.toFixed(rate < 10 ? 1 : 0)) : say("paused"));
    const agents = agentsOf(status).toLocaleString("en");
    this.write("agents", agents);
    const brief = say(`${agents} agents · ${clock(status.time)}${status.running ? "" : " · paused"}`);
    if (this.brief.textContent !== brief) this.brief.textContent = brief;
    this.write("polarization", status.measures.polarization?.toFixed(3) ?? "–");
    this.counters(status);
  }

  /** Write the counters that the scenario has. */
  private counters({ population = {}, totals = {} }: Status): void {
    const text = (count: number | undefined) => count?.toLocaleString("en") ?? "";
    for (const row of ["males", "females", "pairs"] as const) this.write(row, text(population[row]));
    this.write("fights", text(population.fights ?? totals.fight));
    this.write("meals", text(totals.meal));
    this.write("captures", text(totals.capture));
    this.write("fps", this.pictures > 0 ? this.pictures.toFixed(0) : "");
  }

  /** Pictures drawn in the last second. */
  drew(now: number): void {
    this.drawn++;
    if (now - this.counted < 1000) return;
    this.pictures = (1000 * this.drawn) / (now - this.counted);
    this.drawn = 0;
    this.counted = now;
  }

  /** Very large flocks: only every n-th agent is sent. */
  sampled(shown: number, total: number): void {
    const text = shown < total ? say(`1 in ${Math.round(total / shown)} drawn`) : "";
    if (this.share.textContent === text) return;
    this.share.textContent = text;
    const cell = this.cells.get("agents");
    if (cell) cell.title = shown < total ? say(`${shown.toLocaleString("en")} agents are drawn`) : "";
  }

  /** The time of day, if there is one, and the number of hunters. */
  scene(objects: SceneObject[]): void {
    const sky = objects.find((thing) => thing.kind === "sky");
    const hunters = objects.filter((thing) => thing.kind === "predator").length;
    this.write("time of day", sky?.clock ?? "");
    this.write("hunters", hunters > 0 ? String(hunters) : "");
  }

  private write(row: string, text: string): void {
    const cell = this.cells.get(row);
    if (cell && cell.textContent !== text) cell.textContent = text;
    if (cell?.parentElement) cell.parentElement.hidden = text === "";
  }
}

/** Simulated time: "42 s", "3:07 min". */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}
