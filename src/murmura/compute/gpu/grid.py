"""Rows and bins of a GPU's index, and how many of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from murmura.compute.gpu.fields import record_type
from murmura.compute.plan import Plan

LEAST_BINS = 8192
ACROSS = 4
"""Bins for each perception radius."""
SCAN_THREADS, SCAN_EACH = 256, 16
SCAN_BLOCK = SCAN_THREADS * SCAN_EACH
"""Bins that one block of threads adds up: each thread takes `SCAN_EACH`."""


def _rows_and_columns(plan: Plan, room: int) -> tuple[int, int, int]:
    """Rows of a layer, bins of a row, and layers; in the plane there is one."""
    world, reach, most = plan.scenario.world, plan.reach * 1.00001, _most_bins(room)
    if world.depth is not None:
        lines = most // (8 * ACROSS)
        side = math.isqrt(lines)
        layers = max(1, min(int(world.depth / reach), side))
        rows = max(1, min(int(world.height / reach), max(side, lines // layers)))
        return rows, max(1, min(int(world.width * ACROSS / reach), most // (rows * layers))), layers
    rows = max(1, min(int(world.height / reach), most // (8 * ACROSS)))
    return rows, max(1, min(int(world.width * ACROSS / reach), most // rows)), 1


def _most_bins(room: int) -> int:
    return max(LEAST_BINS, 2 * room)


def bins_of(plan: Plan, room: int) -> int:
    """The number of bins; in an open world, its maximum."""
    rows, columns, layers = _rows_and_columns(plan, room)
    return _most_bins(room) if plan.scenario.world.boundary == "open" else rows * columns * layers


def scan_blocks(bins: int) -> int:
    """Blocks of threads that add up the counts of all bins, and one more: the end of the last."""
    return -(-(bins + 1) // SCAN_BLOCK)


def grid_of(plan: Plan, room: int) -> NDArray[np.int32]:
    """Rows and bins of a bounded world; an open world recomputes them in every step."""
    world = plan.scenario.world
    rows, columns, layers = _rows_and_columns(plan, room)
    grid = np.zeros(1, record_type("Grid"))
    grid["rows"], grid["columns"] = rows, columns
    grid["per_x"], grid["per_y"] = columns / world.width, rows / world.height
    grid["row_height"] = world.height / rows
    grid["layers"] = layers
    if world.depth is not None:
        grid["per_z"], grid["layer_height"] = layers / world.depth, world.depth / layers
    return grid.view(np.int32)
