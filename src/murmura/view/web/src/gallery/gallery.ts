/** All presets with pictures, in groups: the shipped ones and the user's own. */

import { element } from "../dom";
import type { JsonObject } from "../net/protocol";
import { sceneTitle } from "../text/scene_title";
import { saveJson } from "../share/capture";
import { note } from "../text/toasts";
import { groupsOf, nineOf, type Shipped } from "./groups";
import type { OwnPreset, OwnPresets } from "./own";
import sheet from "./pictures.webp?inline";
import pictures from "./pictures.json";

export interface GalleryCallbacks {
  load(name: string): void;
  loadOwn(scenario: JsonObject): void;
  scenario(): JsonObject | null;
  /** A small picture of what is on screen, as a data: address. */
  picture(use: (address: string) => void): void;
}

export class Gallery {
  private readonly dialog: HTMLDialogElement;
  private readonly place = element("div", {});
  private readonly yours = element("ul", { class: "cards" });
  private readonly name = element("input", { type: "text", id: "own-name", maxlength: "60", placeholder: "Name" });
  private shown = "";
  private now = "";

  constructor(
    private readonly own: OwnPresets,
    private readonly callbacks: GalleryCallbacks,
  ) {
    const save = element(
      "form",
      { class: "row" },
      element("label", { for: "own-name" }, "Save the current scene as "),
      this.name,
      element("button", { type: "submit" }, "Keep"),
    );
    save.addEventListener("submit", (event) => {
      event.preventDefault();
      this.keep();
    });
    this.dialog = element(
      "dialog",
      { class: "sheet gallery", "aria-labelledby": "gallery-title" },
      element("form", { method: "dialog" }, element("button", { class: "bare close", "aria-label": "Close" }, "×")),
      element("h2", { id: "gallery-title" }, "Scenes"),
      this.place,
      element("h3", {}, "Yours, in this browser"),
      this.yours,
      save,
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
    this.showOwn();
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  /** The shipped presets; rebuilt only if they changed. */
  show(list: Shipped[], now: string): void {
    const key = list.map(({ name }) => name).join();
    if (key === this.shown && now === this.now) return;
    [this.shown, this.now] = [key, now];
    const nine = nineOf(list);
    this.place.replaceChildren(
      ...groupsOf(list).flatMap(({ label, items }) => [
        element("h3", {}, label),
        element("ul", { class: "cards" }, ...items.map((item) => this.card(item, nine.indexOf(item)))),
      ]),
    );
  }

  private card({ name, title }: Shipped, key: number): HTMLElement {
    const { heading, sentence } = sceneTitle(name, title);
    const picture = element("span", { class: "picture", "aria-hidden": "true" });
    place(picture, name);
    const button = element(
      "button",
      {
        type: "button",
        title: name,
        ...(name === this.now ? { "aria-current": "true" } : {}),
        click: () => {
          this.choose(() => {
            this.callbacks.load(name);
          });
        },
      },
      picture,
      element("strong", {}, heading),
      ...(key >= 0 ? [element("kbd", {}, String(key + 1))] : []),
      element("span", { class: "about" }, sentence),
    );
    return element("li", { "data-preset": name }, button);
  }

  private choose(load: () => void): void {
    this.dialog.close();
    load();
  }

  private keep(): void {
    const scenario = this.callbacks.scenario();
    if (!scenario) return;
    this.callbacks.picture((picture) => {
      const problem = this.own.save({ name: this.name.value, scenario, picture });
      if (problem) note(problem, "error");
      else this.name.value = "";
      this.showOwn();
    });
  }

  private showOwn(): void {
    this.yours.replaceChildren(...this.own.list.map((preset) => this.ownCard(preset)));
    if (this.own.list.length === 0) this.yours.replaceChildren(element("li", { class: "none" }, "None yet."));
  }

  private ownCard(preset: OwnPreset): HTMLElement {
    const picture = element("span", { class: "picture", "aria-hidden": "true" });
    if (preset.picture) picture.style.backgroundImage = `url("${preset.picture}")`;
    const rename = element("input", { type: "text", "aria-label": `Name of ${preset.name}`, maxlength: "60" });
    rename.value = preset.name;
    rename.addEventListener("change", () => {
      const problem = this.own.rename(preset.name, rename.value);
      if (problem) note(problem, "error");
      this.showOwn();
    });
    return element(
      "li",
      { "data-own": preset.name },
      element(
        "button",
        {
          type: "button",
          "aria-label": `Load ${preset.name}`,
          click: () => {
            this.choose(() => {
              this.callbacks.loadOwn(preset.scenario);
            });
          },
        },
        picture,
      ),
      rename,
      element(
        "span",
        { class: "row" },
        element(
          "button",
          {
            type: "button",
            "aria-label": `Save ${preset.name} as a file`,
            click: () => {
              saveJson(preset.scenario, preset.name.replace(/[^\w-]+/g, "-"));
            },
          },
          "File",
        ),
        element(
          "button",
          {
            type: "button",
            "aria-label": `Delete ${preset.name}`,
            click: () => {
              this.own.remove(preset.name);
              this.showOwn();
            },
          },
          "Delete",
        ),
      ),
    );
  }
}

/** The part of the sprite sheet for a scenario; empty if it has no picture. */
function place(picture: HTMLElement, name: string): void {
  const k = pictures.names.indexOf(name);
  if (k < 0) return;
  const [column, row] = [k % pictures.columns, Math.floor(k / pictures.columns)];
  picture.style.backgroundImage = `url("${sheet}")`;
  picture.style.backgroundSize = `${100 * pictures.columns}% ${100 * pictures.rows}%`;
  picture.style.backgroundPosition = `${(100 * column) / (pictures.columns - 1)}% ${(100 * row) / (pictures.rows - 1)}%`;
}
