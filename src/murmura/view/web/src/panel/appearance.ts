/** Appearance settings, which change neither the flock nor the scenario. */

import { element } from "../dom";
import { humanized } from "./controls/schema";
import { THEMES, type Looks, type Settings, type Theme } from "./settings";

const SLIDERS: [keyof Pick<Looks, "size" | "trailLength">, string, number, number][] = [
  ["size", "Size of agents", 0.3, 4],
  ["trailLength", "Length of trails", 0.1, 8],
];

const FORM_NAMES: Record<Looks["form"], string> = {
  scenario: "Scenario default",
  dart: "Dart",
  bird: "Bird",
  fish: "Fish",
  dot: "Dot",
};

const SHAPES: Record<Looks["fillWindow"], string> = { scenario: "Scenario default", always: "Always", never: "Never" };

/** A collapsed section of the settings; it updates itself when a value changes elsewhere. */
export function appearance(settings: Settings): HTMLElement {
  const theme = element(
    "select",
    { id: "look-theme" },
    ...THEMES.map((name) => element("option", { value: name }, name === "system" ? "System" : humanized(name))),
  );
  theme.addEventListener("change", () => {
    settings.set({ theme: theme.value as Theme });
  });
  const sliders = SLIDERS.map(([key, label, min, max]) => {
    // Logarithmic: the middle changes nothing.
    const span = Math.max(Math.log(max), -Math.log(min));
    const input = element("input", {
      type: "range",
      id: `look-${key}`,
      min: String(-span),
      max: String(span),
      step: "0.01",
    });
    input.addEventListener("input", () => {
      settings.set({ [key]: Math.min(max, Math.max(min, Math.exp(Number(input.value)))) });
    });
    return { key, input, root: field(label, input) };
  });
  const form = element(
    "select",
    { id: "look-form" },
    ...Object.entries(FORM_NAMES).map(([value, text]) => element("option", { value }, text)),
  );
  form.addEventListener("change", () => {
    settings.set({ form: form.value as Looks["form"] });
  });
  const [from, to] = ["From", "To"].map((end) =>
    element("input", { type: "color", "aria-label": `Custom colours: ${end.toLowerCase()}` }),
  );
  for (const input of [from, to])
    input.addEventListener("input", () => {
      settings.set({ own: [from.value, to.value], palette: "own" });
    });
  const shape = element(
    "select",
    { id: "look-window" },
    ...Object.entries(SHAPES).map(([value, text]) => element("option", { value }, text)),
  );
  shape.addEventListener("change", () => {
    settings.set({ fillWindow: shape.value as Looks["fillWindow"] });
  });
  const wind = element("input", { type: "checkbox", id: "look-wind" });
  wind.addEventListener("change", () => {
    settings.set({ wind: wind.checked });
  });
  const guides = element("input", { type: "checkbox", id: "look-guides" });
  guides.addEventListener("change", () => {
    settings.set({ guides: guides.checked });
  });
  const refresh = () => {
    const { looks } = settings;
    theme.value = looks.theme;
    shape.value = looks.fillWindow;
    form.value = looks.form;
    [from.value, to.value] = looks.own;
    wind.checked = looks.wind;
    guides.checked = looks.guides;
    for (const { key, input } of sliders)
      if (document.activeElement !== input) input.value = String(Math.log(looks[key]));
  };
  settings.onChange(refresh);
  refresh();
  return element(
    "details",
    { class: "appearance" },
    element("summary", {}, "Appearance"),
    field("Theme", theme),
    field("Shape of agents", form),
    ...sliders.map(({ root }) => root),
    element(
      "div",
      { class: "field" },
      element("span", {}, "Custom colours"),
      element("span", { class: "pair" }, from, to),
    ),
    field("Show the wind", wind),
    field("Show frame, axes and maps", guides),
    field("World fills the window", shape),
  );
}

function field(label: string, input: HTMLElement): HTMLElement {
  return element("label", { class: "field", for: input.id }, element("span", {}, label), input);
}
