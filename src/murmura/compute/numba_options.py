"""How the few functions are compiled that Numba still compiles: painting, packing and putting agents in order."""

JIT = {"error_model": "numpy", "boundscheck": False, "nogil": True}
INNER = JIT | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
"""Of functions that only compiled code calls."""
