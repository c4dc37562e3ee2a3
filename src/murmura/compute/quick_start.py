"""Numba's start without SciPy's linear algebra, which takes a sixth of a second and no kernel here needs.

Numba looks for BLAS when it first compiles, only to know that it is there. It is (SciPy is a dependency), so the
question is answered without loading it; whoever does use `np.dot` in a kernel of theirs loads it then.
"""

from __future__ import annotations

import contextlib
from typing import Any


def skip_blas_check() -> None:
    """Load the part of Numba that asks for BLAS, with the answer given. Numba as it was if it has changed inside."""
    with contextlib.suppress(ImportError, AttributeError):
        from numba.np import linalg

        look: Any = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            from numba.np import arraymath

            arraymath.ensure_blas = look
        finally:
            linalg.ensure_blas = look
