/**
 * Obstacles of a 3-D world as triangles that hide what is behind them.
 *
 * Triangles run counter-clockwise as seen from outside. A solid is invisible from inside, so that a camera that comes
 * too near looks through it. A plane is opaque from the centre of the world and transparent from behind: a camera outside
 * a tank looks into it.
 */

import type { Pair, SceneObject } from "../../net/protocol";
import { cornersOf, middle, type Box } from "./camera";
import { across, add, cross, dot, minus, mix, times, unit, type Vec } from "./vectors";

/** Six numbers per corner: position [u] and normal. The first `solid` corners are opaque, the others transparent. */
export interface Mesh {
  corners: Float32Array;
  solid: number;
}

type Kind<K extends SceneObject["kind"]> = Extract<SceneObject, { kind: K }>;
const ROUND = 32; // sides of a cylinder, meridians of a ball
const BOX_FACES = [
  [0, 2, 3, 1],
  [4, 5, 7, 6],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 4, 6, 2],
  [1, 3, 7, 5],
] as const;

export function isSolid(thing: SceneObject): boolean {
  return ["circle", "cylinder", "box", "plane", "wall", "polygon"].includes(thing.kind);
}

export function meshOf(things: readonly SceneObject[], box: Box): Mesh {
  const [solid, glass] = [new Builder(), new Builder()];
  for (const thing of things) {
    switch (thing.kind) {
      case "circle":
        ball(solid, [thing.x, thing.y, thing.z ?? box.low[2] + box.sides[2] / 2], thing.radius);
        break;
      case "cylinder":
        cylinder(solid, thing, box);
        break;
      case "box":
        block(solid, thing);
        break;
      case "plane":
        plane(solid, glass, thing, box);
        break;
      case "wall":
        for (let k = 1; k < thing.points.length; k++) sheet(solid, thing.points[k - 1], thing.points[k], box);
        break;
      case "polygon":
        prism(solid, thing.points, box);
        break;
    }
  }
  return { corners: Float32Array.from([...solid.numbers, ...glass.numbers]), solid: solid.count };
}

class Builder {
  readonly numbers: number[] = [];

  get count(): number {
    return this.numbers.length / 6;
  }

  /** A flat convex face with any number of corners. */
  face(...corners: Vec[]): void {
    const normal = unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])));
    for (let k = 2; k < corners.length; k++)
      this.facet([corners[0], corners[k - 1], corners[k]], [normal, normal, normal]);
  }

  facet(corners: readonly Vec[], normals: readonly Vec[]): void {
    corners.forEach((corner, k) => {
      this.numbers.push(...corner, ...normals[k]);
    });
  }

  /** A face of a round surface: each of its four corners has its own normal. */
  round(corners: readonly Vec[], normals: readonly Vec[]): void {
    for (const [a, b, c] of [
      [0, 1, 2],
      [0, 2, 3],
    ])
      this.facet([corners[a], corners[b], corners[c]], [normals[a], normals[b], normals[c]]);
  }
}

function ball(into: Builder, at: Vec, radius: number): void {
  const way = (i: number, j: number): Vec => {
    const [a, t] = [(2 * Math.PI * i) / ROUND, (Math.PI * j) / (ROUND / 2) - Math.PI / 2];
    return [Math.cos(t) * Math.cos(a), Math.cos(t) * Math.sin(a), Math.sin(t)];
  };
  for (let j = 0; j < ROUND / 2; j++) {
    for (let i = 0; i < ROUND; i++) {
      const normals = [way(i, j), way(i + 1, j), way(i + 1, j + 1), way(i, j + 1)];
      into.round(
        normals.map((normal) => add(at, times(normal, radius))),
        normals,
      );
    }
  }
}

function cylinder(into: Builder, { x, y, radius, bottom, top }: Kind<"cylinder">, { low, sides }: Box): void {
  const [under, over] = [bottom ?? low[2], top ?? low[2] + sides[2]];
  const way = (k: number): Vec => [Math.cos((2 * Math.PI * k) / ROUND), Math.sin((2 * Math.PI * k) / ROUND), 0];
  const rim = (k: number, z: number): Vec => add([x, y, z], times(way(k), radius));
  for (let k = 0; k < ROUND; k++) {
    into.round(
      [rim(k, under), rim(k + 1, under), rim(k + 1, over), rim(k, over)],
      [way(k), way(k + 1), way(k + 1), way(k)],
    );
    into.face([x, y, over], rim(k, over), rim(k + 1, over));
    into.face([x, y, under], rim(k + 1, under), rim(k, under));
  }
}

