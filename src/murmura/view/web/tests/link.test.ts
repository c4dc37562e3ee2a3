import { expect, it } from "vitest";
import { decodeScene, difference, encodeScene, fromBase64Url, merged, toBase64Url } from "../src/link";

const base = { agents: 2000, world: { width: 1600, boundary: "soft" }, rules: { alignment: { radius: null, weight: 1 } }, obstacles: [] };
const changed = { agents: 500, world: { width: 1600, boundary: "soft" }, rules: { alignment: { radius: 12, weight: 1 } }, obstacles: [{ x: 1 }] };

it("holds only what differs, and gives it back", () => {
  const found = difference(base, changed);
  expect(found).toEqual({ agents: 500, rules: { alignment: { radius: 12 } }, obstacles: [{ x: 1 }] });
  expect(merged(base, found)).toEqual(changed);
  expect(difference(base, base)).toEqual({});
});
it("null is a value like any other", () => {
  expect(merged(changed, difference(changed, base))).toEqual(base);
});
it("goes through a link", async () => {
  const scene = { preset: "starlings", values: difference(base, changed), seed: 7 };
  const hash = await encodeScene(scene);
  expect(hash).toMatch(/^#c=[\w-]+$/);
  expect(hash.length).toBeLessThan(200);
  expect(await decodeScene(hash)).toEqual(scene);
});
it("a damaged link is refused", async () => {
  await expect(decodeScene("#c=AAAA")).rejects.toThrow();
  await expect(decodeScene("#c=%%%")).rejects.toThrow();
  const list = toBase64Url(new Uint8Array(await new Response(new Blob(["[1]"]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer()));
  await expect(decodeScene("#c=" + list)).rejects.toThrow(/scene/);
});
it("a link that unpacks without end is refused", async () => {
  const bomb = await new Response(new Blob([new Uint8Array(3_000_000)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  await expect(decodeScene("#c=" + toBase64Url(new Uint8Array(bomb)))).rejects.toThrow(/megabyte/);
});
it("base64url keeps every byte", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, k) => k);
  expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
});
