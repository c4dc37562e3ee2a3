import { expect, it } from "vitest";
import { endsOf } from "../../src/panel/controls/limits";
import { advanced, optionName, withoutCodes } from "../../src/text/labels";
import { controlOf, type Control } from "../../src/panel/controls/schema";
import { Undo } from "../../src/net/undo";
import { controlsOf } from "../../src/lists/item_list";
import { actsLater, numbersOf, pathName } from "../../src/lists/species_list";

const scenario = {
  perception: { radius: 60 },
  world: { boundary: "wrap", width: 300, height: 200 },
  rules: { separation: { enabled: true, radius: 25 }, cohesion: { enabled: false, radius: 55 } },
};
const slider = (path: string) => controlOf({ type: "number", slider: [2, 200] }, path) as Control;

it("a radius is limited by the perception radius", () => {
  expect(endsOf(slider("rules.separation.radius"), scenario)).toEqual([2, 60]);
  expect(endsOf(slider("rules.wind.speed"), scenario)).toEqual([2, 200]);
});
it("the perception radius covers the radii of active rules, and less than half a wrapping world", () => {
  expect(endsOf(slider("perception.radius"), scenario)).toEqual([25, 99]);
});
it("help texts have no references, and options have readable labels", () => {
  expect(withoutCodes("A soft field (S0-52, S2-36 on).")).toBe("A soft field.");
  expect(withoutCodes("Turn back (Reynolds 1999).")).toBe("Turn back (Reynolds 1999).");
  expect(optionName("inverse_square")).toBe("1 / distance²");
  expect(optionName("stay_put")).toBe("Stay put");
});
it("options and later settings are advanced", () => {
  const paths = ["weight", "radius", "a", "b", "c", "d"].map((name) => ({ path: `rules.x.${name}`, kind: "number" }));
  expect([...advanced([...paths, { path: "rules.x.way", kind: "choice" }])]).toEqual([
    "rules.x.c",
    "rules.x.d",
    "rules.x.way",
  ]);
  expect(advanced(paths.slice(0, 4)).size).toBe(0);
});
it("changes are undone one by one; a drag is one change", () => {
  const undo = new Undo();
  undo.note(["rules.separation.radius"], scenario, 0);
  undo.note(["rules.separation.radius"], { ...scenario, rules: { separation: { radius: 30 } } }, 100);
  undo.note(["perception.radius"], scenario, 200);
  expect(undo.turn(false, { ...scenario, perception: { radius: 70 } })).toEqual({
    values: { "perception.radius": 60 },
  });
  expect(undo.turn(false, scenario)).toEqual({
    values: { "rules.separation.radius": 25, "rules.separation.enabled": true },
  });
  expect(undo.turn(false, scenario)).toBeNull();
  expect(undo.turn(true, scenario)).toEqual({
    values: { "rules.separation.radius": 25, "rules.separation.enabled": true },
  });
  expect(undo.turn(true, scenario)).toEqual({ values: { "perception.radius": 70 } });
  undo.note(["agents"], scenario, 5000);
  expect(undo.canRedo).toBe(false);
});
it("undoing a change of a rule that is off leaves it off: naming a value alone would switch it on", () => {
  const undo = new Undo();
  undo.note(["rules.cohesion.radius", "rules.separation.enabled", "rules.separation.radius"], scenario, 0);
  expect(undo.turn(false, scenario)).toEqual({
    values: {
      "rules.cohesion.radius": 55,
      "rules.cohesion.enabled": false,
      "rules.separation.radius": 25,
      "rules.separation.enabled": true,
    },
  });
});
it("the values of a species have names; genes take effect at the next start", () => {
  expect([pathName("rules.genome.speed"), pathName("motion.max_speed")]).toEqual([
    "Genome: speed",
    "Motion: max speed",
  ]);
  expect(
    actsLater(controlOf({ type: "number", description: "Founders' speed." }, "rules.genome.speed") as Control),
  ).toBe(true);
  expect(
    actsLater(
      controlOf({ type: "number", description: "Maximum age of founders." }, "rules.ageing.founders") as Control,
    ),
  ).toBe(true);
  expect(actsLater(undefined)).toBe(false);
});
it("a species may override values of active rules", () => {
  const rule = { properties: { enabled: { type: "boolean" }, weight: { type: "number" } } };
  const schema = { properties: { rules: { properties: { separation: rule, cohesion: rule } } } };
  const given = { rules: { separation: { enabled: true, weight: 2 }, cohesion: { enabled: false, weight: 3 } } };
  expect([...numbersOf(schema, given)].map(([path, { now }]) => [path, now])).toEqual([["rules.separation.weight", 2]]);
});
it("the values of an item come from the schema, by name", () => {
  const schema = {
    $defs: {
      Circle: { properties: { kind: { const: "circle" }, x: { type: "number", unit: "u" } } },
      Wall: { properties: { points: { type: "array" } } },
    },
  };
  expect(controlsOf(schema, "Circle|Wall").map(({ path, unit }) => [path, unit])).toEqual([["x", "u"]]);
});
