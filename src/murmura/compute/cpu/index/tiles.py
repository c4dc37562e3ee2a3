"""Tiles of candidates around four agents in space; agents meet only those that contain a neighbour.

Three in four candidates in the eight columns around an agent's own are out of sight, and half of the tiles have no
agent within reach of any of the four. So tiles are listed first, then tested by distance alone, and the agents meet the
rest. A skipped tile would contribute nothing, so the bits are the same. One loop over a list also ends only once, where
eight short loops would each end with a mispredicted branch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murmura.compute.cpu.frame import FrameCode
from murmura.compute.cpu.perception.lanes import GROUP, Flock
from murmura.compute.trace.llvm_target import LANES, LlvmTarget
from murmura.core.algebra import Value, maximum, where
from murmura.core.vec import Vec

AROUND = 8
"""Columns around one in space."""
Run = Callable[[Value], tuple[Value, Value]]
"""The beginning and end of one of the runs around some agents, by its number."""


def tile_room(candidates: Any) -> Any:
    """Entries of a list of tiles, with room for a whole register after the last one."""
    return candidates // GROUP + AROUND + LANES


class Tiles:
    """Emits the lists of one thread: all tiles of some runs, and those with a neighbour."""

    def __init__(self, target: LlvmTarget, flock: Flock, frame: FrameCode, thread: Value) -> None:
        self._target, self._flock = target, flock
        self._every, self._near = (frame.tiles.row(2 * thread + k) for k in (0, 1))

    def find(self, run: Run) -> None:
        """List the tiles of the runs around some agents."""
        t = self._target
        count = t.cell(0)
        with t.for_loop(0, AROUND) as number:
            begin, end = run(number)
            tiles = maximum(0, end - begin + (GROUP - 1)) // GROUP
            with t.for_loop(0, tiles, LANES) as k:
                firsts = (t.numbered(range(LANES)) + k) * GROUP + begin
                self._every.store(count.get() + k, firsts)
            count.set(count.get() + tiles)
        self._count = count.get()

    def meet(self, position: Vec, reach: Any, values: list[Any], meet: Callable[..., list[Any]]) -> list[Any]:
        """Let agents meet each tile that has a candidate within reach of one of them."""
        t = self._target
        kept = t.cell(0)
        with t.for_loop(0, self._count) as n:
            j = self._every[n]
            columns, _ = self._flock.tile(j)
            near = t.any_lane((columns["position"] - position).square <= reach)
            self._near[kept.get()] = j
            kept.set(kept.get() + where(near, 1, 0))
        return t.loop(0, kept.get(), 1, values, lambda n, held: meet(self._near[n], held))
