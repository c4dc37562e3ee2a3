"""The argument of the CPU kernel: one record with pointers to named arrays, and integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from murmura.compute.plan import WORLD_NUMBERS
from murmura.compute.trace.llvm_target import BYTE, DOUBLE, FLOAT, INT, LONG, LlvmTarget, is_lanes, lanes_of
from murmura.core.algebra import INTEGER, NUMBER, Value, code_of

ARRAYS = {
    "world": FLOAT, "times": FLOAT, "status": INT, "completed": LONG, "sync": INT, "bounds": FLOAT,
    "state": FLOAT, "ids": INT, "keys": INT,
    "table": FLOAT, "table_ids": INT, "source": INT, "reaches": FLOAT,
    "start": INT, "histogram": INT, "row_start": INT, "row_first": INT, "first_task": INT,
    "numbers": FLOAT, "affinities": FLOAT, "items": FLOAT, "ranges": INT, "item_ranges": FLOAT, "tracked": INT,
    "shapes": FLOAT, "reports": LONG, "target_reports": FLOAT, "events": DOUBLE, "young": INT,
    "sums": FLOAT, "closest": FLOAT, "chosen": INT, "near": INT,
    "tiles": INT, "listed": INT, "sighted": FLOAT, "field": FLOAT,
}  # fmt: skip
INTEGERS = (
    "first_step", "seed_low", "seed_high", "nearest", "state_pitch", "table_pitch", "most_bins", "columns", "rows",
    "shape_count", "tracked_count", "event_room", "young_room", "room", "report_pitch", "item_count",
    "layers", "list_room", "tile_room", "table_width", "item_width", "obstacle_count",
)  # fmt: skip
CONSTANT = {"world", "times", "numbers", "affinities", "ranges", "item_ranges", "tracked", "shapes"}
"""Arrays that kernels only read."""
WORLD = (*WORLD_NUMBERS, "reach", "per_x", "per_y", "per_z")
STATUS = ("error", "needed", "next_id", "alive", "events", "young")
FINE, TOO_SMALL, NOT_FINITE, MANY_EVENTS = 0, 1, 2, 3
"""Codes of `error`. A kernel never raises: it writes a code and stops after a whole step."""
PITCHES = {"state": "state_pitch", "table": "table_pitch", "tiles": "tile_room"} | dict.fromkeys(
    ("listed", "sighted"), "list_room"
)
"""The distance between the rows of each table."""
CALLED = ("steer", "finish")
"""The functions that `run` calls, by their addresses."""
PLACES = {name: k for k, name in enumerate((*ARRAYS, *INTEGERS, *CALLED))}


def frame_of(arrays: dict[str, NDArray[Any]], integers: dict[str, int]) -> NDArray[np.int64]:
    """The record of these arrays and numbers; the arrays must outlive it."""
    frame = np.zeros(len(PLACES), np.int64)
    for name in ARRAYS:
        frame[PLACES[name]] = arrays[name].ctypes.data
    for name in (*INTEGERS, *CALLED):
        frame[PLACES[name]] = integers[name]
    return frame


class Array:
    """An array in emitted code: `a[i]` loads, `a[i] = x` stores; `row(k)` of a table whose rows are `pitch` apart."""

    def __init__(
        self, target: LlvmTarget, pointer: Any, element: Any, pitch: Any = None, constant: bool = False
    ) -> None:
        self.target, self.pointer, self.element, self._pitch = target, pointer, element, pitch
        self._constant = constant
        self.kind = NUMBER if element == FLOAT else INTEGER

    def at(self, index: Any) -> Any:
        """The address of an element."""
        return self.target.address(self.pointer, index, self.element)

    def __getitem__(self, index: Any) -> Value:
        if isinstance(index, Value) and is_lanes(index.code):
            return Value(self.target, self.kind, self.target.gather(self.pointer, index.code, self.element))
        builder, place = self.target.builder, self.at(index)
        load = (
            _constant_load(builder, place, self.element)
            if self._constant
            else builder.load(place, typ=self.element)
        )
        return Value(self.target, self.kind, load)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.target.builder.store(code_of(self.target, value, self.kind), self.at(index))

    def offset(self, index: Any) -> Array:
        """The array from an element on."""
        return Array(self.target, self.at(index), self.element)

    def row(self, k: Any) -> Array:
        """A row of a table."""
        builder = self.target.builder
        number = builder.sext(code_of(self.target, k, INTEGER), LONG)
        distance = builder.mul(builder.sext(self._pitch.code, LONG), number)
        place = builder.gep(self.pointer, [distance], inbounds=True, source_etype=self.element)
        return Array(self.target, place, self.element)

    def load(self, index: Any, count: int) -> Any:
        """Load consecutive elements as a vector."""
        kind = ir.VectorType(self.element, count)
        pointer = self.target.builder.bitcast(self.at(index), kind.as_pointer())
        return self.target.builder.load(pointer, typ=kind, align=4)

    def store(self, index: Any, values: Value) -> None:
        """Store lanes contiguously."""
        pointer = self.target.builder.bitcast(self.at(index), values.code.type.as_pointer())
        self.target.builder.store(values.code, pointer, align=4)

    def prefetch(self, index: Any, to_write: bool = False) -> None:
        """Fetch the cache line of an element, which need not exist."""
        place = self.target.builder.bitcast(self.at(index), BYTE.as_pointer())
        keep, data = INT(3), INT(1)
        self.target.call("llvm.prefetch.p0", ir.VoidType(), [place, INT(int(to_write)), keep, data])

    def store_first(self, index: Any, value: Any, mask: Any) -> None:
        """Store the lanes under the mask contiguously."""
        kind, name = lanes_of(self.element), "f32" if self.element == FLOAT else "i32"
        pointer = self.target.builder.bitcast(self.at(index), kind.as_pointer())
        code = self.target.spread(code_of(self.target, value, self.kind))
        self.target.call(f"llvm.masked.store.v16{name}.p0", ir.VoidType(), [code, pointer, INT(4), mask.code])


def _constant_load(builder: Any, place: Any, element: Any) -> Any:
    """A load of memory that no kernel writes: LLVM may move it out of loops, whatever they store."""
    load = builder.load(place, typ=element)
    load.set_metadata("invariant.load", builder.module.add_metadata([]))
    return load


class FrameCode:
    """The record inside a function of the kernel: `frame.state` is an array, `frame.rows` an integer."""

    def __init__(self, target: LlvmTarget, pointer: Any) -> None:
        self._target, self._pointer = target, pointer

    def _entry(self, name: str) -> Any:
        builder = self._target.builder
        place = builder.gep(self._pointer, [LONG(PLACES[name])], inbounds=True, source_etype=LONG)
        return _constant_load(builder, place, LONG)

    def __getattr__(self, name: str) -> Any:
        entry, builder = self._entry(name), self._target.builder
        if name in INTEGERS:
            return Value(self._target, INTEGER, builder.trunc(entry, INT))
        pitch = PITCHES.get(name)
        pointer = builder.inttoptr(entry, ARRAYS[name].as_pointer())
        return Array(
            self._target, pointer, ARRAYS[name], getattr(self, pitch) if pitch else None, name in CONSTANT
        )

    def function(self, name: str, kind: Any) -> Any:
        """A function of another module."""
        return self._target.builder.inttoptr(self._entry(name), kind.as_pointer())

    def status(self, name: str) -> Any:
        """The address of a status word."""
        return self.__getattr__("status").at(STATUS.index(name))

    def number(self, name: str) -> Value:
        """A number of the world."""
        found: Value = self.__getattr__("world")[WORLD.index(name)]
        return found
