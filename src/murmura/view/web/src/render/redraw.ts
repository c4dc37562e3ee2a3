/** Decides whether a picture has to be drawn: while the flock moves, for a while after a change, and once more in full resolution. */

const SHARP_SECONDS = 0.25; // a picture that is still for this long is drawn in full resolution

export interface Due {
  moving: boolean;
  sharp: boolean;
}

export class Redraw {
  private awakeUntil = 0;
  private owed = 0; // pictures that must be drawn even if nothing moves
  private lastMove = 0;
  private lastStep = -1;
  private wasSharp = false;

  /** Draw for a while even if nothing moves. */
  wake(seconds: number): void {
    this.awakeUntil = Math.max(this.awakeUntil, performance.now() / 1000 + seconds);
    this.owed = 2;
  }

  /** The picture of a step that has to be drawn now [s], or null. */
  due(step: number, now: number): Due | null {
    const moving = step !== this.lastStep;
    if (moving) this.lastMove = now;
    if (!moving && now > this.awakeUntil && this.owed <= 0 && this.wasSharp) return null;
    this.owed--;
    this.lastStep = step;
    this.wasSharp = now - this.lastMove > SHARP_SECONDS;
    return { moving, sharp: this.wasSharp };
  }
}
