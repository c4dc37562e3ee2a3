/** Where the parts of the page are in the document. */

import { byId, element } from "./dom";
import { appearance } from "./panel/appearance";
import { doors, type DoorCallbacks } from "./panel/doors";
import { roving } from "./panel/roving";
import type { Parts } from "./parts";

export function assemble(parts: Parts, open: DoorCallbacks): void {
  const { aside, presets, changes, panel, settings, files } = parts;
  const { hud, lessons, inspector, charts, feed, hint, toolLine, playback, timeLine, dock } = parts;
  const agents = element("label", { class: "field", for: "agents" }, element("span", {}, "Agents"), changes.agents);
  const count = element("div", { class: "row" }, agents);
  aside.append(presets.root, count, panel.root, appearance(settings), files.root);
  byId("left").append(hud.root, lessons.root, inspector.root, charts.root, feed.root);
  byId("right").append(aside);
  byId("bottom").append(hint.root, toolLine.root, playback.root, timeLine.root, dock.root);
  byId("handles").append(...doors(open));
  byId("handles").before(parts.legend.root, parts.bigPlay.root, parts.clip.root);
  roving(dock.root);
}
