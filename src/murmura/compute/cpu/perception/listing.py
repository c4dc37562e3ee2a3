"""Lists the neighbours of several agents, one list after the other, so that all lanes are in use when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.index.grid import ACROSS, Grid
from murmura.compute.cpu.index.rows import Index
from murmura.compute.cpu.perception.neighbor_list import CARRIED, MOVING, ROWS, SPARE, NeighborList
from murmura.compute.step_data import Parameters
from murmura.compute.trace.llvm_target import INT, LANES, LlvmTarget
from murmura.core.algebra import NUMBER, Value, absolute, minimum
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec

TOGETHER = 8
"""Maximum number of agents for which each phase runs before the next; their lists fit into the L1 cache."""
COARSE = 1e-4
"""By how much the cosine of the view is widened for the list: the exact test needs a square root."""

ViewOf = Callable[[Value], tuple[Parameters, Record, Any, Any]]
"""An agent's numbers, the agent, the minimum cosine in its view and its squared reach."""


class Listing:
    """Writes the lists of some agents into the memory of a thread. `sees_all`: includes neighbours out of view."""

    def __init__(
        self, target: LlvmTarget, index: Index, grid: Grid, memory: NeighborList, sees_all: bool
    ) -> None:
        self.target, self.index, self.grid, self.memory = target, index, grid, memory
        self._sees_all = sees_all
        with target.builder.goto_entry_block():
            self.starts, self.counts = (
                Array(target, target.builder.alloca(INT, TOGETHER), INT) for _ in range(2)
            )

    def list(self, i: Value, left: Value, base: Value, view_of: ViewOf) -> tuple[Value, Value]:
        """List the neighbours of agents from row i on, until there are enough of either; return both numbers."""
        t, index = self.target, self.index
        g, used = t.cell(0), t.cell(0)
        with t.while_loop(lambda: (g.get() < minimum(left, TOGETHER)) & (used.get() <= SPARE)):
            here, row = g.get(), i + g.get()
            column = base + index.column_of(index.columns[0][row], self.grid)
            many = self._list(row, column, self.memory.beginning_at(used.get()), view_of)
            self.starts[here], self.counts[here] = used.get(), many
            used.set(used.get() + many)
            g.set(here + 1)
        return g.get(), used.get()

    def _list(self, i: Value, base: Value, to: NeighborList, view_of: ViewOf) -> Value:
        """List the neighbours of one agent; return their number."""
        t, index, same = self.target, self.index, to.same
        _, me, view, reach = view_of(i)
        coarse = (view - COARSE) * absolute(view - COARSE)
        found = t.cell(0)
        for beside in (-1, 0, 1):
            first = base + self.grid.pitch * beside
            end = index.start[first + (2 * ACROSS + 1)]
            with t.for_loop(index.start[first], end, LANES) as j:
                columns = [Value(t, NUMBER, column.load(j, LANES)) for column in index.columns]
                way = Vec(*columns[:2]) - me.position
                near = (way.square <= reach) & (to.lanes(j) < same(end))
                near = near & (to.lanes(j) != same(i)) if beside == 0 else near
                if not self._sees_all:
                    ahead = me.heading.dot(way)
                    near = near & (ahead * absolute(ahead) >= coarse * way.square)
                listed = [(ROWS, to.lanes(j)), *enumerate((*way, *columns[2:4]), MOVING)]
                if t.wide:
                    listed += enumerate(columns[4:], CARRIED)
                found.set(found.get() + to.append(found.get(), listed, near))
        to.note_eye(found.get(), [*me.heading, view])
        return found.get()
