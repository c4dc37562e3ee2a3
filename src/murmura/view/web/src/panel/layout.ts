/** The layout of panels, and the free area for the view of the world. */

import { NO_GAPS } from "../render/camera";
import { byId } from "../dom";
import type { Settings } from "./settings";
import type { Stage } from "../render/stage";

const TOP_PX = 76; // the title
const GAP_PX = 10; // around panels

/** Whether there is no space for panels side by side; the style sheet has the same limit. */
export function isNarrow(): boolean {
  return innerWidth <= 820;
}

/** Whether panels are collapsed at first, whatever is remembered: in narrow windows and in notebooks. */
export function isCompact(): boolean {
  return isNarrow() || document.documentElement.dataset.host === "notebook";
}

export class PanelLayout {
  private wasHidden = false;

  constructor(
    private readonly settings: Settings,
    private readonly stage: Stage,
    private readonly bars: HTMLElement[], // at the bottom
  ) {
    const observer = new ResizeObserver(() => {
      this.make();
    });
    for (const bar of bars) observer.observe(bar);
    addEventListener("resize", () => {
      this.make();
    });
  }

  /** Keep panels and map clear of the dock, which wraps in a narrow window, and the world clear of all of them. */
  make(): void {
    const { looks } = this.settings;
    const heights = this.bars.map((bar) => bar.offsetHeight).filter((height) => height > 0);
    const below = heights.reduce((sum, height) => sum + height + GAP_PX, 0);
    if (below > 0) document.documentElement.style.setProperty("--dock", `${below - GAP_PX}px`);
    const turned = looks.hidden !== this.wasHidden; // all panels appear or disappear at once, so the view jumps instead of gliding
    this.wasHidden = looks.hidden;
    if (looks.hidden) {
      this.stage.makeRoom(NO_GAPS, turned);
      return;
    }
    const beside = !isNarrow(); // in a narrow window panels cover the world
    this.stage.makeRoom(
      {
        left: beside && (looks.charts || looks.feed || looks.facts) ? byId("left").offsetWidth + 2 * GAP_PX : 0,
        top: TOP_PX,
        right: beside && looks.panel ? byId("right").offsetWidth + 2 * GAP_PX : 0,
        bottom: below + GAP_PX,
      },
      turned,
    );
  }
}
