/** Short notices at the top of the window: errors and completed actions. */

import { byId, element } from "../dom";

const SECONDS = { info: 3.5, offer: 10, error: 8 };
const MOST = 4;

/** What a notice offers to do. */
export interface Offer {
  word: string;
  act: () => void;
}

export function note(text: string, kind: keyof typeof SECONDS = "info", offer?: Offer): void {
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
  const button = offer && element("button", { type: "button", class: "word", click: offer.act }, offer.word);
  const box = element("div", { class: `note ${kind}` }, element("span", {}, text), ...(button ? [button] : []), close);
  button?.addEventListener("click", () => {
    box.remove();
  });
  for (const old of [...place.children].slice(0, Math.max(0, place.children.length - MOST + 1))) old.remove();
  place.append(box);
  setTimeout(() => {
    box.remove();
  }, SECONDS[kind] * 1000);
}
