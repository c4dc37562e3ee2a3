/** How a window looks at a world, flat or deep: what keys and gestures do to the view, and what lies under the pointer. */

import type { Gaps, Size } from "./camera";
import type { Frame, Point } from "../net/protocol";
import type { Moment } from "../net/timeline";

/** What an eye needs to know of the stage. */
export interface Surroundings {
  readonly view: Size; // CSS px
  readonly gaps: Gaps;
  readonly world: Size;
  readonly frame: Frame | null;
  /** Whether small maps are shown. */
  readonly hasMap: boolean;
  wake(seconds?: number): void;
}

export interface Eye {
  following: boolean;
  /** The view shows all there is: it does so again when the window or the panels change. */
  whole: boolean;
  /** CSS px per u, where hands act. */
  readonly scale: number;
  fit(): void;
  /** As `fit`, at once. */
  showWhole(): void;
  /** Move with the hand; in space `aside` moves the view, else it turns. */
  pan(dx: number, dy: number, aside?: boolean): void;
  /** Move gently, by keys. */
  nudge(dx: number, dy: number): void;
  goTo(place: Point): void;
  zoom(at: Point, factor: number): void;
  follow(): void;
  /** A press on a small map moves the view there; says whether it was one. */
  goThroughMap(screen: Point): boolean;
  at(screen: Point): Point;
  /** The agent under the pointer, as a place in the world. */
  agentNear(screen: Point, reach: number): Point | null;
  /** On its way for so many seconds; `place` is that of the chosen agent, number `index` of the frames. */
  move(seconds: number, place: Point | null, moment: Moment | null, index: number): void;
}
