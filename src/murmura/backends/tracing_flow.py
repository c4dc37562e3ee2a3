"""Ways through code that is being written: loops, conditions, questions of rules, and how Numba's code gets there.

What is carried through a loop or a condition goes by way of memory, of which LLVM makes registers.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from murmura.backends.compiling import refusal
from murmura.backends.tracing import BIT, LONG, Array, Fork, Value, coded, common_kind, kind_of, pen, writing
from murmura.core.errors import BackendError


def _leaves(tree: Any) -> list[Any]:
    return [leaf for part in tree for leaf in _leaves(part)] if isinstance(tree, tuple) else [tree]


def _rebuilt(tree: Any, leaves: list[Any]) -> Any:
    """The tree with its leaves replaced, in their order; `leaves` is used up."""
    if isinstance(tree, tuple):
        parts = [_rebuilt(part, leaves) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return leaves.pop(0)


class _Carried:
    """Values that code changes on a way that may be taken or not: LLVM makes registers of these places in memory."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._tree = values
        self._kinds = [kind_of(leaf) for leaf in _leaves(values)]
        self._places = [cgutils.alloca_once(pen().builder, kind) for kind in self._kinds]
        self.write(values)

    def write(self, values: Any) -> None:
        leaves = _leaves(values)
        for place, kind, leaf in zip(self._places, self._kinds, leaves, strict=True):
            pen().builder.store(coded(leaf, kind), place)

    def read(self) -> Any:
        return _rebuilt(self._tree, [Value(pen().builder.load(place)) for place in self._places])


def loop(begin: Any, end: Any, body: Callable[..., Any], *carried: Any, step: int = 1) -> Any:
    """`for k in range(begin, end, step): carried = body(k, *carried)`; returns what was carried to the end."""
    builder = pen().builder
    memory = _Carried(carried)
    place = cgutils.alloca_once(builder, LONG)
    builder.store(coded(begin, LONG), place)
    stop = coded(end, LONG)
    head, inside, after = (builder.append_basic_block(name) for name in ("loop", "inside", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    k = builder.load(place)
    builder.cbranch(builder.icmp_signed("<", k, stop), inside, after)
    builder.position_at_end(inside)
    result = body(Value(k), *memory.read())
    if carried:
        memory.write(result)
    builder.store(builder.add(k, LONG(step)), place)
    builder.branch(head)
    builder.position_at_end(after)
    return memory.read()


def when(condition: Any, body: Callable[..., Any], *carried: Any) -> Any:
    """`if condition: carried = body(*carried)` for a condition that is known only when the code runs."""
    memory = _Carried(carried)
    with pen().builder.if_then(coded(condition, BIT)):
        result = body(*memory.read())
        if carried:
            memory.write(result)
    return memory.read()


class Forking:
    """A rule's function: an `if` in it about a number that is the same for all lanes becomes a branch of the code."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self._explore(arguments, [])
        except BackendError:
            raise
        except Exception as error:
            raise refusal(f"{self._function.__qualname__}{_line(self._function, error)}: {error}") from error

    def _explore(self, arguments: tuple[Any, ...], answers: list[bool]) -> Any:
        here = pen()
        before, here.answers = here.answers, [*answers]
        try:
            return self._function(*arguments)
        except Fork as fork:
            question = fork.condition
        finally:
            here.answers = before
        # What was written up to the question is written again on both ways; LLVM sees that it is the same.
        results, ends = [], []
        with here.builder.if_else(question) as sides:
            for side, answer in zip(sides, (True, False), strict=True):
                with side:
                    results.append(self._explore(arguments, [*answers, answer]))
                    ends.append(here.builder.block)
        return _merged(results, ends)


def _line(function: Any, error: Exception) -> str:
    """The line of a function's file from which an error came."""
    file = function.__code__.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f", line {lines[-1]} of {file}" if lines else ""


def _merged(results: list[Any], ends: list[Any]) -> Any:
    """What two ways come to, where they meet again."""
    builder = pen().builder
    found = []
    for pair in zip(*map(_leaves, results), strict=True):
        kind = common_kind(*pair)
        chosen = builder.phi(kind)
        for value, end in zip(pair, ends, strict=True):
            with builder.goto_block(end):
                chosen.add_incoming(coded(value, kind), end)
        found.append(Value(chosen))
    return _rebuilt(results[0], found)


def traced(returns: Any, prepare: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a Python function callable in Numba's code: the code that it writes comes in place of the call."""

    def decorate(function: Any) -> Any:
        def stub() -> None: ...

        class Template(AbstractTemplate):
            key = stub

            def generic(self, args: Any, kws: Any) -> Any:
                return signature(returns, *args)

        infer_global(stub, types.Function(Template))

        @lower_builtin(stub, types.VarArg(types.Any))
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            with writing(context, builder), np.errstate(all="ignore"):
                given = [_argument(kind, code) for kind, code in zip(sig.args, args, strict=True)]
                result = prepare(function)(*given)
                return context.get_dummy_value() if result is None else coded(result, BIT)

        return stub

    return decorate


def _argument(kind: Any, code: Any) -> Any:
    """An argument from Numba's code."""
    context, builder = pen().context, pen().builder
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, code)
        shape = tuple(Value(size) for size in cgutils.unpack_tuple(builder, array.shape))
        pitch = None
        if kind.ndim == 2:
            size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            pitch = builder.udiv(cgutils.unpack_tuple(builder, array.strides)[0], LONG(size))
        return Array(array.data, pitch, shape)
    if isinstance(kind, types.BaseTuple):
        parts = [
            _argument(part, code)
            for part, code in zip(kind, cgutils.unpack_tuple(builder, code), strict=True)
        ]
        return kind.instance_class(*parts) if isinstance(kind, types.BaseNamedTuple) else tuple(parts)
    return Value(code)
