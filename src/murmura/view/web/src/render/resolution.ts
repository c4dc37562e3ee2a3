/** The resolution of the picture: the screen's, or less where drawing is slow and the picture moves. */

const SLOW_SECONDS = 1 / 32;
const LEAST_QUALITY = 0.6;
const DENSEST = 3; // device px per CSS px; more would not be visible

/** Device px per CSS px. */
export function density(): number {
  return Math.min(DENSEST, devicePixelRatio);
}

/** Calls `act` when the window comes to a screen of another resolution, which causes no resize event. */
export function onDensityChange(act: () => void): void {
  const now = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  now.addEventListener(
    "change",
    () => {
      act();
      onDensityChange(act);
    },
    { once: true },
  );
}

export class Resolution {
  private quality = 1;
  private pace = 1 / 60; // seconds between two pictures, smoothed

  /** On a slow machine, lower the resolution instead of the frame rate. */
  adapt(seconds: number): void {
    this.pace += 0.03 * (seconds - this.pace);
    if (this.pace > SLOW_SECONDS && this.quality > LEAST_QUALITY) {
      this.quality = Math.max(LEAST_QUALITY, this.quality * 0.85);
      this.pace = 1 / 60;
    }
  }

  /** Device px per CSS px of a picture: `sharp` in full, `hurried` as few as are acceptable. */
  of(sharp: boolean, hurried: boolean): number {
    return density() * (sharp ? 1 : hurried ? LEAST_QUALITY : this.quality);
  }
}
