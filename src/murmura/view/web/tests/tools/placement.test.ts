import { expect, test } from "vitest";
import { Places } from "../../src/tools/placement";
import type { ClientMessage, Hello, JsonObject } from "../../src/net/protocol";
import { objectNear } from "../../src/overlay/world_objects";

function setup(rules: JsonObject): { places: Places; sent: ClientMessage[]; notes: string[] } {
  const [sent, notes]: [ClientMessage[], string[]] = [[], []];
  const hello = { scenario: { rules } } as unknown as Hello;
  const places = new Places(
    () => hello,
    (message) => {
      sent.push(message);
    },
    (text) => {
      notes.push(text);
    },
  );
  return { places, sent, notes };
}

test("food is real food if the scenario has feeding", () => {
  const { places, sent, notes } = setup({ feeding: { enabled: true, sources: [{ x: 1, y: 2 }] } });
  places.put("food", { x: 30, y: 40 }, "");
  places.remove("food", { x: 0, y: 0 });
  expect(sent).toEqual([
    { type: "place", kind: "food", x: 30, y: 40 },
    { type: "erase", kind: "food", x: 0, y: 0 },
  ]);
  expect(notes).toEqual([]);
});

test("food that was not placed cannot be removed, and a notice says so", () => {
  const { places, sent, notes } = setup({ feeding: { enabled: true, sources: [] } });
  places.remove("food", { x: 0, y: 0 });
  expect(sent).toEqual([]);
  expect(notes).toHaveLength(1);
});

test("without feeding, food only attracts, and a notice says so", () => {
  const { places, notes } = setup({ feeding: { enabled: false } });
  places.put("food", { x: 30, y: 40 }, "");
  expect(notes[0]).toContain("only attracts");
});

test("finds the object under the pointer", () => {
  const things = [
    { kind: "attractor" as const, x: 10, y: 10, radius: 200, strength: 1 },
    { kind: "circle" as const, x: 100, y: 100, radius: 30 },
    {
      kind: "wall" as const,
      points: [
        [0, 200],
        [100, 200],
      ] as [number, number][],
    },
  ];
  expect(objectNear(things, "attractor", { x: 14, y: 10 }, 5)).toBe(true);
  expect(objectNear(things, "attractor", { x: 40, y: 10 }, 5)).toBe(false); // within its range, but not on it
  expect(objectNear(things, "circle", { x: 125, y: 100 }, 5)).toBe(true);
  expect(objectNear(things, "wall", { x: 50, y: 203 }, 5)).toBe(true);
  expect(objectNear(things, "wall", { x: 50, y: 220 }, 5)).toBe(false);
});
