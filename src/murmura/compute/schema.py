"""The arrays that kernels read and write: for each its elements, its shape by named sizes, and who fills it.

What all kernels share is declared here. The CPU (`cpu.frame`) and the GPUs (`gpu.fields`) add arrays of their own:
their indexes differ for a reason, ghosts on the CPU and runs on a GPU. From these tables come the CPU's frame and the
memory of a page, the records of CUDA, the buffers of WebGPU, and what is allocated everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import AFFINITIES, Plan
from murmura.core.events import EVENT_FIELDS

Arrays = dict[str, NDArray[Any]]
Sizes = Mapping[str, Any]
"""Sizes by the names that shapes have for them."""


class Element(Enum):
    """A type of elements, by its name in NumPy."""

    FLOAT = "f4"
    DOUBLE = "f8"
    INT = "i4"
    LONG = "i8"
    WORD = "u4"
    LONG_WORD = "u8"


class Owner(Enum):
    """Who allocates an array and fills it."""

    PLAN = auto()  # a change of numbers; all worlds of a plan share it, and kernels only read it
    RUN = auto()  # whoever runs the kernel
    ITEMS = auto()  # a change of numbers, and the start of a flock; steps change it
    FLOCK = auto()  # the start of a flock; steps change it
    COUNT = auto()  # the same; it goes on counting when a flock is rewound
    REPORTS = auto()  # steps, which add to it until it is read
    INDEX = auto()  # each step anew
    SORTED = auto()  # each step anew; on the CPU it grows if the kernel finds it too small


@dataclass(frozen=True)
class ArrayField:
    """An array that kernels read or write."""

    element: Element
    """The type of its elements."""
    shape: tuple[str | int, ...]
    """Its sizes: numbers, or names of sizes. Some are integers that kernels get."""
    owner: Owner
    is_table: bool = False
    """Whether the CPU's kernel takes rows of it, by the frame's integer of the last size."""
    record: str = ""
    """The record of a GPU that the last axis makes up, if it does."""

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements in NumPy."""
        return np.dtype(self.element.value)

    @property
    def is_constant(self) -> bool:
        """Whether kernels only read it."""
        return self.owner in (Owner.PLAN, Owner.RUN)

    def shape_with(self, sizes: Sizes) -> tuple[Any, ...]:
        """Its shape with these sizes."""
        return tuple(sizes[size] if isinstance(size, str) else size for size in self.shape)


Fields = Mapping[str, ArrayField]

SHARED = {
    "numbers": ArrayField(Element.FLOAT, ("numbers", "species"), Owner.PLAN),
    "items": ArrayField(Element.FLOAT, ("items", "item_width"), Owner.ITEMS),
    "ranges": ArrayField(Element.INT, ("rules", 2), Owner.PLAN),
    "item_ranges": ArrayField(Element.FLOAT, ("rules",), Owner.PLAN),
    "tracked": ArrayField(Element.INT, ("tracked_count", 2), Owner.PLAN),
    "shapes": ArrayField(Element.FLOAT, ("shape_count", "shape_width"), Owner.PLAN),
    "target_reports": ArrayField(Element.FLOAT, ("listeners", "target_width"), Owner.REPORTS),
    "events": ArrayField(Element.DOUBLE, ("event_room", len(EVENT_FIELDS)), Owner.REPORTS),
}
"""`ranges`: the first of a rule's items and the one after the last. `item_ranges`: how far they matter. `tracked`: the
agent that an item follows, and the item."""


def names_owned_by(fields: Fields, *owners: Owner) -> tuple[str, ...]:
    """The names of the arrays that these owners fill."""
    return tuple(name for name, field in fields.items() if field.owner in owners)


def plan_sizes(plan: Plan) -> dict[str, int]:
    """The sizes that the plan alone determines."""
    return {
        "nearest": plan.scenario.perception.nearest or 0,
        "numbers": plan.numbers.shape[1],
        "species": plan.species_count,
        "pairs_of_species": plan.species_count**2,
        "affinities": len(AFFINITIES),
        "items": len(plan.items),
        "rules": len(plan.rule_groups),
        "item_width": plan.item_width,
        "target_width": 1 + plan.item_width,
        "tracked_count": len(plan.tracked),
        "shape_count": len(plan.shapes),
        "shape_width": plan.shapes.shape[1],
        "obstacle_count": plan.obstacle_count,
    }


def plan_contents(plan: Plan, items: NDArray[np.float32]) -> Arrays:
    """What a plan says about the arrays of PLAN and ITEMS, before a backend lays it out."""
    return {
        "numbers": plan.numbers.T,
        "affinities": plan.affinities.reshape(-1, len(AFFINITIES)),
        "items": items,
        "ranges": plan.ranges,
        "item_ranges": plan.item_ranges,
        "tracked": plan.tracked,
        "shapes": plan.shapes,
    }


def as_declared(fields: Fields, contents: Arrays) -> Arrays:
    """Arrays with the declared elements; of an empty one, a row of zeros, so that kernels get a valid address."""
    return {
        name: np.ascontiguousarray(
            array if len(array) else np.zeros((1, *array.shape[1:])), fields[name].dtype
        )
        for name, array in contents.items()
    }
