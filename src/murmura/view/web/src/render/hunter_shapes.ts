/**
 * Shapes of hunters, which the server names by kind: outlines with the nose towards +x, about two units long.
 *
 * Wings beat and fins swim with simulated time, in a plane by moving the corners; films do the same.
 */

import type { HunterLooks, Pair } from "../net/protocol";
import { attacks, cornersOf, dives, things } from "./looks_of_things";

let kinds: Record<string, HunterLooks> = {};
const kept = new Map<string, Pair[]>();

/** Use the looks of these kinds; those without a name are for any other hunter. */
export function setKinds(told: Record<string, HunterLooks>): void {
  kinds = told;
  kept.clear();
}

export function looksOf(species: string): HunterLooks {
  return kinds[species] ?? kinds[""] ?? { outline: "", body: "bird" };
}

export interface Pose {
  species: string;
  state: string;
  id: number;
}

/** The outline of a hunter at a moment [s]. */
export function hunterOutline(hunter: Pose, seconds: number): Pair[] {
  const { outline, body } = looksOf(hunter.species);
  const corners = kept.get(hunter.species) ?? cornersOf(outline);
  kept.set(hunter.species, corners);
  if (things.hunter.rests_in.includes(hunter.state)) return corners;
  return body === "fish" ? swimming(corners, hunter, seconds) : beating(corners, hunter, seconds);
}

/** Seen from above, a beat folds the wings and moves them back; in a stoop they stay folded. */
function beating(corners: Pair[], { state, id }: Pose, seconds: number): Pair[] {
  const { root, hertz, calm, attacking, diving, sweep } = things.hunter.wings;
  const deep = attacks(state) ? attacking : calm;
  const fold = dives(state) ? diving : deep * (0.5 - 0.5 * Math.cos(2 * Math.PI * hertz * seconds + id));
  return corners.map(([x, y]) => {
    const out = Math.max(0, Math.abs(y) - root);
    return [x - sweep * fold * out, y - Math.sign(y) * fold * out];
  });
}

/** A wave runs through the body, wider towards the tail. */
function swimming(corners: Pair[], { state, id }: Pose, seconds: number): Pair[] {
  const { from, hertz, calm, attacking, wave } = things.hunter.fins;
  const wag = attacks(state) ? attacking : calm;
  return corners.map(([x, y]) => {
    const back = Math.max(0, from - x) / 2;
    return [x, y + wag * back * back * Math.sin(2 * Math.PI * hertz * seconds + id - wave * x)];
  });
}
