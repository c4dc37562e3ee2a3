"""Makes Numba start without SciPy's linear algebra, which takes a sixth of a second and no kernel needs.

Numba imports SciPy's BLAS when it first compiles, only to check that it exists. SciPy is a dependency, so the check
can be skipped; a kernel that uses `np.dot` loads BLAS later.
"""

from __future__ import annotations

import contextlib
from typing import Any


def skip_blas_check() -> None:
    """Preset the result of Numba's BLAS check. Does nothing if Numba's internals have changed."""
    with contextlib.suppress(ImportError, AttributeError):
        from numba.np import linalg

        look: Any = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            from numba.np import arraymath

            arraymath.ensure_blas = look
        finally:
            linalg.ensure_blas = look
