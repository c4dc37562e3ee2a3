"""The nearest neighbours of many points in many worlds at once.

Points are counted into cells as wide as one may look, so that neighbours lie in the cell of a point or in those around
it. Each point keeps its nearest few in a short sorted list. Traced like the kernel, compiled once for all scenarios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.frame import Array
from murmura.compute.cpu.functions import Functions
from murmura.compute.cpu.kernel import CACHE_LINE
from murmura.compute.machine import available_cores
from murmura.compute.trace.llvm_target import FLOAT, INT, LANES, LlvmTarget
from murmura.core.algebra import INTEGER, NUMBER, Value, maximum, minimum, where
from murmura.core.merging import FAR

INTS, FLOATS = INT.as_pointer(), FLOAT.as_pointer()
AXES = 3
SIGNATURES: dict[str, list[Any]] = {
    "count_cells": [INTS, INT, INTS, INT, INTS],
    "find_nearest": [
        INTS,
        *[INT] * 3,
        INTS,
        INTS,
        FLOATS,
        FLOATS,
        *[INTS] * 3,
        FLOATS,
        FLOAT,
        INT,
        INTS,
        FLOATS,
    ],
}
LOW, HIGH, NOWHERE = 2 * AXES, 3 * AXES, 4 * AXES
"""Places in `span`, after the numbers of cells and whether axes wrap: the cells to visit, and the last cell."""
FEW = 4_000
"""Points that one thread serves sooner than several share them."""


def nearest(
    points: NDArray[np.float32],
    worlds: NDArray[np.int32],
    asking: NDArray[np.int32],
    count: int,
    radius: float,
    sides: Sequence[float],
    wraps: Sequence[bool],
    seen: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The nearest others of some points: their numbers, -1 for none, and the squares of their distances.

    Args:
        points: Shape (n, 2) or (n, 3) [u]; NaN: nobody is there.
        worlds: The world of each, shape (n,); points see those of their own world.
        asking: Numbers of the points that ask, shape (m,).
        count: How many neighbours, at most.
        radius: How far they may be [u].
        sides: Width, height and depth of each world [u].
        wraps: Which axes wrap.
        seen: Which points others see, shape (n,); by default all.

    Returns:
        Two arrays of shape (m, count), nearest first.
    """
    grid = _Grid(points, worlds, radius, sides, wraps, seen)
    found = np.full((len(asking), count), -1, np.int32)
    squares = np.full((len(asking), count), np.inf, np.float32)
    asking = np.ascontiguousarray(asking, np.int32)
    arrays = (grid.names, grid.cells, grid.points, grid.places, grid.starts, grid.order, grid.span, grid.box)
    addresses = [array.ctypes.data for array in arrays]
    chosen, reach, lists = asking.ctypes.data, radius * radius, (found.ctypes.data, squares.ctypes.data)
    find = _FUNCTIONS["find_nearest"]
    shared_out(
        len(asking), lambda first, end: find(chosen, first, end, grid.pitch, *addresses, reach, count, *lists)
    )
    return found, squares


def shared_out(count: int, work: Callable[[int, int], None]) -> None:
    """Do the work from `first` to `end` for all parts of a count, on all cores if there is much."""
    shares = available_cores() if count > FEW else 1
    edges = np.linspace(0, count, shares + 1).astype(int).tolist()
    others = [_team().submit(work, *edges[k : k + 2]) for k in range(1, shares)]
    work(*edges[:2])
    for other in others:
        other.result()


