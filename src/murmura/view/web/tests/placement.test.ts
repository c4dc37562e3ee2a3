import { expect, test } from "vitest";
import { Places } from "../src/tools/placement";
import type { ClientMessage, Hello, JsonObject } from "../src/net/protocol";
import { thingNear } from "../src/overlay/world_objects";

function hands(rules: JsonObject): { places: Places; sent: ClientMessage[]; told: string[] } {
  const [sent, told]: [ClientMessage[], string[]] = [[], []];
  const hello = { scenario: { rules } } as unknown as Hello;
  const places = new Places(() => hello, (message) => { sent.push(message); }, (text) => { told.push(text); });
  return { places, sent, told };
}

test("food is food where somebody eats", () => {
  const { places, sent, told } = hands({ feeding: { enabled: true, sources: [{ x: 1, y: 2 }] } });
  places.put("food", { x: 30, y: 40 }, "");
  places.remove("food", { x: 0, y: 0 });
  expect(sent).toEqual([{ type: "place", kind: "food", x: 30, y: 40 }, { type: "erase", kind: "food", x: 0, y: 0 }]);
  expect(told).toEqual([]);
});

test("food that nobody placed stays, and that is said", () => {
  const { places, sent, told } = hands({ feeding: { enabled: true, sources: [] } });
  places.remove("food", { x: 0, y: 0 });
  expect(sent).toEqual([]);
  expect(told).toHaveLength(1);
});

test("where nobody eats, food only attracts, and that is said", () => {
  const { places, told } = hands({ feeding: { enabled: false } });
  places.put("food", { x: 30, y: 40 }, "");
  expect(told[0]).toContain("only attracts");
});

test("a thing is found by the pointer that is on it", () => {
  const things = [
    { kind: "attractor" as const, x: 10, y: 10, radius: 200, strength: 1 },
    { kind: "circle" as const, x: 100, y: 100, radius: 30 },
    { kind: "wall" as const, points: [[0, 200], [100, 200]] as [number, number][] },
  ];
  expect(thingNear(things, "attractor", { x: 14, y: 10 }, 5)).toBe(true);
  expect(thingNear(things, "attractor", { x: 40, y: 10 }, 5)).toBe(false); // its reach is not it
  expect(thingNear(things, "circle", { x: 125, y: 100 }, 5)).toBe(true);
  expect(thingNear(things, "wall", { x: 50, y: 203 }, 5)).toBe(true);
  expect(thingNear(things, "wall", { x: 50, y: 220 }, 5)).toBe(false);
});
