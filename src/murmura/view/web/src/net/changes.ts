/** Sends changes of the scenario to the server, with undo. Many small moves become one message. */

import { element } from "../dom";
import { icon, type IconName } from "../icons";
import type { ClientMessage, Json, JsonObject } from "./protocol";
import { valueAt } from "../panel/controls/schema";
import { say } from "../text/language";
import { Undo, type ThingMessage, type Turn } from "./undo";

const SET_MS = 50;
/** The values that tools change. */
const PLACED = [
  "obstacles",
  "rules.attractors.points",
  "rules.attractors.enabled",
  "rules.feeding.sources",
  "rules.predators.hunters",
  "rules.predators.enabled",
  "rules.fear.enabled",
];

export class Changes {
  readonly buttons = [this.button("Undo", "undo", "Ctrl Z", false), this.button("Redo", "redo", "Ctrl Shift Z", true)];
  readonly agents = element("input", { type: "number", id: "agents", min: "1", max: "2000000", step: "100" });
  /** The next scenario from the server is the answer to an undo and is shown at once. */
  isTurning = false;
  private readonly undo = new Undo();
  private pending: Record<string, Json> = {};
  private timer = 0;
  private goal: number | null = null; // the requested number of agents, until the server has answered

  constructor(
    private readonly scenario: () => JsonObject | null,
    private readonly send: (message: ClientMessage) => void,
    private readonly turnTo: (message: ClientMessage) => void,
    private readonly withdraws: () => boolean, // whether the server can take things back by their keys
  ) {
    this.agents.addEventListener("change", () => {
      this.setAgents();
    });
  }

  private button(label: string, sign: IconName, keys: string, again: boolean): HTMLButtonElement {
    return element(
      "button",
      {
        type: "button",
        "aria-label": label,
        title: `${label} (${keys})`,
        disabled: true,
        click: () => {
          this.turn(again);
        },
      },
      icon(sign),
      element("span", { class: "word" }, label),
    );
  }

  make(path: string, value: Json): void {
    this.pending[path] = value;
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.send({ type: "set", values: this.pending });
      this.pending = {};
    }, SET_MS);
  }

  /** Called with every message before it is sent: remembers how to undo it; returns what to send. */
  noted(message: ClientMessage): ClientMessage {
    const scenario = this.scenario();
    if (message.type === "load") this.undo.clear();
    const found = isThing(message) && this.withdraws() ? this.undo.noteThing(message) : message;
    const paths = message.type === "set" ? Object.keys(message.values) : isThing(message) ? PLACED : [];
    if (scenario && paths.length > 0 && found === message) this.undo.note(paths, scenario, performance.now());
    this.refresh();
    return found;
  }

  /** Undo or redo one change. */
  turn(again: boolean): void {
    const scenario = this.scenario();
    const turn = scenario && this.undo.turn(again, scenario);
    this.isTurning = turn !== null && "values" in turn;
    if (turn) this.turnTo(messageOf(turn));
    this.refresh();
  }

  private refresh(): void {
    const [undo, redo] = this.buttons;
    undo.disabled = !this.undo.canUndo;
    redo.disabled = !this.undo.canRedo;
  }

  population(factor: number): void {
    this.goal = Math.max(1, Math.round((this.goal ?? this.count()) * factor));
    this.make("agents", this.goal);
  }

  /** The server has answered. */
  answered(): void {
    this.goal = null;
  }

  /** Show the current value, unless the user is typing. */
  showAgents(anyway = false): void {
    if (anyway || document.activeElement !== this.agents) this.agents.value = String(this.count());
    const lives = ["energy", "mating"].some((rule) => valueAt(this.scenario(), `rules.${rule}.enabled`) === true);
    const label = this.agents.closest("label")?.firstElementChild;
    if (label) label.textContent = say(lives ? "Agents at the start" : "Agents");
  }

  /** Replace an invalid number in the field by the current one. */
  private setAgents(): void {
    const wanted = Math.round(Number(this.agents.value));
    const value = this.agents.value === "" || !Number.isFinite(wanted) ? this.count() : Math.max(1, wanted);
    this.agents.value = String(value);
    if (value !== this.count()) this.make("agents", value);
  }

  private count(): number {
    return Number(valueAt(this.scenario() ?? {}, "agents") ?? 1);
  }
}

function isThing(message: ClientMessage): message is ThingMessage {
  return message.type === "place" || message.type === "erase" || message.type === "move";
}

function messageOf(turn: Turn): ClientMessage {
  if ("values" in turn) return { type: "set", values: turn.values };
  return "withdraw" in turn ? { type: "withdraw", key: turn.withdraw } : turn.again;
}
