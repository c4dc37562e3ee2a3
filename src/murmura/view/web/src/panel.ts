/** The settings panel: every control the schema speaks of, in folders, with search. */

import GUI, { NumberController, type Controller } from "lil-gui";
import "../node_modules/lil-gui/dist/lil-gui.min.css"; // by path: the package does not export its style sheet
import { element } from "./dom";
import type { Json, JsonObject } from "./protocol";
import { groupsOf, humanized, matches, valueAt, type Control, type Group } from "./schema";

export interface PanelHands {
  change(path: string, value: Json): void;
}

interface Widget {
  control: Control;
  holder: { value: Json };
  controller: Controller;
  /** Check box of a value that may be absent. */
  given: { holder: { value: boolean }; controller: Controller } | null;
}

interface Section {
  group: Group;
  folder: GUI;
  toggle: HTMLInputElement | null;
  widgets: Widget[];
}

const OPEN_AT_FIRST = ["rules.separation", "rules.alignment", "rules.cohesion"];
const QUIET_MS = 600; // what the hand just moved is not moved back by an answer that is on its way

export class Panel {
  readonly root = element("div", { class: "settings" });
  private readonly search = element("input", { type: "search", placeholder: "Search settings", "aria-label": "Search settings" });
  private gui: GUI | null = null;
  private rulesFolder: GUI | null = null;
  private sections: Section[] = [];
  private key = "";
  private readonly touched = new Map<string, number>();

  constructor(private readonly hands: PanelHands) {
    this.search.addEventListener("input", () => { this.filter(this.search.value.trim()); });
    this.root.append(this.search);
  }

  /** Build once for each schema; afterwards only the values change. */
  show(schema: JsonObject, scenario: JsonObject): void {
    const groups = groupsOf(schema, scenario);
    const key = groups.map((group) => group.path + group.controls.length).join();
    if (key !== this.key) {
      this.key = key;
      this.build(groups, scenario);
    }
    this.refresh(scenario);
  }

  private build(groups: Group[], scenario: JsonObject): void {
    this.gui?.destroy();
    this.gui = new GUI({ container: this.root, title: "Settings", injectStyles: false, width: 0 });
    this.gui.domElement.style.removeProperty("--width");
    this.rulesFolder = this.gui.addFolder("Rules");
    this.sections = groups.map((group) => this.section(group, scenario));
    // The rules are what people come for: first in the list.
    for (const { group, folder } of this.sections) if (!group.switch) folder.close();
    if (this.search.value) this.filter(this.search.value);
  }

  private section(group: Group, scenario: JsonObject): Section {
    const parent = group.path.startsWith("rules.") ? this.rulesFolder : this.gui;
    const folder = (parent as GUI).addFolder(group.label);
    const title = folder.domElement.querySelector<HTMLElement>(".lil-title");
    if (title) title.title = group.help;
    const section: Section = { group, folder, toggle: null, widgets: [] };
    if (group.switch) section.toggle = this.toggle(section, group.switch);
    section.widgets = group.controls.map((control) => this.widget(folder, control, scenario));
    if (!OPEN_AT_FIRST.includes(group.path)) folder.close();
    return section;
  }

  /** The check box stands beside the title, not in it: a button cannot hold another control. */
  private toggle(section: Section, path: string): HTMLInputElement {
    const box = element("input", { type: "checkbox", class: "switch", "aria-label": `${section.group.label} takes part`, title: `Whether ${section.group.label.toLowerCase()} takes part` });
    box.addEventListener("change", () => { this.send(path, box.checked); });
    section.folder.domElement.prepend(box);
    return box;
  }

  private widget(folder: GUI, control: Control, scenario: JsonObject): Widget {
    const value = valueAt(scenario, control.path) ?? null;
    const holder = { value: value ?? (control.kind === "choice" ? control.choices[0] : control.min) };
    const given = control.nullable ? this.given(folder, control, holder) : null;
    const controller = this.controller(folder, control, holder);
    const unit = control.unit ? ` [${control.unit}]` : "";
    controller.name(`${control.label}${unit}`);
    controller.domElement.title = `${control.help}${unit} (${control.path})`;
    controller.onChange((next: Json) => { this.send(control.path, next); });
    return { control, holder, controller, given };
  }

