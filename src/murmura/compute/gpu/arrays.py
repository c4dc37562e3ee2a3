"""Builds the arrays that kernels read and write, by the names in `fields`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu.fields import WORLD, YOUNG, record_type
from murmura.compute.gpu.grid import SCAN_BLOCK, bins_of, grid_of, scan_blocks
from murmura.compute.plan import Plan
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State, column_name

Arrays = dict[str, NDArray[Any]]
LEAST_EVENTS = 4096


def flock_arrays(plan: Plan, state: State, room: int, seed: tuple[int, int], report_width: int) -> Arrays:
    """The initial arrays of everything that steps change."""
    n, bins = len(state), bins_of(plan, room)
    carried = [column_name(c) for c in plan.carried]
    quads, velocities = (
        np.zeros((room, 4), np.float32),
        np.zeros((room if plan.dimension == 3 else 1, 4), np.float32),
    )
    moving = [state[name] for name in plan.moving_columns]
    if plan.dimension == 3:
        quads[:n, :3], velocities[:n, :3] = np.stack(moving[:3], axis=1), np.stack(moving[3:], axis=1)
    else:
        quads[:n] = np.stack(moving, axis=1)
    ids = np.zeros(room, np.int32)
    ids[:n] = state.ids
    extras, forces = _columns(state, carried, room), _columns(state, plan.force_columns, room)
    cells = scan_blocks(bins) * SCAN_BLOCK
    young = room if plan.has_lifecycle else 1
    return {
        "places": quads, "velocities": velocities, "extras": extras, "forces": forces, "ids": ids,
        "sorted_places": np.zeros_like(quads), "sorted_velocities": np.zeros_like(velocities),
        "sorted_extras": np.zeros_like(extras), "sorted_ids": np.zeros_like(ids),
        "keys": np.zeros_like(ids), "ranks": np.zeros_like(ids), "order": np.zeros_like(ids),
        "counts": np.zeros(cells, np.int32), "start": np.zeros(cells, np.int32),
        "sums": np.zeros(scan_blocks(bins), np.int32), "grid": grid_of(plan, room),
        "marks": np.zeros(-(-room // 32), np.uint32),
        "clock": _clock(plan, state, seed),
        "reports": np.zeros((max(1, plan.stateful_item_count), max(1, report_width)), np.uint64),
        "target_reports": np.zeros((max(1, plan.stateful_item_count), 1 + plan.item_width), np.float32),
        "events": np.zeros((max(LEAST_EVENTS, 2 * room) if plan.eventful else 1, len(EVENT_FIELDS)), np.float64),
        "young": np.zeros((young, len(YOUNG)), np.int32),
        "buckets": np.zeros(1 << (young - 1).bit_length(), np.int32),
    }  # fmt: skip


def plan_arrays(plan: Plan, items: NDArray[np.float32], seed: tuple[int, int]) -> Arrays:
    """The arrays of everything that a change of numbers changes."""
    numbers = plan.world_numbers(seed)
    world = [numbers.get(name, 0.0) for _, name in WORLD]
    # Slightly more, so that rounding cannot lose what is on the edge.
    ranges = (plan.item_ranges.astype(np.float64) * 1.0001) ** 2
    tracked = plan.tracked * [1, plan.item_width]
    return {
        "world": np.array(world, np.float32),
        "numbers": np.ascontiguousarray(plan.numbers.T).ravel(),
        "affinities": plan.affinities.ravel(),
        "items": _filled(items, (1, plan.item_width), np.float32),
        "ranges": _filled(plan.ranges, (1, 2), np.int32),
        "item_ranges": _filled(np.minimum(ranges, 3.0e38), (1,), np.float32),
        "shapes": _filled(plan.shapes, (1, plan.shapes.shape[1]), np.float32),
        "tracked": _filled(tracked, (1, 2), np.int32),
    }


def _filled(array: NDArray[Any], shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    """The array, or one row of zeros if it is empty, so that kernels get a valid pointer."""
    return array.astype(kind) if len(array) else np.zeros(shape, kind)


def _columns(state: State, names: Any, room: int) -> NDArray[np.float32]:
    found = np.zeros((max(1, len(names)), room), np.float32)
    for k, name in enumerate(names):
        found[k, : len(state)] = state[name]
    return found


def _clock(plan: Plan, state: State, seed: tuple[int, int]) -> NDArray[np.int64]:
    clock = np.zeros(1, record_type("Clock"))
    clock["alive"], clock["next_id"] = len(state), state.next_id
    clock["seed_low"], clock["seed_high"] = seed
    clock["dt"] = plan.scenario.motion.time_step
    return clock.view(np.int64)
