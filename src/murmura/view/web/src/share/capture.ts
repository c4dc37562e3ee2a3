/** Saves pictures and files. */

import { download } from "../dom";
import { note } from "../text/toasts";
import { isObject, type JsonObject } from "../net/protocol";

const LARGEST_FILE = 60_000; // bytes that the server accepts in one message

export function stamp(scenario: JsonObject, seed: number, step: number): string {
  return `murmura-${String(scenario.name ?? "scene")}-seed${seed}-step${step}`;
}

/** Draw the layers onto one canvas of the same size. */
export function compose(layers: HTMLCanvasElement[], onto: HTMLCanvasElement): void {
  const [first] = layers;
  if (onto.width !== first.width || onto.height !== first.height)
    Object.assign(onto, { width: first.width, height: first.height });
  fill(layers, onto);
}

/** Draw the layers onto a canvas of any size. */
export function fill(layers: HTMLCanvasElement[], onto: HTMLCanvasElement): void {
  const context = onto.getContext("2d");
  for (const layer of layers.filter((each) => !each.hidden)) context?.drawImage(layer, 0, 0, onto.width, onto.height);
}

/** What is said of a file that the browser has saved. */
export function saved(file: string): string {
  return `${file} was saved to your downloads.`;
}

/** Must be called right after drawing: WebGL does not keep the picture. */
export function screenshot(layers: HTMLCanvasElement[], name: string): void {
  const sheet = document.createElement("canvas");
  compose(layers, sheet);
  sheet.toBlob((blob) => {
    if (!blob) return;
    download(`${name}.png`, blob);
    note(saved(`${name}.png`));
  });
}

const SMALL = { width: 192, height: 108 };

/** A small picture of the layers as a data: address; must be called right after drawing. */
export function thumbnail(layers: HTMLCanvasElement[]): string {
  const small = Object.assign(document.createElement("canvas"), SMALL);
  const [{ width, height }] = layers;
  const scale = Math.max(SMALL.width / width, SMALL.height / height);
  const [w, h] = [width * scale, height * scale];
  const context = small.getContext("2d");
  for (const layer of layers.filter((each) => !each.hidden))
    context?.drawImage(layer, (SMALL.width - w) / 2, (SMALL.height - h) / 2, w, h);
  return small.toDataURL("image/jpeg", 0.7);
}

export function saveJson(data: unknown, name: string): void {
  download(`${name}.json`, new Blob([JSON.stringify(data, null, 2) + "\n"], { type: "application/json" }));
}

/** All actions of this run with their steps: replaying them gives the same flock. */
export async function saveActions(name: string): Promise<void> {
  try {
    const answer = await fetch("./api/actions");
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    saveJson(await answer.json(), `${name}-actions`);
  } catch (error) {
    note(`The actions could not be saved: ${error instanceof Error ? error.message : "no answer"}`, "error");
  }
}

/** Read a scenario from a file; if it is invalid, show why and return null. */
export async function readScenario(file: File): Promise<JsonObject | null> {
  try {
    if (file.size > LARGEST_FILE) throw new Error(`a scenario file may have at most ${LARGEST_FILE} bytes`);
    const data: unknown = JSON.parse(await file.text());
    if (!isObject(data)) throw new Error("a scenario must be a JSON object");
    return data;
  } catch (error) {
    note(`${file.name}: ${error instanceof Error ? error.message : "unreadable"}`, "error");
    return null;
  }
}
