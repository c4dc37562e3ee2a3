import { expect, it } from "vitest";
import { captions, suggestions, valueInWords } from "../src/compare/differences";

const LEFT = {
  name: "a",
  agents: 50,
  perception: { radius: 60 },
  rules: {
    alignment: { enabled: true, weight: 1 },
    cohesion: { enabled: true, weight: 1 },
    wind: { enabled: false, weight: 2 },
    predators: { enabled: true, hunters: [{}, {}] },
  },
};

it("says values in words", () => {
  expect(valueInWords("rules.alignment.weight", 0)).toBe("alignment 0");
  expect(valueInWords("rules.fear.enabled", false)).toBe("fear off");
  expect(valueInWords("motion.max_speed", 4.00001)).toBe("max speed 4");
  expect(valueInWords("rules.predators.hunters", [1, 2])).toBe("2 hunters");
});

it("captions the one difference, and counts several", () => {
  const right = { ...LEFT, title: "b", rules: { ...LEFT.rules, alignment: { enabled: true, weight: 0 } } };
  expect(captions(LEFT, right)).toEqual(["alignment 1", "alignment 0"]);
  expect(captions(LEFT, { ...right, agents: 90 })).toEqual(["agents 50 and 1 more", "agents 90 and 1 more"]);
  expect(captions(LEFT, { ...LEFT, title: "b" })[0]).toBe("the same");
  expect(captions(LEFT, { ...LEFT, name: "sea-fish" })).toEqual(["a", "sea fish"]);
});

it("suggests to take a rule away, the user's own changes first, and to change nothing", () => {
  const found = suggestions(LEFT, LEFT);
  expect(found.map(({ label }) => label)).toEqual([
    "No alignment",
    "No cohesion",
    "No predators",
    "They see half as far",
    "The same: I change it there",
  ]);
  expect(found[0].values).toEqual({ "rules.alignment.weight": 0 });
  expect(
    suggestions({ ...LEFT, world: { width: 9 } }, { ...LEFT, world: { width: 3 } }, ["cohesion"]).map(
      ({ label }) => label,
    ),
  ).toEqual(["No alignment", "No predators", "They see half as far", "The same: I change it there"]);
  const changed = { ...LEFT, perception: { radius: 30 } };
  expect(suggestions(changed, LEFT)[0]).toEqual({
    label: "As it was before your changes",
    values: { "perception.radius": 60 },
  });
});
