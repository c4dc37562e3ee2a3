/** Index and current position of the selected agent in the frames. */

import { agentPosition, nearestAgent, type Frame, type Inspection, type Point } from "../net/protocol";
import { placeAt, placeOf } from "../net/space_frames";
import { blend, type Moment } from "../net/timeline";

/** Ids are dense until an agent is born or dies; after that, use the nearest agent. */
export function indexOf(agent: Inspection, frame: Frame): number {
  const [x, y, z] = agent.position;
  const reach = agent.perception.radius;
  const guess = agent.id % frame.stride === 0 ? agent.id / frame.stride : -1;
  if (guess >= 0 && guess < frame.count && away(frame, guess, x, y, z) < 0.5 * reach) return guess;
  if (!frame.space) return nearestAgent(frame, { x, y }, reach);
  let [best, least] = [-1, reach];
  for (let k = 0; k < frame.count; k++) {
    const d = away(frame, k, x, y, z);
    if (d < least) [best, least] = [k, d];
  }
  return best;
}

function away(frame: Frame, k: number, x: number, y: number, z = 0): number {
  const p: Point = frame.space ? placeOf(frame, frame.space, k) : agentPosition(frame, k);
  return Math.hypot(p.x - x, p.y - y, (p.z ?? z) - z);
}

/** Its position in the picture; the server's report is up to a tenth of a second old. */
export function chosenPlace({ position: [x, y, z] }: Inspection, index: number, moment: Moment | null): Point {
  const told: Point = z === undefined ? { x, y } : { x, y, z };
  if (!moment || index < 0 || index >= moment.to.frame.count) return told;
  const { from, to, alpha } = moment;
  if (to.frame.space) return placeAt(moment, index) ?? told;
  const [a, b] = [agentPosition(from.frame, index), agentPosition(to.frame, index)];
  const [w, h] = to.frame.wraps ? [to.frame.width, to.frame.height] : [0, 0];
  return { x: blend(a.x, b.x, alpha, w), y: blend(a.y, b.y, alpha, h) };
}
