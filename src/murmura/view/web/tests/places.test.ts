import { expect, test } from "vitest";
import { Places } from "../src/places";
import type { ClientMessage, Hello, JsonObject } from "../src/protocol";

function hands(scenario: JsonObject): { places: Places; sent: ClientMessage[]; told: string[] } {
  const [sent, told]: [ClientMessage[], string[]] = [[], []];
  const hello = { scenario } as unknown as Hello;
  const places = new Places(() => ({ hello, things: [] }), (message) => { sent.push(message); }, (text) => { told.push(text); });
  return { places, sent, told };
}

const WORLD = { world: { width: 1600, height: 1000 } };

test("food is food where somebody eats", () => {
  const old = [{ x: 1, y: 2 }];
  const { places, sent, told } = hands({ ...WORLD, rules: { feeding: { enabled: true, sources: old } } });
  places.put("food", { x: 30, y: 40 }, "");
  places.remove("food", { x: 0, y: 0 });
  expect(sent).toEqual([
    { type: "set", values: { "rules.feeding.sources": [...old, { x: 30, y: 40 }] } },
    { type: "set", values: { "rules.feeding.sources": [] } },
  ]);
  expect(told).toEqual([]);
});

test("food that nobody placed stays, and that is said", () => {
  const { places, sent, told } = hands({ ...WORLD, rules: { feeding: { enabled: true, sources: [] } } });
  places.remove("food", { x: 0, y: 0 });
  expect(sent).toEqual([]);
  expect(told).toHaveLength(1);
});

test("where nobody eats, food only attracts, and that is said", () => {
  const { places, sent, told } = hands({ ...WORLD, rules: { feeding: { enabled: false } } });
  places.put("food", { x: 30, y: 40 }, "");
  expect(sent).toEqual([
    { type: "set", values: { "rules.attractors.points": [{ x: 30, y: 40, strength: 2, radius: 220 }], "rules.attractors.enabled": true } },
  ]);
  expect(told[0]).toContain("only attracts");
});
