/** The list of shipped scenarios in the settings: titles in groups, with tooltips. */

import { element } from "../dom";
import { sceneTitle } from "../text/scene_title";
import { groupsOf, nineOf, type Shipped } from "./groups";

export interface PresetList {
  root: HTMLElement;
  show(list: Shipped[], now: string): void;
}

export function presetList(choose: (name: string) => void): PresetList {
  const select = element("select", { id: "preset" });
  select.addEventListener("change", () => {
    choose(select.value);
  });
  const root = element(
    "div",
    { class: "presets" },
    element("label", { class: "field", for: "preset" }, element("span", {}, "Preset"), select),
  );
  let shown = "";
  const show = (list: Shipped[], now: string) => {
    const names = list.map((item) => item.name);
    if (shown !== names.join()) {
      shown = names.join();
      const nine = nineOf(list);
      const option = (item: Shipped) =>
        element(
          "option",
          { value: item.name, title: item.title },
          `${nine.includes(item) ? `${nine.indexOf(item) + 1}  ` : ""}${sceneTitle(item.name, item.title).heading}`,
        );
      select.replaceChildren(
        ...groupsOf(list).map(({ label, items }) => element("optgroup", { label }, ...items.map(option))),
      );
    }
    select.value = names.includes(now) ? now : "";
  };
  return { root, show };
}
