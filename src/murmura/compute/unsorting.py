"""From the order of places back to the order of ids, one pass for each column."""

from __future__ import annotations

from typing import Any

from numba import njit

from murmura.compute.numba_options import JIT
from murmura.compute.quick_start import skip_blas_check

skip_blas_check()  # before the first thing is compiled


@njit("void(float32[:,::1], int64[::1], int64, float32[:,::1])", cache=True, **JIT)
def unsort(sorted_rows: Any, places: Any, count: Any, rows: Any) -> None:
    """rows[r, places[i]] = sorted_rows[r, i] for the first `count` agents."""
    for r in range(rows.shape[0]):
        source = sorted_rows[r]
        target = rows[r]
        for i in range(count):
            target[places[i]] = source[i]
