/** The objects in the world: those of the scenario, and those the server sent. */

import {
  isObject,
  type Hello,
  type Json,
  type JsonObject,
  type Pair,
  type Placeable,
  type Point,
  type SceneObject,
  type SpeciesInfo,
  type Triple,
} from "../net/protocol";

const list = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);
const number = (item: JsonObject, key: string) => Number(item[key] ?? 0);

/** Home ranges, obstacles, attractors, threats and wind of a scenario. Disabled rules have none. */
export function objectsOf(scenario: JsonObject): SceneObject[] {
  const rules = isObject(scenario.rules) ? scenario.rules : {};
  const active = (name: string): JsonObject => {
    const rule = rules[name];
    return isObject(rule) && rule.enabled === true ? rule : {};
  };
  const height = (item: JsonObject) => (typeof item.z === "number" ? { z: item.z } : {});
  const at = (item: JsonObject) => ({
    x: number(item, "x"),
    y: number(item, "y"),
    ...height(item),
    radius: number(item, "radius"),
  });
  const obstacles = list(scenario.obstacles).map(obstacleOf);
  const pulls = list(active("attractors").points).map((point): SceneObject => ({
    kind: "attractor",
    ...at(point),
    strength: number(point, "strength"),
  }));
  const threats = list(active("fear").threats).map((threat): SceneObject => ({ kind: "threat", ...at(threat) }));
  const names = list(scenario.species).map((kind) => String(kind.name));
  const homes = list(active("territory").homes).map((home): SceneObject => ({
    kind: "territory",
    ...at(home),
    species: names[number(home, "owner")] ?? "",
  }));
  const wind = active("wind");
  const blows: SceneObject[] =
    number(wind, "speed") > 0
      ? [{ kind: "wind", speed: number(wind, "speed"), direction: number(wind, "direction") }]
      : [];
  return [...homes, ...obstacles, ...pulls, ...threats, ...blows];
}

function obstacleOf(shape: JsonObject): SceneObject {
  const { x, y, z, radius, bottom, top, turn } = Object.fromEntries(
    Object.entries(shape).filter(([, value]) => typeof value === "number"),
  ) as Record<string, number | undefined>;
  const round = { x: x ?? 0, y: y ?? 0, radius: radius ?? 0 };
  if (shape.kind === "cylinder")
    return {
      kind: "cylinder",
      ...round,
      ...(bottom === undefined ? {} : { bottom }),
      ...(top === undefined ? {} : { top }),
    };
  if (shape.kind === "box")
    return {
      kind: "box",
      low: shape.low as Triple,
      high: shape.high as Triple,
      ...(turn === undefined ? {} : { turn }),
    };
  if (shape.kind === "plane") return { kind: "plane", point: shape.point as Triple, normal: shape.normal as Triple };
  if (radius !== undefined) return { kind: "circle", ...round, ...(z === undefined ? {} : { z }) };
  return { kind: shape.kind === "wall" ? "wall" : "polygon", points: (shape.points ?? []) as Pair[] };
}

/** Whether a position is on an object of a kind, within `reach` [u]. Food is an attractor in a scenario without feeding. */
export function objectNear(things: SceneObject[], kind: Placeable, place: Point, reach: number): boolean {
  const near = (x: number, y: number, radius = 0) => Math.hypot(x - place.x, y - place.y) <= radius + reach;
  return things.some((thing) => {
    if (thing.kind === "attractor") return (kind === "attractor" || kind === "food") && near(thing.x, thing.y);
    if (thing.kind === "food") return kind === "food" && near(thing.x, thing.y, thing.radius);
    if (thing.kind === "circle") return kind === "circle" && near(thing.x, thing.y, thing.radius);
    return (
      thing.kind === "wall" &&
      kind === "wall" &&
      thing.points.some(([x, y], k) => k > 0 && onLine(thing.points[k - 1], [x, y], place) <= reach)
    );
  });
}

/** Distance of a position from a line segment. */
function onLine([ax, ay]: Pair, [bx, by]: Pair, { x, y }: Point): number {
  const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / Math.max(1e-12, (bx - ax) ** 2 + (by - ay) ** 2);
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(x - ax - part * (bx - ax), y - ay - part * (by - ay));
}

/** Species with the scenario's current colours; the hello message may be outdated. */
export function repainted(species: SpeciesInfo[], scenario: JsonObject): SpeciesInfo[] {
  const kinds = list(scenario.species);
  return species.map((info) => {
    const color = kinds.find((kind) => kind.name === info.name)?.color;
    return typeof color === "string" ? { ...info, color } : info;
  });
}

/** Bit k: species k hunts, as the server says or, by default, if it chases another species. */
export function huntersOf(hello: Pick<Hello, "species" | "scenario">): number {
  const kinds = list(hello.scenario.species);
  return hello.species.slice(0, 31).reduce((bits, info, k) => (hunts(info, kinds[k]) ? bits | (1 << k) : bits), 0);
}

function hunts(info: SpeciesInfo, kind: JsonObject | undefined): boolean {
  if (info.role) return info.role === "predator";
  const towards = isObject(kind?.towards) ? Object.values(kind.towards) : [];
  return towards.some((relation) => relation === "chase" || (isObject(relation) && number(relation, "chase") > 0));
}

/** The time of day, if the world has one: 0 midnight .. 1 noon. */
export function daylightOf(things: SceneObject[]): number | null {
  const sky = things.find((thing) => thing.kind === "sky");
  return sky ? Math.min(1, Math.max(0, sky.daylight)) : null;
}
