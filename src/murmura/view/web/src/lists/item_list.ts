/** Items of one kind in the scenario: hunters, food, obstacles, attractors. They can be changed, added and removed. */

import { element } from "../dom";
import { isObject, type Json, type JsonObject } from "../net/protocol";
import { controlOf, humanized, resolve, valueAt, type Control } from "../panel/controls/schema";
import { Field } from "./field";
import { say } from "../text/language";
import { Unconfirmed } from "./unconfirmed";

export interface ListSpec {
  title: string;
  path: string;
  /** The schema of an item. */
  model: string;
  /** Values shown at once; the others are under "More values". */
  first: string[];
  one: string; // the name of one item
  /** A new item in the centre of the world. */
  make(world: { width: number; height: number }): JsonObject;
  /** Rules that must be enabled for it to have an effect. */
  switches: string[];
}

type Change = (values: Record<string, Json>) => void;

export class ItemList {
  readonly root: HTMLDetailsElement;
  private readonly title = element("summary", {});
  private readonly place = element("div", { class: "items" });
  private fields: Field[][] = [];
  private items: JsonObject[] = [];
  private readonly unconfirmed = new Unconfirmed();
  private schema: JsonObject = {};
  private scenario: JsonObject = {};
  private key = "";

  constructor(
    readonly spec: ListSpec,
    private readonly change: Change,
  ) {
    const add = element(
      "button",
      {
        type: "button",
        click: () => {
          this.add();
        },
      },
      `Add ${spec.one}`,
    );
    this.root = element("details", { class: "list", "data-list": spec.path }, this.title, this.place, add);
  }

  show(schema: JsonObject, scenario: JsonObject): void {
    this.schema = schema;
    this.scenario = scenario;
    const found = this.found();
    if (!this.unconfirmed.isNewerThan(found)) this.display(found);
  }

  /** The server's next state counts, whatever was sent before. */
  forget(): void {
    this.unconfirmed.clear();
  }

  /** A change was refused: show the actual values, even in the field that was just filled in. */
  revert(): void {
    this.forget();
    this.display(this.found(), true);
  }

  private found(): JsonObject[] {
    const found = valueAt(this.scenario, this.spec.path);
    return Array.isArray(found) ? found.filter(isObject) : [];
  }

  private display(items: JsonObject[], anyway = false): void {
    this.items = items;
    const title = `${say(this.spec.title)} (${items.length})`;
    if (this.title.textContent !== title) this.title.textContent = title;
    const key = items.map((item) => [nameOf(item, this.spec.one), ...Object.keys(item)].join()).join(";");
    if (key !== this.key || this.place.childElementCount !== items.length) {
      this.key = key;
      this.build();
    }
    items.forEach((item, k) => {
      for (const field of this.fields[k]) field.show(item[field.control.path], anyway);
    });
  }

  private build(): void {
    const opened = [...this.place.children].map((each) => each instanceof HTMLDetailsElement && each.open);
    const controls = controlsOf(this.schema, this.spec.model);
    this.fields = [];
    this.place.replaceChildren(
      ...this.items.map((item, k) => {
        const name = `${nameOf(item, this.spec.one)} ${k + 1}`;
        const given = controls.filter(({ path }) => path in item);
        const all = given.map(
          (control) =>
            new Field(control, name, (value) => {
              this.set(k, control.path, value);
            }),
        );
        this.fields.push(all);
        const first = all.filter(({ control }) => this.spec.first.includes(control.path));
        const rest = all.filter((field) => !first.includes(field));
        const more =
          rest.length > 0
            ? [element("details", {}, element("summary", {}, "More values"), ...rest.map(({ root }) => root))]
            : [];
        const remove = element(
          "button",
          {
            type: "button",
            "aria-label": `Remove ${name}`,
            click: () => {
              this.remove(k);
            },
          },
          "Remove",
        );
        return element(
          "details",
          { class: "item", ...(opened[k] ? { open: true } : {}) },
          element("summary", {}, name),
          ...first.map(({ root }) => root),
          ...more,
          remove,
        );
      }),
    );
  }

  private set(k: number, name: string, value: Json): void {
    this.send(this.items.map((item, n) => (n === k ? { ...item, [name]: value } : item)));
  }

  private remove(k: number): void {
    this.send(this.items.toSpliced(k, 1));
  }

  private add(): void {
    const world = {
      width: Number(valueAt(this.scenario, "world.width")),
      height: Number(valueAt(this.scenario, "world.height")),
    };
    this.root.open = true;
    this.send([...this.items, this.spec.make(world)]);
  }

  /**
   * Send the whole list. The first item enables its rule; removing the last hunter disables hunting.
   *
   * It is shown at once: a change before the answer is made to this list, not to the one before.
   */
  private send(items: JsonObject[]): void {
    const switches = this.spec.switches.filter((path) => items.length > 0 && valueAt(this.scenario, path) !== true);
    const off =
      this.spec.path === "rules.predators.hunters" && items.length === 0 ? { "rules.predators.enabled": false } : {};
    this.display(items);
    this.unconfirmed.note(items);
    this.change({ [this.spec.path]: items, ...Object.fromEntries(switches.map((path) => [path, true])), ...off });
  }
}

/** Numbers and choices of an item by name; for several shapes, those of any of them. */
export function controlsOf(schema: JsonObject, model: string): Control[] {
  const names = model.split("|");
  const properties: JsonObject = {};
  for (const name of names) Object.assign(properties, resolve(schema, { $ref: `#/$defs/${name}` }).properties);
  return Object.entries(properties).flatMap(([name, child]) => {
    const control = controlOf(resolve(schema, child), name);
    return control && name !== "numbers_from" && (names.length === 1 || name !== "kind") ? [control] : [];
  });
}

function nameOf(item: JsonObject, one: string): string {
  return humanized(typeof item.kind === "string" ? item.kind : one.replace(/^(a|an|some) /, ""));
}
