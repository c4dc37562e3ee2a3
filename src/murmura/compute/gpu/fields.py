"""The fields of everything that the kernels of a GPU read and write, named once for CUDA and WebGPU.

The names of types are those of C; `cuda.records` writes them as structs, `webgpu.records` as sections of buffers.
"""

from __future__ import annotations

import numpy as np

from murmura.compute.plan import WORLD_NUMBERS

Fields = tuple[tuple[str, str], ...]

CLOCK: Fields = (
    ("long long", "step"),
    ("long long", "alive"),
    ("long long", "next_id"),
    ("long long", "events"),
    ("long long", "young"),
    ("unsigned long long", "seed_low"),
    ("unsigned long long", "seed_high"),
    ("double", "dt"),
)
"""The step that is being computed, counted from 1; rows of living (or just dead) agents; rows of events and young."""
WORLD: Fields = tuple(("float", name) for name in (*WORLD_NUMBERS, "time", "noise_time"))
GRID: Fields = (
    ("int", "columns"), ("int", "rows"),
    ("float", "x0"), ("float", "y0"), ("float", "per_x"), ("float", "per_y"), ("float", "row_height"),
    ("int", "low_x"), ("int", "low_y"), ("int", "high_x"), ("int", "high_y"),
    ("int", "layers"), ("float", "z0"), ("float", "per_z"), ("float", "layer_height"),
    ("int", "low_z"), ("int", "high_z"),
)  # fmt: skip
"""Rows and bins, in space layers of rows, and in an open world the bounds of the flock, as integers in the order of the
numbers they are."""
YOUNG: Fields = tuple(
    ("int", name) for name in ("mother", "rule", "father", "mother_row", "father_row", "next")
)
"""A newborn to be: ids, rows of its parents, and the next one with a father in the same bucket (-1: none)."""

FLOCK: Fields = (
    ("float4*", "places"), ("float4*", "velocities"), ("float*", "extras"), ("float*", "forces"), ("int*", "ids"),
)  # fmt: skip
"""Place and velocity together, or in space x, y, z and, apart from them, the velocity; the columns that the plan
carries; force and crowd; ids, of the dead -1 - id."""
INDEX: Fields = (
    ("int*", "keys"), ("int*", "ranks"), ("int*", "order"), ("int*", "counts"), ("int*", "start"), ("int*", "sums"),
    ("unsigned*", "marks"), ("Grid*", "grid"),
)  # fmt: skip
"""`marks`: a bit for each agent that contributes to a rule with a filter."""
RULES: Fields = (
    ("World*", "world"), ("float*", "numbers"), ("float*", "affinities"), ("float*", "items"), ("int*", "ranges"),
    ("float*", "item_ranges"), ("float*", "shapes"), ("int*", "tracked"),
)  # fmt: skip
OUTPUTS: Fields = (
    ("Clock*", "clock"), ("long long*", "failed_step"), ("unsigned long long*", "reports"),
    ("float*", "target_reports"), ("double*", "events"), ("Young*", "young"), ("int*", "buckets"),
)  # fmt: skip
SIZES: Fields = (
    ("int", "room"), ("int", "bins"), ("int", "scan_blocks"), ("int", "nearest"), ("int", "shapes"),
    ("int", "obstacles"),
    ("int", "tracked"), ("int", "event_room"), ("int", "young_room"), ("int", "bucket_mask"), ("int", "keep"),
    ("int", "idle"), ("float", "reach"),
)  # fmt: skip
"""`keep`: store forces. `idle`: do nothing, to load a kernel before it is needed."""
ARGUMENTS: Fields = (
    ("Flock", "flock"), ("Flock", "sorted"), ("Index", "index"), ("Rules", "rules"), ("Outputs", "outputs"),
    ("Sizes", "sizes"),
)  # fmt: skip
RECORDS: dict[str, Fields] = {
    "Clock": CLOCK, "World": WORLD, "Grid": GRID, "Young": YOUNG, "Flock": FLOCK, "Index": INDEX, "Rules": RULES,
    "Outputs": OUTPUTS, "Sizes": SIZES, "Arguments": ARGUMENTS,
}  # fmt: skip
_PLAIN = {"int": "i4", "float": "f4", "double": "f8", "long long": "i8", "unsigned long long": "u8"}


def record_type(name: str) -> np.dtype[np.void]:
    """The NumPy type of a record, laid out as C does."""
    fields = []
    for kind, field in RECORDS[name]:
        is_pointer = kind.endswith("*")
        fields.append((field, np.dtype("u8") if is_pointer else _PLAIN.get(kind) or record_type(kind)))
    return np.dtype(fields, align=True)
