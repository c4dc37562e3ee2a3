/** The list of shipped scenarios. */

import { element } from "../dom";
import { humanized } from "./schema";

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
