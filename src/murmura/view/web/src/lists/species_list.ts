/** A section for each species: its share and colour, its own values, and how it reacts to others. */

import { element } from "../dom";
import { isObject, type Json, type JsonObject } from "../net/protocol";
import { groupsOf, humanized, type Control } from "../panel/controls/schema";
import { optionName } from "../text/labels";
import { Field } from "./field";
import { say } from "../text/language";
import { Unconfirmed } from "./unconfirmed";

type Change = (values: Record<string, Json>) => void;

const ROLES = ["", "flock", "align", "join", "avoid", "separate", "flee", "chase", "ignore"];
const PARTS = ["separation", "alignment", "cohesion", "flee", "chase"] as const;

export class SpeciesList {
  readonly root: HTMLDetailsElement;
  private readonly title = element("summary", {});
  private readonly place = element("div", { class: "items" });
  private scenario: JsonObject = {};
  private species: JsonObject[] = [];
  private readonly unconfirmed = new Unconfirmed();
  private refreshers: ((anyway: boolean) => void)[] = [];
  private key = "";

  constructor(private readonly change: Change) {
    this.root = element("details", { class: "list", "data-list": "species" }, this.title, this.place);
  }

  show(schema: JsonObject, scenario: JsonObject): void {
    this.scenario = scenario;
    const found = this.found();
    if (!this.unconfirmed.isNewerThan(found)) this.species = found;
    this.root.hidden = this.species.length === 0;
    this.title.textContent = say(`Species (${this.species.length})`);
    // The fields depend on which values a species overrides.
    const key = JSON.stringify(
      this.species.map(({ name, values, towards }) => [
        name,
        Object.keys(isObject(values) ? values : {}),
        shapeOf(towards),
      ]),
    );
    if (key !== this.key) {
      this.key = key;
      this.build(numbersOf(schema, scenario));
    }
    for (const refresh of this.refreshers) refresh(false);
  }

  /** The server's next state counts, whatever was sent before. */
  forget(): void {
    this.unconfirmed.clear();
  }

  /** A change was refused: show the actual values, even in the field that was just filled in. */
  revert(): void {
    this.forget();
    this.species = this.found();
    for (const refresh of this.refreshers) refresh(true);
  }

  private found(): JsonObject[] {
    return Array.isArray(this.scenario.species) ? this.scenario.species.filter(isObject) : [];
  }

  private build(numbers: Map<string, SpeciesControl>): void {
    const opened = [...this.place.children].map((each) => each instanceof HTMLDetailsElement && each.open);
    this.refreshers = [];
    this.place.replaceChildren(
      ...this.species.map((_, k) =>
        element("details", { class: "item", ...(opened[k] ? { open: true } : {}) }, ...this.section(k, numbers)),
      ),
    );
  }

  private section(k: number, numbers: Map<string, SpeciesControl>): HTMLElement[] {
    const name = humanized(String(this.species[k].name));
    const color = element("input", { type: "color", "aria-label": `Colour of ${name}` });
    color.addEventListener("change", () => {
      this.set(k, { color: color.value });
    });
    this.refreshers.push((anyway) => {
      if (anyway || document.activeElement !== color) color.value = String(this.species[k].color ?? "#4cc9f0");
    });
    const share = this.field(
      { ...PLAIN, path: "share", label: "Share", help: "Its share of all agents. Changing it restarts the flock." },
      name,
      () => this.species[k].share,
      (value) => {
        this.set(k, { share: value });
      },
    );
    return [
      element("summary", {}, name),
      element("label", { class: "field" }, element("span", {}, "Colour"), color),
      share,
      element("p", { class: "part" }, "Own values"),
      ...Object.keys(valuesOf(this.species[k])).map((path) => this.number(k, path, name, numbers.get(path))),
      this.adder(k, name, numbers),
      element("p", { class: "part" }, "Reactions to other species"),
      ...this.species
        .filter((other) => other !== this.species[k])
        .flatMap((other) => this.towards(k, String(other.name))),
    ];
  }

  private field(control: Control, name: string, get: () => Json | undefined, set: (value: Json) => void): HTMLElement {
    const field = new Field(control, name, set);
    this.refreshers.push((anyway) => {
      field.show(get(), anyway);
    });
    return field.root;
  }

  private number(k: number, path: string, name: string, known: Control | undefined): HTMLElement {
    const control: Control = { ...PLAIN, ...known, path, label: pathName(path), nullable: false };
    const root = this.field(
      control,
      name,
      () => valuesOf(this.species[k])[path],
      (value) => {
        this.set(k, { values: { ...valuesOf(this.species[k]), [path]: value } });
      },
    );
    const remove = element(
      "button",
      {
        type: "button",
        class: "bare",
        "aria-label": `${control.label} of ${name}: same as all others`,
        title: "Same as all others",
        click: () => {
          this.set(k, { values: without(valuesOf(this.species[k]), path) });
        },
      },
      "×",
    );
    const late = actsLater(known) ? [element("small", {}, "applies to a new flock: press R")] : [];
    return element("div", { class: "with-remove" }, root, remove, ...late);
  }

