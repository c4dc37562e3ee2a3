"""The memory in which threads compute a step. Nothing in it outlives the step, so that worlds can take turns in it."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.frame import ARRAYS, INTEGERS, owned_by
from murmura.compute.cpu.index.grid import ACROSS
from murmura.compute.cpu.index.rows import MARGIN
from murmura.compute.cpu.index.tiles import tile_room
from murmura.compute.cpu.kernel import GRID_NUMBERS
from murmura.compute.cpu.perception.agents import Agents
from murmura.compute.cpu.perception.lanes import SUMS_PITCH
from murmura.compute.cpu.perception.neighbor_list import (
    INTEGER_ROWS,
    NUMBER_ROWS,
    TABLES,
    list_pitch,
    list_table,
)
from murmura.compute.cpu.perception.sight import field_room
from murmura.compute.cpu.threads import LINE, NEXT_TASK
from murmura.compute.plan import Plan
from murmura.compute.schema import Owner, plan_sizes
from murmura.compute.shapes import Shapes
from murmura.core.algebra import Value, floor, maximum, minimum, sqrt
from murmura.scenario.models import World

LEAST_BINS, MANY_BINS = 256, 8192
SPARE = 4096
"""Elements of a large sorted flock that are allocated in reserve; a small one has as many as it has agents."""
Sizes = dict[str, Any]
"""Sizes by the names that the shapes of arrays have for them."""


def _whole(x: Any) -> Any:
    """The whole part of a number that is not negative. Sizes are traced, too: pages compute them for other flocks."""
    return floor(x) if isinstance(x, Value) else int(x)


def _least(*numbers: Any) -> Any:
    return reduce(minimum, numbers) if any(isinstance(x, Value) for x in numbers) else min(numbers)


def _most(*numbers: Any) -> Any:
    return reduce(maximum, numbers) if any(isinstance(x, Value) for x in numbers) else max(numbers)


def most_bins(agents: Any) -> Any:
    """The greatest number of bins for this many agents; a world that needs fewer has fewer.

    Every bin costs half a nanosecond a step, every pair of agents that share too large a bin as much. So bins grow with
    the square of the agents, up to where they suffice for flocks of any shape; then with the agents.
    """
    return _most(LEAST_BINS, _least(MANY_BINS, agents * agents // 32), agents + agents // 2)


def grid_size(world: World, reach: Any, most: Any) -> tuple[Any, Any, Any]:
    """Bins along a row, rows, and in space layers of rows, of a world with edges and at most so many bins."""
    least = reach * 1.00001
    if world.depth is not None:
        lines = most // (8 * ACROSS)
        side = _most(1, _whole(sqrt(lines)) - 2)
        layers = _most(1, _least(_whole(world.depth / least), side))
        wide = side if world.boundary == "open" else _most(side, lines // (layers + 2) - 2)
        rows = _most(1, _least(_whole(world.height / least), wide))
        room = most // ((rows + 2) * (layers + 2)) - 2 * ACROSS - 1
        return _most(1, _least(_whole(world.width * ACROSS / least), room)), rows, layers
    rows = _most(1, _least(_whole(world.height / least), most // (8 * ACROSS) - 2))
    columns = _least(_whole(world.width * ACROSS / least), most // (rows + 2) - 2 * ACROSS - 1)
    return _most(1, columns), rows, 0


def sorted_room(world: World, reach: Any, agents: Any) -> Any:
    """Elements of the sorted flock: agents, their ghosts, and the sentinels of every line."""
    ghosts = 1.0
    for side, edge in zip(world.sides, world.edges, strict=True):
        ghosts *= 1.0 + 2.5 * reach / side if edge == "wrap" else 1.0
    lines = math.prod(side / reach + 2.0 for side in world.sides[1:])
    lines = _least(lines, most_bins(agents) / 32)  # as many as the kernel's layout allows
    return _whole(agents * ghosts * 1.05) + 4 * _whole(lines + 4) + spare(agents) + MARGIN


def grid_numbers(world: World, reach: Any, columns: Any, rows: Any, layers: Any) -> dict[str, Any]:
    """The numbers of the grid in the kernel's world."""
    return {
        "reach": reach,
        "per_x": columns / world.width,
        "per_y": rows / world.height,
        "per_z": layers / world.depth if world.depth else 0.0,
    }


