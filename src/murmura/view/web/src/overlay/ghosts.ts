/** Shadows of what was placed and is not there yet, because its kernel is being compiled. */

import { isObject, type ClientMessage, type JsonObject, type Point, type SceneObject } from "../net/protocol";
import { valueAt } from "../panel/controls/schema";

const LEAST_MS = 1200; // what has no place in the scenario is shown for this long
const NEAR = 0.01; // [u]
const LISTS = ["obstacles", "rules.attractors.points", "rules.feeding.sources", "rules.predators.hunters"];
const REACH = 0.22; // of the world's smaller side, as the server has it

interface Ghost {
  key: string;
  thing: SceneObject;
  since: number; // [ms]
}

type Placed = Extract<ClientMessage, { type: "place" }>;

export class Ghosts {
  private list: Ghost[] = [];

  constructor(private readonly changed: () => void) {}

  get things(): SceneObject[] {
    return this.list.map(({ thing }) => thing);
  }

  /** A message was sent to the server. */
  expect(message: ClientMessage, now: number): void {
    if (message.type === "place") this.list.push({ key: message.key ?? "", thing: thingOf(message), since: now });
    if (message.type === "withdraw") this.list = this.list.filter(({ key }) => key !== message.key);
    if (message.type === "load" || message.type === "reset") this.list = [];
    this.changed();
  }

  /** The server refused something: nobody knows what, so it was the oldest. */
  refused(): void {
    this.list.shift();
    this.changed();
  }

  /** What has arrived needs no shadow. */
  settle(scenario: JsonObject, isCompiling: boolean, now: number): void {
    if (this.list.length === 0) return;
    const there = LISTS.flatMap((path) => valueAt(scenario, path) ?? []).filter(isObject);
    this.list = this.list.filter(
      ({ thing, since }) => !there.some((item) => isAt(item, thing)) && (isCompiling || now - since < LEAST_MS),
    );
    this.changed();
  }
}

function isAt(item: JsonObject, thing: SceneObject): boolean {
  const [x, y] = "points" in thing ? thing.points[0] : "x" in thing ? [thing.x, thing.y] : [NaN, NaN];
  const first: unknown = Array.isArray(item.points) ? item.points[0] : [item.x, item.y];
  return Array.isArray(first) && Math.abs(Number(first[0]) - x) < NEAR && Math.abs(Number(first[1]) - y) < NEAR;
}

function thingOf(message: Placed): SceneObject {
  if (message.kind === "wall") return { kind: "wall", points: message.points };
  const at: Point & { radius: number } = {
    x: message.x,
    y: message.y,
    ...(message.z === undefined ? {} : { z: message.z }),
    radius: message.kind === "circle" ? message.radius : REACH * 100,
  };
  switch (message.kind) {
    case "circle":
      return { kind: "circle", ...at };
    case "attractor":
      return { kind: "attractor", ...at, strength: message.strength };
    case "food":
      return { kind: "food", ...at, amount: 1, capacity: 1 };
    case "predator":
      return { ...at, id: -1, kind: "predator", species: message.species, heading: 0, state: "coming", energy: 1 };
  }
}
