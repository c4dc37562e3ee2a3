/** Objects of a 3-D world: obstacles, attractors, repulsors, food, carcasses and home ranges. */

import type { Pair, PointerMode, SceneObject, Triple } from "../../net/protocol";
import type { Rgb, Stroke } from "../../render/space/primitives/primitives";
import { APPLE, appleLeft, appleSize, LEAF } from "../../render/apple";
import { isBait, shade, themed, things } from "../../render/looks_of_things";
import { boxCorners } from "../../render/space/solids";
import { across, add, times, unit, type Vec } from "../../render/space/vectors";
import { drawBall, drawGauge, drawRing, drawSegment, drawStalk, seenAt, vecOf, type SpaceLines } from "./lines";

type Kind<K extends SceneObject["kind"]> = Extract<SceneObject, { kind: K }>;

const UP: Vec = [0, 0, 1];
const EDGES = [
  [0, 1],
  [2, 3],
  [4, 5],
  [6, 7],
  [0, 2],
  [1, 3],
  [4, 6],
  [5, 7],
  [0, 4],
  [1, 5],
  [2, 6],
  [3, 7],
] as const;
const FACES = [
  [0, 1, 3, 2],
  [4, 5, 7, 6],
  [0, 1, 5, 4],
  [2, 3, 7, 6],
  [0, 2, 6, 4],
  [1, 3, 7, 5],
] as const;
/** Everything but hunters and wind. */
export function drawSpaceScenery(lines: SpaceLines, things: SceneObject[]): void {
  for (const thing of things) {
    switch (thing.kind) {
      case "territory":
        drawTerritory(lines, thing);
        break;
      case "circle":
        drawSphere(lines, thing);
        break;
      case "cylinder":
        drawCylinder(lines, thing);
        break;
      case "box":
        drawBox(lines, thing);
        break;
      case "plane":
        drawPlane(lines, thing);
        break;
      case "wall":
      case "polygon":
        drawWalls(lines, thing);
        break;
      case "attractor":
        drawAttractor(lines, thing);
        break;
      case "threat":
        drawField(lines, vecOf(thing, lines.box), "scare", thing.radius);
        break;
      case "food":
        drawFood(lines, thing);
        break;
      case "carcass":
        drawCarcass(lines, thing);
        break;
    }
  }
}

/** Outlines of obstacles, where they are not part of the picture. */
const edge = ({ light }: SpaceLines): Stroke => ({
  ...(light ? { rgb: [50, 60, 80], alpha: 0.7 } : { rgb: [190, 205, 240], alpha: 0.6 }),
  width: 1.3,
});
const stone = ({ light }: SpaceLines): [Rgb, number] => (light ? [[70, 80, 100], 0.16] : [[150, 168, 210], 0.11]);

function drawSphere(lines: SpaceLines, thing: Kind<"circle">): void {
  const at = vecOf(thing, lines.box);
  drawBall(lines, at, thing.radius, stone(lines)[0], 0.42);
  for (const normal of [lines.gaze.ahead, UP]) drawRing(lines, at, thing.radius, normal, edge(lines));
}

function drawCylinder(lines: SpaceLines, { x, y, radius, bottom, top }: Kind<"cylinder">): void {
  const { draw, box, gaze } = lines;
  const ends: Vec[] = [
    [x, y, bottom ?? box.low[2]],
    [x, y, top ?? box.low[2] + box.sides[2]],
  ];
  const right = times(unit([gaze.right[0], gaze.right[1], 0]), radius);
  const left = times(right, -1);
  draw.face([add(ends[0], right), add(ends[1], right), add(ends[1], left), add(ends[0], left)], ...stone(lines));
  for (const end of ends) drawRing(lines, end, radius, UP, edge(lines));
  for (const side of [right, left]) draw.line(add(ends[0], side), add(ends[1], side), edge(lines));
}

function drawBox(lines: SpaceLines, box: Kind<"box">): void {
  const corners = boxCorners(box);
  for (const face of FACES)
    lines.draw.face(
      face.map((k) => corners[k]),
      ...stone(lines),
    );
  for (const [a, b] of EDGES) lines.draw.line(corners[a], corners[b], edge(lines));
}

/** A plane: a square with a grid, as large as the world. */
function drawPlane(lines: SpaceLines, { point, normal }: Kind<"plane">): void {
  const { draw, box } = lines;
  const [u, v] = across(unit(normal));
  const reach = 0.5 * Math.max(...box.sides);
  const at = (a: number, b: number): Vec => add(point, add(times(u, a * reach), times(v, b * reach)));
  draw.face([at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)], ...stone(lines));
  const faint: Stroke = { ...edge(lines), alpha: 0.4 * edge(lines).alpha };
  for (let k = -4; k <= 4; k++) {
    draw.line(at(k / 4, -1), at(k / 4, 1), faint);
    draw.line(at(-1, k / 4), at(1, k / 4), faint);
  }
}

