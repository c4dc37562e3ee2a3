/** Events, read from the device before its buffer is full, in an order that does not depend on threads. */

import type { PlanFacts, Words } from "../data";
import type { FlockEvent } from "../../net/protocol";
import type { Layout } from "./layout";
import { READ_MODE, USAGE } from "../objects";

const FAILED_STEP = 0;
const EVENTS = 1;
export const NO_STEP = 2 ** 31 - 1;

/** An event without a number. */
export type UnnumberedEvent = Omit<FlockEvent, "number">;

export interface Pages {
  /** The first step after which a position was not finite; NO_STEP: none. */
  failedStep: number;
  /** There were more events than the buffer can hold. */
  lost: number;
  events: UnnumberedEvent[];
}

/** Rows of events (core/events.py) out of the words of the outputs, by step, kind, id and the other. */
export function readEvents(words: Int32Array<ArrayBuffer>, count: number, plan: PlanFacts, names: Words): UnnumberedEvent[] {
  const numbers = new Float32Array(words.buffer, words.byteOffset, words.length);
  const found = Array.from({ length: count }, (_, k): [code: number, event: UnnumberedEvent] => {
    const at = k * plan.eventWords;
    const [step, code, id] = words.subarray(at, at + 3);
    const kind = names.events[code];
    const [other, x, y, cause, amount] = numbers.subarray(at + 3, at + 8);
    const isBirth = kind === "birth";
    const whom = isBirth ? words[at + 3] : Math.trunc(other); // for a birth, the ids of the parents
    return [code, {
      step, kind, id, x, y, other: whom >= 0 ? whom : null, cause: cause > 0 ? names.causes[cause] : null,
      amount: isBirth || kind === "arrival" ? 0 : amount,
    }];
  });
  found.sort(([a, first], [b, second]) => first.step - second.step || a - b || first.id - second.id || (first.other ?? -1) - (second.other ?? -1));
  return found.map(([, event]) => event);
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

export async function readPages(home: GPUBuffer, layout: Layout, names: Words): Promise<Pages> {
  await home.mapAsync(READ_MODE);
  const words = new Int32Array(home.getMappedRange());
  const count = layout.plan.eventful ? Math.min(words[EVENTS], layout.eventRoom) : 0;
  const first = layout.plan.outputsHead;
  const found: Pages = {
    failedStep: words[FAILED_STEP],
    lost: layout.plan.eventful ? words[EVENTS] - count : 0,
    events: readEvents(words.slice(first, first + count * layout.plan.eventWords), count, layout.plan, names),
  };
  home.destroy();
  return found;
}
