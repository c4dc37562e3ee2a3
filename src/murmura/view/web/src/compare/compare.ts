/** Two flocks side by side: a caption over each half says what the difference is, as it is now. */

import "../styles/compare.css";
import { isObject, type JsonObject } from "../net/protocol";
import { say } from "../text/language";
import { captions } from "./differences";

/** The message that each half sends to this page when its scenario changes. */
export interface HalfMessage {
  murmura: JsonObject;
}

const halves = [...document.querySelectorAll("iframe")];
const places = [...document.querySelectorAll<HTMLElement>("#captions output")];
const known: (JsonObject | null)[] = halves.map(() => null);

addEventListener("message", ({ data, origin, source }: MessageEvent<unknown>) => {
  const k = halves.findIndex((half) => half.contentWindow === source);
  if (origin !== location.origin || k < 0 || !isObject(data) || !isObject(data.murmura)) return;
  known[k] = data.murmura;
  const [left, right] = known;
  if (!left || !right) return;
  const texts = captions(left, right);
  places.forEach((place, side) => {
    place.textContent = say(texts[side]);
  });
});

// Loaded only now: a quick half would send its message before anybody listens.
for (const half of halves) half.src = half.dataset.src ?? "";

// A comparison that a page has begun has a way back; one from the command line has none.
const back = document.getElementById("back");
if (back && location.pathname.startsWith("/compare")) back.hidden = false;
