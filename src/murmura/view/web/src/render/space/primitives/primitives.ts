/** What overlays of a world with a depth draw with: lines, discs that face the eye, and faces. */

import type { Vec } from "../vectors";

/** A colour in bytes. */
export type Rgb = Vec;

export interface Stroke {
  rgb: Rgb;
  alpha: number;
  width: number; // CSS px
  dash?: readonly [number, number]; // CSS px drawn and left out
}

export interface Primitives {
  line(a: Vec, b: Vec, stroke: Stroke): void;
  /** A ball, or a glow if it is fainter at its rim. */
  disc(at: Vec, radius: number, rgb: Rgb, inner: number, outer: number): void;
  /** A flat face without dents; one that is opaque hides what is behind it. */
  face(corners: readonly Vec[], rgb: Rgb, alpha: number): void;
}
