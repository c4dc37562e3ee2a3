/** The shortcut sheet, where keys can be changed or switched off. */

import { element } from "../dom";
import { isFree, keysOf, MOUSE, rebound, SHORTCUTS, shownKeys, type Action } from "../tools/keys";
import type { Settings } from "./settings";
import { say } from "../text/language";
import { NOTICES } from "../text/notices";

const FIXED: readonly Action[] = ["help", "escape"]; // these keys cannot change

const CARDS: readonly [string, string][] = [
  [
    "What this is",
    "A flock that is simulated now. Each animal sees only its neighbours and follows a few simple rules; nobody leads.",
  ],
  [
    "Try this",
    "Choose Scare and press on the flock. Click a bird and follow it. Open Scenes for others, or Lessons to find out why.",
  ],
  [
    "Sizes",
    "Lengths are in units [u]: a world is some hundred to some thousand units wide. Times are simulated seconds [s].",
  ],
];

export class Help {
  private readonly dialog: HTMLDialogElement;
  private readonly list = element("dl", {});
  private readonly prompt = element("p", { role: "status", class: "say" });
  private awaited: Action | null = null; // the action that waits for its new key

  constructor(private readonly settings: Settings) {
    const on = element("input", { type: "checkbox", id: "keys-on" });
    on.checked = settings.looks.keys;
    on.addEventListener("change", () => {
      settings.set({ keys: on.checked });
    });
    this.dialog = element(
      "dialog",
      { class: "sheet", "aria-labelledby": "sheet-title" },
      element("form", { method: "dialog" }, element("button", { class: "bare close", "aria-label": "Close" }, "×")),
      element("h2", { id: "sheet-title" }, "Help"),
      element(
        "div",
        { class: "help-cards" },
        ...CARDS.map(([heading, text]) => element("section", {}, element("h3", {}, heading), element("p", {}, text))),
      ),
      element("h3", {}, "All keys and gestures"),
      element(
        "dl",
        {},
        ...MOUSE.map(([key, text]) =>
          element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, text)),
        ),
      ),
      this.list,
      this.prompt,
      element(
        "div",
        { class: "row" },
        element("label", { for: "keys-on" }, on, " Single-key shortcuts (? and Esc always work)"),
        element(
          "button",
          {
            type: "button",
            click: () => {
              this.change({});
              this.prompt.textContent = say("All keys have been reset.");
            },
          },
          "Reset keys",
        ),
      ),
      element(
        "details",
        {},
        element("summary", {}, "Licences"),
        ...Object.entries(NOTICES).map(([name, text]) => element("pre", {}, `${name}\n\n${text.trim()}`)),
      ),
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.dialog.addEventListener("close", () => {
      this.awaited = null;
      // Browsers leave the focus on the hidden button if nothing had it before, and Space would press it.
      if (document.activeElement instanceof HTMLElement && this.dialog.contains(document.activeElement))
        document.activeElement.blur();
    });
    // Before the page and the dialog: while waiting for a key, Esc only cancels that.
    this.dialog.addEventListener(
      "keydown",
      (event) => {
        this.keyDown(event);
      },
      { capture: true },
    );
    this.refresh();
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  private refresh(): void {
    const { bindings } = this.settings.looks;
    this.list.replaceChildren(
      ...SHORTCUTS.map(({ action, text }) => {
        const shown = shownKeys(keysOf(action, bindings));
        const key = FIXED.includes(action)
          ? element("kbd", {}, shown)
          : element(
              "button",
              {
                type: "button",
                class: "key",
                "data-action": action,
                "aria-label": `${text}: ${shown}. Change its key`,
                click: () => {
                  this.wait(action, text);
                },
              },
              element("kbd", {}, shown),
            );
        return element("div", {}, element("dt", {}, key), element("dd", {}, text));
      }),
    );
  }

  private wait(action: Action, text: string): void {
    this.awaited = action;
    this.prompt.textContent = say(`Press the new key for “${text}”. Backspace clears it, Esc cancels.`);
  }

  private keyDown(event: KeyboardEvent): void {
    if (this.awaited === null || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const action = this.awaited;
    if (event.key !== "Escape" && event.key !== "Backspace" && !isFree(event.key)) {
      this.prompt.textContent = say(`${shownKeys([event.key])} cannot be used; press another.`);
      return;
    }
    this.awaited = null;
    this.prompt.textContent = event.key === "Escape" ? say("Nothing was changed.") : "";
    if (event.key === "Escape") return;
    this.change(rebound(this.settings.looks.bindings, action, event.key === "Backspace" ? null : event.key));
    this.dialog.querySelector<HTMLElement>(`[data-action="${action}"]`)?.focus();
  }

  private change(bindings: Settings["looks"]["bindings"]): void {
    this.settings.set({ bindings });
    this.refresh();
  }
}
