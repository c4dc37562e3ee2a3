/** Events, read from the device before its buffer is full, in an order that does not depend on threads. */

import type { PlanFacts, Words } from "../data";
import type { Happened, UnnumberedEvent } from "../engine";
import { readable } from "../events";
import type { Layout } from "./layout";
import { READ_MODE, USAGE } from "../objects";

const FAILED_STEP = 0;
const EVENTS = 1;
export const NO_STEP = 2 ** 31 - 1;

/** Events out of the words of the outputs. */
function readEvents(words: Int32Array<ArrayBuffer>, plan: PlanFacts, names: Words): UnnumberedEvent[] {
  const numbers = new Float32Array(words.buffer, words.byteOffset, words.length);
  const rows = Array.from({ length: words.length / plan.eventWords }, (_, k) => {
    const at = k * plan.eventWords;
    const [step, kind, id, motherOrCode] = words.subarray(at, at + 4);
    const [other, x, y, cause, amount] = numbers.subarray(at + 3, at + 8);
    const isBirth = names.events[kind] === "birth"; // then the ids of the parents are integers
    return [step, kind, id, isBirth ? motherOrCode : other, x, y, cause, amount];
  });
  return readable(rows, names);
}

/** Copy the outputs on the device and clear them; the result arrives when the device is done. */
export function collect(device: GPUDevice, outputs: GPUBuffer, layout: Layout, encoder: GPUCommandEncoder): GPUBuffer {
  const head = 4 * layout.plan.outputsHead;
  const events = layout.plan.eventful ? 4 * layout.eventRoom * layout.plan.eventWords : 0;
  const home = device.createBuffer({ size: head + events, usage: USAGE.COPY_DST | USAGE.MAP_READ });
  encoder.copyBufferToBuffer(outputs, 0, home, 0, head);
  if (events > 0) {
    encoder.copyBufferToBuffer(outputs, 4 * layout.eventsAt, home, head, events);
    encoder.clearBuffer(outputs, 4 * EVENTS, 4);
  }
  return home;
}

export async function readOutputs(home: GPUBuffer, layout: Layout, names: Words): Promise<Happened> {
  await home.mapAsync(READ_MODE);
  const words = new Int32Array(home.getMappedRange());
  const { plan } = layout;
  const count = plan.eventful ? Math.min(words[EVENTS], layout.eventRoom) : 0;
  const first = plan.outputsHead;
  const found: Happened = {
    failedStep: words[FAILED_STEP] === NO_STEP ? null : words[FAILED_STEP],
    events: readEvents(words.slice(first, first + count * plan.eventWords), plan, names),
  };
  home.destroy();
  return found;
}
