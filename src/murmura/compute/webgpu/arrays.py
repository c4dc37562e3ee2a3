"""The buffers of a flock and a plan, built from the arrays that all GPUs share (`gpu.arrays`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu import arrays
from murmura.compute.gpu.fields import GRID, WORLD, record_type
from murmura.compute.gpu.grid import SCAN_BLOCK, bins_of, grid_of, scan_blocks
from murmura.compute.plan import Plan
from murmura.compute.webgpu.program import Program
from murmura.compute.webgpu.records import (
    EVENT_WORDS,
    FAILED_STEP,
    HEAD,
    NO_STEP,
    OUTPUTS_HEAD,
    TABLE_SECTIONS,
    YOUNG_WORDS,
)
from murmura.compute.webgpu.target import KernelTarget
from murmura.core.events import EVENT_FIELDS, Event
from murmura.core.state import State

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
    """

    def __init__(self, plan: Plan, program: Program, agents: int) -> None:
        self.plan, self.program, self.agents = plan, program, agents
        self.room = max(1, agents, plan.capacity if plan.has_lifecycle else 0)
        self.bins = bins_of(plan, self.room)
        self.blocks = scan_blocks(self.bins)
        self.width = 1 + len(plan.carried) + len(plan.force_columns)
        self.quads = self.room * (plan.dimension - 1)
        """Groups of four numbers in the buffer of positions, which in space also holds the velocities."""
        young = self.room if plan.has_lifecycle else 1
        self.young_room, self.buckets = young, 1 << (young - 1).bit_length()
        self.event_room = max(arrays.LEAST_EVENTS, 2 * self.room) if plan.eventful else 1
        self.outputs = self._outputs()

    def _outputs(self) -> dict[str, int]:
        """The words of each section of the outputs."""
        plan, program = self.plan, self.program
        listeners = max(1, plan.stateful_item_count)
        return {
            "reports": listeners * max(1, program.report_width) * KernelTarget.report_words,
            "target_reports": listeners * (1 + plan.item_width),
            "events": self.event_room * EVENT_WORDS,
            "young": self.young_room * YOUNG_WORDS,
            "buckets": self.buckets,
            "scores": max(1, listeners * program.best_width * self.room),
        }

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

    def tables(self, items: NDArray[np.float32], seed: tuple[int, int]) -> tuple[Bits, dict[str, int]]:
        """The buffer of everything that a change of numbers changes, and where each section begins."""
        found = arrays.plan_arrays(self.plan, items, seed) | {"constants": self.program.constants}
        parts = {name: bits_of(found[name]) for name in TABLE_SECTIONS}
        return np.concatenate([*parts.values(), np.zeros(1, np.int32)]), _starts(
            {name: len(part) for name, part in parts.items()}, 0
        )

    def flock(self, state: State, seed: tuple[int, int]) -> dict[str, Bits]:
        """Places and columns at the start."""
        found = arrays.flock_arrays(self.plan, state, self.room, seed, self.program.report_width)
        columns = [found["ids"], found["extras"][: len(self.plan.carried)], found["forces"]]
        moving = ("places", "velocities") if self.plan.dimension == 3 else ("places",)
        outputs = np.zeros(OUTPUTS_HEAD, np.int32)
        outputs[FAILED_STEP] = NO_STEP
        return {
            "places": np.concatenate([bits_of(found[name]) for name in moving]),
            "columns": np.concatenate([bits_of(column) for column in columns]),
            "outputs": outputs,
        }

    def head(
        self, state: State, seed: tuple[int, int], table_starts: dict[str, int], keeps: int
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
        clock = {"alive": len(state), "next_id": state.next_id, "keep_from": keeps}
        clock |= {name: int(np.uint32(word).view(np.int32)) for name, word in
                  zip(("seed_low", "seed_high"), seed, strict=True)}  # fmt: skip
        return {
            **{f"clock_{name}": value for name, value in clock.items()},
            **{f"world_{name}": world.get(name, 0.0) for _, name in WORLD},
            **{f"grid_{name}": grid[name] for _, name in GRID},
            **{f"sizes_{name}": value for name, value in self._sizes().items()},
            **{f"at_{name}": start for name, start in starts.items()},
        }

    def _sizes(self) -> dict[str, float]:
        plan = self.plan
        return {
            "room": self.room, "bins": self.bins, "scan_blocks": self.blocks,
            "nearest": plan.scenario.perception.nearest or 0, "shapes": len(plan.shapes),
            "obstacles": plan.obstacle_count,
            "tracked": len(plan.tracked), "event_room": self.event_room, "young_room": self.young_room,
            "bucket_mask": self.buckets - 1, "reach": plan.reach,
        }  # fmt: skip

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


def head_words(fields: dict[str, float], size: int) -> Bits:
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