def more_room(needed: Any, agents: Any) -> Any:
    """Elements to allocate when the kernel needed so many and there were fewer."""
    return _whole(needed * 1.25) + spare(agents)


def plan_integers(plan: Plan) -> dict[str, int]:
    """Integers of the frame that the plan determines."""
    sizes = plan_sizes(plan) | {"table_width": 2 * plan.dimension + len(plan.carried)}
    return {name: size for name, size in sizes.items() if name in INTEGERS}


def spare(agents: Any) -> Any:
    """Elements in reserve for this many agents."""
    return _least(SPARE, 64 + agents)


def sorted_sizes(plan: Plan, team: int, room: Any) -> Sizes:
    """Sizes of the sorted copy of the flock with its ghosts, and of what threads find in it."""
    return {
        "team": team,
        "table_width": 2 * plan.dimension + len(plan.carried),
        "table_pitch": room,
        "sources": room if plan.carried else 1,
        "reaches": room if plan.topological else 1,
        "tile_lists": 2 * team,
        "tile_room": tile_room(room) if plan.dimension == 3 else 1,
        # Where bodies hide each other, each thread lists an agent's neighbours and has its visual field.
        "list_integers": INTEGER_ROWS * team,
        "list_numbers": (NUMBER_ROWS + len(plan.carried)) * team,
        "list_room": list_pitch(room) if plan.occludes else 1,
        "field": field_room(plan.bins),
    }


def index_sizes(plan: Plan, shapes: Shapes, agents: Any, items: Any, team: int) -> Sizes:
    """Sizes of bins and rows, and of each thread's work space, for flocks of up to this many agents."""
    bins = most_bins(agents)
    return {
        "team": team,
        "keys": agents + MARGIN,
        "bins": bins,
        "starts": bins + 1,
        "lines": bins // 16 + 8,
        "sync": NEXT_TASK + LINE * team,
        "bounds": GRID_NUMBERS + 2 * plan.dimension * team,
        "sums": max(1, Agents.rows_of(plan, shapes)) * SUMS_PITCH,
        "item_count": _most(1, items),
        "near": 2 * max(1, len(plan.rule_groups)),
    }


def flock_sizes(plan: Plan, agents: Any) -> Sizes:
    """Sizes of the flock itself."""
    rows = 2 * plan.dimension + len(plan.carried) + len(plan.force_columns)
    return {"state_rows": rows, "state_pitch": agents + MARGIN}


def report_sizes(plan: Plan, shapes: Shapes, agents: Any, listeners: Any, team: int) -> Sizes:
    """Sizes of reports to so many items, of events, and of newborns."""
    # Twice the events that one step can produce.
    kinds = 2 + sum(1 for group in plan.rule_groups if group.functions.happens)
    items = _most(1, listeners)
    return {
        "team": team,
        "report_pitch": items * max(1, shapes.report_width),
        "listeners": items,
        "target_width": 1 + plan.item_width,
        "event_room": 2 * kinds * agents + 64 if plan.eventful else 0,
        "young_room": agents if plan.has_lifecycle else 0,
    }


def shapes_with(sizes: Sizes, *owners: Owner) -> dict[str, tuple[Any, ...]]:
    """The shapes of the arrays of these owners."""
    return {name: ARRAYS[name].shape_with(sizes) for name in owned_by(*owners)}


def allocated(sizes: Sizes, *owners: Owner) -> dict[str, NDArray[Any]]:
    """The arrays of these owners, zeros."""
    shapes = shapes_with(sizes, *owners)
    return {
        name: list_table(name, *shape) if name in TABLES else np.zeros(shape, ARRAYS[name].dtype)
        for name, shape in shapes.items()
    }


def sorted_arrays(plan: Plan, team: int, room: int) -> dict[str, NDArray[Any]]:
    """The arrays of `sorted_sizes`."""
    return allocated(sorted_sizes(plan, team, room), Owner.SORTED)


def index_arrays(plan: Plan, shapes: Shapes, agents: int, team: int) -> dict[str, NDArray[Any]]:
    """The arrays of `index_sizes`."""
    return allocated(index_sizes(plan, shapes, agents, len(plan.items), team), Owner.INDEX)


def times_of(plan: Plan, first: int, count: int) -> NDArray[np.float32]:
    """The two times at each of some steps, shape (count, 2)."""
    return np.stack(
        plan.time_at(np.arange(first, first + count)), axis=1, dtype=np.float32, casting="same_kind"
    )
