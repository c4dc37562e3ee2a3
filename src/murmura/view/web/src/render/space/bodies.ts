/**
 * Small bodies as triangles: nose towards +x, left wing towards +y, back towards +z, two units long.
 *
 * Each corner has a fourth number (0 is rigid, 1 beats like a wing, 2 sways like a tail) and a shade, so that a body of a
 * few pixels still has a light and a dark side.
 */

export type Shape = "bird" | "fish";
type Corner = readonly [number, number, number];
interface Facet {
  corners: readonly [Corner, Corner, Corner];
  part: number;
  shade: number;
}

const facet = (part: number, shade: number, ...corners: [Corner, Corner, Corner]): Facet => ({ corners, part, shade });
const mirrored = (one: Facet): Facet => ({
  ...one,
  corners: one.corners.map(([x, y, z]) => [x, -y, z] as const) as unknown as Facet["corners"],
});
const bothSides = (...some: Facet[]): Facet[] => some.flatMap((one) => [one, mirrored(one)]);

const NOSE: Corner = [1, 0, 0.02];

const BIRD: Facet[] = [
  facet(0, 1, NOSE, [0.3, 0.2, 0.08], [0.3, -0.2, 0.08]),
  facet(0, 1, [0.3, 0.2, 0.08], [-0.65, 0, 0.03], [0.3, -0.2, 0.08]),
  facet(0, 0.62, NOSE, [0.25, 0, -0.2], [-0.65, 0, 0.03]),
  facet(0, 0.8, NOSE, [0.25, 0, 0.17], [-0.65, 0, 0.03]),
  facet(0, 0.86, [-0.5, 0, 0.03], [-1.15, 0.24, 0.03], [-1.15, -0.24, 0.03]),
  // A facet across the body: all others are along it and invisible from straight ahead.
  facet(0, 0.7, [0.2, 0.2, 0.06], [0.2, -0.2, 0.06], [0.2, 0, 0.2]),
  facet(0, 0.62, [0.2, 0.2, 0.06], [0.2, -0.2, 0.06], [0.2, 0, -0.22]),
  ...bothSides(
    facet(1, 0.96, [0.46, 0.12, 0.06], [-0.3, 0.12, 0.06], [0.56, 0.75, 0.06]),
    facet(1, 0.9, [-0.3, 0.12, 0.06], [0.56, 0.75, 0.06], [-0.16, 0.75, 0.06]),
    facet(1, 0.8, [0.56, 0.75, 0.06], [-0.16, 0.75, 0.06], [-0.3, 1.75, 0.06]),
  ),
];

const BIRD_FAR: Facet[] = [
  facet(0, 0.95, NOSE, [-1.05, 0.22, 0], [-1.05, -0.22, 0]),
  facet(0, 0.7, [0, 0.2, 0.1], [0, -0.2, 0.1], [0, 0, -0.22]),
  ...bothSides(facet(1, 0.86, [0.5, 0.1, 0.05], [-0.25, 0.1, 0.05], [-0.12, 1.7, 0.05])),
];

const FISH: Facet[] = [
  ...bothSides(
    facet(2, 0.8, [1, 0, 0], [0.3, 0.17, 0.02], [0.35, 0, 0.36]),
    facet(2, 1, [1, 0, 0], [0.3, 0.17, 0.02], [0.35, 0, -0.34]),
    facet(2, 0.74, [0.35, 0, 0.36], [0.3, 0.17, 0.02], [-0.62, 0, 0.07]),
    facet(2, 0.95, [0.35, 0, -0.34], [0.3, 0.17, 0.02], [-0.62, 0, -0.07]),
    facet(2, 0.88, [0.3, 0.17, 0.02], [-0.62, 0, 0.07], [-0.62, 0, -0.07]),
    facet(2, 0.7, [0.3, 0.14, -0.08], [0.02, 0.42, -0.2], [0.05, 0.14, -0.1]),
  ),
  facet(2, 0.72, [-0.55, 0, 0], [-1.12, 0, 0.42], [-0.95, 0, 0]),
  facet(2, 0.72, [-0.55, 0, 0], [-1.12, 0, -0.42], [-0.95, 0, 0]),
  facet(2, 0.66, [0.3, 0, 0.33], [-0.35, 0, 0.5], [-0.3, 0, 0.17]),
];

const FISH_FAR: Facet[] = [
  facet(2, 0.92, [1, 0, 0], [0.1, 0.16, 0.3], [-0.65, 0, 0]),
  facet(2, 0.8, [1, 0, 0], [0.1, -0.16, -0.3], [-0.65, 0, 0]),
  facet(2, 0.72, [-0.5, 0, 0], [-1.1, 0, 0.36], [-1.1, 0, -0.36]),
  facet(2, 0.8, [0.1, 0.16, -0.1], [0.1, -0.16, -0.1], [0.1, 0, 0.32]),
];

export const MOST_CORNERS = 48;

/** Facets of a body: fewer if it is small or there are many. */
export function facetsOf(shape: Shape, far: boolean): Facet[] {
  if (shape === "fish") return far ? FISH_FAR : FISH;
  return far ? BIRD_FAR : BIRD;
}

/** For a shader: x, y, z of every corner, and part + shade in one number. */
export function cornersFor(shape: Shape, far: boolean): { data: Float32Array; count: number } {
  const facets = facetsOf(shape, far);
  const data = new Float32Array(4 * MOST_CORNERS);
  facets.forEach(({ corners, part, shade }, k) => {
    corners.forEach((corner, n) => {
      data.set([...corner, part + Math.min(0.99, shade)], 4 * (3 * k + n));
    });
  });
  return { data, count: 3 * facets.length };
}
