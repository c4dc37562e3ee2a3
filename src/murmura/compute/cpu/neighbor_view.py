"""How neighbours look from an agent: where they are and how they move, along the agent's own axes.

Compiled, because NumPy would pass over arrays of all agents, neighbours and axes a dozen times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.functions import Functions
from murmura.compute.cpu.nearest import shared_out
from murmura.compute.trace.llvm_target import FLOAT, INT, LlvmTarget
from murmura.core.algebra import INTEGER, NUMBER, Value, where
from murmura.core.merging import FAR

INTS, FLOATS = INT.as_pointer(), FLOAT.as_pointer()
ARGUMENTS: list[Any] = [INTS, INT, INT, INT, INTS, *[FLOATS] * 4, FLOAT, FLOAT, FLOATS]


def neighbor_view(
    points: NDArray[np.float32],
    velocities: NDArray[np.float32],
    asking: NDArray[np.int32],
    found: NDArray[np.int32],
    axes: NDArray[np.float32],
    sides: Sequence[float],
    wraps: Sequence[bool],
    scales: tuple[float, float],
) -> NDArray[np.float32]:
    """Where the found neighbours are and how they move relative to who asks, and 1; 0 for none.

    Args:
        points: Shape (n, d) [u].
        velocities: Likewise.
        asking: Numbers of the points that ask, shape (m,).
        found: Numbers of their neighbours, -1 for none, shape (m, count).
        axes: The axes of those that ask, shape (m, d, d).
        sides: The sizes of the world.
        wraps: Which axes wrap.
        scales: Factors on lengths and on velocities.

    Returns:
        Shape (m, count, 2 d + 1).
    """
    (m, count), d = found.shape, points.shape[1]
    out = np.zeros((m, count, 2 * d + 1), np.float32)
    half = [0.5 * side if turn else FAR for side, turn in zip(sides, wraps, strict=False)]
    given = [np.ascontiguousarray(x, np.float32) for x in (points, velocities, axes, [*sides[:d], *half])]
    numbers = [np.ascontiguousarray(x, np.int32) for x in (asking, found)]
    (asks, others), addresses = ([x.ctypes.data for x in group] for group in (numbers, given))
    describe, result = _FUNCTIONS[f"describe_{d}"], out.ctypes.data
    shared_out(m, lambda first, end: describe(asks, first, end, count, others, *addresses, *scales, result))
    return out


def _describe(t: LlvmTarget, d: int, *arguments: Any) -> None:
    """For each that asks from `first` to `end`, and each of its neighbours: a row of numbers."""
    kinds = [INTEGER if kind == INT else NUMBER if kind == FLOAT else None for kind in ARGUMENTS]
    given: list[Any] = [
        Array(t, x, INT if x.type == INTS else FLOAT) if kind is None else Value(t, kind, x)
        for x, kind in zip(arguments, kinds, strict=True)
    ]
    asking, first, end, count, found, places, moves, axes, box, per_length, per_speed, out = given
    with t.for_loop(first, end) as row, t.for_loop(0, count) as k:
        me, other, to = asking[row], found[row * count + k], (row * count + k) * (2 * d + 1)
        with t.if_then(other >= 0):
            away, motion = [], []
            for a in range(d):
                side, half = box[a], box[d + a]
                way = places[other * d + a] - places[me * d + a]
                away.append(way - where(way > half, side, 0.0) + where(way < -half, side, 0.0))
                motion.append(moves[other * d + a] - moves[me * d + a])
            for j in range(d):
                axis = [axes[(row * d + j) * d + a] for a in range(d)]
                out[to + j] = _dot(away, axis) * per_length
                out[to + d + j] = _dot(motion, axis) * per_speed
            out[to + 2 * d] = 1.0


def _dot(a: list[Any], b: list[Any]) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


_FUNCTIONS = Functions(
    "neighbor_view",
    {f"describe_{d}": ARGUMENTS for d in (2, 3)},
    lambda name: lambda target, *given: _describe(target, int(name[-1]), *given),
)
