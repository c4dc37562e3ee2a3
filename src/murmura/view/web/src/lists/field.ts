/** One value in a list: a number, a choice or a check box with its label. */

import { element } from "../dom";
import type { Json } from "../net/protocol";
import type { Control } from "../panel/controls/schema";
import { say } from "../text/language";
import { optionName } from "../text/labels";

export class Field {
  readonly root: HTMLElement;
  private readonly input: HTMLInputElement | HTMLSelectElement;

  /** `name` is the item's name: screen readers need it to tell equal fields of different items apart. */
  constructor(
    readonly control: Control,
    name: string,
    change: (value: Json) => void,
  ) {
    const { kind, unit, help, label } = control;
    this.input =
      kind === "choice"
        ? choices(control)
        : element("input", {
            type: kind === "boolean" ? "checkbox" : "number",
            step: kind === "integer" ? "1" : "any",
          });
    this.input.setAttribute("aria-label", say(`${label} of ${name}`));
    this.input.title = `${say(help)}${unit ? ` [${unit}]` : ""}`;
    this.input.addEventListener("change", () => {
      change(this.value());
    });
    this.root = element(
      "label",
      { class: "field" },
      element("span", {}, unit ? `${label} [${unit}]` : label),
      this.input,
    );
  }

  private value(): Json {
    const { input, control } = this;
    if (control.kind === "choice") return input.value;
    if (control.kind === "boolean") return (input as HTMLInputElement).checked;
    if (input.value === "" || !Number.isFinite(Number(input.value))) return control.nullable ? null : control.min;
    return control.kind === "integer" ? Math.round(Number(input.value)) : Number(input.value);
  }

  /** Show the current value; unless `anyway`, not while the user is typing. */
  show(value: Json | undefined, anyway = false): void {
    if (document.activeElement === this.input && !anyway) return;
    if (this.control.kind === "boolean") (this.input as HTMLInputElement).checked = value === true;
    else
      this.input.value =
        typeof value === "number"
          ? String(Number(value.toPrecision(6)))
          : value === null || value === undefined
            ? ""
            : String(value as string);
  }
}

function choices({ choices: names, nullable }: Control): HTMLSelectElement {
  const options = [...(nullable ? [""] : []), ...names];
  return element(
    "select",
    {},
    ...options.map((name) => element("option", { value: name }, name === "" ? "–" : optionName(name))),
  );
}
