import { describe, expect, it } from "vitest";

import type { Program } from "../../src/standalone/data";
import { unpackFrames } from "../../src/standalone/unpack";
import { cheapMeasures } from "../../src/standalone/messages/measures";
import { computed, evaluated, vectorOf } from "../../src/standalone/numbers";
import { differingPaths, prunedSchema, refusal, withValue } from "../../src/standalone/values";

describe("numbers derived from values", () => {
  const values: Record<string, number> = { a: 2, b: 3 };
  const value = (path: string): number => values[path];

  it("evaluates operations on values and constants", () => {
    expect(evaluated(["subtract", ["multiply", "a", 5], ["divide", 1, "b"]], value)).toBe(10 - 1 / 3);
    expect(evaluated(["select", ["greater", "a", "b"], 1, ["cos", "b"]], value)).toBe(Math.cos(3));
    expect(evaluated(["select", ["less", "a", "b"], ["negate", "a"], 1], value)).toBe(-2);
  });

  it("computes the steps of a program once, with words of 32 bits", () => {
    const steps = ["a", 3e9, ["add_32", 1, 1, 0], ["shift_right_32", 2, 0, 0], ["add", 3, 3, 0]];
    const program = { steps, results: { twice: 4, wrapped: 2 } } as Program;
    expect(computed(program, value)).toEqual({ wrapped: 6e9 - 2 ** 32, twice: 2 * Math.floor((6e9 - 2 ** 32) / 4) });
    const turned = {
      steps: ["a", ["xor_32", 0, 0, 0], ["shift_left_32", 0, 0, 0], ["or_32", 1, 2, 0]],
      results: { x: 3 },
    };
    expect(computed(turned as Program, value)).toEqual({ x: 8 });
  });

  it("replaces the numbers that depend on values", () => {
    expect([...vectorOf({ ranges: {}, vector: [5, 6], expressions: { "1": ["add", "a", "a"] } }, value)]).toEqual([
      5, 4,
    ]);
  });
});

describe("values", () => {
  const live = {
    ranges: { "perception.radius": [10, 400] as [number, number], "rules.cohesion.weight": [0, 4] as [number, number] },
    expressions: {},
    vector: [],
  };
  const nothing = { steps: [], results: {} };
  const start = { columns: null, fill: {}, draw: nothing, values: ["start.margin"], noise: nothing, turn: nothing };
  const scene = { live, start, templates: { attractors: {} } };
  const scenario = {
    agents: 5,
    world: { width: 300, height: 200, boundary: "wrap" },
    perception: { radius: 50 },
    rules: { cohesion: { weight: 1, weighting: "linear" } },
    display: { size: 1 },
    start: { margin: 0, radius: 5 },
  };

  it("accepts numbers in range, and says why others are refused", () => {
    expect(refusal(scene, scenario, "rules.cohesion.weight", 2)).toBe("");
    expect(refusal(scene, scenario, "display.size", 2)).toBe("");
    expect(refusal(scene, scenario, "rules.cohesion.weight", 9)).toMatch(/from 0 to 4.*got 9/);
    expect(refusal(scene, scenario, "rules.cohesion.weighting", "uniform")).toMatch(/needs another kernel/);
    expect(refusal(scene, scenario, "perception.radius", 150)).toMatch(/half the smaller side/);
    expect(refusal(scene, scenario, "rules.nothing", 1)).toMatch(/no value/);
    expect(refusal(scene, scenario, "agents", 2000)).toBe("");
    expect(refusal(scene, scenario, "agents", 1e6)).toMatch(/from 1 to 200000/);
    expect(refusal(scene, scenario, "start.margin", 20)).toBe("");
    expect(refusal(scene, scenario, "start.radius", 20)).toMatch(/needs another kernel/);
    expect(refusal({ ...scene, start: { ...start, draw: null } }, scenario, "agents", 2000)).toMatch(
      /cannot draw another start/,
    );
    expect(refusal(scene, scenario, "__proto__.x", 1)).toMatch(/no value/);
  });

  it("changes one value and leaves the rest", () => {
    const changed = withValue(scenario, "rules.cohesion.weight", 3);
    expect(differingPaths(scenario, changed)).toEqual(["rules.cohesion.weight"]);
    expect(scenario.rules.cohesion.weight).toBe(1);
  });

  it("offers only values that can be changed", () => {
    const schema = {
      $defs: { Cohesion: { properties: { weight: { type: "number" }, weighting: { enum: ["a"] } } } },
      properties: {
        rules: {
          properties: { cohesion: { $ref: "#/$defs/Cohesion" }, wind: { properties: { speed: { type: "number" } } } },
        },
      },
    };
    const found = prunedSchema(schema, scene).properties as Record<string, { properties: object }>;
    expect(found.rules.properties).toEqual({ cohesion: { properties: { weight: { type: "number" } } } });
    expect(prunedSchema(schema, null).properties).toEqual({});
  });
});

describe("measures", () => {
  it("measures an aligned flock", () => {
    const quads = Float32Array.of(0, 0, 3, 4, 9, 9, 3, 4);
    expect(cheapMeasures({ quads, climbs: null }, 2)).toEqual({ polarization: 1, mean_speed: 10, speed_deviation: 0 });
  });

  it("counts the vertical part of velocities in space", () => {
    // What murmura.measure says of the velocities (1, 2, 2), (0, 3, 4), (-2, 0, 0) and (0, 0, 0).
    const quads = Float32Array.of(0, 0, 1, 2, 0, 0, 0, 3, 0, 0, -2, 0, 0, 0, 0, 0);
    const found = cheapMeasures({ quads, climbs: Float32Array.of(2, 4, 0, 0) }, 1);
    expect(found.polarization).toBeCloseTo(0.6831300510639732, 12);
    expect(found.mean_speed).toBe(2.5);
    expect(found.speed_deviation).toBeCloseTo(1.8027756377319946, 12);
  });

  it("has no polarization where nobody moves, and nothing in an empty world", () => {
    const still = { quads: new Float32Array(8), climbs: null };
    expect(cheapMeasures(still, 1)).toEqual({ mean_speed: 0, speed_deviation: 0 });
    expect(cheapMeasures({ quads: new Float32Array(), climbs: null }, 1)).toEqual({});
  });
});

it("unpacks frames of an agent that moves steadily", () => {
  const header = new Uint8Array(96);
  for (const k of [0, 1]) new DataView(header.buffer).setUint32(48 * k + 8, 1, true);
  // First at (100, 50), then 3 and 1 farther: the second frame contains only the differences.
  const planes = Uint8Array.of(100, 0, 50, 0, 2, 3, 1, 4, 3, 0, 1, 0, 0, 0, 0, 0);
  const words = unpackFrames(header, planes, 2).map((frame) => new Uint32Array(frame, 48));
  expect(words.map((word) => [(word[0] & 0xffff) >> 3, word[0] >>> 19])).toEqual([
    [100, 50],
    [103, 51],
  ]);
  expect((words[1][1] >> 16) & 255).toBe(1);
});
