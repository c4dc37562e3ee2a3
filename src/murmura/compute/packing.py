"""Agents as a page draws them: eight bytes each, written in the order of ids whatever order they come in."""

from __future__ import annotations

from typing import Any

from numba import njit, types

from murmura.compute.numba_options import JIT
from murmura.compute.quick_start import skip_blas_check

skip_blas_check()  # before the first thing is compiled

_reals = types.Array(types.float32, 1, "C", readonly=True)
_wholes = types.Array(types.int32, 1, "C", readonly=True)


@njit(
    types.void(
        _wholes, types.uint32, *(_reals,) * 5, _wholes, _reals, *(types.float64,) * 6, types.uint32[:, ::1]
    ),
    cache=True,
    **JIT,
)
def pack(
    rows: Any, stride: Any, x: Any, y: Any, vx: Any, vy: Any, heading: Any, species: Any, extra: Any,
    left: Any, top: Any, per_width: Any, per_height: Any, per_speed: Any, per_extra: Any, words: Any,
) -> None:  # fmt: skip
    """words[row // stride] = the agent of that row, for every `stride`-th row; one pass over the agents."""
    for i in range(len(rows)):
        row = types.uint32(rows[i])
        if row % stride:
            continue
        across = min(max((x[i] - left) * per_width + 0.5, 0.0), 65535.0)
        down = min(max((y[i] - top) * per_height + 0.5, 0.0), 65535.0)
        turn = (
            types.int32(heading[i] * 40.74366543152521 + 1024.0) & 255
        )  # 256 a turn; headings are above -8 pi
        speed = min((vx[i] * vx[i] + vy[i] * vy[i]) ** 0.5 * per_speed, 255.0)
        more = min(max(extra[i] * per_extra, 0.0), 255.0)
        k = row // stride
        words[k, 0] = types.uint32(across) | types.uint32(down) << 16
        words[k, 1] = (
            types.uint32(turn)
            | types.uint32(speed) << 8
            | types.uint32(species[i] & 255) << 16
            | types.uint32(more) << 24
        )
