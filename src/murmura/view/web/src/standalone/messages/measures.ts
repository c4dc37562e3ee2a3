/** Cheap measures, as `measure/` defines them, from four numbers for each agent: x, y, vx, vy. */

export function cheapMeasures(quads: Float32Array, pace: number): Record<string, number> {
  const n = quads.length / 4;
  let hx = 0;
  let hy = 0;
  let moving = 0;
  let sum = 0;
  let squares = 0;
  for (let k = 0; k < quads.length; k += 4) {
    const vx = quads[k + 2];
    const vy = quads[k + 3];
    const speed = Math.sqrt(vx * vx + vy * vy);
    if (speed > 0) {
      hx += vx / speed;
      hy += vy / speed;
      moving++;
    }
    sum += speed * pace;
    squares += (speed * pace) ** 2;
  }
  const mean = sum / n;
  return {
    polarization: moving ? Math.hypot(hx, hy) / moving : 0,
    mean_speed: mean,
    speed_deviation: Math.sqrt(Math.max(0, squares / n - mean * mean)),
  };
}
