"""The argument of the CPU kernel: one record with pointers to named arrays, and integers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from murmura.compute.plan import WORLD_NUMBERS
from murmura.compute.schema import SHARED, ArrayField, Element, Owner, names_owned_by
from murmura.compute.trace.llvm_target import BYTE, DOUBLE, FLOAT, INT, LONG, LlvmTarget, is_lanes, lanes_of
from murmura.core.algebra import INTEGER, NUMBER, Value, code_of
from murmura.core.world.perception import MOST_NEAREST

ELEMENTS = {Element.FLOAT: FLOAT, Element.INT: INT, Element.LONG: LONG, Element.DOUBLE: DOUBLE}
WORLD = (*WORLD_NUMBERS, "reach", "per_x", "per_y", "per_z")
STATUS = ("error", "needed", "next_id", "alive", "events", "young")

ARRAYS = {
    "world": ArrayField(Element.FLOAT, (len(WORLD),), Owner.RUN),
    "times": ArrayField(Element.FLOAT, ("steps", 2), Owner.RUN),
    "status": ArrayField(Element.INT, (len(STATUS),), Owner.FLOCK),
    "completed": ArrayField(Element.LONG, (1,), Owner.COUNT),
    "sync": ArrayField(Element.INT, ("sync",), Owner.INDEX),
    "bounds": ArrayField(Element.FLOAT, ("bounds",), Owner.INDEX),
    "state": ArrayField(Element.FLOAT, ("state_rows", "state_pitch"), Owner.FLOCK, is_table=True),
    "ids": ArrayField(Element.INT, ("state_pitch",), Owner.FLOCK),
    "keys": ArrayField(Element.INT, ("keys",), Owner.INDEX),
    "table": ArrayField(Element.FLOAT, ("table_width", "table_pitch"), Owner.SORTED, is_table=True),
    "table_ids": ArrayField(Element.INT, ("table_pitch",), Owner.SORTED),
    "source": ArrayField(Element.INT, ("sources",), Owner.SORTED),
    "reaches": ArrayField(Element.FLOAT, ("reaches",), Owner.SORTED),
    "start": ArrayField(Element.INT, ("starts",), Owner.INDEX),
    "histogram": ArrayField(Element.INT, ("team", "bins"), Owner.INDEX),
    "row_start": ArrayField(Element.INT, ("lines",), Owner.INDEX),
    "row_first": ArrayField(Element.INT, ("lines",), Owner.INDEX),
    "first_task": ArrayField(Element.INT, ("lines",), Owner.INDEX),
    "numbers": SHARED["numbers"],
    "affinities": ArrayField(Element.FLOAT, ("affinities", "pairs_of_species"), Owner.PLAN),
    "items": SHARED["items"],
    "ranges": SHARED["ranges"],
    "item_ranges": SHARED["item_ranges"],
    "tracked": SHARED["tracked"],
    "shapes": SHARED["shapes"],
    "reports": ArrayField(Element.LONG, ("team", "report_pitch"), Owner.REPORTS),
    "target_reports": SHARED["target_reports"],
    "events": SHARED["events"],
    "young": ArrayField(Element.INT, ("young_room", 3), Owner.REPORTS),
    "sums": ArrayField(Element.FLOAT, ("team", "sums"), Owner.INDEX),
    "closest": ArrayField(Element.FLOAT, ("team", MOST_NEAREST), Owner.INDEX),
    "chosen": ArrayField(Element.INT, ("team", "item_count"), Owner.INDEX),
    "near": ArrayField(Element.INT, ("team", "near"), Owner.INDEX),
    "tiles": ArrayField(Element.INT, ("tile_lists", "tile_room"), Owner.SORTED, is_table=True),
    "listed": ArrayField(Element.INT, ("list_integers", "list_room"), Owner.SORTED, is_table=True),
    "sighted": ArrayField(Element.FLOAT, ("list_numbers", "list_room"), Owner.SORTED, is_table=True),
    "field": ArrayField(Element.FLOAT, ("team", "field"), Owner.SORTED),
}
"""The arrays of the frame, in its order."""
ALLOCATED = (Owner.FLOCK, Owner.REPORTS, Owner.INDEX, Owner.SORTED)
"""Whose arrays have sizes that the kernel asks for."""
INTEGERS = (
    "first_step", "seed_low", "seed_high", "nearest", "state_pitch", "table_pitch", "most_bins", "columns", "rows",
    "shape_count", "tracked_count", "event_room", "young_room", "room", "report_pitch", "item_count",
    "layers", "list_room", "tile_room", "table_width", "item_width", "obstacle_count",
)  # fmt: skip
FINE, TOO_SMALL, NOT_FINITE, MANY_EVENTS = 0, 1, 2, 3
"""Codes of `error`. A kernel never raises: it writes a code and stops after a whole step."""
CALLED = ("steer", "finish")
"""The functions that `run` calls, by their addresses."""
PLACES = {name: k for k, name in enumerate((*ARRAYS, *INTEGERS, *CALLED))}


@cache
def owned_by(*owners: Owner) -> tuple[str, ...]:
    """The names of the frame's arrays that these owners fill."""
    return names_owned_by(ARRAYS, *owners)


def lengths_of(shapes: Mapping[str, tuple[Any, ...]], *owners: Owner) -> dict[str, Any]:
    """The integers of the frame that are sizes of the arrays of these owners; 0 for arrays without a shape."""
    return {
        str(size): shapes[name][axis] if name in shapes else 0
        for name in owned_by(*owners)
        for axis, size in enumerate(ARRAYS[name].shape)
        if size in INTEGERS
    }


def frame_of(addresses: dict[str, int], integers: dict[str, int]) -> NDArray[np.int64]:
    """The record of these addresses of arrays and these numbers; the arrays must outlive it."""
    entries = [addresses[name] for name in ARRAYS] + [integers[name] for name in (*INTEGERS, *CALLED)]
    return np.array(entries, np.int64)


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
        """Store the lanes under the mask contiguously; one thread alone also the others, which it overwrites later."""
        if self.target.compact:
            self.store(
                index,
                Value(self.target, self.kind, self.target.spread(code_of(self.target, value, self.kind))),
            )
            return
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
        field = ARRAYS[name]
        element = ELEMENTS[field.element]
        pointer = builder.inttoptr(entry, element.as_pointer())
        pitch = getattr(self, str(field.shape[-1])) if field.is_table else None
        return Array(self._target, pointer, element, pitch, field.is_constant)

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
