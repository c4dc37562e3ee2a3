/** Numbers that follow from others by the expressions that Python computes them with. */

import type { Expression, LiveValues, Program } from "./data";

const truth = (holds: boolean): number => (holds ? 1 : 0);

/** The operations of compute/trace/expression_target.py. */
export const OPERATIONS: Record<string, (a: number, b: number, c: number) => number> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  quotient: (a, b) => Math.trunc(a / b),
  negate: (a) => -a,
  minimum: (a, b) => Math.min(a, b),
  maximum: (a, b) => Math.max(a, b),
  absolute: (a) => Math.abs(a),
  floor: (a) => Math.floor(a),
  sqrt: (a) => Math.sqrt(a),
  inverse_root: (a) => 1 / Math.sqrt(a),
  less: (a, b) => truth(a < b),
  less_equal: (a, b) => truth(a <= b),
  greater: (a, b) => truth(a > b),
  greater_equal: (a, b) => truth(a >= b),
  equal: (a, b) => truth(a === b),
  not_equal: (a, b) => truth(a !== b),
  and: (a, b) => truth(a !== 0 && b !== 0),
  or: (a, b) => truth(a !== 0 || b !== 0),
  not: (a) => truth(a === 0),
  select: (condition, a, b) => (condition === 0 ? b : a),
  sin: (a) => Math.sin(a),
  cos: (a) => Math.cos(a),
  arctan: (a) => Math.atan(a),
  arctan2: (a, b) => Math.atan2(a, b),
  bearing: (a, b) => Math.atan2(a, b),
  exp: (a) => Math.exp(a),
  log: (a) => Math.log(a),
  tanh: (a) => Math.tanh(a),
  power: (a, b) => a ** b,
  hypot: (a, b) => Math.hypot(a, b),
  cube_root: (a) => Math.cbrt(a),
  add_32: (a, b) => (a + b) | 0,
  xor_32: (a, b) => a ^ b,
  or_32: (a, b) => a | b,
  shift_left_32: (a, b) => a << b,
  shift_right_32: (a, b) => a >>> b,
};

export function evaluated(expression: Expression, value: (path: string) => number): number {
  if (typeof expression === "number") return expression;
  if (typeof expression === "string") return value(expression);
  const [operation, ...operands] = expression;
  const [a, b = 0, c = 0] = operands.map((operand) => evaluated(operand, value));
  return OPERATIONS[operation as string](a, b, c);
}

/** Computes all steps of a program, each of which may use those before it. */
export function runner({ steps }: Program): (value: (name: string) => number) => Float64Array {
  const found = Float64Array.from(steps, (step) => (typeof step === "number" ? step : 0));
  const tasks = steps.flatMap((step, k) => {
    if (typeof step === "number") return [];
    if (typeof step === "string") return [(value: (name: string) => number) => (found[k] = value(step))];
    const [name, a, b, c] = step;
    const apply = OPERATIONS[name];
    return [() => (found[k] = apply(found[a], found[b], found[c]))];
  });
  return (value) => {
    for (const task of tasks) task(value);
    return found;
  };
}

/** The results of a program by name. */
export function computed(program: Program, value: (name: string) => number): Record<string, number> {
  const found = runner(program)(value);
  return Object.fromEntries(Object.entries(program.results).map(([name, place]) => [name, found[place]]));
}

/** All numbers: those of the kernels, then those of the world, then those of the host. */
export function vectorOf(live: LiveValues, value: (path: string) => number): Float64Array {
  const vector = Float64Array.from(live.vector);
  for (const [index, expression] of Object.entries(live.expressions))
    vector[Number(index)] = evaluated(expression, value);
  return vector;
}
