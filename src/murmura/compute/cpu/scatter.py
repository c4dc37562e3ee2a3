"""Writes agents from a kernel's order into the order of ids in one pass: columns, vectors, frames of the page.

Traced like the kernel, and compiled once for all scenarios.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.functions import Functions
from murmura.compute.trace.llvm_target import DOUBLE, FLOAT, INT, LlvmTarget
from murmura.core.algebra import INTEGER, Value, minimum, sqrt

AHEAD = 24  # rows to prefetch: their addresses are random, and each access would stall
FLOATS, INTS = FLOAT.as_pointer(), INT.as_pointer()
BYTES_A_TURN = 40.74366543152521  # 256 / (2 pi)
SIGNATURES: dict[str, list[Any]] = {
    "put_column": [INTS, FLOATS, INT, FLOATS],
    "put_vectors": [INTS, INT, FLOATS, FLOATS, FLOAT, FLOAT, FLOATS, INT],
    "pack": [INTS, INT, INT, *[FLOATS] * 5, INTS, FLOATS, *[DOUBLE] * 6, INTS],
}


def _put_column(t: LlvmTarget, rows: Any, source: Any, count: Any, out: Any) -> None:
    """out[rows[k]] = source[k]."""
    places, numbers, result = Array(t, rows, INT), Array(t, source, FLOAT), Array(t, out, FLOAT)
    with t.for_loop(0, Value(t, INTEGER, count)) as k:
        result[places[k]] = numbers[k]


def _put_vectors(
    t: LlvmTarget, rows: Any, count: Any, x: Any, y: Any, from_x: Any, from_y: Any, out: Any, width: Any
) -> None:
    """out[rows[k]] = vector k minus the origin; further columns of `out` stay unchanged."""
    places, result = Array(t, rows, INT), Array(t, out, FLOAT)
    n, columns = Value(t, INTEGER, count), Value(t, INTEGER, width)
    starts = [Value(t, "number", start) for start in (from_x, from_y)]
    with t.for_loop(0, n) as k:
        result.prefetch(places[minimum(k + AHEAD, n - 1)] * columns, to_write=True)
        row = places[k] * columns
        for axis, (numbers, start) in enumerate(zip((x, y), starts, strict=True)):
            result[row + axis] = Array(t, numbers, FLOAT)[k] - start


def _pack(
    t: LlvmTarget, rows: Any, count: Any, stride: Any, x: Any, y: Any, vx: Any, vy: Any, heading: Any, species: Any,
    extra: Any, left: Any, top: Any, per_width: Any, per_height: Any, per_speed: Any, per_extra: Any, words: Any,
) -> None:  # fmt: skip
    """words[row // stride] = the agent of that row in eight bytes, for every `stride`-th row."""
    b, places, result = t.builder, Array(t, rows, INT), Array(t, words, INT)
    step = Value(t, INTEGER, stride)

    def real(numbers: Any, k: Value) -> Any:
        return b.fpext(Array(t, numbers, FLOAT)[k].code, DOUBLE)

    def byte_like(number: Any, most: float) -> Any:
        """A number clamped to 0 .. `most`, as an integer."""
        low = b.select(b.fcmp_ordered(">", number, DOUBLE(0.0)), number, DOUBLE(0.0))
        return b.fptoui(b.select(b.fcmp_ordered("<", low, DOUBLE(most)), low, DOUBLE(most)), INT)

    with t.for_loop(0, Value(t, INTEGER, count)) as k, t.if_then(places[k] % step == 0):
        at = places[k] // step * 2
        across, down = (
            byte_like(b.fadd(b.fmul(b.fsub(real(place, k), start), scale), DOUBLE(0.5)), 65535.0)
            for place, start, scale in ((x, left, per_width), (y, top, per_height))
        )
        # Headings are above -8 pi; 256 a turn.
        angle = b.fadd(b.fmul(real(heading, k), DOUBLE(BYTES_A_TURN)), DOUBLE(1024.0))
        turn = b.and_(b.fptosi(angle, INT), INT(255))
        u, v = Array(t, vx, FLOAT)[k], Array(t, vy, FLOAT)[k]
        pace = byte_like(b.fmul(b.fpext(sqrt(u * u + v * v).code, DOUBLE), per_speed), 255.0)
        more = byte_like(b.fmul(real(extra, k), per_extra), 255.0)
        kind = b.and_(Array(t, species, INT)[k].code, INT(255))
        result[at] = Value(t, INTEGER, b.or_(across, b.shl(down, INT(16))))
        low, high = b.or_(turn, b.shl(pace, INT(8))), b.or_(b.shl(kind, INT(16)), b.shl(more, INT(24)))
        result[at + 1] = Value(t, INTEGER, b.or_(low, high))


FUNCTIONS = Functions("scatter", SIGNATURES, lambda name: globals()[f"_{name}"])  # type: ignore[no-any-return]


def _call(name: str, *arguments: Any) -> None:
    FUNCTIONS[name](*(x.ctypes.data if isinstance(x, np.ndarray) else x for x in arguments))


def _flat(array: NDArray[Any], kind: Any) -> NDArray[Any]:
    return np.ascontiguousarray(array, kind)


def put_column(rows: NDArray[np.int32], source: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """out[rows] = source, for contiguous arrays."""
    _call("put_column", _flat(rows, np.int32), _flat(source, np.float32), len(rows), out)


def put_vectors(
    rows: NDArray[np.int32], x: NDArray[Any], y: NDArray[Any], from_x: Any, from_y: Any, out: NDArray[np.float32]
) -> None:  # fmt: skip
    """Write vectors relative to an origin, each into its row of `out`, shape (n, 2 or more)."""
    x, y = _flat(x, np.float32), _flat(y, np.float32)
    _call(
        "put_vectors", _flat(rows, np.int32), len(rows), x, y, float(from_x), float(from_y), out, out.shape[1]
    )


def pack(
    rows: NDArray[np.int32], stride: int, x: Any, y: Any, vx: Any, vy: Any, heading: Any, species: Any, extra: Any,
    left: float, top: float, per_width: float, per_height: float, per_speed: float, per_extra: float,
    words: NDArray[np.uint32],
) -> None:  # fmt: skip
    """Write agents as a page draws them, eight bytes each, into `words`, shape (n, 2)."""
    reals = [_flat(column, np.float32) for column in (x, y, vx, vy, heading)]
    rows, species, extra = _flat(rows, np.int32), _flat(species, np.int32), _flat(extra, np.float32)
    scales = (left, top, per_width, per_height, per_speed, per_extra)
    _call("pack", rows, len(rows), stride, *reals, species, extra, *scales, words)
