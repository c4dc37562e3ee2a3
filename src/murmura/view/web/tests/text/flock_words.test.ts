import { expect, it } from "vitest";
import { flockInWords, Teller } from "../../src/text/flock_words";
import { decodeFrame } from "../../src/net/protocol";
import { makeFrame } from "../frames";

const RUNNING = { running: true, agents: 40 };
/** Agents around a place (shares of the picture), with a heading (shares of a turn). */
const cloud = (x: number, y: number, turn: number, count = 20) =>
  Array.from({ length: count }, (_, k) => [
    65535 * (x + 0.02 * Math.cos(k)),
    65535 * (y + 0.02 * Math.sin(k)),
    Math.round(256 * turn) % 256,
  ]);
const said = (agents: number[][], header = {}, status = RUNNING) =>
  flockInWords(decodeFrame(makeFrame(agents, header)), status);

it("counts groups and says where they fly", () => {
  expect(said(cloud(0.3, 0.5, 0))).toBe("One group, flying east.");
  expect(said([...cloud(0.2, 0.5, 0.25), ...cloud(0.8, 0.5, 0.25)])).toBe("Two groups, flying south.");
  expect(said([...cloud(0.2, 0.5, 0), ...cloud(0.8, 0.5, 0.5)])).toBe("Two groups, flying in all directions.");
  expect(said(cloud(0.3, 0.5, 0), {}, { running: false, agents: 20 })).toBe("One group, flying east, paused.");
  expect(said([])).toBe("Nobody is left.");
});

it("joins what touches across an edge that wraps, and leaves stragglers out", () => {
  const halves = [...cloud(0.01, 0.5, 0), ...cloud(0.99, 0.5, 0)].map(([x, y, turn]) => [
    Math.min(65535, Math.max(0, x)),
    y,
    turn,
  ]);
  expect(said(halves)).toMatch(/^Two groups/);
  expect(said(halves, { wraps: true })).toMatch(/^One group/);
  expect(said([...cloud(0.3, 0.5, 0, 60), [60000, 60000, 0]])).toMatch(/^One group/);
});

it("knows a crowd that is everywhere, and many small groups", () => {
  const everywhere = Array.from({ length: 900 }, (_, k) => [
    65535 * ((k % 30) / 30),
    65535 * (Math.floor(k / 30) / 30),
    k,
  ]);
  expect(said(everywhere)).toMatch(/^Spread over the whole picture/);
  const spots = Array.from({ length: 9 }, (_, k) =>
    cloud(0.1 + 0.35 * (k % 3), 0.1 + 0.35 * Math.floor(k / 3), 0),
  ).flat();
  expect(said(spots)).toMatch(/^Many small groups/);
});

it("is silent until a state has lasted, and repeats nothing", () => {
  const teller = new Teller();
  expect(teller.look("One group", 0)).toBeNull();
  expect(teller.look("One group", 2000)).toBe("One group");
  expect(teller.look("One group", 60_000)).toBeNull();
  expect(teller.look("Two groups", 60_100)).toBeNull();
  expect(teller.look("One group", 61_000)).toBeNull(); // it was only for a moment
  expect(teller.look("Two groups", 62_000)).toBeNull();
  expect(teller.look("Two groups", 64_000)).toBe("Two groups");
  expect(teller.look("Three groups", 64_100)).toBeNull();
  expect(teller.look("Three groups", 66_200)).toBeNull(); // the last sentence is still being spoken
  expect(teller.look("Three groups", 70_000)).toBe("Three groups");
});