class _Grid:
    """Points counted into cells, world by world; the last cell holds those that are nowhere."""

    def __init__(
        self,
        points: NDArray[np.float32],
        worlds: NDArray[np.int32],
        radius: float,
        sides: Sequence[float],
        wraps: Sequence[bool],
        seen: NDArray[np.bool_] | None,
    ) -> None:
        n, d = points.shape
        world_count = int(worlds.max(initial=0)) + 1
        most = int((4 * n / world_count) ** (1 / d)) + 1  # more cells than points would only be visited
        shape = [max(1, min(int(side / radius), most)) for side in sides] + [1] * (AXES - d)
        there = np.isfinite(points[:, 0])
        self.pitch = n + LANES
        self.points, self.cells = (
            np.zeros((AXES, self.pitch), np.float32),
            np.zeros((AXES, self.pitch), np.int32),
        )
        self.points[:d, :n] = np.where(there, points.T, 0.0)
        for axis in range(d):
            # Who is outside belongs to the cell at the edge: that brings nobody out of reach of a neighbour.
            self.cells[axis] = np.clip(self.points[axis] * (shape[axis] / sides[axis]), 0, shape[axis] - 1)
        x, y, z = self.cells[:, :n]
        nowhere = world_count * shape[0] * shape[1] * shape[2]
        names = ((worlds * shape[2] + z) * shape[1] + y) * shape[0] + x
        self.names = np.where(there, names, nowhere).astype(np.int32)
        self.starts, self.order = np.zeros(nowhere + 3, np.int32), np.zeros(self.pitch, np.int32)
        listed = self.names if seen is None else np.where(seen, self.names, nowhere).astype(np.int32)
        arrays = (listed, self.starts, self.order)
        names_at, starts_at, order_at = (array.ctypes.data for array in arrays)
        _FUNCTIONS["count_cells"](names_at, n, starts_at, nowhere + 1, order_at)
        self.places = np.ascontiguousarray(self.points[:, self.order])
        self.box = np.array([*sides, *[1.0] * (AXES - d)], np.float32)
        turns = [*map(bool, wraps), *[False] * (AXES - d)]
        # On a torus of one or two cells the same cell would be met twice.
        around = [
            (0, min(1, size - 1)) if turn and size < 3 else (-1, 1)
            for turn, size in zip(turns, shape, strict=True)
        ]
        if turns[0] and shape[0] < 3:
            around[0] = (-2, 2)  # cut to the whole row, which is visited from end to end
        bounds = [bound for pair in zip(*around, strict=True) for bound in pair]
        self.span = np.array([*shape, *turns, *bounds, nowhere], np.int32)


@cache
def _team() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(available_cores(), thread_name_prefix="murmura-nearest")


# Native code


def _count_cells(t: LlvmTarget, names: Any, count: Any, starts: Any, cells: Any, order: Any) -> None:
    """A counting sort: the points of cell c are order[starts[c] : starts[c + 1]].

    Counts are kept two entries further on, and become the beginnings when the points are put in place.
    """
    cell, begin, sorted_ = Array(t, names, INT), Array(t, starts, INT), Array(t, order, INT)
    n, last = Value(t, INTEGER, count), Value(t, INTEGER, cells)
    with t.for_loop(0, n) as k:
        begin[cell[k] + 2] = begin[cell[k] + 2] + 1
    with t.for_loop(2, last + 2) as c:
        begin[c] = begin[c] + begin[c - 1]
    with t.for_loop(0, n) as k:
        place = begin[cell[k] + 1]
        sorted_[place] = k
        begin[cell[k] + 1] = place + 1


def _find_nearest(t: LlvmTarget, *arguments: Any) -> None:
    """The nearest of each asking point from `first` to `end`."""
    search = _Search(t, *arguments)
    with t.for_loop(search.first, search.end) as row:
        me = search.asking[row]
        with t.if_then(search.names[me] < search.span[NOWHERE]):
            search.look_around(me, row)


