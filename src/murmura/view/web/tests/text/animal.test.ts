import { expect, it } from "vitest";
import { signsOf } from "../../src/overlay/bodies";
import { sightsOf } from "../../src/overlay/sight";
import { eventInWords } from "../../src/text/events";
import { bodyInWords, bonds, doings, genesOf, sexOf, vitals } from "../../src/text/animal";
import type { Body, FlockEvent, Inspection } from "../../src/net/protocol";

const animal = {
  id: 4,
  state: { gender: "female", energy: 0.5, panic: 0 },
  target: { food: -1, mate: 17 },
  life: { age: 61.4, health: 0.9 },
  stance: { name: "seeking_food", reason: "hungry, and food in sight", time: 3.21 },
  doing: ["seeking_food for 3.2 s", "courting with agent 17"],
  genome: { gene_speed: 0.44, gene_size: 1.5, gene_hue: 0.2, part_eye: 2, part_fin: 1, part_antenna: 2, part_spike: 0 },
} as unknown as Inspection;

it("describes what an animal does, its condition and its body", () => {
  expect(doings(animal)).toEqual(["Seeking food for 3.2 s: hungry, and food in sight.", "Courting with agent 17."]);
  expect(vitals(animal).map(({ name, text }) => `${name} ${text}`)).toEqual(["Energy 0.5", "Health 0.9", "Age 61 s"]);
  expect(bodyInWords(animal)).toBe("2 eyes, 1 fin, 2 antennae");
  expect(genesOf(animal)).toEqual([
    { name: "Speed", share: 0.44, text: "0.44" },
    { name: "Size", share: 0.5, text: "1.50" },
  ]);
  expect([sexOf(animal), bonds(animal)]).toEqual(["♀ female", [{ label: "Mate", id: 17 }]]);
  expect(bonds({ ...animal, target: { food: 3, mate: -1, prey: 9 } })).toEqual([{ label: "Hunts", id: 9 }]);
});
it("symbols show sex, courting, fighting, feeding and fear", () => {
  const body = {
    row: 0,
    id: 1,
    gender: 1,
    energy: 1,
    panic_level: 0,
    mating_state: 0,
    feeding_state: 0,
  } satisfies Body;
  const look = { stances: ["idle", "fleeing"], sexes: true };
  expect(signsOf(body, look)).toBe("♂");
  expect(signsOf({ ...body, gender: 0, mating_state: 3 }, look)).toBe("♀♥");
  expect(signsOf({ ...body, mating_state: 5, feeding_state: 3, stance: 1 }, { ...look, sexes: false })).toBe("⚔●!");
});
it("where genes determine sight, each species has its mean", () => {
  expect(
    sightsOf({ perception: { radius: 150 }, species: [{ name: "a" }, { name: "b" }] }, [66, 80]).map(
      ({ radius }) => radius,
    ),
  ).toEqual([66, 80]);
});
it("events are described in sentences", () => {
  const event = { id: 3, other: 9, cause: null } as FlockEvent;
  expect(eventInWords({ ...event, kind: "birth" })).toBe("Agent 3 was born to 9.");
  expect(eventInWords({ ...event, kind: "death", cause: "starvation" })).toBe("Agent 3 starved.");
  expect(eventInWords({ ...event, kind: "death", cause: "predation" })).toBe("Agent 3 was killed by 9.");
  expect(eventInWords({ ...event, kind: "capture" })).toBe("Agent 3 was caught by hunter 9.");
});
