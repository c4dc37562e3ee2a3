/** "Share": a picture, a clip, a page or a link, each with what it is and, afterwards, that it was saved. */

import { element } from "../dom";
import { icon, type IconName } from "../icons";
import { say } from "../text/language";

export interface ShareCallbacks {
  picture(): void;
  clip(): void;
  /** Resolves to what to tell the user. */
  page(): Promise<string>;
  link(): Promise<string>;
  /** What is missing here: an exported page cannot export itself. */
  missing(): readonly Kind[];
}

export type Kind = "picture" | "clip" | "page" | "link";

const KINDS: readonly [Kind, IconName, string, string][] = [
  ["picture", "camera", "Picture", "A PNG of what you see now."],
  ["clip", "record", "Clip", "A film of what you see from now on. It runs until you press Stop."],
  [
    "page",
    "page",
    "Page",
    "One file that flies in any browser, without Murmura and without a server. This is the thing to send.",
  ],
  ["link", "link", "Link", "The address of this scene with all your settings, for who has Murmura open."],
];

export class Share {
  private readonly dialog: HTMLDialogElement;
  private readonly told = element("p", { class: "say", role: "status" });
  private readonly buttons = new Map<Kind, HTMLButtonElement>();

  constructor(private readonly callbacks: ShareCallbacks) {
    this.dialog = element(
      "dialog",
      { class: "sheet share", "aria-labelledby": "share-title" },
      element("form", { method: "dialog" }, element("button", { class: "bare close", "aria-label": "Close" }, "×")),
      element("h2", { id: "share-title" }, "Share"),
      element("ul", { class: "offers" }, ...KINDS.map((kind) => element("li", {}, this.offer(...kind)))),
      this.told,
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  private offer(kind: Kind, sign: IconName, label: string, about: string): HTMLButtonElement {
    const button = element(
      "button",
      {
        type: "button",
        click: () => {
          void this.give(kind);
        },
      },
      icon(sign),
      element("strong", {}, label),
      element("span", {}, about),
    );
    this.buttons.set(kind, button);
    return button;
  }

  toggle(): void {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.told.textContent = "";
    const missing = this.callbacks.missing();
    for (const [kind, button] of this.buttons) button.hidden = missing.includes(kind);
    this.dialog.showModal();
    this.buttons.get("picture")?.focus();
  }

  private async give(kind: Kind): Promise<void> {
    if (kind === "picture" || kind === "clip") {
      this.dialog.close(); // the notice is behind it
      this.callbacks[kind]();
      return;
    }
    const button = this.buttons.get(kind);
    if (button) button.disabled = true; // a page takes some seconds, and the server makes one at a time
    this.told.textContent = say(kind === "page" ? "Building the page …" : "");
    try {
      this.told.textContent = say(await this.callbacks[kind]());
    } catch (error) {
      this.told.textContent = error instanceof Error ? error.message : say("No answer.");
    } finally {
      if (button) button.disabled = false;
    }
  }
}

/** A word of warning about a link that others cannot open; empty if they can. */
export function reachOf(host: string): string {
  return /^(127\.|localhost$|\[?::1\]?$)/.test(host)
    ? " It works on this computer only, because its address is this computer's own: for others, send the page."
    : "";
}
