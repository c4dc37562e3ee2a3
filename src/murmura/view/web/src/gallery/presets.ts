/** The list of shipped scenarios in the settings: names in groups, with tooltips. */

import { element } from "../dom";
import { humanized } from "../panel/controls/schema";
import { groupsOf, nineOf, type Shipped } from "./groups";

export function presetList(choose: (name: string) => void, gallery: () => void, lessons: () => void): { root: HTMLElement; show: (list: Shipped[], now: string) => void } {
  const select = element("select", { id: "preset" });
  select.addEventListener("change", () => { choose(select.value); });
  const pictures = element("button", { type: "button", title: "All presets with pictures (0)", click: gallery }, "Gallery");
  const cards = element("button", { type: "button", title: "Small experiments with questions and answers (Z)", click: lessons }, "Lessons");
  const root = element("div", { class: "presets" }, element("label", { class: "field", for: "preset" }, element("span", {}, "Preset"), select), element("div", { class: "row" }, pictures, cards));
  let shown = "";
  const show = (list: Shipped[], now: string) => {
    const names = list.map((item) => item.name);
    if (shown !== names.join()) {
      shown = names.join();
      const nine = nineOf(list);
      const option = (item: Shipped) => element("option", { value: item.name, title: item.title }, `${nine.includes(item) ? `${nine.indexOf(item) + 1}  ` : ""}${humanized(item.name)}`);
      select.replaceChildren(...groupsOf(list).map(({ label, items }) => element("optgroup", { label }, ...items.map(option))));
    }
    select.value = names.includes(now) ? now : "";
  };
  return { root, show };
}
