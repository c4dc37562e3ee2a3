"""Builds the arrays that kernels read and write, by the names in `fields`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu.fields import ARRAYS, WORLD, record_type
from murmura.compute.gpu.grid import SCAN_BLOCK, bins_of, grid_of, scan_blocks
from murmura.compute.plan import Plan
from murmura.compute.schema import Arrays, Owner, as_declared, names_owned_by, plan_contents, plan_sizes
from murmura.core.state import State, column_name

LEAST_EVENTS = 4096


def sizes_of(plan: Plan, room: int) -> dict[str, Any]:
    """The record `Sizes` of a flock with room for so many agents, without what a backend decides."""
    bins, young, facts = bins_of(plan, room), room if plan.has_lifecycle else 1, plan_sizes(plan)
    return {
        "room": room,
        "bins": bins,
        "scan_blocks": scan_blocks(bins),
        "nearest": facts["nearest"],
        "shapes": facts["shape_count"],
        "obstacles": facts["obstacle_count"],
        "tracked": facts["tracked_count"],
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


def array_sizes(plan: Plan, sizes: Mapping[str, Any], report_width: int) -> dict[str, int]:
    """The sizes of all arrays, by the names in `fields`.

    Args:
        plan: The plan.
        sizes: What `sizes_of` found.
        report_width: Numbers of a report to an item.
    """
    room = sizes["room"]
    return {
        **plan_sizes(plan),
        **sizes,
        "deep_room": room if plan.dimension == 3 else 1,
        "extra_columns": max(1, len(plan.carried)),
        "force_columns": max(1, len(plan.force_columns)),
        "cells": sizes["scan_blocks"] * SCAN_BLOCK,
        "mark_words": -(-room // 32),
        "listeners": max(1, plan.stateful_item_count),
        "report_width": max(1, report_width),
        "buckets": sizes["bucket_mask"] + 1,
    }


def work_shapes(
    plan: Plan, sizes: Mapping[str, Any], report_width: int
) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """The arrays that steps fill, at first all zeros: the type and shape of each."""
    every = array_sizes(plan, sizes, report_width)
    names = names_owned_by(ARRAYS, Owner.SORTED, Owner.INDEX, Owner.REPORTS)
    return {name: (ARRAYS[name].dtype, ARRAYS[name].shape_with(every)) for name in names}


def plan_arrays(plan: Plan, items: NDArray[np.float32], seed: tuple[int, int]) -> Arrays:
    """The arrays of everything that a change of numbers changes."""
    numbers = plan.world_numbers(seed)
    world = [numbers.get(name, 0.0) for _, name in WORLD]
    # Slightly more, so that rounding cannot lose what is on the edge.
    ranges = (plan.item_ranges.astype(np.float64) * 1.0001) ** 2
    found = plan_contents(plan, items) | {
        "world": np.array(world),
        "item_ranges": np.minimum(ranges, 3.0e38),
        "tracked": plan.tracked * [1, plan.item_width],
    }
    return as_declared(ARRAYS, found)


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
