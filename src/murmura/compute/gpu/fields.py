"""Everything that the kernels of a GPU read and write, declared once for CUDA and WebGPU.

Records of numbers, with the types of C, and arrays (`schema`). `cuda.records` writes both as structs, `webgpu.records`
as sections of buffers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from murmura.compute.plan import WORLD_NUMBERS
from murmura.compute.schema import SHARED, ArrayField, Element, Owner

Fields = tuple[tuple[str, str], ...]
FLOAT4 = "float4"

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

FLOCK = {
    "places": ArrayField(Element.FLOAT, ("room", 4), Owner.FLOCK, record=FLOAT4),
    "velocities": ArrayField(Element.FLOAT, ("deep_room", 4), Owner.FLOCK, record=FLOAT4),
    "extras": ArrayField(Element.FLOAT, ("extra_columns", "room"), Owner.FLOCK),
    "forces": ArrayField(Element.FLOAT, ("force_columns", "room"), Owner.FLOCK),
    "ids": ArrayField(Element.INT, ("room",), Owner.FLOCK),
}
"""Place and velocity together, or in space x, y, z and, apart from them, the velocity; the columns that the plan
carries; force and crowd; ids, of the dead -1 - id."""
SORTED = {
    f"sorted_{name}": replace(field, owner=Owner.SORTED) for name, field in FLOCK.items() if name != "forces"
}
INDEX = {
    "keys": ArrayField(Element.INT, ("room",), Owner.INDEX),
    "ranks": ArrayField(Element.INT, ("room",), Owner.INDEX),
    "order": ArrayField(Element.INT, ("room",), Owner.INDEX),
    "counts": ArrayField(Element.INT, ("cells",), Owner.INDEX),
    "start": ArrayField(Element.INT, ("cells",), Owner.INDEX),
    "sums": ArrayField(Element.INT, ("scan_blocks",), Owner.INDEX),
    "marks": ArrayField(Element.WORD, ("mark_words",), Owner.INDEX),
    "grid": ArrayField(Element.INT, (len(GRID),), Owner.FLOCK, record="Grid"),
}
"""`marks`: a bit for each agent that contributes to a rule with a filter."""
RULES = {
    "world": ArrayField(Element.FLOAT, (len(WORLD),), Owner.PLAN, record="World"),
    "numbers": SHARED["numbers"],
    "affinities": ArrayField(Element.FLOAT, ("pairs_of_species", "affinities"), Owner.PLAN),
    **{name: SHARED[name] for name in ("items", "ranges", "item_ranges", "shapes", "tracked")},
}
OUTPUTS = {
    "clock": ArrayField(Element.LONG, (len(CLOCK),), Owner.FLOCK, record="Clock"),
    "failed_step": ArrayField(Element.LONG, (1,), Owner.RUN),
    "reports": ArrayField(Element.LONG_WORD, ("listeners", "report_width"), Owner.REPORTS),
    "target_reports": SHARED["target_reports"],
    "events": SHARED["events"],
    "young": ArrayField(Element.INT, ("young_room", len(YOUNG)), Owner.REPORTS, record="Young"),
    "buckets": ArrayField(Element.INT, ("buckets",), Owner.REPORTS),
}
ARRAYS: dict[str, ArrayField] = {**FLOCK, **SORTED, **INDEX, **RULES, **OUTPUTS}
"""All arrays that a backend allocates, by name."""
PLACED = {"flock": FLOCK, "sorted": FLOCK, "index": INDEX, "rules": RULES, "outputs": OUTPUTS}
"""The records of arrays, by the names that kernels have for them."""
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
TYPES = {
    Element.INT: "int", Element.FLOAT: "float", Element.DOUBLE: "double", Element.LONG: "long long",
    Element.WORD: "unsigned", Element.LONG_WORD: "unsigned long long",
}  # fmt: skip
"""Types of C."""


def _pointers(arrays: Mapping[str, ArrayField]) -> Fields:
    """The record of the addresses of arrays."""
    return tuple((f"{field.record or TYPES[field.element]}*", name) for name, field in arrays.items())


RECORDS: dict[str, Fields] = {
    "Clock": CLOCK, "World": WORLD, "Grid": GRID, "Young": YOUNG, "Flock": _pointers(FLOCK), "Index": _pointers(INDEX),
    "Rules": _pointers(RULES), "Outputs": _pointers(OUTPUTS), "Sizes": SIZES, "Arguments": ARGUMENTS,
}  # fmt: skip
_PLAIN = {kind: element.value for element, kind in TYPES.items()}


@cache
def record_type(name: str) -> np.dtype[np.void]:
    """The NumPy type of a record, laid out as C does."""
    fields = []
    for kind, field in RECORDS[name]:
        is_pointer = kind.endswith("*")
        fields.append((field, np.dtype("u8") if is_pointer else _PLAIN.get(kind) or record_type(kind)))
    return np.dtype(fields, align=True)
