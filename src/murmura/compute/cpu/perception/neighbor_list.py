"""One agent's neighbours, contiguous in memory, one row for each of their numbers: fast to read into lanes.

Unwanted candidates are dropped by compressing lanes, not by gathering: a gather of sixteen costs as much as a rule.
Lists of several agents follow each other, and each neighbour has a copy of what its bins need of the agent's eye: so
angles are computed sixteen at a time, across agents. Writing the end of a list may overwrite the beginning of the
next, which must therefore be written later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from murmura.compute.cpu.frame import Array, FrameCode
from murmura.compute.trace.llvm_target import BIT, FLOAT, INT, LANES, LONG, LlvmTarget, lanes_of
from murmura.core.algebra import CONDITION, INTEGER, Value, minimum, to_number, where
from murmura.core.merging import FAR

MOST_BITS = 64
"""Maximum number of bins of a visual field for which bits are compared."""
HALF = LANES // 2
BITS = ir.VectorType(LONG, HALF)
INTEGER_ROWS, NUMBER_ROWS = 5, 10
ROWS, MOVING, CARRIED = 0, INTEGER_ROWS + 3, INTEGER_ROWS + NUMBER_ROWS
"""The row of the neighbours' rows in the flock; the first of the rows with offsets and velocities, and of those with
the columns that the plan carries."""
SPARE = 1024
"""Entries in addition to those of one agent: lists of several agents follow each other until this many are used."""
UNROLLED = 4
"""Neighbours that others are compared with in one iteration."""
PAGE, STAGGER = 4096, 256
"""Bytes. If entries of two rows lie exactly a page apart, the processor takes them for the same address and stalls."""
TABLES = {
    "listed": (np.int32, 0),
    "sighted": (np.float32, INTEGER_ROWS),
}
"""Kind of the tables of the list, and how many staggered rows stand before each."""


def list_pitch(room: Any) -> Any:
    """The distance between rows with room for twice this many neighbours of one agent: some pages and a little more."""
    return ((2 * (room + SPARE + LANES) * 4 + PAGE - 1) // PAGE * PAGE + STAGGER) // 4


def list_table(name: str, rows: int, pitch: int) -> NDArray[Any]:
    """A table of the list, at an offset within its page that no other row has."""
    kind, before = TABLES[name]
    size = np.dtype(kind).itemsize * rows * pitch
    memory = np.zeros(size + 2 * PAGE, np.uint8)
    start = (before * STAGGER - memory.ctypes.data) % PAGE
    return memory[start : start + size].view(kind).reshape(rows, pitch)


class NeighborList:
    """Writes one agent's list: rows of the flock, offsets, velocities, and values computed for each neighbour."""

    def __init__(self, target: LlvmTarget, arrays: list[Array], stores: dict[int, list[Any]]) -> None:
        self.target, self._arrays, self._stores = target, arrays, stores
        self.rows, self.first, self.count, *self.bits = arrays[:INTEGER_ROWS]
        self.squares, self.inverses, self.shown = arrays[INTEGER_ROWS:MOVING]
        self.moving, self.eyes = arrays[MOVING : MOVING + 4], arrays[MOVING + 4 : MOVING + 7]

    @classmethod
    def of_thread(cls, target: LlvmTarget, frame: FrameCode, thread: Value, carried: int) -> NeighborList:
        """The memory of a thread, for the lists of several agents."""
        many = NUMBER_ROWS + carried
        integers = [frame.listed.row(thread * INTEGER_ROWS + k) for k in range(INTEGER_ROWS)]
        numbers = [frame.sighted.row(thread * many + k) for k in range(many)]
        return cls(target, integers + numbers, {k: [] for k in (ROWS, *range(CARRIED, CARRIED + carried))})

    def beginning_at(self, place: Value) -> NeighborList:
        """The list of the agent whose neighbours begin here."""
        return NeighborList(self.target, [array.offset(place) for array in self._arrays], self._stores)

    def column(self, k: int, everyone: Array, n: Value, there: Value) -> Value:
        """The k-th carried column of sixteen from n on: from the list, or gathered where appending is even slower."""
        if not self.target.wide:
            return everyone[self.row_of(n, there)]
        self._stores.pop(CARRIED + k, None)
        found: Value = where(there, self.at(self._arrays[CARRIED + k], n), 0.0)
        return found

    def row_of(self, n: Value, there: Value) -> Value:
        """The rows of the flock of sixteen from n on."""
        self._stores.pop(ROWS, None)
        found: Value = where(there, self.at(self.rows, n), 0)
        return found

    def forget_unasked(self) -> None:
        """Remove the stores of numbers that turn out not to be read: most rules read none."""
        for stores in self._stores.values():
            for instruction in stores:
                instruction.parent.instructions.remove(instruction)

    def lanes(self, n: Any) -> Value:
        """The numbers from n on."""
        return self.target.numbered(range(LANES)) + n

    def same(self, value: Value) -> Value:
        """A scalar on all lanes."""
        return Value(self.target, value.kind, self.target.spread(value.code))

    def at(self, array: Array, n: Value) -> Value:
        """Sixteen entries from n on."""
        return Value(self.target, array.kind, array.load(n, LANES))

    def append(self, place: Value, columns: list[tuple[int, Value]], mask: Value) -> Value:
        """Append the lanes under the mask to numbered rows at `place`; return how many there are."""
        t = self.target
        if t.wide:
            for row, values in columns:
                stored = store(t, self._arrays[row], place, self._compressed(values.code, mask.code))
                self._stores.get(row, []).append(stored)
            return self.counted(mask)
        many = t.cell(place)
        for lane in range(LANES):
            here = many.get()
            for row, values in columns:
                code = t.builder.extract_element(values.code, INT(lane))
                self._arrays[row][here] = Value(t, values.kind, code)
            bit = t.builder.extract_element(mask.code, INT(lane))
            many.set(here + Value(t, INTEGER, t.builder.zext(bit, INT)))
        return many.get() - place

    def _compressed(self, code: Any, mask: Any) -> Any:
        """The lanes under a mask, contiguous."""
        element = code.type.element
        kind, name = lanes_of(element), "f32" if element == FLOAT else "i32"
        arguments = [code, ir.Constant(kind, None), mask]
        return self.target.call(f"llvm.x86.avx512.mask.compress.v16{name}", kind, arguments)

    def counted(self, mask: Value) -> Value:
        """On how many lanes a condition holds."""
        t, bits = self.target, ir.IntType(LANES)
        packed = t.builder.bitcast(mask.code, bits)
        return Value(t, INTEGER, t.builder.zext(t.call("llvm.ctpop.i16", bits, [packed]), INT))

    def note_eye(self, many: Value, numbers: list[Any]) -> None:
        """Store the agent's heading and view with each neighbour: always for two iterations, enough for most."""
        t = self.target

        def note(n: Any) -> None:
            for to, number in zip(self.eyes, numbers, strict=True):
                store(t, to, n, t.spread(number.code))

        note(0)
        note(LANES)
        with t.for_loop(2 * LANES, many, LANES) as n:
            note(n)

    def copy_seen(self, many: Value, to: NeighborList) -> Value:
        """Copy the neighbours that are not hidden to another list; return how many there are."""
        t = self.target
        kept = t.cell(0)
        rows = (ROWS, *range(INTEGER_ROWS, MOVING + 4), *range(CARRIED, len(self._arrays) if t.wide else 0))
        with t.for_loop(0, many, LANES) as n:
            seen = (self.lanes(n) < self.same(many)) & (self.at(self.shown, n) > 0.0)
            columns = [(row, self.at(self._arrays[row], n)) for row in rows]
            kept.set(kept.get() + to.append(kept.get(), columns, seen))
        return kept.get()

    def take_bits(self, n: Value, bins: int, first: Value, count: Value) -> None:
        """Store the bins that sixteen neighbours take: 64 bits each, the lower half in a separate row."""
        t, b = self.target, self.target.builder
        halves = []
        for half in range(2):
            lanes = range(HALF * half, HALF * (half + 1))
            start, many = (b.zext(t.picked(x.code, lanes), BITS) for x in (first, count))
            run = b.sub(
                b.shl(ones(1), many), ones(1)
            )  # as many ones as it takes bins, then rotated around the field
            if bins == MOST_BITS:
                halves.append(t.call("llvm.fshl.v8i64", BITS, [run, run, start]))
                continue
            # Back in two shifts: a single shift by 64 would do nothing.
            back = b.lshr(b.lshr(run, b.sub(ones(bins - 1), start)), ones(1))
            halves.append(b.and_(b.or_(b.shl(run, start), back), ones((1 << bins) - 1)))
        low, high = (b.bitcast(half, lanes_of(INT)) for half in halves)
        for part, to in enumerate(self.bits):
            store(t, to, n, t.shuffled(low, high, range(part, 2 * LANES, 2)))

    def count_by_bits(self, many: Value) -> None:
        """Count the bins in which each neighbour is seen: those it takes and no nearer one does.

        All pairs are compared, sixteen at a time: for few neighbours that is faster than a buffer of distances.
        """
        t, b, last = self.target, self.target.builder, many - 1
        with t.for_loop(0, many, LANES) as n:
            square = self.at(self.squares, n)
            hidden = [t.cell(0, lanes=True) for _ in self.bits]

            def hide(other: Value, square: Value = square, hidden: list[Any] = hidden) -> None:
                nearer = self.same(self.squares[other]) < square
                for cell, bits in zip(hidden, self.bits, strict=True):
                    cell.set(where(nearer, cell.get() | self.same(bits[other]), cell.get()))

            whole = many & -UNROLLED
            with t.for_loop(0, whole, UNROLLED) as a:
                for k in range(UNROLLED):
                    hide(a + k)
            for k in range(UNROLLED - 1):
                hide(minimum(whole + k, last))  # repeating one changes nothing
            seen: Any = 0
            for cell, bits in zip(hidden, self.bits, strict=True):
                free = b.and_(self.at(bits, n).code, b.not_(cell.get().code))
                seen = Value(t, INTEGER, t.call("llvm.ctpop.v16i32", lanes_of(INT), [free])) + seen
            store(t, self.shown, n, to_number(seen).code)

    def count_by_buffer(self, many: Value) -> None:
        """The same for many neighbours, from the distance of the nearest in every bin: four registers hold them all."""
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
        t, b, few = self.target, self.target.builder, ir.IntType(LANES)
        parts = [b.trunc(b.lshr(bits[n].code, INT(LANES * k)), few) for bits in self.bits for k in range(2)]
        return [Value(t, CONDITION, b.bitcast(part, lanes_of(BIT))) for part in parts]


def ones(value: int) -> Any:
    """A constant on eight lanes of 64 bits."""
    signed = value - (1 << 64) if value >= 1 << 63 else value
    return ir.Constant(BITS, [LONG(signed)] * HALF)


def store(t: LlvmTarget, to: Array, place: Any, lanes: Any) -> Any:
    """Write sixteen lanes contiguously; return the instruction."""
    pointer = t.builder.bitcast(to.at(place), lanes.type.as_pointer())
    return t.builder.store(lanes, pointer, align=4)


Visit = Callable[[Value, Value], None]
"""Called with the first of sixteen bins, and a mask of the lanes that count."""
