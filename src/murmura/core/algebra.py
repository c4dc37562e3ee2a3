"""Functions that a rule may use, the same on every machine.

Each function takes plain numbers and NumPy arrays, which it evaluates immediately, or a `Value`, whose target either
evaluates the operation or emits code for it. A rule is plain Python over such values, so its meaning does not depend
on the machine that runs it.

Rules are branch-free: `where(condition, a, b)` selects, and conditions combine with `&`, `|` and `~`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from murmura.core.tracing.value import (
    COMPARISONS,
    CONDITION,
    INTEGER,
    NUMBER,
    WORD,
    Composite,
    Condition,
    Integer,
    Number,
    Target,
    Value,
    absolute,
    applied,
    as_number,
    code_of,
    floor,
    function_of,
    kind_of,
    maximum,
    minimum,
    power,
    real,
    sqrt,
    target_of,
    to_integer,
    to_number,
    where,
)

__all__ = [
    "COMPARISONS",
    "CONDITION",
    "INTEGER",
    "NUMBER",
    "WORD",
    "Composite",
    "Condition",
    "Integer",
    "Number",
    "Target",
    "Value",
    "absolute",
    "add_32",
    "applied",
    "arccos",
    "arcsin",
    "arctan2",
    "as_number",
    "code_of",
    "cos",
    "exp",
    "floor",
    "force_for_acceleration",
    "force_for_change",
    "force_for_velocity",
    "function_of",
    "given",
    "halves",
    "inverse_root",
    "kind_of",
    "log",
    "look_up",
    "maximum",
    "minimum",
    "normal_from",
    "ornstein_uhlenbeck",
    "power",
    "rotate_left_32",
    "signed_bytes",
    "sin",
    "sin_cos",
    "sin_cos_of_degrees",
    "sqrt",
    "tanh",
    "to_integer",
    "to_number",
    "unit_interval",
    "when",
    "where",
    "xor_32",
]


def when(
    condition: Condition, then: Callable[[], object], otherwise: Callable[[], object] | None = None
) -> None:
    """Call one of two functions, depending on a condition. For items only, which are updated one at a time."""
    if isinstance(condition, Value):
        condition.target.when(condition, then, otherwise)
    elif condition:
        then()
    elif otherwise is not None:
        otherwise()


def given(condition: Condition, compute: Callable[[], Number], otherwise: float) -> Number:
    """`compute()` where a condition holds, else a constant. Skipped if the condition holds on no lane at all."""
    if not isinstance(condition, Value):
        return compute() if condition else otherwise
    target = condition.target
    [found] = target.branch(
        condition, [target.number(otherwise)], lambda _: [where(condition, compute(), otherwise)]
    )
    return found


def inverse_root(x: Number) -> Number:
    """1 / sqrt(x): graphics processors have one instruction for it."""
    return real("inverse_root", x, lambda y: 1.0 / np.sqrt(y))


def sin_cos(angle: Number) -> tuple[Number, Number]:
    """Sine and cosine of an angle in radians."""
    found: tuple[Number, Number] = function_of("sin_cos", lambda x: (np.sin(x), np.cos(x)), angle)
    return found


def sin_cos_of_degrees(angle: Number) -> tuple[Number, Number]:
    """Sine and cosine of an angle in degrees, for numbers that are derived from a scenario once."""
    if isinstance(angle, Value):
        return sin_cos(angle * (math.pi / 180.0))
    radians = math.radians(angle)
    return math.sin(radians), math.cos(radians)


def sin(angle: Number) -> Number:
    return sin_cos(angle)[0]


def cos(angle: Number) -> Number:
    return sin_cos(angle)[1]


def arctan2(y: Number, x: Number) -> Number:
    """The angle of (x, y) in radians, in [-pi, pi]."""
    return function_of("arctan2", np.arctan2, y, x)


def bearing(sine: Number, cosine: Number) -> Number:
    """The angle in radians, in [-pi, pi], whose sine and cosine these are: `arctan2` without a division."""
    return function_of("bearing", np.arctan2, sine, cosine)


def arctan(x: Number) -> Number:
    """The angle whose tangent is x, for x in [-1, 1]."""
    return function_of("arctan", np.arctan, x)


def arcsin(x: Number) -> Number:
    """The angle whose sine is x, for x in [-1, 1]."""
    return arctan2(x, sqrt(maximum(0.0, (1.0 - x) * (1.0 + x))))


def arccos(x: Number) -> Number:
    """The angle whose cosine is x, for x in [-1, 1]."""
    return arctan2(sqrt(maximum(0.0, (1.0 - x) * (1.0 + x))), x)


def exp(x: Number) -> Number:
    return function_of("exp", np.exp, x)


def log(x: Number) -> Number:
    """The natural logarithm of a positive number."""
    return function_of("log", np.log, x)


def tanh(x: Number) -> Number:
    return function_of("tanh", np.tanh, x)


def normal_from(u: Number, v: Number) -> tuple[Number, Number]:
    """Two independent standard normal numbers from two uniform ones in [0, 1) (Box and Muller)."""
    size = sqrt(-2.0 * log(1.0 - u))
    sine, cosine = sin_cos(v * (2.0 * math.pi))
    return size * cosine, size * sine


def ornstein_uhlenbeck(x: Any, normal: Any, rate: Number, spread: Number, dt: Number) -> Any:
    """A number or vector after a step of dx = -rate x dt + noise; exact for any step.

    Args:
        x: The value before the step.
        normal: Standard normal numbers, of the same shape as x.
        rate: How fast x is forgotten [1/s].
        spread: The standard deviation that x has in the long run, sqrt(D / rate) where D is half the noise's strength.
        dt: The time step [s].
    """
    return x * exp(-(rate * dt)) + normal * (spread * sqrt(_share_lost(2.0 * rate * dt)))


def _share_lost(z: Number) -> Number:
    """1 - exp(-z), by a series where the difference would lose digits in single precision."""
    series = z * (1.0 - z * (0.5 - z * (1.0 / 6.0 - z * (1.0 / 24.0))))
    return where(z < 0.05, series, 1.0 - exp(-z))


def force_for_acceleration(acceleration: Any, world: Any) -> Any:
    """The force that causes an acceleration [u/s^2], whatever the time step and the unit of velocities.

    The rule must not be `clamped`, and the speed must not be limited, if the acceleration is to be exact."""
    return acceleration * (world.dt / (world.thrust * world.pace))


def force_for_change(change: Any, world: Any) -> Any:
    """The force that changes the velocity by a vector in one step, in the scenario's unit of velocities."""
    return change / world.thrust


