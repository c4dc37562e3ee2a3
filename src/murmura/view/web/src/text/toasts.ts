/** Short notices at the top of the window: errors and completed actions. */

import { byId, element } from "../dom";

const SECONDS = { info: 3.5, error: 8 };
const MOST = 4;

export function note(text: string, kind: keyof typeof SECONDS = "info"): void {
  const place = byId("notes");
  const close = element(
    "button",
    {
      type: "button",
      class: "bare",
      "aria-label": "Dismiss",
      click: () => {
        box.remove();
      },
    },
    "×",
  );
  const box = element("div", { class: `note ${kind}` }, element("span", {}, text), close);
  for (const old of [...place.children].slice(0, Math.max(0, place.children.length - MOST + 1))) old.remove();
  place.append(box);
  setTimeout(() => {
    box.remove();
  }, SECONDS[kind] * 1000);
}
