"""The few functions that Numba compiles: painting and video conversion. Each is compiled when it is first called.

Numba compiles a function with a signature where it is declared, so a module would be compiled whole, for tens of
seconds, before its first function is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

from murmura.core.extras import needs

with needs("video"):
    from numba import njit

OPTIONS = {"error_model": "numpy", "boundscheck": False, "nogil": True}
inner = njit(**OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
"""For functions that only compiled code calls."""


class Compiled:
    """A function for one signature, compiled when it is first called and kept on disk."""

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self._function, self._signature = function, signature
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self._compiled(*arguments)

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        compiled: Callable[..., Any] = njit(self._signature, cache=True, **OPTIONS)(self._function)
        return compiled


def compiled(signature: str) -> Callable[[Callable[..., Any]], Compiled]:
    """Decorate a function that Python calls; arguments are converted to the types of its signature."""
    return lambda function: Compiled(function, signature)
