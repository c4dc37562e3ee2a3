import { expect, it } from "vitest";
import type { Inspection } from "../../src/net/protocol";
import { compass, facts, side, describe, ruleForces } from "../../src/text/words";

const agent: Inspection = {
  type: "inspect",
  id: 4,
  position: [0, 0],
  velocity: [2, 0],
  neighbors: [{ id: 1, x: 1, y: 1 }],
  steering: [0, 1],
  rules: {
    separation: { neighbors: [1], force: [0, 0.5] },
    alignment: { neighbors: [1], force: [1, 0] },
    wind: { neighbors: [], force: [0, 0] },
  },
  state: { species: "default", panic: 0.123456 },
  target: { food: -1 },
  perception: { radius: 50, field_of_view: 270 },
};

it("y grows downwards", () => {
  expect([compass([1, 0]), compass([0, 1]), compass([-1, 0]), compass([0, -1])]).toEqual([
    "east",
    "south",
    "west",
    "north",
  ]);
  expect([side([1, 0], [0, 1]), side([1, 0], [0, -1]), side([1, 0], [-1, 0]), side([1, 0], [1, 1])]).toEqual([
    "right",
    "left",
    "back",
    "ahead and right",
  ]);
});
it("describes what an agent sees and where it steers, and why", () => {
  expect(ruleForces(agent).map((force) => force.name)).toEqual(["alignment", "separation"]);
  expect(ruleForces(agent)[1].text).toBe("pulls right to move away from one neighbour that is too close");
  expect(describe(agent).join(" ")).toMatch(
    /Flies east at 2\.0\. Sees one neighbour within 50 u, 270° around its heading\. Overall it steers right, mostly because of alignment\./,
  );
  expect(facts(agent)).toContainEqual(["Panic", "0.1235"]);
});
it("counts the neighbours of a rule whose force vanishes (S4-69)", () => {
  const alignment = { neighbors: [1, 2, 3], force: [0, 0] as [number, number] };
  const rules = { ...agent.rules, alignment };
  expect(ruleForces({ ...agent, rules }).map(({ name, text }) => [name, text])).toEqual([
    ["separation", "pulls right to move away from one neighbour that is too close"],
    ["alignment", "counts 3 neighbours, but does not pull"],
  ]);
});
it("names the hunters that pursue it or that it flees from", () => {
  const hunter = { id: 2, kind: "sea_lion", state: "pack_hunting", distance: 31.4, frightens: true, hunts: true };
  const said = describe({
    ...agent,
    hunters: [hunter, { ...hunter, id: 3, kind: "hawk", state: "scanning", hunts: false }],
  }).join(" ");
  expect(said).toContain("Hunted by sea lion 2 (pack hunting), 31 u away, and flees from it.");
  expect(said).toContain("Flees from hawk 3 (scanning), 31 u away.");
});
