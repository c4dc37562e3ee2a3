import { expect, it } from "vitest";
import { lifeStory, relations } from "../../src/text/family";
import type { Family } from "../../src/net/protocol";

const family: Family = {
  generation: 3,
  born: 12.34,
  young: 4,
  living: 2,
  children: [41, 37],
  founder: 5,
  ancestors: [
    {
      id: 20,
      role: "mother",
      alive: true,
      fate: null,
      parents: [
        {
          id: 9,
          role: "father",
          alive: false,
          fate: "age",
          parents: [{ id: 5, role: "mother", alive: false, fate: "removed", parents: [] }],
        },
      ],
    },
    { id: 18, role: "father", alive: false, fate: "starvation", parents: [] },
  ],
};

it("a life is described in a sentence", () => {
  expect(lifeStory(33, family)).toBe(
    "Generation 3, born at 12.3 s, descended from founder 5; 4 offspring, 2 of them alive.",
  );
  expect(lifeStory(5, { ...family, generation: 0, born: 0, young: 0, living: 0 })).toBe(
    "Generation 0, born at 0 s, a founder; no offspring yet.",
  );
  expect(lifeStory(5, { ...family, young: 2 })).toContain("2 offspring, all of them alive");
  expect(lifeStory(5, { ...family, living: 0 })).toContain("4 offspring, none of them alive");
});

it("relations: parents, with their parents below them, then living children", () => {
  const [mother, father, ...children] = relations(family);
  expect(mother).toMatchObject({ id: 20, label: "mother", alive: true });
  expect(mother.below[0]).toMatchObject({ id: 9, label: "grandfather, † age", alive: false });
  expect(mother.below[0].below[0]).toMatchObject({ id: 5, label: "great-grandmother, † removed", below: [] });
  expect(father).toMatchObject({ id: 18, label: "father, † starvation", alive: false, below: [] });
  expect(children.map(({ id, label }) => [id, label])).toEqual([
    [41, "child"],
    [37, "child"],
  ]);
});
