/** The three ways in, at the top of the first screen: scenes, lessons, and playing with the flock. */

import { element } from "../dom";
import { icon, type IconName } from "../icons";

export interface DoorCallbacks {
  scenes(): void;
  lessons(): void;
  play(): void;
}

const DOORS: readonly [keyof DoorCallbacks, IconName, string, string, string][] = [
  ["scenes", "scenes", "Scenes", "Scenes", "All scenes with pictures (0)"],
  ["lessons", "lessons", "Lessons", "Lessons", "Small experiments with questions and answers (Z)"],
  ["play", "scare", "Play", "Play with the flock", "Scare the flock, place hunters and food"],
];

export function doors(callbacks: DoorCallbacks): HTMLElement[] {
  return DOORS.map(([name, sign, word, label, title]) =>
    element(
      "button",
      {
        type: "button",
        class: "door",
        "data-door": name,
        "aria-label": label,
        title,
        click: () => {
          callbacks[name]();
        },
      },
      icon(sign),
      element("span", {}, word),
    ),
  );
}
