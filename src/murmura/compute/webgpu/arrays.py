"""The buffers of a flock and a plan, built from the arrays that all GPUs share (`gpu.arrays`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu import arrays
from murmura.compute.gpu.fields import GRID, WORLD, record_type
from murmura.compute.gpu.grid import SCAN_BLOCK, grid_of
from murmura.compute.plan import Plan
from murmura.compute.schema import Arrays
from murmura.compute.webgpu.program import Program
from murmura.compute.webgpu.records import (
    EVENT_WORDS,
    HEAD,
    NO_STEP,
    OUTPUTS_HEAD,
    OUTPUTS_SECTIONS,
    TABLE_SECTIONS,
)
from murmura.compute.webgpu.target import KernelTarget
from murmura.core.events import EVENT_FIELDS, Event

Bits = NDArray[np.int32]


def bits_of(array: NDArray[Any]) -> Bits:
    """The 32 bits of each number."""
    return np.ascontiguousarray(array).ravel().view(np.int32)


class Layout:
    """The buffers of one flock: their sizes in words, and where their sections begin.

    Args:
        plan: The plan.
        program: Its kernels.
        agents: How many agents there are now.
        blocks: How many blocks of bins, if more than the plan needs.
    """

    def __init__(self, plan: Plan, program: Program, agents: int, blocks: int = 0) -> None:
        self.plan, self.program = plan, program
        self.count = max(agents, plan.capacity) if plan.has_lifecycle else agents
        """How many agents may ever live at the same time."""
        self.room = max(1, self.count)
        found = arrays.sizes_of(plan, self.room)
        self.blocks, self.event_room = max(blocks, found["scan_blocks"]), found["event_room"]
        self.width = 1 + len(plan.carried) + len(plan.force_columns)
        self.quads = self.room * (plan.dimension - 1)
        """Groups of four numbers in the buffer of positions, which in space also holds the velocities."""
        self.outputs = self._outputs()

    def _outputs(self) -> dict[str, int]:
        """The words of each section of the outputs."""
        plan, program = self.plan, self.program
        shapes = arrays.work_shapes(plan, arrays.sizes_of(plan, self.room), program.report_width)
        found = {name: math.prod(shapes[name][1]) for name in OUTPUTS_SECTIONS if name in shapes}
        listeners, _ = shapes["target_reports"][1]
        found["reports"] *= KernelTarget.report_words
        return found | {"scores": max(1, listeners * program.best_width * self.room)}

    @property
    def first_event(self) -> int:
        """The word of the outputs at which events begin."""
        return OUTPUTS_HEAD + self.outputs["reports"] + self.outputs["target_reports"]

    @property
    def sizes(self) -> dict[str, int]:
        """The words of each buffer, without `tables` and `times`."""
        cells = self.blocks * SCAN_BLOCK
        return {
            "head": -(-len(HEAD) // 4) * 4,
            "places": 4 * self.quads, "sorted_places": 4 * self.quads,
            "columns": self.width * self.room, "sorted_columns": (1 + len(self.plan.carried)) * self.room,
            "spots": 2 * self.room, "order": self.room, "counts": cells, "start": cells + 4 * self.blocks,
            "outputs": OUTPUTS_HEAD + sum(self.outputs.values()),
        }  # fmt: skip

    def tables(self, numbers: Arrays) -> tuple[Bits, dict[str, int]]:
        """The buffer of everything that a change of numbers changes, and where each section begins.

        Args:
            numbers: What `plan_arrays` made of a plan.
        """
        found = numbers | {"constants": self.program.constants}
        parts = {name: bits_of(found[name]) for name in TABLE_SECTIONS}
        return np.concatenate([*parts.values(), np.zeros(1, np.int32)]), _starts(
            {name: len(part) for name, part in parts.items()}, 0
        )

    def flock(self, found: Arrays) -> dict[str, Bits]:
        """Places and columns, of what `start_arrays` made of a flock."""
        columns = [found["ids"], found["extras"][: len(self.plan.carried)], found["forces"]]
        moving = ("places", "velocities") if self.plan.dimension == 3 else ("places",)
        return {
            "places": np.concatenate([bits_of(found[name]) for name in moving]),
            "columns": np.concatenate([bits_of(column) for column in columns]),
        }

    def head(
        self, alive: int, next_id: int, seed: tuple[int, int], table_starts: dict[str, int]
    ) -> dict[str, float]:
        """The head's fields by name."""
        plan = self.plan
        grid = grid_of(plan, self.room).view(record_type("Grid"))[0]
        world = plan.world_numbers(seed)
        starts = (
            _starts(self.outputs, OUTPUTS_HEAD)
            | table_starts
            | {"forces": (1 + len(plan.carried)) * self.room}
        )
        # Births copy the mother's forces, so that they are kept in every step.
        keeps = 0 if plan.has_lifecycle else NO_STEP
        clock = {"alive": alive, "next_id": next_id, "keep_from": keeps}
        clock |= {name: int(np.uint32(word).view(np.int32)) for name, word in
                  zip(("seed_low", "seed_high"), seed, strict=True)}  # fmt: skip
        return {
            **{f"clock_{name}": value for name, value in clock.items()},
            **{f"world_{name}": world.get(name, 0.0) for _, name in WORLD},
            **{f"grid_{name}": grid[name] for _, name in GRID},
            **{f"sizes_{name}": value for name, value in arrays.sizes_of(plan, self.room).items()},
            "sizes_scan_blocks": self.blocks,
            **{f"at_{name}": start for name, start in starts.items()},
        }

    def groups(self, kind: str, threads: int) -> int:
        """How many workgroups a kernel has."""
        if kind == "agents":
            return -(-self.room // threads)
        if kind == "scan":
            return self.blocks
        if kind == "shift":
            return 4 * self.blocks if self.blocks > 1 else 0
        return int(kind)


def _starts(sizes: dict[str, int], first: int) -> dict[str, int]:
    found = {}
    for name, size in sizes.items():
        found[name] = first
        first += size
    return found


def head_words(fields: Mapping[str, float], size: int) -> Bits:
    """The head as words."""
    words = np.zeros(size, np.int32)
    for k, (kind, name) in enumerate(HEAD):
        value = fields.get(name, 0)
        words[k] = np.float32(value).view(np.int32) if kind == "f32" else int(value)
    return words


def times(plan: Plan, first_step: int, steps: int) -> NDArray[np.float32]:
    """Time and noise time at each of these steps, computed in double precision."""
    return np.array([plan.time_at(first_step + k) for k in range(steps)], np.float32).reshape(-1, 2)


def readable_events(words: Bits) -> NDArray[np.float64]:
    """Rows of EVENT_FIELDS from words of the buffer `outputs`."""
    rows = words.reshape(-1, EVENT_WORDS)
    found = rows.view(np.float32).astype(np.float64)
    found[:, :3] = rows[:, :3]
    births = rows[:, 1] == Event.BIRTH
    for place in (EVENT_FIELDS.index("other"), EVENT_FIELDS.index("amount")):  # ids of the parents
        found[births, place] = rows[births, place]
    return found
