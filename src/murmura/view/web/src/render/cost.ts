/** How long the page's own code takes for a picture: measured always, since it costs nothing. */

const KEPT = 240;

export interface CostReport {
  count: number;
  median: number;
  p95: number;
}

export class Cost {
  private readonly spent: number[] = []; // [ms] for each of the last pictures
  private sofar = 0;

  /** Time on the way to the next picture: what a message took. */
  add(ms: number): void {
    this.sofar += ms;
  }

  /** A picture is drawn, which took this long: with all that came before it, that is its cost. */
  close(ms: number): void {
    this.spent.push(this.sofar + ms);
    if (this.spent.length > KEPT) this.spent.shift();
    this.sofar = 0;
  }

  /** Median and 95th percentile of the last pictures [ms of JavaScript; what the graphics card does meanwhile is not in it]. */
  report(): CostReport {
    const sorted = [...this.spent].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return { count: sorted.length, median: at(0.5), p95: at(0.95) };
  }
}
