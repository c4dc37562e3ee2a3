import { expect, it } from "vitest";
import { decodeScene, difference, encodeScene, fromBase64Url, merged, toBase64Url } from "../../src/net/link";
import type { Json, JsonObject } from "../../src/net/protocol";

const base = {
  agents: 2000,
  world: { width: 1600, boundary: "soft" },
  rules: { alignment: { radius: null, weight: 1 } },
  obstacles: [],
};
const changed = {
  agents: 500,
  world: { width: 1600, boundary: "soft" },
  rules: { alignment: { radius: 12, weight: 1 } },
  obstacles: [{ x: 1 }],
};

it("contains only the differences, and restores them", () => {
  const found = difference(base, changed);
  expect(found).toEqual({ agents: 500, rules: { alignment: { radius: 12 } }, obstacles: [{ x: 1 }] });
  expect(merged(base, found)).toEqual(changed);
  expect(difference(base, base)).toEqual({});
});
it("null is a value like any other", () => {
  expect(merged(changed, difference(changed, base))).toEqual(base);
});
it("survives a round trip through a link", async () => {
  const scene = { preset: "starlings", values: difference(base, changed), seed: 7 };
  const hash = await encodeScene(scene);
  expect(hash).toMatch(/^#c=[\w-]+$/);
  expect(hash.length).toBeLessThan(200);
  expect(await decodeScene(hash)).toEqual(scene);
});
it("a thousand scenes survive the round trip", async () => {
  let state = 11;
  const next = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const value = (depth: number): Json => {
    const kind = Math.floor(next() * (depth > 0 ? 7 : 5));
    if (kind === 0) return null;
    if (kind === 1) return next() < 0.5;
    if (kind === 2) return Math.round(next() * 1e6) / 1e3;
    if (kind === 3) return [-0.5, 1e-9, 3e8, 0][Math.floor(next() * 4)];
    if (kind === 4) return ["wrap", "ä · 鳥", "", "__proto__"][Math.floor(next() * 4)];
    if (kind === 5) return Array.from({ length: Math.floor(next() * 3) }, () => value(depth - 1));
    return object(depth - 1);
  };
  const object = (depth: number): JsonObject =>
    Object.fromEntries(Array.from({ length: 1 + Math.floor(next() * 4) }, (_, k) => [`key${k}`, value(depth)]));
  for (let k = 0; k < 1000; k++) {
    const [from, to] = [object(3), object(3)];
    const wanted = merged(from, to); // a scenario has every key of its preset
    const scene = { preset: "starlings", values: difference(from, wanted), seed: k };
    const opened = await decodeScene(await encodeScene(scene));
    expect(merged(from, opened.values)).toEqual(wanted);
  }
});
it("a damaged link is refused", async () => {
  await expect(decodeScene("#c=AAAA")).rejects.toThrow();
  await expect(decodeScene("#c=%%%")).rejects.toThrow();
  const list = toBase64Url(
    new Uint8Array(
      await new Response(new Blob(["[1]"]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer(),
    ),
  );
  await expect(decodeScene("#c=" + list)).rejects.toThrow(/scene/);
});
it("a link that unpacks into too much data is refused", async () => {
  const bomb = await new Response(
    new Blob([new Uint8Array(3_000_000)]).stream().pipeThrough(new CompressionStream("deflate-raw")),
  ).arrayBuffer();
  await expect(decodeScene("#c=" + toBase64Url(new Uint8Array(bomb)))).rejects.toThrow(/megabyte/);
});
it("base64url keeps every byte", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, k) => k);
  expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
});