class _Search:
    """The search around one point; `places` are in the order of the cells, sixteen are compared at a time."""

    def __init__(
        self, t: LlvmTarget, asking: Any, first: Any, end: Any, pitch: Any, names: Any, cells: Any, points: Any,
        places: Any, starts: Any, order: Any, span: Any, box: Any, reach: Any, most: Any, found: Any, squares: Any,
    ) -> None:  # fmt: skip
        self.t = t
        self.first, self.end, self.pitch, self.most = (
            Value(t, INTEGER, x) for x in (first, end, pitch, most)
        )
        self.reach = Value(t, NUMBER, reach)
        self.asking, self.names, self.cells, self.starts, self.order, self.span, self.found = (
            Array(t, x, INT) for x in (asking, names, cells, starts, order, span, found)
        )
        self.points, self.places, self.box, self.squares = (
            Array(t, x, FLOAT) for x in (points, places, box, squares)
        )

    def look_around(self, me: Value, row: Value) -> None:
        """Visit the cells around a point: along x they follow each other, and so do their points."""
        span = self.span
        own = [self.cells[self.pitch * axis + me] for axis in range(AXES)]
        world = self.names[me] - ((own[2] * span[1]) + own[1]) * span[0] - own[0]
        first, last = own[0] + span[LOW], own[0] + span[HIGH]
        # Of a torus, the cell on the other side; where all were visited already, -1.
        turned = where(first < 0, span[0] - 1, where(last >= span[0], 0, -1))
        across = where((span[AXES] > 0) & (span[0] > 2), turned, -1)
        for dz, dy in self._rows():
            y, z = self._around(1, own[1] + dy), self._around(2, own[2] + dz)
            with self.t.if_then((y >= 0) & (z >= 0)):
                begin = world + (z * span[1] + y) * span[0]
                self._meet_all(me, row, begin + maximum(first, 0), begin + minimum(last, span[0] - 1))
                with self.t.if_then(across >= 0):
                    self._meet_all(me, row, begin + across, begin + across)

    def _rows(self) -> Iterator[tuple[Value, Value]]:
        """The body of a loop over rows of cells."""
        span = self.span
        with (
            self.t.for_loop(span[LOW + 2], span[HIGH + 2] + 1) as dz,
            self.t.for_loop(span[LOW + 1], span[HIGH + 1] + 1) as dy,
        ):
            yield dz, dy

    def _around(self, axis: int, cell: Value) -> Value:
        """The cell along an axis, around the torus; -1 where there is none."""
        size, turns = self.span[axis], self.span[AXES + axis] > 0
        low = where(cell < 0, where(turns, cell + size, -1), cell)
        found: Value = where(low >= size, where(turns, low - size, -1), low)
        return found

    def _meet_all(self, me: Value, row: Value, first: Value, last: Value) -> None:
        """Compare a point with those of some cells."""
        t, worst = self.t, (row + 1) * self.most - 1
        end = self.starts[last + 1]
        with t.for_loop(self.starts[first], end, LANES) as k:
            square = self._squares(me, k)
            others = Value(t, INTEGER, self.order.load(k, LANES))
            near = (square <= self.reach) & (square < self.squares[worst])
            near = near & (t.numbered(range(LANES)) + k < end) & (others != me)
            with t.if_then(t.any_lane(near)), t.for_loop(0, LANES) as lane, t.if_then(t.lane(near, lane)):
                mine = t.lane(square, lane)
                with t.if_then(mine < self.squares[worst]):
                    self._insert(row * self.most, worst, mine, self.order[k + lane])

    def _squares(self, me: Value, k: Value) -> Any:
        """Squares of the distances to sixteen points."""
        total: Any = 0.0
        for axis in range(AXES):
            there = Value(self.t, NUMBER, self.places.load(self.pitch * axis + k, LANES))
            way = there - self.points[self.pitch * axis + me]
            side, turns = self.box[axis], self.span[AXES + axis] > 0
            half = where(turns, 0.5 * side, FAR)
            way = way - where(way > half, side, 0.0) + where(way < -half, side, 0.0)
            total = total + way * way
        return total

    def _insert(self, begin: Value, last: Value, square: Value, other: Value) -> None:
        """Put a point into a sorted list, whose last one falls out."""
        place = self.t.cell(last)

        def follows() -> Value:
            k = place.get()
            return (k > begin) & (self.squares[maximum(k - 1, begin)] > square)

        with self.t.while_loop(follows):
            k = place.get()
            self.squares[k], self.found[k] = self.squares[k - 1], self.found[k - 1]
            place.set(k - 1)
        self.squares[place.get()], self.found[place.get()] = square, other


# Sixteen lanes in memory must be aligned.
_FUNCTIONS = Functions("nearest", SIGNATURES, lambda name: globals()[f"_{name}"], CACHE_LINE)
