import { expect, it } from "vitest";
import { mapPlace, needsMap, throughMap } from "../../src/render/minimap";
import { hunterKinds } from "../../src/tools/placement";
import { inside } from "../../src/overlay/scenery";
import { looksOf, setKinds } from "../../src/render/hunter_shapes";
import { attacks, dives } from "../../src/render/looks_of_things";
import { parseMessage, type Hello } from "../../src/net/protocol";
import { daylightOf, huntersOf, objectsOf } from "../../src/overlay/world_objects";
import { streak } from "../../src/overlay/wind";

const scenario = {
  world: { width: 1600, height: 1000 },
  obstacles: [
    { kind: "circle", x: 1, y: 2, radius: 3 },
    {
      kind: "wall",
      points: [
        [0, 0],
        [5, 5],
      ],
    },
  ],
  rules: {
    attractors: { enabled: true, points: [{ x: 4, y: 5, strength: -1, radius: 6 }] },
    fear: { enabled: false, threats: [{ x: 1, y: 1, radius: 2 }] },
    wind: { enabled: true, speed: 3, direction: 90 },
    territory: { enabled: true, homes: [{ x: 1, y: 1, radius: 9, owner: 1 }] },
  },
  species: [
    { name: "a", towards: {} },
    { name: "b", towards: { a: "chase" } },
    { name: "c", towards: { a: { chase: 0.5 } } },
  ],
};
const hello = { scenario, species: ["a", "b", "c"].map((name) => ({ name, color: "#ffffff" })) } as unknown as Hello;

it("finds the objects of a scenario, except those of disabled rules", () => {
  expect(objectsOf(scenario).map((thing) => thing.kind)).toEqual(["territory", "circle", "wall", "attractor", "wind"]);
  expect(objectsOf({})).toEqual([]);
});
it("a species that chases others is a hunter, unless the server says otherwise", () => {
  expect(huntersOf(hello)).toBe(0b110);
  const told = hello.species.map((kind, k) => ({ ...kind, role: k === 0 ? ("predator" as const) : ("prey" as const) }));
  expect(huntersOf({ ...hello, species: told })).toBe(0b001);
});
it("there is a time of day only if the scenario has one", () => {
  expect(daylightOf([])).toBeNull();
  expect(daylightOf([{ kind: "sky", daylight: 7 }])).toBe(1);
});
it("a scene is a message", () => {
  expect(parseMessage('{"type":"scene","objects":[]}')).toEqual({ type: "scene", objects: [] });
});
it("hunters have the shapes that the server says, and any other hunter a plain one", () => {
  expect(looksOf("falcon").outline).toBe("");
  setKinds({ "": { outline: "M1 0z", body: "bird" }, shark: { outline: "M2 0z", body: "fish" } });
  expect(looksOf("shark")).toEqual({ outline: "M2 0z", body: "fish" });
  expect(looksOf("who knows").outline).toBe("M1 0z");
  setKinds({});
});

it("a hunter after its prey looks different", () => {
  expect(["idle", "hunting", "attacking", "diving", "recovering"].map(attacks)).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  expect(["hunting", "diving"].map(dives)).toEqual([false, true]);
});

it("the map is clear of dock and panel, and maps points to positions", () => {
  const [view, world] = [
    { width: 1000, height: 700 },
    { width: 1600, height: 1000 },
  ];
  expect(needsMap({ x: 800, y: 500, zoom: 0.6 }, view, world)).toBe(false);
  expect(needsMap({ x: 800, y: 500, zoom: 2 }, view, world)).toBe(true);
  const place = mapPlace(view, world, { left: 0, top: 0, right: 300, bottom: 64 });
  expect(place.x + place.width).toBeLessThanOrEqual(700);
  expect(place.y + place.height).toBeLessThanOrEqual(620);
  expect(throughMap(place, { x: place.x + place.width / 2, y: place.y + place.height / 2 })).toEqual({
    x: 800,
    y: 500,
  });
  expect(throughMap(place, { x: place.x - 1, y: place.y })).toBeNull();
});

it("streaks drift with the wind and fade in and out", () => {
  const blow = { speed: 5, direction: 90 };
  const [a, b] = [
    streak(3, 0.5, blow, { width: 100, height: 100 }),
    streak(3, 0.51, blow, { width: 100, height: 100 }),
  ];
  expect(b.x - a.x).toBeCloseTo(0);
  expect(b.y).toBeGreaterThan(a.y);
  expect(a.fade).toBeGreaterThanOrEqual(0);
});

it("kinds of hunters come from the schema", () => {
  expect(hunterKinds({ $defs: { Hunter: { properties: { kind: { enum: ["hawk", "owl"] } } } } })).toEqual([
    "hawk",
    "owl",
  ]);
  expect(hunterKinds({})).toEqual([]);
});

it("a label stays in the window as long as its object does", () => {
  expect(inside(200, 80, 390)).toBe(200);
  expect(inside(385, 80, 390)).toBe(346);
  expect(inside(2, 80, 390)).toBe(44);
  expect(inside(420, 80, 390)).toBe(420);
});

it("a small screen gets a small map", () => {
  const world = { width: 1600, height: 1000 };
  const gaps = { left: 0, top: 0, right: 0, bottom: 64 };
  expect(mapPlace({ width: 390, height: 844 }, world, gaps).width).toBeCloseTo(117);
  expect(mapPlace({ width: 1440, height: 900 }, world, gaps).width).toBeCloseTo(168);
});
