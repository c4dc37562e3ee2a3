import { expect, it } from "vitest";
import {
  controlOf,
  defaultsOf,
  groupsOf,
  humanized,
  matches,
  namesOf,
  niceStep,
  valueAt,
} from "../../src/panel/controls/schema";

const schema = {
  $defs: {
    World: {
      description: "The plane.",
      properties: {
        width: { type: "number", exclusiveMinimum: 0, slider: [100, 10000], unit: "u", description: "Width." },
        boundary: { type: "string", enum: ["wrap", "soft"] },
      },
    },
    Rules: { properties: { alignment: { $ref: "#/$defs/Alignment" } } },
    Alignment: {
      description: "Fly along.",
      properties: {
        enabled: { type: "boolean" },
        radius: { anyOf: [{ type: "number", exclusiveMinimum: 0 }, { type: "null" }], slider: [5, 200], unit: "u" },
        points: { type: "array" },
      },
    },
  },
  properties: {
    agents: { type: "integer", default: 2000 },
    world: { $ref: "#/$defs/World", default: { width: 1600 } },
    rules: { $ref: "#/$defs/Rules", default: {} },
  },
};
const scenario = { rules: { alignment: { enabled: true, radius: null }, mine: { enabled: true, pull: 2 } } };

it("sections and rules become groups", () => {
  const groups = groupsOf(schema, scenario);
  expect(groups.map((group) => group.path)).toEqual(["world", "rules.alignment", "rules.mine"]);
  expect(groups[0]).toMatchObject({ label: "World", help: "The plane.", switch: null });
  expect(groups[0].controls[0]).toMatchObject({
    path: "world.width",
    kind: "number",
    min: 100,
    max: 10000,
    step: 50,
    unit: "u",
    help: "Width.",
  });
  expect(groups[0].controls[1]).toMatchObject({ kind: "choice", choices: ["wrap", "soft"] });
});
it("a rule has a check box, and lists have no controls", () => {
  const [, alignment] = groupsOf(schema, scenario);
  expect(alignment.switch).toBe("rules.alignment.enabled");
  expect(alignment.controls).toHaveLength(1);
  expect(alignment.controls[0]).toMatchObject({
    path: "rules.alignment.radius",
    kind: "number",
    nullable: true,
    min: 5,
    max: 200,
  });
});
it("a user's own rule has controls too", () => {
  const mine = groupsOf(schema, scenario)[2];
  expect(mine.switch).toBe("rules.mine.enabled");
  expect(mine.controls[0]).toMatchObject({ path: "rules.mine.pull", kind: "number" });
});
it("an exclusive minimum cannot be selected", () => {
  expect(controlOf({ type: "number", exclusiveMinimum: 0, maximum: 1 }, "a")?.min).toBeGreaterThan(0);
  expect(controlOf({ type: "string" }, "a")).toBeNull();
});
it("steps are round numbers", () => {
  expect([niceStep(1), niceStep(4), niceStep(9900), niceStep(0)]).toEqual([0.005, 0.02, 50, 0.01]);
});
it("values, names, search, defaults", () => {
  expect(valueAt(scenario, "rules.mine.pull")).toBe(2);
  expect(valueAt(scenario, "rules.no.pull")).toBeUndefined();
  expect(humanized("rules.avoid_obstacles")).toBe("Avoid obstacles");
  expect(matches({ label: "Radius", path: "rules.alignment.radius", help: "How far", names: [] }, "align rad")).toBe(
    true,
  );
  expect(matches({ label: "Radius", path: "rules.alignment.radius", help: "How far", names: [] }, "wind")).toBe(false);
  const weight = { label: "Weight", path: "rules.separation.weight", help: "", names: ["separationWeight", "w_sep"] };
  expect([matches(weight, "w_sep"), matches(weight, "separationweight"), matches(weight, "maxSpeed")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(defaultsOf(schema)).toEqual({ agents: 2000, world: { width: 1600 }, rules: {} });
});
it("the documents' names of a value are found: of controls, of switches, and of what lists contain", () => {
  const names = {
    "world.width": ["worldWidth"],
    "rules.alignment.enabled": ["aligned"],
    "rules.alignment.points.N.radius": ["pointRadius"],
  };
  const [world, alignment] = groupsOf({ ...schema, names }, scenario);
  expect(world.controls[0].names).toEqual(["worldWidth"]);
  expect(alignment.names).toEqual(["aligned"]);
  expect(namesOf({ names }, "rules.alignment.points")).toEqual(["pointRadius"]);
  expect(namesOf({}, "world.width")).toEqual([]);
});
