"""Keeps operations as expressions, for a web page: how derived numbers follow from a scenario's values."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import CONDITION, NUMBER, Target, Value

Expression = Any
"""A number, the path of a value, or [operation, operand, ...]. Conditions are 0 or 1."""
OPERATIONS = frozenset({
    "add", "subtract", "multiply", "divide", "quotient", "negate", "minimum", "maximum", "absolute", "floor", "sqrt",
    "inverse_root", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "and", "or", "not",
    "select", "sin", "cos", "arctan", "arctan2", "bearing", "exp", "log", "tanh", "power",
})  # fmt: skip
"""What a page can compute (view/web/src/standalone/start/numbers.ts)."""


class ExpressionTarget(Target):
    """Computes nothing: the code of a value is its `Expression`."""

    def value_at(self, path: str) -> Value:
        """A value of the scenario."""
        return Value(self, NUMBER, path)

    def constant(self, kind: str, value: Any) -> Expression:
        return float(value)

    def apply(self, operation: str, kind: str, *codes: Any) -> Expression:
        if operation not in OPERATIONS or (kind not in (NUMBER, CONDITION)):
            raise TypeError(f"a page cannot compute {operation!r} of a {kind}")
        return [operation, *codes]

    def function(self, name: str, *operands: Value) -> Any:
        names = ("sin", "cos") if name == "sin_cos" else (name,)
        codes = [x.code for x in operands]
        found = tuple(Value(self, NUMBER, self.apply(each, NUMBER, *codes)) for each in names)
        return found if len(found) > 1 else found[0]


def expression_of(x: Any) -> Expression:
    """The expression of a value or plain number."""
    return x.code if isinstance(x, Value) else float(x)
