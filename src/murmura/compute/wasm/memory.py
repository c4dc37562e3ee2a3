"""How a page lays out the kernel's arrays: their sizes and the numbers that follow from them, as expressions.

They are traced from the functions that size the arrays natively, so a page can change how many agents there are, how
far they look or how much room the kernel has, and still has the grid, and so the bits, of `cpu`.
"""

from __future__ import annotations

from typing import Any

from murmura.compute.cpu import work
from murmura.compute.cpu.frame import ALLOCATED, ARRAYS, CALLED, INTEGERS, STATUS, WORLD, lengths_of
from murmura.compute.plan import Plan
from murmura.compute.schema import Owner
from murmura.compute.shapes import Shapes
from murmura.compute.trace.expression_target import Expression, ExpressionTarget, expression_of
from murmura.core.algebra import Value

VARIABLES = ("agents", "room", "items", "listeners", "reach", "needed")
"""What sizes depend on: agents for which there is room, elements of the sorted flock, items, those that agents report
to, how far agents look [u], and how many elements the kernel asked for."""
TEAM = 1


def memory_facts(plan: Plan, shapes: Shapes) -> dict[str, Any]:
    """What a page needs to lay out a flock of this plan."""
    target = ExpressionTarget()
    names = {name: target.value_at(name) for name in VARIABLES}
    world, agents, reach, room = plan.scenario.world, names["agents"], names["reach"], names["room"]
    sizes = (
        work.flock_sizes(plan, agents)
        | work.report_sizes(plan, shapes, agents, names["listeners"], TEAM)
        | work.index_sizes(plan, shapes, agents, names["items"], TEAM)
        | work.sorted_sizes(plan, TEAM, room)
    )
    arrays = work.shapes_with(sizes, *ALLOCATED, Owner.COUNT)
    return {
        "arrays": {name: _array(name, shape) for name, shape in arrays.items()},
        "frame": [*ARRAYS, *INTEGERS, *CALLED],
        "called": list(CALLED),
        "status": list(STATUS),
        "world": list(WORLD),
        "room": expression_of(work.sorted_room(world, reach, agents)),
        "more": expression_of(work.more_room(names["needed"], agents)),
        "integers": {name: expression_of(x) for name, x in _integers(plan, arrays, names).items()},
        "grid": {name: expression_of(x) for name, x in _grid(plan, agents, reach).items()},
    }


def _array(name: str, shape: tuple[Any, ...]) -> list[Expression]:
    """The bytes of an array."""
    return [ARRAYS[name].dtype.itemsize, *(expression_of(x) for x in shape)]


def _integers(plan: Plan, arrays: dict[str, Any], names: dict[str, Value]) -> dict[str, Any]:
    """The integers of the kernel's frame, except seed and first step."""
    bins = work.most_bins(names["agents"])
    columns, rows, layers = work.grid_size(plan.scenario.world, names["reach"], bins)

    return {
        **lengths_of(arrays, *ALLOCATED),
        **work.plan_integers(plan),
        "most_bins": bins,
        "columns": columns,
        "rows": rows,
        "layers": layers,
        "room": names["agents"],
    }


def _grid(plan: Plan, agents: Any, reach: Any) -> dict[str, Any]:
    """The numbers of the grid in the kernel's world."""
    world = plan.scenario.world
    return work.grid_numbers(world, reach, *work.grid_size(world, reach, work.most_bins(agents)))
