/** The corner that says which run this is and how it goes: name, seed, step, hash, pace, order. */

import { element } from "./dom";
import type { Hello, SceneObject, Status } from "./protocol";

const ROWS = ["seed", "step", "hash", "steps/s", "agents", "polarization", "hunters", "hour"] as const;

export class Hud {
  readonly root: HTMLElement;
  private readonly name = element("div", { class: "name" });
  private readonly title = element("p", { class: "title" });
  private readonly cells = new Map<string, HTMLElement>();
  private readonly share = element("p", { class: "share" });
  private readonly line = element("span", { class: "line off", role: "status" }, "connecting …");

  constructor() {
    const list = element("dl", { class: "figures" });
    for (const row of ROWS) {
      const cell = element("dd", {}, "–");
      this.cells.set(row, cell);
      list.append(element("div", {}, element("dt", {}, row), cell));
    }
    this.root = element("section", { class: "hud glass", "aria-label": "State of the run" }, element("div", { class: "brand" }, this.name, this.line), this.title, list, this.share);
  }

  connected(yes: boolean): void {
    this.say(yes ? "live" : "reconnecting …", yes);
  }

  /** The line is there but silent: a new set of rules is being compiled. */
  silent(): void {
    if (this.line.textContent === "live") this.say("compiling …", false);
  }

  private say(text: string, good: boolean): void {
    if (this.line.textContent !== text) this.line.textContent = text;
    this.line.classList.toggle("off", !good);
  }

  hello(hello: Hello): void {
    this.name.textContent = String(hello.label ?? hello.scenario.name ?? "murmura").replaceAll("-", " ");
    this.scene([]);
    this.title.textContent = String(hello.scenario.title ?? "");
    this.write("seed", String(hello.seed));
  }

  status(status: Status): void {
    if (status.compiling) this.say(status.progress || "compiling …", false);
    else this.connected(true);
    this.write("step", status.step.toLocaleString("en"));
    this.write("hash", status.hash?.slice(0, 8) ?? "–");
    const rate = status.steps_per_second;
    this.write("steps/s", status.running ? (rate === null ? "–" : rate.toFixed(rate < 10 ? 1 : 0)) : "paused");
    this.write("agents", status.agents.toLocaleString("en"));
    this.write("polarization", status.measures.polarization?.toFixed(3) ?? "–");
  }

  /** Of a very large flock only every n-th agent is sent. */
  sampled(shown: number, total: number): void {
    const text = shown < total ? `1 in ${Math.round(total / shown)} drawn` : "";
    if (this.share.textContent === text) return;
    this.share.textContent = text;
    const cell = this.cells.get("agents");
    if (cell) cell.title = shown < total ? `${shown.toLocaleString("en")} of them are drawn` : "";
  }

  /** The hour where the world has one, and how many hunters there are. */
  scene(objects: SceneObject[]): void {
    const sky = objects.find((thing) => thing.kind === "sky");
    const hunters = objects.filter((thing) => thing.kind === "predator").length;
    this.write("hour", sky?.clock ?? "");
    this.write("hunters", hunters > 0 ? String(hunters) : "");
  }

  private write(row: string, text: string): void {
    const cell = this.cells.get(row);
    if (cell && cell.textContent !== text) cell.textContent = text;
    if (cell?.parentElement) cell.parentElement.hidden = text === "";
  }
}

/** One sentence for those who do not see the canvas. */
export function summary(status: Status): string {
  const order = status.measures.polarization;
  const parts = [`${status.agents.toLocaleString("en")} agents`];
  if (order !== null && order !== undefined) parts.push(`polarization ${order.toFixed(2)}`);
  parts.push(status.running ? "running" : "paused", `step ${status.step.toLocaleString("en")}`);
  return parts.join(", ");
}
