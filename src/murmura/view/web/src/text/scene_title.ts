/** A scenario's title has two parts: a name for people, and what to watch. Pure. */

import { humanized } from "../panel/controls/schema";

const LONGEST_NAME = 42; // a longer beginning is a sentence, not a name

export interface SceneTitle {
  heading: string;
  sentence: string;
}

/** "Two roosts at dusk: starlings … Watch …" in its parts; without such a beginning, the name of the scenario is the heading. */
export function sceneTitle(name: string, title: string): SceneTitle {
  const end = /[:.](?= |$)/.exec(title)?.index ?? title.length;
  if (end === 0 || end > LONGEST_NAME) return { heading: humanized(name), sentence: title };
  const rest = title.slice(end + 1).trim();
  return { heading: title.slice(0, end), sentence: rest.charAt(0).toUpperCase() + rest.slice(1) };
}
