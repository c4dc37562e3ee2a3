/** Readable text from the schema: labels of options, help texts without references, and which settings are advanced. */

const OPTIONS: Record<string, string> = {
  inverse: "1 / distance",
  inverse_square: "1 / distance²",
  weight: "By weight",
  early_exit: "Separation first",
  uniform: "Equal",
  linear: "Closer counts more",
  steer: "Smooth steering",
  push: "Direct push",
  same_place: "Same place",
};

/** The label of an option in a list. */
export function optionName(value: string): string {
  const words = value.replace(/[_-]/g, " ");
  return OPTIONS[value] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** A sentence without references to the specification, "(S0-52, S2-36 on)", and with names as words. */
export function withoutCodes(text: string): string {
  const plain = text.replace(/\s*\(([^()]*)\)/g, (whole, inner: string) =>
    /\b[A-Z]\d+-\d+\b/.test(inner) ? "" : whole,
  );
  return plain
    .replaceAll("`", "")
    .replace(/\b[A-Za-z]+(_[a-z]+)+\b/g, (name) => name.replaceAll("_", " "))
    .trim();
}

const FIRST = 4; // settings of a group that are shown at once
const ALWAYS = /\.(weight|radius|strength|speed|noise|count|on_capture|boundary|agents)$/;

/** Which settings of a group are under "Advanced": options, and all after the first few. */
export function advanced(paths: { path: string; kind: string }[]): Set<string> {
  const later = new Set<string>();
  if (paths.length <= FIRST + 1) return later;
  let shown = 0;
  for (const { path, kind } of paths) {
    if (ALWAYS.test(path) || (kind !== "choice" && kind !== "boolean" && shown < FIRST)) shown++;
    else later.add(path);
  }
  return later.size > 1 ? later : new Set();
}
