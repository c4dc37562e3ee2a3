"""Compiler options of the few functions that Numba compiles: painting and video conversion."""

JIT = {"error_model": "numpy", "boundscheck": False, "nogil": True}
INNER = JIT | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
"""Options of functions that only compiled code calls."""
