/** The shortcut sheet, and the strip of hints a first visitor sees. */

import { element } from "./dom";
import { MOUSE, SHORTCUTS } from "./keys";
import type { Settings } from "./settings";

const HINT_SEEN = "murmura.hint";
const HINT_SECONDS = 5;

export class Help {
  private readonly dialog: HTMLDialogElement;

  constructor(settings: Settings) {
    const on = element("input", { type: "checkbox", id: "keys-on" });
    on.checked = settings.looks.keys;
    on.addEventListener("change", () => { settings.set({ keys: on.checked }); });
    const line = (key: string, text: string) => element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, text));
    this.dialog = element(
      "dialog",
      { class: "sheet", "aria-labelledby": "sheet-title" },
      element("form", { method: "dialog" }, element("button", { class: "bare close", "aria-label": "Close" }, "×")),
      element("h2", { id: "sheet-title" }, "Keys and hands"),
      element("dl", {}, ...MOUSE.map(([key, text]) => line(key, text))),
      element("dl", {}, ...SHORTCUTS.map(({ shown, text }) => line(shown, text))),
      element("label", { for: "keys-on" }, on, " Single keys act (? always does)"),
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}

/** Shown for five seconds, once; never again after somebody dismissed it. */
export function showHint(place: HTMLElement, memory: Storage | null): void {
  if (memory?.getItem(HINT_SEEN)) return;
  const dismiss = () => {
    memory?.setItem(HINT_SEEN, "1");
    strip.remove();
  };
  const strip = element(
    "div",
    { class: "hint", role: "note" },
    element("span", {}, "Drag to attract · right-drag to scare · Space pauses · ? for all keys"),
    element("button", { type: "button", class: "bare", "aria-label": "Dismiss the hint", click: dismiss }, "×"),
  );
  place.prepend(strip);
  setTimeout(() => { strip.remove(); }, HINT_SECONDS * 1000);
}
