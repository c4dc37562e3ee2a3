/** `murmura` in the browser's console: the state of the page, for inspection and tests. It changes nothing. */

import type { Camera, Size } from "./render/camera";
import type { CostReport } from "./render/cost";
import type { Clip } from "./share/clip";
import type { Looks, Settings } from "./panel/settings";
import type { Gaze, Orbit } from "./render/space/camera";
import type { JsonObject } from "./net/protocol";
import type { Stage } from "./render/stage";
import { isRunning, scenarioOf, type State } from "./store/state";

export interface Probe {
  readonly looks: Looks;
  readonly camera: Camera;
  readonly view: Size;
  /** The camera of a 3-D world; null in a plane. */
  readonly eye: (Gaze & { orbit: Orbit; riding: boolean }) | null;
  readonly running: boolean | null;
  /** As the page knows it. */
  readonly scenario: JsonObject | null;
  readonly step: number;
  readonly epoch: number;
  readonly drawn: number;
  readonly chosen: number | null;
  readonly following: boolean;
  readonly hand: string | null;
  readonly things: string[];
  readonly ghosts: string[]; // things that are not there yet
  readonly recorded: number; // bytes of film
  /** When the first picture with agents was drawn, since the page was requested [ms]. */
  readonly firstPicture: number | null;
  /** JavaScript time of the last pictures, including the messages before each. */
  readonly cost: CostReport;
}

export function installProbe(stage: Stage, settings: Settings, clip: Clip, state: () => State): void {
  const probe = {
    get looks() {
      return { ...settings.looks };
    },
    get camera() {
      return { ...stage.camera };
    },
    get eye() {
      return stage.deep && { ...stage.deep.gaze, orbit: { ...stage.deep.orbit }, riding: stage.deep.riding };
    },
    get view() {
      return { ...stage.view };
    },
    get running() {
      return isRunning(state());
    },
    get scenario() {
      return scenarioOf(state());
    },
    get step() {
      return stage.frame?.step ?? -1;
    },
    get epoch() {
      return stage.frame?.epoch ?? -1;
    },
    get drawn() {
      return stage.frame?.count ?? 0;
    },
    get chosen() {
      return stage.chosen?.id ?? null;
    },
    get following() {
      return stage.following;
    },
    get hand() {
      return stage.hand?.mode ?? null;
    },
    get ghosts() {
      return stage.ghosts.things.map((thing) => thing.kind);
    },
    get things() {
      return stage.things.map((thing) => thing.kind);
    },
    get recorded() {
      return clip.bytes;
    },
    get firstPicture() {
      return stage.firstPicture;
    },
    get cost() {
      return stage.cost.report();
    },
  } satisfies Probe;
  Object.defineProperty(globalThis, "murmura", { value: probe });
}
