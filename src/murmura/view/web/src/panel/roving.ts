/** A toolbar is one tab stop: arrow keys move inside it, Home and End go to its ends. */

const MOVES: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
const INSIDE = "button, select, input, a[href]";

export function roving(root: HTMLElement): void {
  const members = () =>
    [...root.querySelectorAll<HTMLElement>(INSIDE)].filter(
      (each) => each.offsetParent !== null && !each.matches(":disabled, .quiet"),
    );
  const enter = (chosen: HTMLElement | undefined) => {
    for (const each of root.querySelectorAll<HTMLElement>(INSIDE)) each.tabIndex = each === chosen ? 0 : -1;
  };
  const settle = () => {
    const now = members();
    if (!now.some((each) => each.tabIndex === 0)) enter(now[0]);
  };
  root.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(INSIDE)) enter(target);
  });
  root.addEventListener("keydown", (event) => {
    const now = members();
    const at = now.indexOf(document.activeElement as HTMLElement);
    const to = goal(event.key, at, now.length);
    if (at < 0 || to === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault(); // sliders and lists are changed by up and down
    event.stopPropagation();
    now[to].focus();
  });
  new MutationObserver(settle).observe(root, {
    childList: true,
    subtree: true,
    attributeFilter: ["hidden", "disabled"],
  });
  enter(root.querySelector<HTMLElement>(INSIDE) ?? undefined);
}

/** Where a key leads from one of some members; null if it does not move. */
export function goal(key: string, at: number, count: number): number | null {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return key in MOVES ? (at + MOVES[key] + count) % count : null;
}
