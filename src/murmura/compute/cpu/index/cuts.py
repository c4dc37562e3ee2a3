"""Shorter runs of candidates in space: each is cut to where its four agents' spheres of sight intersect its column.

Only part of a sphere intersects the columns beside and diagonally beside the agents' own. Its half length along x is
the chord sqrt(r^2 - d^2), d being the distance from an agent to the column. A run loses whole bins at both ends, and at
its beginning whole tiles: so every remaining candidate keeps its lane, and sums keep their bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.index.grid import ACROSS, Grid
from murmura.compute.cpu.index.rows import Index
from murmura.compute.cpu.perception.agents import Agents
from murmura.compute.cpu.perception.lanes import GROUP
from murmura.compute.trace.llvm_target import INT, LANES, Cell, LlvmTarget
from murmura.core.algebra import NUMBER, Value, maximum, minimum, sqrt, to_integer, to_number, where

SLACK = 0.02
"""Safety margin of a run, in bins and as a share of the radius: far more than rounding."""
BIG = 1e18
LONG_RUN = 24
"""Runs are cut if the agents' own column has at least this many candidates. The common workload has about 15."""
AGENT = [k // GROUP for k in range(LANES)]
SIDE = [k % GROUP for k in range(LANES)]
"""The side of the column that each lane computes: lower and upper along y, lower and upper along z."""
ALONG_Y = [GROUP * a + s for a in range(GROUP) for s in (0, 1, 0, 1)]
ALONG_Z = [GROUP * a + s for a in range(GROUP) for s in (2, 2, 3, 3)]
"""The two sides that meet at each of the four corners."""
BY_NUMBER = [LANES, 2, LANES + 1, 0, 1, LANES + 2, 3, LANES + 3, *range(8)]
"""Sides, then corners, in the order of the eight columns around one (`lines_around`)."""


Bins = Callable[[Value], tuple[Value, Value]]
"""The first bin of a run and the bin after its last one, by the run's number."""


def cut_bins(
    agents: Agents, index: Index, grid: Grid, line: Value, i: Value, last: Value, c0: Value, c1: Value, own: Value
) -> Bins:  # fmt: skip
    """The bins of the eight runs around four agents, from row i to `last`.

    Args:
        agents: The agents' part of the kernel.
        index: The sorted flock.
        grid: Its columns and bins.
        line: The agents' own column.
        i: The first of them.
        last: The last of them.
        c0: The first bin of uncut runs.
        c1: The bin after their last one.
        own: How many candidates the agents' own column has: if there are few, a cut costs more than it saves.
    """
    t = agents.target
    first, end = t.cell(c0, lanes=True), t.cell(c1, lanes=True)
    with t.if_then(own >= LONG_RUN):
        low, high = _chords(agents, index, grid, line, i, last)
        begins = to_integer(maximum((low - grid.x0) * grid.per_x + (ACROSS - SLACK), 0.0))
        stops = to_integer(minimum((high - grid.x0) * grid.per_x + (ACROSS + 1.0 + SLACK), to_number(c1)))
        # Not beyond the agents' own bins: bins at the edges also hold agents outside the world.
        first.set(minimum(maximum(begins, c0), c0 + ACROSS))
        end.set(minimum(maximum(stops, c1 - ACROSS), c1))
    firsts, ends = _in_memory(t, first), _in_memory(t, end)
    return lambda number: (firsts[number], ends[number])


def lines_around(t: LlvmTarget, grid: Grid, line: Value) -> Array:
    """The first bins of the eight columns around one, by number."""
    steps = [(dy, dz) for dz in (-1, 0, 1) for dy in (-1, 0, 1) if dy or dz] + [(0, 0)] * 8
    along_y, along_z = (t.numbered(axis) for axis in zip(*steps, strict=True))
    return _in_memory(t, t.cell((along_z * grid.across + along_y + line) * grid.pitch, lanes=True))


def _in_memory(t: LlvmTarget, cell: Cell) -> Array:
    """The lanes of a cell one by one."""
    return Array(t, t.builder.bitcast(cell.place, INT.as_pointer()), INT)


def _chords(
    agents: Agents, index: Index, grid: Grid, line: Value, i: Value, last: Value
) -> tuple[Value, Value]:
    """How far along x the agents' spheres reach into each of the eight columns, on eight lanes."""
    t, f = agents.target, agents.frame

    def dealt(array: Any) -> Value:
        return Value(t, NUMBER, t.picked(array.load(i, GROUP), AGENT))

    def picked(value: Value, lanes: Sequence[int]) -> Value:
        return Value(t, value.kind, t.picked(value.code, lanes))

    x, y, z = (dealt(column) for column in index.columns[:3])
    radius = f.number("reach")
    square = dealt(f.reaches) if agents.plan.topological and not agents.plan.far_rules else radius * radius
    low_y, high_y = _sides(line % grid.across, grid.y0, grid.per_y)
    low_z, high_z = _sides(line // grid.across, grid.z0, grid.per_z)
    side = t.numbered(SIDE)
    away = where(side < 2, where(side == 0, y - low_y, high_y - y), where(side == 2, z - low_z, high_z - z))
    away = maximum(0.0, away - radius * SLACK)
    beside = away * away
    diagonal = picked(beside, ALONG_Y) + picked(beside, ALONG_Z)
    is_one = t.numbered(AGENT) + i <= last
    found = []
    for gap in (beside, diagonal):
        chord = sqrt(maximum(0.0, square - gap))
        low, high = where(is_one, x - chord, BIG), where(is_one, x + chord, -BIG)
        for by in (8, 4):  # the minimum and maximum of the four
            turned = [(k + by) % LANES for k in range(LANES)]
            low, high = minimum(low, picked(low, turned)), maximum(high, picked(high, turned))
        found.append((low, high))
    lows, highs = (
        Value(t, NUMBER, t.shuffled(a.code, b.code, BY_NUMBER)) for a, b in zip(*found, strict=True)
    )
    return lows, highs


def _sides(number: Value, start: Any, per: Any) -> tuple[Value, Value]:
    """Where a row begins and ends."""
    size = where(per > 0.0, 1.0 / where(per > 0.0, per, 1.0), 0.0)
    low = start + (to_number(number) - 1.0) * size
    return low, low + size
