/**
 * A scene in a link: `#c=` + base64url(deflate-raw(JSON)).
 *
 * The JSON contains only the differences from a base that both sides know: a shipped scenario, or the
 * defaults in the schema. It is in the fragment of the address, which browsers never send to a server.
 */

import { isObject, type Json, type JsonObject } from "./protocol";

export const LONGEST_LINK = 2000;
const LONGEST_TEXT = 1_000_000; // a crafted link must not unpack into gigabytes

export interface Scene {
  preset: string | null;
  values: JsonObject;
  seed: number | null;
}

export function same(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The values of `changed` that differ from `base`. Lists count as one value. */
export function difference(base: JsonObject, changed: JsonObject): JsonObject {
  const found: JsonObject = {};
  for (const [key, value] of Object.entries(changed)) {
    const old = base[key];
    if (isObject(value) && isObject(old)) {
      const inner = difference(old, value);
      if (Object.keys(inner).length > 0) found[key] = inner;
    } else if (!same(value, old)) {
      found[key] = value;
    }
  }
  return found;
}

export function merged(base: JsonObject, values: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(values)) {
    if (key === "__proto__") continue;
    const old = result[key];
    result[key] = isObject(value) && isObject(old) ? merged(old, value) : value;
  }
  return result;
}

export async function encodeScene(scene: Scene): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(scene));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  return "#c=" + toBase64Url(packed);
}

export async function decodeScene(hash: string): Promise<Scene> {
  const text = new TextDecoder().decode(
    await through(fromBase64Url(hash.replace(/^#c=/, "")), new DecompressionStream("deflate-raw")),
  );
  const data: unknown = JSON.parse(text);
  if (!isObject(data) || !isObject(data.values)) throw new Error("the link does not contain a scene");
  return {
    preset: typeof data.preset === "string" ? data.preset : null,
    values: data.values,
    seed: typeof data.seed === "number" ? data.seed : null,
  };
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > LONGEST_TEXT) throw new Error("the link unpacks into more than a megabyte");
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

export function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (c) => c.charCodeAt(0));
}
