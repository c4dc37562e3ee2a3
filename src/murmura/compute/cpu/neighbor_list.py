"""One agent's neighbours next to each other in memory, each number of theirs in a row of its own: what lanes read fast.

Unwanted candidates are dropped by compressing lanes, not by gathering: a gather of sixteen costs as much as a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from murmura.compute.cpu.frame import Array, FrameCode
from murmura.compute.trace.llvm_target import BIT, FLOAT, INT, LANES, LONG, LlvmTarget, lanes_of
from murmura.core.algebra import CONDITION, INTEGER, Value, to_number, where
from murmura.core.merging import FAR

MOST_BITS = 64
"""Bins of a visual field, at most, where bits are compared."""
HALF = LANES // 2
BITS = ir.VectorType(LONG, HALF)
INTEGER_ROWS = 3
NUMBER_ROWS = 6
PAGE, STAGGER = 4096, 320
"""Bytes. Where entries of two rows lie a whole page apart, the processor takes them for the same and waits."""
TABLES = {
    "listed": (np.int32, 0),
    "sighted": (np.float32, INTEGER_ROWS),
    "taken": (np.int64, INTEGER_ROWS + NUMBER_ROWS),
}
"""Kind of the tables of the list, and how many staggered rows stand before each."""


def list_pitch(room: int) -> int:
    """How far apart rows lie that have room for so many: some pages and a little more."""
    return (-(-(room + LANES) * 4 // PAGE) * PAGE + STAGGER) // 4


def list_table(name: str, rows: int, pitch: int) -> NDArray[Any]:
    """A table of the list, at a place in its page that no other row has."""
    kind, before = TABLES[name]
    size = np.dtype(kind).itemsize * rows * pitch
    memory = np.zeros(size + 2 * PAGE, np.uint8)
    start = (before * STAGGER - memory.ctypes.data) % PAGE
    return memory[start : start + size].view(kind).reshape(rows, pitch)


class NeighborList:
    """Writes the list of one thread: rows of the flock, places, velocities, and what is found out about each."""

    def __init__(self, target: LlvmTarget, frame: FrameCode, thread: Value) -> None:
        self.target = target
        integers = [frame.listed.row(thread * INTEGER_ROWS + k) for k in range(INTEGER_ROWS)]
        numbers = [frame.sighted.row(thread * NUMBER_ROWS + k) for k in range(NUMBER_ROWS)]
        self.rows, self.first, self.count = integers
        self.bits = frame.taken.row(thread)
        self.squares, self.shown, *self.moving = numbers

    def lanes(self, n: Any) -> Value:
        """The numbers from n on."""
        return self.target.numbered(range(LANES)) + n

    def same(self, value: Value) -> Value:
        """A scalar on all lanes."""
        return Value(self.target, value.kind, self.target.spread(value.code))

    def at(self, array: Array, n: Value) -> Value:
        """Sixteen entries from n on."""
        return Value(self.target, array.kind, array.load(n, LANES))

    def append(self, place: Value, columns: list[tuple[Array, Value]], mask: Value) -> Value:
        """Put those lanes that the mask lets through behind `place`; how many they are."""
        t = self.target
        if t.wide:
            for to, values in columns:
                store(t, to, place, self._compressed(values.code, mask.code))
            return self.counted(mask)
        many = t.cell(place)
        for lane in range(LANES):
            here = many.get()
            for to, values in columns:
                to[here] = Value(t, to.kind, t.builder.extract_element(values.code, INT(lane)))
            bit = t.builder.extract_element(mask.code, INT(lane))
            many.set(here + Value(t, INTEGER, t.builder.zext(bit, INT)))
        return many.get() - place

    def _compressed(self, code: Any, mask: Any) -> Any:
        """The lanes that a mask lets through, next to each other."""
        element = code.type.element
        kind, name = lanes_of(element), "f32" if element == FLOAT else "i32"
        arguments = [code, ir.Constant(kind, None), mask]
        return self.target.call(f"llvm.x86.avx512.mask.compress.v16{name}", kind, arguments)

    def counted(self, mask: Value) -> Value:
        """On how many lanes a condition holds."""
        t, bits = self.target, ir.IntType(LANES)
        packed = t.builder.bitcast(mask.code, bits)
        return Value(t, INTEGER, t.builder.zext(t.call("llvm.ctpop.i16", bits, [packed]), INT))

    def keep_seen(self, many: Value) -> Value:
        """Take those who are hidden off the list; how many are left."""
        t = self.target
        kept = t.cell(0)
        arrays = [self.rows, self.squares, self.shown, *self.moving]
        with t.for_loop(0, many, LANES) as n:
            # Nothing is written beyond what has just been read: the list may be its own destination.
            columns = [(array, self.at(array, n)) for array in arrays]
            seen = (self.lanes(n) < self.same(many)) & (self.at(self.shown, n) > 0.0)
            kept.set(kept.get() + self.append(kept.get(), columns, seen))
        return kept.get()

    def take_bits(self, n: Value, bins: int, visible: Value, first: Value, count: Value) -> None:
        """Note the bins that sixteen neighbours take, as 64 bits each."""
        t, b = self.target, self.target.builder
        for half in range(2):
            lanes = range(HALF * half, HALF * (half + 1))
            wide = [b.zext(t.picked(x.code, lanes), BITS) for x in (first, where(visible, count, 0))]
            # As many ones as it takes bins, turned round the field. Back in two shifts: one by 64 would be none.
            run = b.sub(b.shl(ones(1), wide[1]), ones(1))
            back = b.lshr(b.lshr(run, b.sub(ones(bins - 1), wide[0])), ones(1))
            bits = b.and_(b.or_(b.shl(run, wide[0]), back), ones((1 << bins) - 1))
            store(t, self.bits, n + HALF * half, bits)

    def count_by_bits(self, many: Value) -> None:
        """Count the bins in which each neighbour is seen: those it takes and nobody nearer does.

        All pairs are compared, sixteen at a time: for few neighbours that is faster than a buffer of distances.
        """
        t, b = self.target, self.target.builder
        halves = [range(HALF * half, HALF * (half + 1)) for half in range(2)]
        with t.for_loop(0, many, LANES) as n:
            square = self.at(self.squares, n)
            hidden = [Cell64(t) for _ in halves]
            with t.for_loop(0, many) as a:
                nearer = (self.same(self.squares[a]) < square).code
                bits = t.spread(b.load(self.bits.at(a), typ=LONG), HALF)
                for cell, lanes in zip(hidden, halves, strict=True):
                    before = cell.load()
                    cell.store(b.select(t.picked(nearer, lanes), b.or_(before, bits), before))
            for cell, lanes in zip(hidden, halves, strict=True):
                mine = self.bits.load(n + lanes[0], HALF)
                free = b.and_(mine, b.not_(cell.load()))
                seen = b.trunc(t.call("llvm.ctpop.v8i64", BITS, [free]), ir.VectorType(INT, HALF))
                store(t, self.shown, n + lanes[0], b.sitofp(seen, ir.VectorType(FLOAT, HALF)))

    def count_by_buffer(self, many: Value) -> None:
        """The same for many, by the distance of the nearest in every bin: four registers hold them all."""
        t = self.target
        nearest = [t.cell(FAR, lanes=True) for _ in range(MOST_BITS // LANES)]
        with t.for_loop(0, many) as n:
            square = self.same(self.squares[n])
            for cell, mine in zip(nearest, self._masks(n), strict=True):
                cell.set(where(mine & (square < cell.get()), square, cell.get()))
        with t.for_loop(0, many) as n:
            square = self.same(self.squares[n])
            seen: Any = 0
            for cell, mine in zip(nearest, self._masks(n), strict=True):
                seen = self.counted(mine & (square <= cell.get())) + seen
            self.shown[n] = to_number(seen)

    def _masks(self, n: Value) -> list[Value]:
        """Which lanes of each register of bins a neighbour takes."""
        t, b = self.target, self.target.builder
        bits, few = b.load(self.bits.at(n), typ=LONG), ir.IntType(LANES)
        parts = [b.trunc(b.lshr(bits, LONG(LANES * k)), few) for k in range(MOST_BITS // LANES)]
        return [Value(t, CONDITION, b.bitcast(part, lanes_of(BIT))) for part in parts]


class Cell64:
    """A variable of eight lanes of 64 bits, at first 0: memory that LLVM turns into a register."""

    def __init__(self, target: LlvmTarget) -> None:
        self._builder = target.builder
        with self._builder.goto_entry_block():
            self._place = self._builder.alloca(BITS)
        self.store(ones(0))

    def load(self) -> Any:
        return self._builder.load(self._place, typ=BITS)

    def store(self, code: Any) -> None:
        self._builder.store(code, self._place)


def ones(value: int) -> Any:
    """A constant on eight lanes of 64 bits."""
    signed = value - (1 << 64) if value >= 1 << 63 else value
    return ir.Constant(BITS, [LONG(signed)] * HALF)


def store(t: LlvmTarget, to: Array, place: Any, lanes: Any) -> None:
    """Write sixteen lanes next to each other."""
    pointer = t.builder.bitcast(to.at(place), lanes.type.as_pointer())
    t.builder.store(lanes, pointer, align=4)


Visit = Callable[[Value, Value], None]
"""Given the first of sixteen bins, and which lanes of them are meant."""
