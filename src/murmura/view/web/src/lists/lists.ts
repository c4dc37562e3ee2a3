/** The lists of the settings panel: species, hunters, food, obstacles and attractors. */

import { element } from "../dom";
import type { Json, JsonObject } from "../net/protocol";
import { matches, namesOf } from "../panel/controls/schema";
import { ItemList, type ListSpec } from "./item_list";
import { SpeciesList } from "./species_list";

const middle = ({ width, height }: { width: number; height: number }) => ({ x: width / 2, y: height / 2 });

const SPECS: ListSpec[] = [
  {
    title: "Hunters",
    path: "rules.predators.hunters",
    model: "Hunter",
    one: "a hunter",
    first: ["kind", "max_speed", "panic_radius", "max_energy", "energy_regen"],
    make: (world) => ({ kind: "hawk", ...middle(world) }),
    switches: ["rules.predators.enabled", "rules.fear.enabled"],
  },
  {
    title: "Food",
    path: "rules.feeding.sources",
    model: "FoodSource",
    one: "some food",
    first: ["x", "y", "amount"],
    make: middle,
    switches: ["rules.feeding.enabled", "rules.energy.enabled"],
  },
  {
    title: "Obstacles",
    path: "obstacles",
    model: "Circle|Polygon|Wall",
    one: "an obstacle",
    first: ["x", "y", "radius"],
    make: (world) => ({ kind: "circle", ...middle(world), radius: 0.05 * Math.min(world.width, world.height) }),
    switches: [],
  },
  {
    title: "Attractors",
    path: "rules.attractors.points",
    model: "Attractor",
    one: "an attractor",
    first: ["x", "y", "strength", "radius"],
    make: (world) => ({ ...middle(world), strength: 3, radius: 0.22 * Math.min(world.width, world.height) }),
    switches: ["rules.attractors.enabled"],
  },
];

export class Lists {
  readonly root: HTMLElement;
  private readonly species: SpeciesList;
  private readonly lists: ItemList[];
  private schema: JsonObject = {};

  constructor(change: (values: Record<string, Json>) => void) {
    this.species = new SpeciesList(change);
    this.lists = SPECS.map((spec) => new ItemList(spec, change));
    this.root = element("div", { class: "lists" }, this.species.root, ...this.lists.map(({ root }) => root));
  }

  show(schema: JsonObject, scenario: JsonObject): void {
    this.schema = schema;
    this.species.show(schema, scenario);
    for (const list of this.lists) list.show(schema, scenario);
  }

  /** Another flock: earlier changes do not concern it. */
  forget(): void {
    for (const list of [this.species, ...this.lists]) list.forget();
  }

  /** A change was refused: show the actual values. */
  revert(): void {
    for (const list of [this.species, ...this.lists]) list.revert();
  }

  filter(search: string): void {
    const fits = (label: string, path: string) =>
      search === "" || matches({ label, path, help: "", names: namesOf(this.schema, path) }, search);
    this.species.root.classList.toggle("quiet-list", !fits("Species genes colour share", "species"));
    for (const { root, spec } of this.lists) root.hidden = !fits(spec.title, spec.path);
  }
}
