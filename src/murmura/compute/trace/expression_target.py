"""Keeps operations as expressions, for a web page: how derived numbers follow from a scenario's values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Target, Value

Expression = Any
"""A number, the path of a value, or [operation, operand, ...]. Conditions are 0 or 1."""
OPERATIONS = frozenset({
    "add", "subtract", "multiply", "divide", "quotient", "negate", "minimum", "maximum", "absolute", "floor", "sqrt",
    "inverse_root", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "and", "or", "not",
    "select", "sin", "cos", "arctan", "arctan2", "bearing", "exp", "log", "tanh", "power", "hypot", "cube_root",
    "add_32", "xor_32", "or_32", "shift_left_32", "shift_right_32",
})  # fmt: skip
"""What a page can compute (view/web/src/standalone/numbers.ts)."""


class ExpressionTarget(Target):
    """Computes nothing: the code of a value is its `Expression`."""

    def value_at(self, path: str) -> Value:
        """A value of the scenario."""
        return Value(self, NUMBER, path)

    def integer_at(self, name: str) -> Value:
        """An integer of 32 bits, such as a word of the seed."""
        return Value(self, INTEGER, name)

    def constant(self, kind: str, value: Any) -> Expression:
        return float(value)

    def apply(self, operation: str, kind: str, *codes: Any) -> Expression:
        if kind == INTEGER and operation == "to_number":  # numbers hold them
            return codes[0]
        name = f"{operation}_32" if kind == INTEGER else operation
        if name not in OPERATIONS or kind not in (NUMBER, CONDITION, INTEGER):
            raise TypeError(f"a page cannot compute {operation!r} of a {kind}")
        return [name, *codes]

    def function(self, name: str, *operands: Value) -> Any:
        names = ("sin", "cos") if name == "sin_cos" else (name,)
        codes = [x.code for x in operands]
        found = tuple(Value(self, NUMBER, self.apply(each, NUMBER, *codes)) for each in names)
        return found if len(found) > 1 else found[0]


def expression_of(x: Any) -> Expression:
    """The expression of a value or plain number."""
    return x.code if isinstance(x, Value) else float(x)


def program_of(results: Mapping[str, Any]) -> dict[str, Any]:
    """Expressions as a list of steps, so that what they share is computed once.

    A step is a number, a name, or an operation with the places of its operands; `results` has the places of
    the results.
    """
    steps: list[Any] = []
    places: dict[Any, int] = {}

    def place_of(code: Expression) -> int:
        key = id(code) if isinstance(code, list) else code
        if key not in places:
            step = [code[0], *map(place_of, code[1:])] if isinstance(code, list) else code
            places[key] = len(steps)
            steps.append(step)
        return places[key]

    codes = {name: expression_of(x) for name, x in results.items()}
    return {"results": {name: place_of(code) for name, code in codes.items()}, "steps": steps}