def force_for_velocity(velocity: Any, me: Any, world: Any) -> Any:
    """The force after which the agent has this velocity (in the scenario's unit), with or without inertia."""
    return velocity if world.overdamped else (velocity - me.velocity) / world.thrust


def look_up(table: Any, index: Integer) -> Any:
    """The table's entries at these indices."""
    target = target_of(index)
    if target is None:
        return table[index]
    kind = INTEGER if table.dtype.kind in "iu" else NUMBER
    return Value(target, kind, target.look_up(table, index.code))


def halves(i: Integer) -> tuple[Integer, Integer]:
    """The lower and the upper 16 bits of a non-negative integer."""
    return i & 0xFFFF, i >> 16


def signed_bytes(i: Integer) -> tuple[Number, Number, Number, Number]:
    """The four bytes of an integer, lowest first, as signed numbers."""
    target = target_of(i)
    if target is None:
        first, second, third, fourth = (
            np.ascontiguousarray(np.asarray(i, "<i4")[..., None]).view(np.int8).T.astype(np.float64)
        )
        return first.T, second.T, third.T, fourth.T
    codes = [target.apply("signed_byte", INTEGER, i.code, target.constant(INTEGER, k)) for k in range(4)]
    a, b, c, d = (to_number(Value(target, INTEGER, code)) for code in codes)
    return a, b, c, d


def add_32(a: Integer, b: Integer) -> Integer:
    """Sum modulo 2**32."""
    if target_of(a, b):
        return a + b
    if type(a) is int and type(b) is int:
        return (a + b) & WORD
    return (np.asarray(a, np.uint64) + np.asarray(b, np.uint64)) & np.uint64(WORD)


def xor_32(a: Integer, b: Integer) -> Integer:
    if target_of(a, b) or (type(a) is int and type(b) is int):
        return a ^ b
    return np.asarray(a, np.uint64) ^ np.asarray(b, np.uint64)


def rotate_left_32(a: Integer, bits: int) -> Integer:
    if target_of(a):
        return (a << bits) | (a >> (32 - bits))
    if type(a) is int:
        return ((a << bits) | (a >> (32 - bits))) & WORD
    wide = np.asarray(a, np.uint64)
    return ((wide << np.uint64(bits)) | (wide >> np.uint64(32 - bits))) & np.uint64(WORD)


def unit_interval(a: Integer) -> Number:
    """The upper 24 bits as a number in [0, 1): exact in single precision."""
    if target_of(a):
        return to_number(a >> 8) * 2.0**-24
    if type(a) is int:
        return (a >> 8) * 2.0**-24
    return (np.asarray(a, np.uint64) >> np.uint64(8)).astype(np.float64) * 2.0**-24
