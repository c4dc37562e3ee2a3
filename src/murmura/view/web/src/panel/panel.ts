/**
 * The settings panel: every control of the schema, in folders, with search.
 *
 * Active rules come first and are open; the others are under "More rules". Values that differ from the loaded
 * scenario are marked and can be reset one by one.
 */

import GUI from "lil-gui";
import "../../node_modules/lil-gui/dist/lil-gui.min.css"; // by path: the package does not export its style sheet
import { element } from "../dom";
import { Knob } from "./controls/knob";
import { advanced } from "../text/labels";
import { say } from "../text/language";
import { Lists } from "../lists/lists";
import type { Json, JsonObject } from "../net/protocol";
import { groupsOf, matches, namesOf, valueAt, type Group } from "./controls/schema";

export interface PanelCallbacks {
  change(path: string, value: Json): void;
}

interface Section {
  group: Group;
  folder: GUI;
  later: GUI | null; // advanced settings
  toggle: HTMLInputElement | null;
  off: HTMLElement | null; // says that the rule is off
  knobs: Knob[];
  first: boolean; // the rule is or was active
}

const MOST_OPEN = 6; // rules that start open: opening all of them would bury everything
const MODELS = [
  "vicsek",
  "zones",
  "cucker_smale",
  "vision",
  "dorsogna",
  "active_brownian",
  "inertial_spin",
  "informed",
  "olfati_saber",
  "pedestrians",
  "sheep",
  "sheepdog",
];
const SURROUNDINGS = ["noise", "wind", "jitter", "boundary", "containment", "avoid_obstacles", "attractors"];
const rank = (path: string) => (MODELS.includes(path.slice(6)) ? 0 : SURROUNDINGS.includes(path.slice(6)) ? 2 : 1);
const QUIET_MS = 600; // answers to earlier moves must not reset a control that the user is moving

const nameOf = (group: Group) => group.path.replace(/^rules\./, "");

export class Panel {
  readonly root = element("div", { class: "settings" });
  private readonly search = element("input", {
    type: "search",
    placeholder: "Search settings",
    "aria-label": "Search settings",
  });
  /** Shown when a search finds the field of agents, which is above. */
  private readonly above = element(
    "p",
    { class: "off-note", hidden: true },
    say("The number of agents is the field above."),
  );
  private agents: string[] = []; // the documents' names of that number
  private readonly lists: Lists;
  private gui: GUI | null = null;
  private active: GUI | null = null;
  private more: GUI | null = null;
  private sections: Section[] = [];
  private key = "";
  private idle: Record<string, string> = {}; // rules that cannot act here, with the condition under which they would
  private readonly touched = new Map<string, number>();

  constructor(private readonly callbacks: PanelCallbacks) {
    this.lists = new Lists((values) => {
      for (const [path, value] of Object.entries(values)) this.callbacks.change(path, value);
    });
    this.search.addEventListener("input", () => {
      this.filter(this.search.value.trim());
    });
    this.root.append(this.search, this.above);
  }

  /** Build once for each schema and loaded scenario; afterwards only values change. */
  show(schema: JsonObject, scenario: JsonObject, loaded: JsonObject, idle: Record<string, string> = {}): void {
    this.idle = idle;
    const groups = groupsOf(schema, scenario);
    this.agents = namesOf(schema, "agents");
    const ranges = ({ path, controls }: Group) => path + controls.map(({ max }) => max).join(" ");
    const key = [String(loaded.name), ...groups.map(ranges)].join();
    if (key !== this.key) {
      this.key = key;
      this.build(groups, scenario);
    }
    this.lists.show(schema, scenario);
    this.refresh(scenario, loaded);
  }

  private build(groups: Group[], scenario: JsonObject): void {
    this.gui?.destroy();
    this.gui = new GUI({ container: this.root, title: "Settings", injectStyles: false, width: 0 });
    this.gui.domElement.style.removeProperty("--width");
    this.gui.$children.append(this.lists.root);
    this.active = this.gui.addFolder(say("Active rules"));
    this.more = this.gui.addFolder(say("More rules")).close();
    this.sections = groups.map((group) => this.section(this.gui as GUI, group, scenario));
    this.arrange();
    this.unfold();
    if (this.search.value) this.filter(this.search.value);
  }

