"""Builds the arrays that kernels read and write, by the names in `fields`."""

from __future__ import annotations

from collections.abc import Mapping
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


def sizes_of(plan: Plan, room: int) -> dict[str, Any]:
    """The record `Sizes` of a flock with room for so many agents, without what a backend decides."""
    bins, young = bins_of(plan, room), room if plan.has_lifecycle else 1
    return {
        "room": room,
        "bins": bins,
        "scan_blocks": scan_blocks(bins),
        "nearest": plan.scenario.perception.nearest or 0,
        "shapes": len(plan.shapes),
        "obstacles": plan.obstacle_count,
        "tracked": len(plan.tracked),
        "event_room": max(LEAST_EVENTS, 2 * room) if plan.eventful else 1,
        "young_room": young,
        "bucket_mask": (1 << (young - 1).bit_length()) - 1,
        "reach": plan.reach,
    }


def flock_arrays(plan: Plan, state: State, room: int, seed: tuple[int, int], report_width: int) -> Arrays:
    """The initial arrays of everything that steps change."""
    work = work_shapes(plan, sizes_of(plan, room), report_width)
    return start_arrays(plan, state, room, seed) | {
        name: np.zeros(shape, kind) for name, (kind, shape) in work.items()
    }


def start_arrays(plan: Plan, state: State, room: int, seed: tuple[int, int]) -> Arrays:
    """The flock, the grid and the clock at the start."""
    n = len(state)
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
    return {
        "places": quads, "velocities": velocities, "ids": ids,
        "extras": _columns(state, [column_name(c) for c in plan.carried], room),
        "forces": _columns(state, plan.force_columns, room),
        "grid": grid_of(plan, room), "clock": _clock(plan, state, seed),
    }  # fmt: skip


def work_shapes(
    plan: Plan, sizes: Mapping[str, Any], report_width: int
) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """The arrays that steps fill, at first all zeros: the type and shape of each."""
    room, deep = sizes["room"], plan.dimension == 3
    cells, listeners = sizes["scan_blocks"] * SCAN_BLOCK, max(1, plan.stateful_item_count)
    return {
        "sorted_places": (np.float32, (room, 4)), "sorted_velocities": (np.float32, (room if deep else 1, 4)),
        "sorted_extras": (np.float32, (max(1, len(plan.carried)), room)), "sorted_ids": (np.int32, (room,)),
        "keys": (np.int32, (room,)), "ranks": (np.int32, (room,)), "order": (np.int32, (room,)),
        "counts": (np.int32, (cells,)), "start": (np.int32, (cells,)), "sums": (np.int32, (sizes["scan_blocks"],)),
        "marks": (np.uint32, (-(-room // 32),)),
        "reports": (np.uint64, (listeners, max(1, report_width))),
        "target_reports": (np.float32, (listeners, 1 + plan.item_width)),
        "events": (np.float64, (sizes["event_room"], len(EVENT_FIELDS))),
        "young": (np.int32, (sizes["young_room"], len(YOUNG))), "buckets": (np.int32, (sizes["bucket_mask"] + 1,)),
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