  private adder(k: number, name: string, numbers: Map<string, SpeciesControl>): HTMLElement {
    const free = [...numbers.values()].filter(({ path }) => !(path in valuesOf(this.species[k])));
    const select = element(
      "select",
      { "aria-label": `Add a value for ${name}` },
      element("option", { value: "" }, "Add a value …"),
      ...free.map(({ path }) => element("option", { value: path }, pathName(path))),
    );
    select.addEventListener("change", () => {
      const control = numbers.get(select.value);
      if (control) this.set(k, { values: { ...valuesOf(this.species[k]), [control.path]: control.now } });
    });
    return select;
  }

  private towards(k: number, other: string): HTMLElement[] {
    const wish = () => (isObject(this.species[k].towards) ? this.species[k].towards[other] : undefined);
    const now = wish();
    const whom = `${humanized(String(this.species[k].name))} towards ${other}`;
    const custom = isObject(now);
    const select = element(
      "select",
      { "aria-label": whom },
      ...[...ROLES, ...(custom ? ["custom"] : [])].map((role) =>
        element("option", { value: role }, role === "" ? "Keep apart" : optionName(role)),
      ),
    );
    select.addEventListener("change", () => {
      if (select.value !== "custom") this.want(k, other, select.value === "" ? undefined : select.value);
    });
    this.refreshers.push((anyway) => {
      if (anyway || document.activeElement !== select)
        select.value = isObject(wish()) ? "custom" : String(wish() ?? "");
    });
    const row = element("label", { class: "field" }, element("span", {}, humanized(other)), select);
    if (!custom) return [row];
    const part = (name: string) =>
      this.field(
        { ...PLAIN, path: name, label: humanized(name), help: `Weight of ${name} towards ${other}.` },
        whom,
        () => {
          const all = wish();
          return isObject(all) ? (all[name] ?? 0) : 0;
        },
        (value) => {
          const all = wish();
          this.want(k, other, { ...(isObject(all) ? all : {}), [name]: value });
        },
      );
    return [row, element("div", { class: "parts" }, ...PARTS.map(part))];
  }

  private want(k: number, other: string, wish: Json | undefined): void {
    const rest = without(isObject(this.species[k].towards) ? this.species[k].towards : {}, other);
    this.set(k, { towards: wish === undefined ? rest : { ...rest, [other]: wish } });
  }

  /** A change before the answer is made to these species, not to those before. */
  private set(k: number, changed: JsonObject): void {
    this.species = this.species.map((kind, n) => (n === k ? { ...kind, ...changed } : kind));
    this.unconfirmed.note(this.species);
    this.change({ species: this.species });
  }
}

interface SpeciesControl extends Control {
  now: number; // the value shared by all species
}

const PLAIN: Control = {
  path: "",
  label: "",
  help: "",
  names: [],
  unit: "",
  kind: "number",
  nullable: false,
  min: 0,
  max: 1,
  step: 0.01,
  choices: [],
};

/** Every value that a species may override: of motion, sight and active rules. */
export function numbersOf(schema: JsonObject, scenario: JsonObject): Map<string, SpeciesControl> {
  const found = new Map<string, SpeciesControl>();
  const at = (path: string) =>
    path.split(".").reduce<Json | undefined>((data, part) => (isObject(data) ? data[part] : undefined), scenario);
  for (const { path, switch: toggle, controls } of groupsOf(schema, scenario)) {
    if (!/^(motion|perception|rules\.)/.test(path) || (toggle !== null && at(toggle) !== true)) continue;
    for (const control of controls) {
      const now = at(control.path);
      if ((control.kind === "number" || control.kind === "integer") && typeof now === "number")
        found.set(control.path, { ...control, now });
    }
  }
  return found;
}

/** Genes, body parts and ages of founders are set at the start, so a change takes effect at the next one. */
export function actsLater(control: Control | undefined): boolean {
  return /\bfounders\b/i.test(control?.help ?? "");
}

/** "rules.genome.speed" is called "Genome: speed". */
export function pathName(path: string): string {
  const parts = path.replace(/^rules\./, "").split(".");
  return parts.length < 2
    ? humanized(path)
    : `${humanized(parts[parts.length - 2])}: ${humanized(parts[parts.length - 1]).toLowerCase()}`;
}

function valuesOf(kind: JsonObject): JsonObject {
  return isObject(kind.values) ? kind.values : {};
}

function without(all: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));
}

function shapeOf(towards: Json | undefined): string[] {
  return Object.entries(isObject(towards) ? towards : {}).map(
    ([name, wish]) => `${name}:${isObject(wish) ? "parts" : "word"}`,
  );
}
