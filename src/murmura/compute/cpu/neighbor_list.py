"""One agent's neighbours next to each other in memory, each number of theirs in a row of its own: what lanes read fast.

Whoever is not wanted is left out by compressing lanes, not by gathering: a gather of sixteen costs as much as a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from murmura.compute.cpu.frame import Array, FrameCode
from murmura.compute.trace.llvm_target import FLOAT, INT, LANES, LlvmTarget, lanes_of
from murmura.core.algebra import INTEGER, Value, where

WORDS = 4
"""Words of 32 bins that a neighbour may take where bits are compared."""
INTEGER_ROWS = 3 + WORDS
NUMBER_ROWS = 6


class NeighborList:
    """Writes the list of one thread: rows of the flock, places, velocities, and what is found out about each."""

    def __init__(self, target: LlvmTarget, frame: FrameCode, thread: Value) -> None:
        self.target = target
        integers = [frame.listed.row(thread * INTEGER_ROWS + k) for k in range(INTEGER_ROWS)]
        numbers = [frame.sighted.row(thread * NUMBER_ROWS + k) for k in range(NUMBER_ROWS)]
        self.rows, self.first, self.count, *self.words = integers
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

    def take_words(self, n: Value, bins: int, visible: Value, first: Value, count: Value) -> None:
        """Note the bins that sixteen neighbours take, as bits."""
        end = first + count
        for word, to in enumerate(self.words[: -(-bins // 32)]):

            def below(x: Value, word: int = word) -> Value:
                """The bits of this word that belong to bins below x."""
                inside = x - 32 * word
                some = where(inside > 0, self.target.integer(-1) >> (32 - _least_one(inside)), 0)
                bits: Value = where(inside >= 32, -1, some)
                return bits

            bits = (below(end) & (below(first) ^ -1)) | below(end - bins)
            store(self.target, to, n, where(visible, bits, 0).code)

    def count_by_bits(self, many: Value, bins: int) -> None:
        """Count the bins in which each neighbour is seen: those it takes and nobody nearer does.

        Everybody is compared with everybody, sixteen at a time: for few that is faster than a buffer of distances.
        """
        t, words = self.target, self.words[: -(-bins // 32)]
        with t.for_loop(0, many, LANES) as n:
            square = self.at(self.squares, n)
            zeros = [t.integer(0) for _ in words]

            def cover(a: Value, held: list[Value], square: Value = square) -> list[Any]:
                nearer = self.same(self.squares[a]) < square
                return [
                    where(nearer, hidden | self.same(word[a]), hidden)
                    for hidden, word in zip(held, words, strict=True)
                ]

            hidden = t.loop(0, many, 1, zeros, cover)
            free = [self.at(word, n) & (h ^ -1) for word, h in zip(words, hidden, strict=True)]
            total: Any = 0
            for bits in free:
                total = Value(t, INTEGER, t.call("llvm.ctpop.v16i32", lanes_of(INT), [bits.code])) + total
            store(t, self.shown, n, t.builder.sitofp(total.code, lanes_of(FLOAT)))


def _least_one(x: Value) -> Value:
    """x, and 1 where it is less; 32 where it is more: shifts must stay within a word."""
    held: Value = where(x < 1, 1, where(x > 32, 32, x))
    return held


def store(t: LlvmTarget, to: Array, place: Any, lanes: Any) -> None:
    """Write sixteen lanes next to each other."""
    pointer = t.builder.bitcast(to.at(place), lanes.type.as_pointer())
    t.builder.store(lanes, pointer, align=4)


Visit = Callable[[Value, Value], None]
"""Given the first of sixteen bins, and which lanes of them are meant."""
