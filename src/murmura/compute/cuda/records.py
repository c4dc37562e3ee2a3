"""The arguments of kernels as C.

Every kernel has one parameter, `const Arguments a`, passed by value. It holds pointers to the arrays of a backend, by
name, and sizes; what changes from step to step is behind the pointers, so that a captured graph stays valid.

For many worlds, kernels get a table of such records in the device's memory. A block of threads takes the record of its
world, the second number of the block, and goes on as if there were no other.
"""

from __future__ import annotations

from murmura.compute.gpu.fields import RECORDS

ONE_WORLD = """
/* The head of a kernel; further words are its bounds. */
#define KERNEL(name, ...) extern "C" __global__ void __VA_ARGS__ name(const Arguments a)
"""
MANY_WORLDS = """
/* A kernel for all worlds, and the head of the function that does its work in one of them. */
#define KERNEL(name, ...) \\
    static __device__ void name##_in_world(const Arguments a); \\
    extern "C" __global__ void __VA_ARGS__ name(const Arguments* const worlds) { \\
        name##_in_world(worlds[blockIdx.y]); \\
    } \\
    static __device__ void name##_in_world(const Arguments a)
"""


def records_text(many: bool = False) -> str:
    """All records as C, and how a kernel gets them."""
    parts = []
    for name, fields in RECORDS.items():
        lines = "".join(f"    {kind} {field};\n" for kind, field in fields)
        parts.append(f"typedef struct {{\n{lines}}} {name};\n")
    return "".join(parts) + (MANY_WORLDS if many else ONE_WORLD)