  private section(parent: GUI, group: Group, scenario: JsonObject): Section {
    const folder = parent.addFolder(say(group.label));
    const hidden = advanced(group.controls);
    const on = this.acts(group, scenario);
    const section: Section = { group, folder, later: null, toggle: null, off: null, knobs: [], first: on };
    if (group.switch) {
      section.toggle = this.toggle(section, group.switch);
      section.off = element("p", { class: "off-note", hidden: on });
      folder.$children.append(section.off);
    }
    const send = (path: string, value: Json) => {
      this.send(path, value);
    };
    const basic = group.controls
      .filter(({ path }) => !hidden.has(path))
      .map((control) => new Knob(folder, control, scenario, send));
    if (hidden.size > 0) section.later = folder.addFolder(say("Advanced")).close();
    const rest = group.controls
      .filter(({ path }) => hidden.has(path))
      .map((control) => new Knob(section.later as GUI, control, scenario, send));
    section.knobs = [...basic, ...rest];
    return section;
  }

  /** The check box is beside the title, not in it: a button cannot contain another control. */
  private toggle(section: Section, path: string): HTMLInputElement {
    const box = element("input", {
      type: "checkbox",
      class: "switch",
      "aria-label": `Enable ${section.group.label.toLowerCase()}`,
      title: `Enable ${section.group.label.toLowerCase()}`,
    });
    box.addEventListener("change", () => {
      this.send(path, box.checked);
    });
    section.folder.domElement.prepend(box);
    return box;
  }

  /** Put active rules into the first folder, the others into the second. A rule that is switched off stays where it is. */
  private arrange(): void {
    for (const { folder, first } of this.rules())
      (first ? this.active : this.more)?.$children.append(folder.domElement);
  }

  /** Most important first: whole models before single rules, and those before the environment. */
  private rules(): Section[] {
    const found = this.sections.filter(({ group }) => group.path.startsWith("rules."));
    return found.sort((a, b) => rank(a.group.path) - rank(b.group.path));
  }

  /** What is open when there is no search. */
  private unfold(): void {
    let open = 0;
    for (const { folder } of this.sections) folder.close();
    for (const { folder, first } of this.rules()) folder.open(first && open++ < MOST_OPEN);
    this.more?.close();
  }

  /** Whether a group has an effect: it is no rule, or one that is on and can act in this scenario. */
  private acts(group: Group, scenario: JsonObject): boolean {
    return group.switch === null || (valueAt(scenario, group.switch) === true && !(nameOf(group) in this.idle));
  }

  /** A rule without effect says why: it is off, or it acts only in other scenarios. */
  private explain({ group, folder, off }: Section, isOn: boolean): void {
    const where = isOn ? this.idle[nameOf(group)] : undefined;
    const idle = where ? say(`It acts only ${where}.`) : "";
    const title = folder.domElement.querySelector<HTMLElement>(".lil-title");
    if (title) title.title = `${say(group.help)} ${idle}`.trim();
    if (off) off.textContent = idle || say("This rule is off. Switch it on to change its values.");
  }

  private send(path: string, value: Json): void {
    this.touched.set(path, performance.now());
    this.callbacks.change(path, value);
  }

  /** Another flock: earlier changes do not concern it. */
  forget(): void {
    this.touched.clear();
    this.lists.forget();
  }

  /** A change was refused or undone: show the actual values, even of a control that the user just moved. */
  revert(scenario: JsonObject, loaded: JsonObject): void {
    this.touched.clear();
    this.lists.revert();
    this.refresh(scenario, loaded);
  }

  private refresh(scenario: JsonObject, loaded: JsonObject): void {
    const quiet = (path: string) => performance.now() - (this.touched.get(path) ?? -Infinity) < QUIET_MS;
    let moved = false;
    for (const section of this.sections) {
      const { group, folder, toggle, off, knobs } = section;
      const isOn = group.switch === null || valueAt(scenario, group.switch) === true;
      const on = this.acts(group, scenario);
      if (toggle && group.switch && !quiet(group.switch)) toggle.checked = isOn;
      this.explain(section, isOn);
      folder.domElement.classList.toggle("off", !on);
      if (off) off.hidden = on;
      for (const knob of knobs) knob.show(scenario, loaded, quiet(knob.control.path), isOn);
      if (!on || section.first) continue;
      moved = section.first = true;
      folder.open();
    }
    if (moved) this.arrange();
  }

  private filter(search: string): void {
    this.lists.filter(search);
    const agents = { label: "Number of agents", path: "agents", help: "", names: this.agents };
    this.above.hidden = search === "" || !matches(agents, search);
    if (search === "") this.unfold();
    else this.more?.open();
    for (const { group, folder, later, knobs, toggle } of this.sections) {
      const whole = search === "" || matches(group, search);
      let some = whole;
      for (const knob of knobs) {
        const fits = whole || matches(knob.control, search);
        some ||= fits;
        knob.reveal(fits);
      }
      folder.show(some);
      if (search !== "") folder.open(some);
      later?.open(search !== "");
      if (toggle) toggle.hidden = !some;
    }
  }
}
