import { expect, it } from "vitest";
import { groupsOf, nineOf } from "../../src/gallery/groups";
import { OwnPresets } from "../../src/gallery/own";
import { commandOf } from "../../src/panel/files";

const list = ["ants", "classic", "ecosystem", "my-own", "vicsek"].map((name) => ({ name, title: "" }));

it("every preset is in a group", () => {
  const groups = groupsOf(list);
  expect(
    groups
      .flatMap(({ items }) => items)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(list.map(({ name }) => name));
  expect(groups.at(-1)).toMatchObject({ label: "More", items: [{ name: "my-own" }] });
  expect(groups[0]).toMatchObject({ label: "Begin here", items: [{ name: "vicsek" }, { name: "ecosystem" }] });
  const deep = groupsOf([...list, { name: "swarm", title: "", deep: true }]);
  expect(deep.at(-2)).toEqual({ label: "In space", items: [{ name: "swarm", title: "", deep: true }] });
});
it("number keys load the featured presets; others replace missing ones", () => {
  expect(nineOf(list).map(({ name }) => name)).toEqual(["ecosystem", "vicsek", "classic", "ants", "my-own"]);
});
it("own presets are stored, renamed and deleted; invalid stored ones are ignored", () => {
  const store = {
    text: '[{"name":"old","scenario":{"agents":3}},{"name":4},7,{"name":"x","scenario":{},"picture":"javascript:alert(1)"}]',
  };
  const memory = {
    getItem: () => store.text,
    setItem: (_: string, text: string) => {
      store.text = text;
    },
  };
  const own = new OwnPresets(memory);
  expect(own.list.map(({ name, picture }) => [name, picture])).toEqual([
    ["old", ""],
    ["x", ""],
  ]);
  expect(own.save({ name: "  ", scenario: {}, picture: "" })).toMatch(/needs a name/);
  expect(own.save({ name: "mine", scenario: { agents: 9 }, picture: "data:image/jpeg;base64,AA" })).toBeNull();
  expect(own.rename("mine", "old")).toMatch(/already/);
  expect(own.rename("mine", "ours")).toBeNull();
  own.remove("old");
  expect(new OwnPresets(memory).list.map(({ name }) => name)).toEqual(["x", "ours"]);
});
it("the command names a shipped scenario only while it is unchanged", () => {
  const hello = { scenario: { name: "fish", agents: 3 }, loaded: { name: "fish", agents: 3 }, shipped: true, seed: 5 };
  expect(commandOf(hello, 900)).toBe("murmura run fish --seed 5 --steps 900 --out fish-run");
  expect(commandOf({ ...hello, loaded: { name: "fish", agents: 4 } }, 1)).toBe(
    "murmura run fish.json --seed 5 --steps 600 --out fish-run",
  );
  expect(commandOf({ ...hello, shipped: false }, 1)).toBe("murmura run fish.json --seed 5 --steps 600 --out fish-run");
});
