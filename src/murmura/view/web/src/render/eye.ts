/** The view of a world, in the plane or in space: what keys and gestures do to it, and what is under the pointer. */

import type { Gaps, Size } from "./camera";
import type { Frame, Point } from "../net/protocol";
import type { Moment } from "../net/timeline";

/** What a view needs to know about the stage. */
export interface Surroundings {
  readonly view: Size; // CSS px
  readonly gaps: Gaps;
  readonly world: Size;
  /** The world's sides if it wraps: then the picture has no edges. */
  readonly wrap: Size | null;
  readonly frame: Frame | null;
  /** Whether small maps are shown. */
  readonly hasMap: boolean;
  wake(seconds?: number): void;
}

export interface Eye {
  following: boolean;
  /** The view is fitted, and will be fitted again when the window or the panels change. */
  whole: boolean;
  /** CSS px per u at the depth where tools act. */
  readonly scale: number;
  fit(): void;
  /** Like `fit`, without a transition. */
  showWhole(): void;
  /** Move by dragging; in space this rotates the view, or moves it with `sliding`. */
  pan(dx: number, dy: number, sliding?: boolean): void;
  /** Move smoothly, by keys. */
  nudge(dx: number, dy: number): void;
  goTo(place: Point): void;
  zoom(at: Point, factor: number): void;
  follow(): void;
  /** Move the view if a press is on a small map; returns whether it was. */
  goThroughMap(screen: Point): boolean;
  at(screen: Point): Point;
  /** The position of the agent under the pointer. */
  agentNear(screen: Point, reach: number): Point | null;
  /** Advance by some seconds; `place` is the position of the selected agent, at `index` in the frames. */
  move(seconds: number, place: Point | null, moment: Moment | null, index: number): void;
}
