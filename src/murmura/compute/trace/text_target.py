"""Emits code as text: what C and WGSL share.

Each operation becomes an immutable binding; equal expressions within a scope share one. Only the values that loops and
branches carry are variables, and they are copied into bindings on entry and exit, so that no binding goes stale. Memory
that is constant while the code runs is read once for each address; other memory is read every time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from murmura.compute.trace.polynomials import FUNCTIONS
from murmura.core.algebra import COMPARISONS, CONDITION, INTEGER, NUMBER, Target, Value, code_of

RESULTS = {"to_number": NUMBER, "from_bits": NUMBER, "to_integer": INTEGER, "to_bits": INTEGER}
"""Operations whose result differs in kind from their operands."""
TWO_RESULTS = ("sin_cos",)
NAMES = re.compile(r"\b[a-z]\d+\b")
QUAD = "quad"
"""The kind of a group of four numbers that are loaded and stored together."""
SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "remainder": "%", "quotient": "/", "and": "&",
    "or": "|", "xor": "^", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
    "not_equal": "!=",
}  # fmt: skip


class TextTarget(Target):
    """A function body being written.

    Args:
        helpers: Tables and functions that the text needs, by name; targets of one program share them.
        depth: How far the lines are indented.
    """

    def __init__(self, helpers: dict[str, str] | None = None, depth: int = 1) -> None:
        self._lines: list[tuple[str, str]] = []
        self.helpers: dict[str, str] = {} if helpers is None else helpers
        self._depth = depth
        self._scopes: list[dict[tuple[str, str], str]] = [{}]
        self._count = 0
        self._squares: dict[str, str] = {}  # the radicand of each square root, by the root's name

    @property
    def text(self) -> str:
        """The lines so far, without unused bindings."""
        return self.ending_with()

    def ending_with(self, *results: str) -> str:
        """The lines that side effects and these results need."""
        used = set(NAMES.findall(" ".join(results)))
        kept = []
        for line, name in reversed(self._lines):  # a binding is used only after it
            if not name or name in used:
                used.update(NAMES.findall(line))
                kept.append(f"{line}\n")
        return "".join(reversed(kept))

    # To be defined by each language

    stay_rolled = ""
    """The line that keeps a compiler from unrolling the next loop."""
    calls: dict[str, str]
    """Functions of the language, by operation."""

    def integer_constant(self, value: int) -> str:
        raise NotImplementedError

    def number_constant(self, value: float) -> str:
        raise NotImplementedError

    def expression(self, operation: str, kind: str, codes: Sequence[str]) -> str:
        """The form that most languages share; a language handles its own cases first."""
        if (
            operation == "divide" and codes[1] in self._squares
        ):  # one instruction instead of a root and a division
            inverse = f"{self.calls['inverse_root']}({self._squares[codes[1]]})"
            return inverse if codes[0] == "1.0f" else f"{codes[0]} * {self.bound(inverse, NUMBER)}"
        if operation == "negate":
            return f"-{codes[0]}"
        if operation == "not":
            return f"!{codes[0]}" if kind == CONDITION else f"~{codes[0]}"
        if operation in SYMBOLS:
            return f"{codes[0]} {SYMBOLS[operation]} {codes[1]}"
        return f"{self.calls[operation]}({', '.join(codes)})"

    def binding(self, name: str, kind: str, expression: str) -> str:
        raise NotImplementedError

    def variable(self, name: str, kind: str, expression: str) -> str:
        raise NotImplementedError

    def array(self, name: str, kind: str, size: int) -> str:
        """The declaration of a thread-local array."""
        raise NotImplementedError

    def heading(self, k: str, first: str, last: str, step: int) -> str:
        raise NotImplementedError

    def place(self, memory: str, index: str, steady: bool) -> str:
        """The expression of an entry of an array."""
        raise NotImplementedError

    def quad(self, codes: Sequence[str]) -> str:
        raise NotImplementedError

    def table(self, name: str, kind: str, entries: Any) -> str:
        """The definition of a table."""
        raise NotImplementedError

    def definition(
        self, name: str, parameters: Sequence[str], body: TextTarget, results: Sequence[str]
    ) -> str:
        """The definition of a function of numbers."""
        raise NotImplementedError

    # Operations

    def constant(self, kind: str, value: Any) -> str:
        if kind == NUMBER:
            return self.number_constant(float(np.float32(value)))
        if kind == INTEGER:
            return self.integer_constant((int(value) + 2**31) % 2**32 - 2**31)
        return "true" if value else "false"

    def apply(self, operation: str, kind: str, *codes: str) -> str:
        result = CONDITION if operation in COMPARISONS else RESULTS.get(operation, kind)
        name = self.bound(self.expression(operation, kind, codes), result)
        if operation == "sqrt":
            self._squares[name] = codes[0]
        return name

    def bound(self, expression: str, kind: str) -> str:
        """The name bound to this expression, an existing one if possible."""
        for scope in self._scopes:
            if (kind, expression) in scope:
                return scope[kind, expression]
        name = self.fresh(expression, kind)
        self._scopes[-1][kind, expression] = name
        return name

    def fresh(self, expression: str, kind: str) -> str:
        """A new name for this expression."""
        name = self.name("v")
        self.write(self.binding(name, kind, expression), name)
        return name

    def value(self, kind: str, expression: str, steady: bool = True) -> Value:
        """An expression as a value; `steady`: it has the same value everywhere."""
        return Value(self, kind, (self.bound if steady else self.fresh)(expression, kind))

    def name(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def write(self, line: str, bound: str = "") -> None:
        """Write a line; `bound`: the name it binds, if it does nothing else."""
        self._lines.append(("    " * (self._depth + len(self._scopes) - 1) + line, bound))

    def look_up(self, table: Any, index: str) -> str:
        entries = np.ascontiguousarray(table)
        kind = INTEGER if entries.dtype.kind in "iu" else NUMBER
        name = "table_" + hashlib.sha256(entries.tobytes()).hexdigest()[:12]
        if name not in self.helpers:
            self.helpers[name] = self.table(name, kind, entries)
        return self.bound(self.place(name, index, steady=False), kind)

    def function(self, name: str, *operands: Value) -> Any:
        called = f"{name}_of"
        if called not in self.helpers:
            self.helpers[called] = self._defined(called, FUNCTIONS[name], len(operands))
        call = f"{called}({', '.join(x.code for x in operands)})"
        if name not in TWO_RESULTS:
            return self.value(NUMBER, call)
        pair = self.bound(call, "pair")
        return Value(self, NUMBER, f"{pair}.x"), Value(self, NUMBER, f"{pair}.y")

    def _defined(self, name: str, function: Callable[..., Any], operands: int) -> str:
        body = type(self)(self.helpers)
        parameters = [f"x{k}" for k in range(operands)]
        results = function(*(Value(body, NUMBER, x) for x in parameters))
        codes = [x.code for x in results] if isinstance(results, tuple) else [results.code]
        return self.definition(name, parameters, body, codes)

    # Memory

    def local_array(self, name: str, kind: str, size: int) -> None:
        """Declare a thread-local array, for `load` and `store`."""
        self.write(self.array(name, kind, size))

    def load(self, memory: str, index: Any, kind: str, steady: bool = False) -> Value:
        """Load an entry of an array; `steady`: it is constant while this code runs."""
        place = self.place(memory, code_of(self, index, INTEGER), steady)
        return self.value(kind, place, steady)

    def store(self, memory: str, index: Any, value: Any, kind: str = NUMBER) -> None:
        place = self.place(memory, code_of(self, index, INTEGER), steady=False)
        self.write(f"{place} = {code_of(self, value, kind)};")

    def load_quad(self, memory: str, index: Any, steady: bool = False) -> list[Value]:
        """Load four numbers together."""
        place = self.place(memory, code_of(self, index, INTEGER), steady)
        found = self.bound(place, QUAD) if steady else self.fresh(place, QUAD)
        return [Value(self, NUMBER, f"{found}.{letter}") for letter in "xyzw"]

    def store_quad(self, memory: str, index: Any, values: Sequence[Any]) -> None:
        place = self.place(memory, code_of(self, index, INTEGER), steady=False)
        self.write(f"{place} = {self.quad([code_of(self, x, NUMBER) for x in values])};")

    # Flow

    @contextmanager
    def scope(self, opening: str) -> Iterator[None]:
        """Lines within braces; bindings inside are local."""
        self.write(f"{opening} {{".lstrip())
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.write("}")

    def loop(
        self,
        begin: Any,
        end: Any,
        step: int,
        values: list[Value],
        body: Callable[[Value, list[Value]], Sequence[Any]],
        rolled: bool = False,
    ) -> list[Value]:
        """For k in range(begin, end, step): values = body(k, values); `rolled`: never unroll."""
        first, last = (code_of(self, x, INTEGER) for x in (begin, end))
        names, k = self._variables(values), self.name("k")
        if rolled and self.stay_rolled:
            self.write(self.stay_rolled)
        with self.scope(self.heading(k, first, last, step)):
            self._assign(names, body(Value(self, INTEGER, k), self._held(names, values)), values)
        return self._held(names, values)

    def repeat(self, count: Any, body: Callable[[Value], object]) -> None:
        """Call `body` with 0, 1, ... below the count."""

        def once(k: Value, _: list[Value]) -> list[Value]:
            body(k)
            return []

        self.loop(0, count, 1, [], once)

    def block(self, values: list[Value], body: Callable[[list[Value]], list[Any]]) -> list[Value]:
        """`body(values)` in its own scope: all other bindings end with it, which frees registers."""
        names = self._variables(values)
        with self.scope(""):
            self._assign(names, body(values), values)
        return self._held(names, values)

    def branch(
        self, condition: Value, values: list[Value], body: Callable[[list[Value]], list[Any]]
    ) -> list[Value]:
        names = self._variables(values)
        with self.scope(f"if ({condition.code})"):
            self._assign(names, body(values), values)
        return self._held(names, values)

    def when(
        self, condition: Value, then: Callable[[], object], otherwise: Callable[[], object] | None
    ) -> None:
        with self.scope(f"if ({code_of(self, condition, CONDITION)})"):
            then()
        if otherwise is not None:
            with self.scope("else"):
                otherwise()

    def _variables(self, values: list[Value]) -> list[str]:
        names = [self.name("a") for _ in values]
        for name, x in zip(names, values, strict=True):
            self.write(self.variable(name, x.kind, x.code))
        return names

    def _held(self, names: list[str], values: list[Value]) -> list[Value]:
        return [self.value(x.kind, name, steady=False) for name, x in zip(names, values, strict=True)]

    def _assign(self, names: list[str], results: Sequence[Any], values: list[Value]) -> None:
        codes = [code_of(self, x, old.kind) for x, old in zip(results, values, strict=True)]
        for name, code in zip(names, codes, strict=True):
            self.write(f"{name} = {code};")
