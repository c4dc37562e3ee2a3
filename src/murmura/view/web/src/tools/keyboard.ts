/** The keys of the page: the cross-hair first, then undo, then the actions that the user has bound. */

import { isTyping } from "../dom";
import type { Changes } from "../net/changes";
import type { Settings } from "../panel/settings";
import type { Crosshair } from "./crosshair";
import { meaning, type Action } from "./keys";

export interface KeyboardParts {
  crosshair: Crosshair;
  changes: Changes;
  settings: Settings;
  act: (action: Action) => void;
  preset: (k: number) => void;
}

export function listenToKeys({ crosshair, changes, settings, act, preset }: KeyboardParts): void {
  addEventListener("keydown", (event) => {
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (crosshair.key(event)) {
      event.preventDefault();
      return;
    }
    if ((event.ctrlKey || event.metaKey) && !event.altKey && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      changes.turn(event.shiftKey || /^y$/i.test(event.key));
      return;
    }
    const found = meaning(event, settings.looks.bindings);
    if (found === null || belongsToControl(event)) return;
    if (!settings.looks.keys && found !== "help" && found !== "escape") return;
    event.preventDefault();
    if (typeof found === "number") preset(found);
    else act(found);
  });
}

/** Space belongs to a button that has the focus, and arrows to a slider. */
function belongsToControl({ key, target }: KeyboardEvent): boolean {
  const isInput = target instanceof HTMLInputElement;
  const onButton = (isInput || target instanceof HTMLButtonElement) && !target.closest("dialog");
  return (onButton && key === " ") || (isInput && key.startsWith("Arrow"));
}
