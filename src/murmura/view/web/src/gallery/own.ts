/** The user's presets, stored in this browser. Independent of the DOM. */

import { isObject, type JsonObject } from "../net/protocol";

export interface OwnPreset {
  name: string;
  scenario: JsonObject;
  picture: string; // a data: address, or empty
}

const KEPT = "murmura.presets";
const MOST = 60;

export class OwnPresets {
  list: OwnPreset[];

  constructor(private readonly memory: Pick<Storage, "getItem" | "setItem"> | null) {
    this.list = read(memory?.getItem(KEPT) ?? "[]");
  }

  /** Store a scenario under a name, replacing one of the same name. Returns the reason if that fails. */
  save(preset: OwnPreset): string | null {
    const name = preset.name.trim();
    if (name === "") return "A preset needs a name.";
    const others = this.list.filter((each) => each.name !== name);
    if (others.length >= MOST) return `This browser stores at most ${MOST} presets; delete one first.`;
    return this.keep([...others, { ...preset, name }]);
  }

  rename(from: string, to: string): string | null {
    const name = to.trim();
    if (name === "" || name === from) return name === "" ? "A preset needs a name." : null;
    if (this.list.some((each) => each.name === name)) return `A preset called ${name} already exists.`;
    return this.keep(this.list.map((each) => (each.name === from ? { ...each, name } : each)));
  }

  remove(name: string): void {
    this.keep(this.list.filter((each) => each.name !== name));
  }

  private keep(list: OwnPreset[]): string | null {
    try {
      this.memory?.setItem(KEPT, JSON.stringify(list));
    } catch {
      return "This browser has no space left for presets. Delete some, or save the scenario as a file.";
    }
    this.list = list;
    return this.memory ? null : "This browser blocks storage: the preset will be lost when you close the page.";
  }
}

/** The stored presets, without anything invalid. */
function read(text: string): OwnPreset[] {
  try {
    const data: unknown = JSON.parse(text);
    if (!Array.isArray(data)) return [];
    return data.filter(isObject).flatMap(({ name, scenario, picture }) =>
      typeof name === "string" && isObject(scenario)
        ? [
            {
              name,
              scenario,
              picture: typeof picture === "string" && picture.startsWith("data:image/") ? picture : "",
            },
          ]
        : [],
    );
  } catch {
    return [];
  }
}
