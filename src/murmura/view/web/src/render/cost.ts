/** JavaScript time per picture. Always measured, because that costs nothing. */

const KEPT = 240;

export interface CostReport {
  count: number;
  median: number;
  p95: number;
}

export class Cost {
  private readonly spent: number[] = []; // [ms] of each of the last pictures
  private sofar = 0;

  /** Add the time of handling a message to the next picture. */
  add(ms: number): void {
    this.sofar += ms;
  }

  /** Record the time of drawing a picture; its cost includes the messages before it. */
  close(ms: number): void {
    this.spent.push(this.sofar + ms);
    if (this.spent.length > KEPT) this.spent.shift();
    this.sofar = 0;
  }

  /** Median and 95th percentile of the last pictures [ms of JavaScript, without the GPU]. */
  report(): CostReport {
    const sorted = [...this.spent].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return { count: sorted.length, median: at(0.5), p95: at(0.95) };
  }
}
