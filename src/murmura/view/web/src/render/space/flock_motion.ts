/** How fast a flock crosses the picture: a view that only eases towards its centre would stay behind. */

import { middleOf, wrapOf } from "../../net/space_frames";
import { blend, type Moment } from "../../net/timeline";
import { minus, mix, times, type Vec } from "./vectors";

const SETTLE_SECONDS = 0.3; // evens out frames that arrive late
const JUMP = 0.2; // of a side of the world from one picture to the next: across the seam of a torus, another flock, another time

export class FlockMotion {
  velocity: Vec = [0, 0, 0]; // [u] per second of real time
  private centre: Vec | null = null;
  private noted = 0; // pictures: a mean of all at first, so that a flock in flight is not left behind

  constructor(private readonly sides: Vec) {}

  forget(): void {
    this.velocity = [0, 0, 0];
    this.centre = null;
    this.noted = 0;
  }

  /** Note what is shown, so many seconds after the picture before. */
  note(moment: Moment, seconds: number): void {
    const [before, shown] = [this.centre, centreOf(moment)];
    this.centre = shown;
    if (!before || !shown || seconds <= 0) return;
    const way = minus(shown, before);
    if (way.some((part, axis) => Math.abs(part) > JUMP * this.sides[axis])) return;
    this.noted += 1;
    const weight = Math.max(1 / this.noted, 1 - Math.exp(-seconds / SETTLE_SECONDS));
    this.velocity = mix(this.velocity, times(way, 1 / seconds), weight);
  }
}

/** The centre of the flock between two frames; null in a plane. */
function centreOf({ from, to, alpha }: Moment): Vec | null {
  if (!from.frame.space || !to.frame.space) return null;
  const [a, b] = [middleOf(from.frame, from.frame.space), middleOf(to.frame, to.frame.space)];
  const [width, height, depth] = wrapOf(to.frame, to.frame.space);
  return [blend(a.x, b.x, alpha, width), blend(a.y, b.y, alpha, height), blend(a.z, b.z, alpha, depth)];
}
