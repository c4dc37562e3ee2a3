"""The text of a GPU's kernel: arrays and fields have the names of `fields` until a language spells them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murmura.compute.trace.text_target import TextTarget
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Value, code_of

Operand = tuple[Any, str]
"""A value, and the kind that a function takes it as."""


class GpuTarget(TextTarget):
    """The body of a function of a kernel. Arrays are named `record.field`; a name without a dot is local."""

    writes_forces: str
    """The condition that this step stores forces."""

    def spelled(self, record: str, field: str) -> str:
        """A field of a record in the language."""
        raise NotImplementedError

    def field(self, record: str, name: str, kind: str = NUMBER, steady: bool = True) -> Value:
        """A field of a record; `steady`: it is constant while this code runs."""
        return self.value(kind, self.spelled(record, name), steady)

    def clock(self, name: str) -> Value:
        """What a step may know of the clock, as 32 bits: `step`, counted from 0, and both halves of the seed."""
        raise NotImplementedError

    def called(self, name: str, operands: Sequence[str]) -> str:
        """A call of a function that reads or writes the kernel's arrays."""
        raise NotImplementedError

    def call(self, name: str, *operands: Operand) -> None:
        """Call a function for its effect."""
        self.write(f"{self.called(name, [code_of(self, x, kind) for x, kind in operands])};")

    def lesser(self, a: Value, b: int) -> Value:
        """The lesser of two integers."""
        raise NotImplementedError

    def between(self, place: Value, count: Value) -> Value:
        """The row or column of a place: a whole number from 0 to below the count."""
        return self.value(INTEGER, f"between({place.code}, {count.code})")

    def condition(self, value: bool) -> Value:
        return Value(self, CONDITION, self.constant(CONDITION, value))

    # The reach of the nearest neighbours: a list of least squares

    def declare_nearest(self) -> None:
        """Declare `nearest`, an empty list."""
        raise NotImplementedError

    def note_nearest(self, square: Value) -> None:
        most = self.spelled("sizes", "nearest")
        self.write(f"note_nearest(&nearest, {most}, {square.code});")

    def last_of_nearest(self) -> tuple[Value, Value]:
        """Whether the list is full, and its greatest square."""
        most = self.spelled("sizes", "nearest")
        full = self.value(CONDITION, f"nearest.count == {most}", steady=False)
        last = f"nearest.squares[{most} - {self.integer_constant(1)}]"
        return full, self.value(NUMBER, last, steady=False)

    def any_marked(self, begin: Value, end: Value) -> Value:
        """Whether an agent of a run contributes to a rule with a filter."""
        return self.value(CONDITION, self.called("any_marked", [begin.code, end.code]))

    def report_not_finite(self, numbers: Sequence[str]) -> None:
        """Stop the run if one of these is not finite."""
        raise NotImplementedError

    # Reports to items

    report_words = 1
    """Words of a report."""

    def report(self, name: str, at: Value, value: Any, kind: str) -> None:
        """Add a value to the report that begins at a word."""
        raise NotImplementedError

    def take_report(self, at: Value, *functions: str) -> list[Value]:
        """Read and clear the report at a word: what each of these functions makes of it."""
        raise NotImplementedError

    def score_place(self, row: Value, width: int, slot: int, me: Value) -> Value | None:
        """Where an agent's score of a best report is kept, if a later kernel finds who made it."""
        return None

    def report_best(self, at: Value, score: Any, me: Value, at_score: Value | None) -> None:
        """Report a score; the greatest counts."""
        raise NotImplementedError
