/** How long the page's own code takes for a picture: measured always, since it costs nothing. */

const KEPT = 240;

export type Work = "upload" | "draw";

export class Cost {
  private readonly spent: Record<Work, number[]> = { upload: [], draw: [] };

  /** `ms` of JavaScript; what the graphics card does meanwhile is not in it. */
  add(work: Work, ms: number): void {
    const list = this.spent[work];
    list.push(ms);
    if (list.length > KEPT) list.shift();
  }

  clear(): void {
    for (const list of Object.values(this.spent)) list.length = 0;
  }

  /** Median and 95th percentile of the last pictures [ms]. */
  report(): Record<Work, { count: number; median: number; p95: number }> {
    const of = (list: number[]) => {
      const sorted = [...list].sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
      return { count: list.length, median: at(0.5), p95: at(0.95) };
    };
    return { upload: of(this.spent.upload), draw: of(this.spent.draw) };
  }
}
