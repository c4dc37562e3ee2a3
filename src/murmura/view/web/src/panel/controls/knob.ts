/** One value of the scenario in the panel: a slider, a list or a check box, with its mark and reset button. */

import type GUI from "lil-gui";
import { NumberController, type Controller } from "lil-gui";
import { element } from "../../dom";
import { endsOf } from "./limits";
import { same } from "../../net/link";
import { optionName } from "../../text/labels";
import type { Json, JsonObject } from "../../net/protocol";
import { valueAt, type Control } from "./schema";
import { say } from "../../text/language";

export class Knob {
  private readonly holder: { value: Json };
  private readonly controller: Controller;
  /** Check box of a value that may be absent. */
  private readonly given: { holder: { value: boolean }; controller: Controller } | null;
  private readonly back: HTMLButtonElement;
  private loaded: Json = null; // the value of the scenario as it was loaded

  constructor(
    folder: GUI,
    readonly control: Control,
    scenario: JsonObject,
    private readonly send: (path: string, value: Json) => void,
  ) {
    const value = valueAt(scenario, control.path) ?? null;
    this.holder = { value: value ?? (control.kind === "choice" ? control.choices[0] : control.min) };
    this.given = control.nullable ? this.makeGiven(folder) : null;
    this.controller = this.make(folder, scenario);
    const unit = control.unit ? ` [${control.unit}]` : "";
    this.controller.name(`${say(control.label)}${unit}`);
    this.controller.domElement.title = `${say(control.help)}${unit}`;
    this.controller.domElement.dataset.path = control.path;
    this.controller.onChange((next: Json) => {
      send(control.path, next);
    });
    this.back = element(
      "button",
      {
        type: "button",
        class: "back",
        "aria-label": `${control.label}: reset to the loaded value`,
        title: "Reset to the loaded value",
        hidden: true,
        click: () => {
          send(control.path, this.loaded);
        },
      },
      "↺",
    );
    (this.given?.controller ?? this.controller).domElement.append(this.back);
  }

  private make(folder: GUI, scenario: JsonObject): Controller {
    const { control, holder } = this;
    if (control.kind === "choice")
      return folder.add(
        holder,
        "value",
        Object.fromEntries(control.choices.map((choice) => [optionName(choice), choice])),
      );
    if (control.kind === "boolean") return folder.add(holder, "value");
    const [min, max] = this.ends(scenario, Number(holder.value));
    return folder.add(holder, "value", min, max, control.step);
  }

  /** A scenario may exceed the range of the slider. */
  private ends(scenario: JsonObject, value: number): [number, number] {
    const [min, max] = endsOf(this.control, scenario);
    return [Math.min(min, value), Math.max(max, value)];
  }

  private makeGiven(folder: GUI): Knob["given"] {
    const { control, holder } = this;
    const flag = { value: false };
    const controller = folder.add(flag, "value").name(say(`Limit ${control.label.toLowerCase()}`));
    controller.domElement.title = say(control.help);
    controller.onChange((on: boolean) => {
      if (on && Number(holder.value) <= control.min) holder.value = Math.round((control.min + control.max) / 4);
      this.send(control.path, on ? holder.value : null);
    });
    return { holder: flag, controller };
  }

  /**
   * Show the current value.
   *
   * @param busy - The user just moved the control, so answers to earlier moves may still arrive.
   * @param on - Whether its rule is on. Of a rule that is off nothing can be moved, because naming a value would switch it on.
   */
  show(scenario: JsonObject, loaded: JsonObject, busy: boolean, on: boolean): void {
    const { holder, controller, given, control } = this;
    for (const each of [controller, given?.controller]) each?.disable(!on);
    this.back.disabled = !on;
    const value = valueAt(scenario, control.path) ?? null;
    this.mark(value, valueAt(loaded, control.path) ?? null);
    if (given) {
      given.holder.value = value !== null;
      given.controller.updateDisplay();
      controller.show(value !== null);
    }
    if (typeof value === "number" && controller instanceof NumberController) {
      const [min, max] = this.ends(scenario, value);
      controller.min(min).max(max);
    }
    if (busy || value === null || holder.value === value) return;
    holder.value = value;
    controller.updateDisplay();
  }

  private mark(value: Json, loaded: Json): void {
    this.loaded = loaded;
    const changed = !same(value, loaded);
    if (this.back.hidden !== changed) return;
    this.back.hidden = !changed;
    for (const each of [this.controller, this.given?.controller]) each?.domElement.classList.toggle("changed", changed);
  }

  /** Show or hide in a search. */
  reveal(fits: boolean): void {
    this.controller.show(fits && (!this.given || this.given.holder.value));
    this.given?.controller.show(fits);
  }
}
