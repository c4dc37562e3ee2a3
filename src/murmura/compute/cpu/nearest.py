"""The distance of the k-th nearest visible neighbour: a scalar scan before the vectorised one."""

from __future__ import annotations

from typing import Any

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.grid import ACROSS, Grid
from murmura.compute.cpu.index import Index
from murmura.core.algebra import Value, minimum, sqrt, where
from murmura.core.perception import TIE, in_view
from murmura.core.vec import Vec

MOST_NEAREST = 64
"""Neighbours that may count as nearest, at most."""


def reach_of_nearest(agents: Any, index: Index, base: Value, grid: Grid, i: Value, closest: Array) -> Value:
    """Squared distance to the k-th nearest visible neighbour of agent i, widened by the rounding: ties count.

    `base` is the agent's bin in its row, `closest` memory for the sorted distances so far.
    """
    from murmura.compute.step import SAME_PLACE

    t, nearest = agents.target, agents.frame.nearest
    known = agents.plan.known([column[i] for column in index.columns])
    p, me = agents.step.sense(known, index.table_ids[i])
    view, radius = agents.step.view(p, me), p[1].radius
    found = t.cell(0)
    for beside in (-1, 0, 1) if grid.layers is None else range(9):
        aside = beside if grid.layers is None else grid.across * (beside // 3 - 1) + (beside % 3 - 1)
        first = base + grid.pitch * aside
        with t.for_loop(index.start[first], index.start[first + (2 * ACROSS + 1)]) as j:
            way = Vec(*(column[j] for column in index.columns[: index.dimension])) - me.position
            square = way.square
            distance = square * (1.0 / sqrt(square + SAME_PLACE))
            visible = (square <= radius * radius) & in_view(view, me.heading, way, distance) & (j != i)
            many = found.get()
            worst = closest[where(many > 0, many - 1, 0)]
            with t.if_then(visible & ((many < nearest) | (square < worst))):
                insert(t, closest, square, where(many < nearest, many, many - 1))
                found.set(minimum(many + 1, nearest))
    furthest = closest[nearest - 1] * (1.0 + TIE)
    reach: Value = where(found.get() == nearest, furthest, radius * radius)
    return reach


def insert(t: Any, closest: Array, square: Value, place: Value) -> None:
    """Put a distance into the ordered list, from this place downwards."""
    k = t.cell(place)

    def greater() -> Value:
        here = k.get()
        return (here > 0) & (closest[where(here > 0, here - 1, 0)] > square)

    with t.while_loop(greater):
        closest[k.get()] = closest[k.get() - 1]
        k.set(k.get() - 1)
    closest[k.get()] = square