/** Walls and polygons stand upright from floor to ceiling. */
function drawWalls(lines: SpaceLines, { kind, points }: Kind<"wall" | "polygon">): void {
  const { draw, box } = lines;
  const [low, high] = [box.low[2], box.low[2] + box.sides[2]];
  const pieces = points.slice(1).map((end, k) => [points[k], end] as const);
  if (kind === "polygon" && points.length > 2) pieces.push([points[points.length - 1], points[0]]);
  for (const [[ax, ay], [bx, by]] of pieces) {
    const corners: Triple[] = [
      [ax, ay, low],
      [bx, by, low],
      [bx, by, high],
      [ax, ay, high],
    ];
    draw.face(corners, ...stone(lines));
    corners.forEach((corner, k) => {
      draw.line(corner, corners[(k + 1) % 4], edge(lines));
    });
  }
}

/** The hand, a repulsor or a threat. */
export function drawField(lines: SpaceLines, at: Vec, mode: PointerMode, radius: number, near = false): void {
  const rgb: Rgb = mode === "none" ? [0, 0, 0] : shade(things.pointer[mode], lines.light);
  const dash = mode === "attract" ? {} : { dash: [5, 5] as const };
  const look = near ? { glow: 0.22, alpha: 0.85 } : { glow: 0.1, alpha: 0.55 };
  const stroke = drawMark(lines, at, rgb, radius, { ...look, ...dash });
  if (mode !== "scare" || !stroke) return;
  const { scale } = seenAt(lines, at);
  drawSegment(lines, at, scale, [-5, 5], [5, -5], stroke);
  drawSegment(lines, at, scale, [5, 5], [-5, -5], stroke);
}

/** A glowing ball, a mark at its centre, and a line to the ground. */
function drawMark(
  lines: SpaceLines,
  at: Vec,
  rgb: Rgb,
  radius: number,
  { glow, ...look }: { glow: number } & Pick<Stroke, "alpha" | "dash">,
): Stroke | null {
  const p = seenAt(lines, at);
  if (p.far <= 0) return null;
  lines.draw.disc(at, Math.max(14 / p.scale, radius), rgb, glow, 0);
  drawStalk(lines, at, rgb, 0.5);
  const stroke: Stroke = { rgb, width: 1.3, ...look };
  for (const normal of [lines.gaze.ahead, UP]) drawRing(lines, at, 9 / p.scale, normal, stroke);
  return stroke;
}

function drawTerritory(lines: SpaceLines, thing: Kind<"territory">): void {
  const at = vecOf(thing, lines.box);
  const looks = things.home;
  const rgb: Rgb = shade(looks.rgb, lines.light);
  drawBall(lines, at, thing.radius, rgb, 0.05);
  const stroke: Stroke = { rgb, alpha: themed(looks.line_alpha, lines.light), width: 1.3, dash: [10, 8] };
  for (const normal of [UP, [1, 0, 0], [0, 1, 0]] as const) drawRing(lines, at, thing.radius, normal, stroke);
}

/** What attracts for good is a roost, or food where nobody eats. */
function drawAttractor(lines: SpaceLines, thing: Kind<"attractor">): void {
  const at = vecOf(thing, lines.box);
  if (thing.strength < 0) drawField(lines, at, "repel", thing.radius);
  else if (isBait(thing.strength)) {
    const rgb: Rgb = shade(things.food.rgb, lines.light);
    drawStalk(lines, at, rgb, 0.5);
    drawApple(lines, at, 1.3 * things.food.size.least, 1);
  } else drawMark(lines, at, shade(things.roost.rgb, lines.light), thing.radius, { glow: 0.1, alpha: 0.45 });
}

function drawFood(lines: SpaceLines, thing: Kind<"food">): void {
  const at = vecOf(thing, lines.box);
  const p = seenAt(lines, at);
  if (p.far <= 0) return;
  const rgb: Rgb = shade(things.food.rgb, lines.light);
  const share = thing.capacity > 0 ? thing.amount / thing.capacity : 0;
  drawStalk(lines, at, rgb, 0.5);
  drawBall(lines, at, thing.radius, rgb, 0.06 + 0.12 * share);
  drawApple(lines, at, appleSize(thing.radius * p.scale), share);
}

/** An apple that faces the camera. */
function drawApple(lines: SpaceLines, at: Vec, size: number, share: number): void {
  const { draw, gaze, light } = lines;
  const { far, scale } = seenAt(lines, at);
  if (far <= 0) return;
  const rgb: Rgb = shade(things.food.rgb, light);
  const facing = (corners: readonly Pair[]) =>
    corners.map(([x, y]): Vec =>
      add(at, add(times(gaze.right, (size * x) / scale), times(gaze.up, (-size * y) / scale))),
    );
  draw.face(facing(APPLE), rgb, 0.3);
  if (share > 0) draw.face(facing(appleLeft(share)), rgb, 0.95);
  draw.face(facing(LEAF), rgb, 0.95);
}

function drawCarcass(lines: SpaceLines, thing: Kind<"carcass">): void {
  const at = vecOf(thing, lines.box);
  const { far, scale } = seenAt(lines, at);
  if (far <= 0) return;
  const { rgb, alpha, width, spine, ribs, rib, gauge } = things.carcass;
  const stroke: Stroke = { rgb: shade(rgb, lines.light), alpha: themed(alpha, lines.light), width };
  drawSegment(lines, at, scale, [-spine, 0], [spine, 0], stroke);
  for (const x of ribs) drawSegment(lines, at, scale, [x, rib], [x, -rib], stroke);
  drawGauge(lines, at, gauge / scale, thing.capacity > 0 ? thing.amount / thing.capacity : 0, stroke);
}
