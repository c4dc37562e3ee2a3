import { expect, it } from "vitest";
import { rowOf, specsOf, titleOf, usualSpecs } from "../../src/charts/catalog";
import { History } from "../../src/charts/history";
import { ends, stacked, timeLabel } from "../../src/charts/plot";
import type { Status } from "../../src/net/protocol";

const status = {
  agents: 6,
  births: 4,
  deaths: 1,
  measures: { polarization: 0.5, energy_mean: 0.4, "energy_mean@fox": 0.3 },
  population: {
    species: { hare: 4, fox: 2 },
    stances: { idle: 5, fleeing: 1 },
    hunters: 2,
    prey: 4,
    males: 3,
    females: 3,
  },
} as unknown as Status;

it("a status becomes one row, including counts by species", () => {
  expect(rowOf(status)).toEqual({
    polarization: 0.5,
    energy_mean: 0.4,
    "energy_mean@fox": 0.3,
    agents: 6,
    "population@hare": 4,
    "population@fox": 2,
    "stance@idle": 5,
    "stance@fleeing": 1,
    hunters: 2,
    prey: 4,
    males: 3,
    females: 3,
    hunters_per_prey: 0.5,
    births_total: 4,
    deaths_total: 1,
  });
});
it("the columns of a measure share a chart; fractions have a fixed scale", () => {
  const specs = specsOf(Object.keys(rowOf(status)), { polarization: { unit: "", meaning: "Agreement." } }, [
    { name: "hare", color: "#111111" },
    { name: "fox", color: "#222222" },
  ]);
  const found = (name: string) => specs.find((spec) => spec.name === name);
  expect(found("population")?.lines.map(({ label, color }) => [label, color])).toEqual([
    ["Hare", "#111111"],
    ["Fox", "#222222"],
  ]);
  expect(found("energy_mean")?.lines.map(({ column }) => column)).toEqual(["energy_mean", "energy_mean@fox"]);
  expect(found("stance")).toMatchObject({ stacked: true, unit: "agents" });
  expect(found("polarization")).toMatchObject({ range: [0, 1], meaning: "Agreement." });
  expect(found("agents")?.range).toBeNull();
  expect(usualSpecs(specs)).toEqual(["population", "stance", "births_and_deaths", "polarization"]);
  expect(specs[0].name).toBe("population");
});
it("a column that appears later is empty before; the file has every row", () => {
  const history = new History();
  history.add(0, { a: 1 });
  history.add(0.5, { a: 2, "b@x, y": 3 });
  history.add(0.5, { a: 4, "b@x, y": null });
  expect(history.csv()).toBe('time,a,"b@x, y"\n0,1,\n0.5,4,\n');
});
it("a long run stays complete but gets coarser, and a chart gets few points, including the newest", () => {
  const history = new History();
  for (let k = 0; k < 20_000; k++) history.add(k, { a: k });
  expect(history.length).toBeLessThanOrEqual(6000);
  expect([history.times[0], history.last, history.latest("a")]).toEqual([0, 19_999, 19_999]);
  const rows = history.sample(400);
  expect(rows.length).toBeLessThanOrEqual(400);
  expect(rows.at(-1)).toBe(history.length - 1);
  expect(new History().sample(400)).toEqual([]);
});
it("areas are stacked, scales are not empty, times have units", () => {
  expect(
    stacked([
      [1, 2],
      [10, null],
      [100, 200],
    ]),
  ).toEqual([
    [111, 2],
    [110, null],
    [100, 200],
  ]);
  expect(ends(3, 3)[1]).toBeGreaterThan(3);
  expect(ends(0, 10)[0]).toBe(0);
  expect(ends(1000, 1010)[0]).toBeGreaterThan(900);
  expect([timeLabel(40), timeLabel(150), timeLabel(9000)]).toEqual(["40 s", "2.5 min", "2.5 h"]);
});
it("measures have readable names", () => {
  expect([titleOf("gene_speed_sd"), titleOf("energy_mean"), titleOf("mean_speed"), titleOf("stance")]).toEqual([
    "Spread of gene speed",
    "Mean energy",
    "Mean speed",
    "Stances",
  ]);
});

it("forgets what was measured after the flock has gone back", () => {
  const history = new History();
  for (const time of [1, 2, 3, 4]) history.add(time, { order: time / 10, ...(time > 2 ? { late: 1 } : {}) });
  history.cut(4);
  expect(history.length).toBe(4);
  history.cut(2.5);
  expect([history.times, history.column("order"), history.column("late")]).toEqual([
    [1, 2],
    [0.1, 0.2],
    [null, null],
  ]);
  history.add(2.5, { order: 0.7 });
  expect(history.column("late")).toEqual([null, null, null]);
});
