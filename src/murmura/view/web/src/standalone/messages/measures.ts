/** Cheap measures, as `measure/` defines them, for the plane and for space. */

/** Velocities of all agents; `climbs` is their vertical part, which a plane does not have. */
export interface Velocities {
  /** x, y, vx, vy of each agent. */
  quads: Float32Array;
  climbs: Float32Array | null;
}

/** `pace` turns the unit of velocities into u/s. A flock in which nobody moves has no polarization. */
export function cheapMeasures({ quads, climbs }: Velocities, pace: number): Record<string, number> {
  const n = quads.length / 4;
  const heading = [0, 0, 0];
  let moving = 0;
  let sum = 0;
  let squares = 0;
  for (let k = 0; k < n; k++) {
    const velocity = [quads[4 * k + 2], quads[4 * k + 3], climbs?.[k] ?? 0];
    const speed = Math.hypot(...velocity);
    if (speed > 0) {
      velocity.forEach((part, axis) => {
        heading[axis] += part / speed;
      });
      moving++;
    }
    sum += speed * pace;
    squares += (speed * pace) ** 2;
  }
  if (n === 0) return {};
  const mean = sum / n;
  return {
    ...(moving > 0 ? { polarization: Math.min(1, Math.hypot(...heading) / moving) } : {}),
    mean_speed: mean,
    speed_deviation: Math.sqrt(Math.max(0, squares / n - mean * mean)),
  };
}