  private controller(folder: GUI, control: Control, holder: { value: Json }): Controller {
    if (control.kind === "choice") return folder.add(holder, "value", control.choices);
    if (control.kind === "boolean") return folder.add(holder, "value");
    // A scenario may use more than the slider offers.
    const max = typeof holder.value === "number" ? Math.max(control.max, holder.value) : control.max;
    return folder.add(holder, "value", Math.min(control.min, Number(holder.value)), max, control.step);
  }

  private given(folder: GUI, control: Control, holder: { value: Json }): Widget["given"] {
    const flag = { value: false };
    const controller = folder.add(flag, "value").name(`Limit ${control.label.toLowerCase()}`);
    controller.domElement.title = control.help;
    controller.onChange((on: boolean) => {
      if (on && Number(holder.value) <= control.min) holder.value = Math.round((control.min + control.max) / 4);
      this.send(control.path, on ? holder.value : null);
    });
    return { holder: flag, controller };
  }

  private send(path: string, value: Json): void {
    this.touched.set(path, performance.now());
    this.hands.change(path, value);
  }

  /** A change was refused: show what is true, whatever the hand just did. */
  revert(scenario: JsonObject): void {
    this.touched.clear();
    this.refresh(scenario);
  }

  private refresh(scenario: JsonObject): void {
    const quiet = (path: string) => performance.now() - (this.touched.get(path) ?? -Infinity) < QUIET_MS;
    for (const { group, folder, toggle, widgets } of this.sections) {
      const on = group.switch ? valueAt(scenario, group.switch) === true : true;
      if (toggle && group.switch && !quiet(group.switch)) toggle.checked = on;
      folder.domElement.classList.toggle("off", !on);
      for (const widget of widgets) this.update(widget, valueAt(scenario, widget.control.path) ?? null, quiet(widget.control.path));
    }
  }

  private update(widget: Widget, value: Json, busy: boolean): void {
    const { holder, controller, given } = widget;
    if (given) {
      given.holder.value = value !== null;
      given.controller.updateDisplay();
      controller.show(value !== null);
    }
    if (busy || value === null || holder.value === value) return;
    if (typeof value === "number" && controller instanceof NumberController) {
      // A scenario may use more than the slider offers.
      controller.min(Math.min(widget.control.min, value)).max(Math.max(widget.control.max, value));
    }
    holder.value = value;
    controller.updateDisplay();
  }

  private filter(search: string): void {
    for (const { group, folder, widgets, toggle } of this.sections) {
      const whole = search === "" || matches(group, search);
      let some = whole;
      for (const { control, controller, holder, given } of widgets) {
        const fits = whole || matches(control, search);
        some ||= fits;
        controller.show(fits && (!given || given.holder.value || holder.value === null));
        given?.controller.show(fits);
      }
      folder.show(some);
      if (search !== "") folder.open(some);
      else folder.open(OPEN_AT_FIRST.includes(group.path));
      if (toggle) toggle.hidden = !some;
    }
  }
}

/** The list of presets: names in the list, what they show on top of it. */
export function presetList(choose: (name: string) => void): { root: HTMLElement; show: (list: { name: string; title: string }[], now: string) => void } {
  const select = element("select", { id: "preset" });
  select.addEventListener("change", () => { choose(select.value); });
  const root = element("label", { class: "field", for: "preset" }, element("span", {}, "Preset"), select);
  const show = (list: { name: string; title: string }[], now: string) => {
    const names = list.map((item) => item.name);
    if ([...select.options].map((option) => option.value).filter(Boolean).join() !== names.join()) {
      select.replaceChildren(...list.map(({ name, title }, k) => element("option", { value: name, title }, `${k < 9 ? `${k + 1}  ` : ""}${humanized(name)}`)));
    }
    select.value = names.includes(now) ? now : "";
  };
  return { root, show };
}
