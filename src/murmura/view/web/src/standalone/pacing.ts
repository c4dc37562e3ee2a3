/** How many steps are due: as time passes, or because a message asked for them. */

const MOST_STEPS = 16; // between two pictures
const MOST_SECONDS = 1 / 25; // of stepping between two pictures

export class Pacing {
  running = true;
  speed = 1;
  private due = 0;
  private asked = 0; // of a "step" message
  private rate = 0;
  private cost = 0; // [s] of a step
  private late = 0; // share of the last turns in which more steps were due than could be taken

  /** Another flock begins. */
  begin(): void {
    this.due = this.asked = 0;
  }

  /** Pause and take this many steps. */
  step(count: number): void {
    this.running = false;
    this.asked += count;
  }

  /** These steps took so many seconds. */
  took(seconds: number, steps: number): void {
    if (steps > 0) this.cost += 0.2 * (seconds / steps - this.cost);
  }

  /** The steps to take now, after this time; `dt` is the simulated time of one [s]. */
  take(seconds: number, dt: number): number {
    const most = Math.min(MOST_STEPS, Math.max(1, Math.floor(MOST_SECONDS / this.cost)));
    const wanted = this.running ? this.due + (Math.min(seconds, 0.25) * this.speed) / dt : 0;
    this.late += 0.05 * (Number(wanted > most) - this.late);
    if (this.running) this.due = Math.min(most, wanted);
    const whole = Math.floor(this.due);
    const steps = Math.min(most, whole + this.asked);
    this.due -= Math.min(whole, steps);
    this.asked = Math.max(0, this.asked - steps);
    this.rate += 0.05 * (steps / Math.max(seconds, 1e-3) - this.rate);
    return steps;
  }

  /** Whether the flock is too large to keep up with time. */
  get isBehind(): boolean {
    return this.running && this.late > 0.5;
  }

  /** For a status. */
  get report(): { steps_per_second: number; running: boolean; speed: number } {
    const { running, speed } = this;
    return { steps_per_second: running ? Math.round(10 * this.rate) / 10 : 0, running, speed };
  }
}
