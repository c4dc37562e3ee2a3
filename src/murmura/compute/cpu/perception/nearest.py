"""The distance of the k-th nearest visible neighbour: a scan before the agents meet, sixteen candidates at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.index.grid import ACROSS, Grid
from murmura.compute.cpu.index.rows import Index
from murmura.compute.trace.llvm_target import BIT, INT, LANES, LlvmTarget
from murmura.core.algebra import INTEGER, NUMBER, Value, minimum, sqrt, where
from murmura.core.vec import Vec
from murmura.core.world.perception import TIE, in_view


def reach_of_nearest(agents: Any, index: Index, base: Value, grid: Grid, i: Value, closest: Array) -> Value:
    """Squared distance to the k-th nearest visible neighbour of agent i, widened by rounding, so that ties count.

    `base` is the agent's bin in its row, `closest` memory for the sorted distances so far.
    """
    from murmura.compute.step_data import SAME_PLACE

    t, nearest = agents.target, agents.frame.nearest
    known = agents.plan.known([column[i] for column in index.columns])
    p, me = agents.step.sense(known, index.table_ids[i])
    view, radius = agents.step.view(p, me), p.perception.radius
    found = t.cell(0)

    def may_count(square: Value) -> Value:
        """Whether fewer than k were found so far, or one of those is farther away."""
        many = found.get()
        return (many < nearest) | (square < closest[where(many > 0, many - 1, 0)])

    for beside in (-1, 0, 1) if grid.layers is None else range(9):
        lines = beside if grid.layers is None else grid.across * (beside // 3 - 1) + (beside % 3 - 1)
        first = base + grid.pitch * lines
        end = index.start[first + (2 * ACROSS + 1)]
        with t.for_loop(index.start[first], end, LANES) as j:
            rows = t.numbered(range(LANES)) + j
            places = (column.load(j, LANES) for column in index.columns[: index.dimension])
            way = Vec(*(Value(t, NUMBER, place) for place in places)) - me.position
            square = way.square
            distance = square * (1.0 / sqrt(square + SAME_PLACE))
            visible = (square <= radius * radius) & in_view(view, me.heading, way, distance)
            candidates = visible & (rows != i) & (rows < end) & may_count(square)
            with each_lane(t, candidates) as lane:
                one = t.lane(square, lane)
                with t.if_then(may_count(one)):
                    many = found.get()
                    insert(t, closest, one, where(many < nearest, many, many - 1))
                    found.set(minimum(many + 1, nearest))
    furthest = closest[nearest - 1] * (1.0 + TIE)
    reach: Value = where(found.get() == nearest, furthest, radius * radius)
    return reach


@contextmanager
def each_lane(t: LlvmTarget, mask: Value) -> Iterator[Value]:
    """Run code for every lane on which a condition holds."""
    packed = t.builder.bitcast(mask.code, ir.IntType(LANES))
    bits = t.cell(Value(t, INTEGER, t.builder.zext(packed, INT)))
    with t.while_loop(lambda: bits.get() != 0):
        left = bits.get()
        bits.set(left & (left - 1))  # without its lowest bit
        yield Value(t, INTEGER, t.call("llvm.cttz.i32", INT, [left.code, BIT(0)]))


def insert(t: Any, closest: Array, square: Value, place: Value) -> None:
    """Insert a distance into the ordered list, from this entry downwards."""
    k = t.cell(place)

    def greater() -> Value:
        here = k.get()
        return (here > 0) & (closest[where(here > 0, here - 1, 0)] > square)

    with t.while_loop(greater):
        closest[k.get()] = closest[k.get() - 1]
        k.set(k.get() - 1)
    closest[k.get()] = square