/** The corners of a box in the order of `cornersOf`, rotated about its vertical axis. */
export function boxCorners({ low, high, turn = 0 }: Kind<"box">): Vec[] {
  const least: Vec = [Math.min(low[0], high[0]), Math.min(low[1], high[1]), Math.min(low[2], high[2])];
  const [mx, my] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  const [c, s] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const corners = cornersOf({
    low: least,
    sides: [Math.abs(high[0] - low[0]), Math.abs(high[1] - low[1]), Math.abs(high[2] - low[2])],
  });
  return corners.map(([x, y, z]): Vec => [mx + (x - mx) * c - (y - my) * s, my + (x - mx) * s + (y - my) * c, z]);
}

function block(into: Builder, box: Kind<"box">): void {
  const corners = boxCorners(box);
  for (const face of BOX_FACES) into.face(...face.map((k) => corners[k]));
}

/** The part of an infinite plane inside the world. */
function plane(solid: Builder, glass: Builder, { point, normal }: Kind<"plane">, box: Box): void {
  const inward = dot(minus(middle(box), point), normal) < 0 ? -1 : 1;
  const facing = unit(times(normal, inward));
  const [u, v] = across(facing);
  const reach = 2 * (Math.hypot(...box.sides) + Math.hypot(...minus(point, box.low)));
  let piece: Vec[] = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([a, b]) => add(point, add(times(u, a * reach), times(v, b * reach))));
  if (dot(cross(minus(piece[1], piece[0]), minus(piece[2], piece[0])), facing) < 0) piece.reverse();
  for (const axis of [0, 1, 2]) {
    const outward: Vec = [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];
    piece = cut(piece, outward, box.low[axis] + box.sides[axis]);
    piece = cut(piece, times(outward, -1), -box.low[axis]);
  }
  if (piece.length < 3) return;
  solid.face(...piece);
  glass.face(...piece.reverse());
}

/** The part of a face that does not lie farther along a direction than an edge (Sutherland and Hodgman). */
function cut(face: readonly Vec[], outward: Vec, edge: number): Vec[] {
  const slack = 1e-6 * Math.max(1, Math.abs(edge));
  return face.flatMap((corner, k) => {
    const next = face[(k + 1) % face.length];
    const [here, there] = [dot(corner, outward) - edge - slack, dot(next, outward) - edge - slack];
    return [...(here <= 0 ? [corner] : []), ...(here * there < 0 ? [mix(corner, next, here / (here - there))] : [])];
  });
}

/** A wall has no thickness: it is seen from both sides, from the floor up to the ceiling. */
function sheet(into: Builder, [ax, ay]: Pair, [bx, by]: Pair, { low, sides }: Box): void {
  const [under, over] = [low[2], low[2] + sides[2]];
  const corners: Vec[] = [
    [ax, ay, under],
    [bx, by, under],
    [bx, by, over],
    [ax, ay, over],
  ];
  into.face(...corners);
  into.face(...corners.reverse());
}

/** A polygon stands upright from the floor to the ceiling. */
function prism(into: Builder, points: readonly Pair[], { low, sides }: Box): void {
  const [under, over] = [low[2], low[2] + sides[2]];
  const ring = area(points) < 0 ? [...points].reverse() : points;
  ring.forEach(([ax, ay], k) => {
    const [bx, by] = ring[(k + 1) % ring.length];
    into.face([ax, ay, under], [bx, by, under], [bx, by, over], [ax, ay, over]);
  });
  for (const [a, b, c] of triangulated(ring)) {
    into.face([...a, over], [...b, over], [...c, over]);
    into.face([...c, under], [...b, under], [...a, under]);
  }
}

const turn = ([ax, ay]: Pair, [bx, by]: Pair, [cx, cy]: Pair): number => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

function area(points: readonly Pair[]): number {
  return points.reduce(
    (sum, [x, y], k) => sum + x * points[(k + 1) % points.length][1] - y * points[(k + 1) % points.length][0],
    0,
  );
}

/** The triangles of a polygon, convex or not, counter-clockwise, by ear clipping. */
function triangulated(points: readonly Pair[]): [Pair, Pair, Pair][] {
  const left = [...points];
  const found: [Pair, Pair, Pair][] = [];
  while (left.length > 3) {
    const k = left.findIndex((_, i) => isEar(left, i));
    const i = Math.max(0, k); // a polygon that crosses itself may have no ear: then take any corner
    found.push([left[(i + left.length - 1) % left.length], left[i], left[(i + 1) % left.length]]);
    left.splice(i, 1);
  }
  return left.length === 3 ? [...found, [left[0], left[1], left[2]]] : found;
}

function isEar(points: readonly Pair[], i: number): boolean {
  const [a, b, c] = [points[(i + points.length - 1) % points.length], points[i], points[(i + 1) % points.length]];
  if (turn(a, b, c) <= 0) return false;
  return points.every(
    (p) => p === a || p === b || p === c || !(turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0),
  );
}
