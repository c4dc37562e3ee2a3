"""The arguments of kernels as C.

Every kernel has one parameter, `const Arguments a`, passed by value. It holds pointers to the arrays of a backend, by
name, and sizes; what changes from step to step is behind the pointers, so that a captured graph stays valid.
"""

from __future__ import annotations

from murmura.compute.gpu.fields import RECORDS


def records_text() -> str:
    """All records as C."""
    parts = []
    for name, fields in RECORDS.items():
        lines = "".join(f"    {kind} {field};\n" for kind, field in fields)
        parts.append(f"typedef struct {{\n{lines}}} {name};\n")
    return "".join(parts)
