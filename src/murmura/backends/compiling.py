"""Compiles a plain Python function and all it calls, with the words of `core.algebra` swapped for compiled ones.

The very functions of the rules are compiled: each is rebuilt from its own code with globals in which helper
functions are compiled ones. Float constants become float32, since a bare 1.0 would make an expression double.
"""

from __future__ import annotations

import dis
import hashlib
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from murmura.core.errors import BackendError, ScenarioError

Function = Callable[..., Any]


def refusal(reason: str) -> BackendError:
    """What to say of a rule that cannot be compiled."""
    return BackendError(
        f"a rule could not be compiled: {reason}. A rule is branch-free: use where(condition, a, b) instead of `if`, "
        "and `&`, `|` instead of `and`, `or`; `if` works on the rule's own switches only (docs/add-a-rule.md)"
    )


class Compiler:
    """Compiles functions with one decorator and one set of substitutes, each function once."""

    def __init__(
        self,
        decorate: Callable[[Function], Any],
        substitutes: dict[Function, Function],
        keep: Iterable[Function],
    ) -> None:
        self._decorate = decorate
        self._substitutes = substitutes
        self._keep = frozenset(keep)
        self._done: dict[Function, Any] = {}

    def __call__(self, function: Function) -> Any:
        """The compiled form of a function."""
        function = self._substitutes.get(function, function)
        if function in self._keep or not isinstance(function, types.FunctionType):
            return function
        if function not in self._done:
            self._done[function] = self._compile(function)
        return self._done[function]

    def _compile(self, function: types.FunctionType) -> Any:
        scope = dict(function.__globals__)
        for name, value in _free_names(function).items():
            scope[name] = self(value) if isinstance(value, types.FunctionType) else value
        for name, value in _globals_of(function).items():
            if type(value) is float:
                scope[name] = np.float32(value)
        return self._decorate(single_precision(function, scope))


def single_precision(function: types.FunctionType, scope: dict[str, Any] | None = None) -> types.FunctionType:
    """The function with its float constants as float32, optionally with other globals."""
    code = function.__code__.replace(co_consts=_single(function.__code__.co_consts))
    names = function.__globals__ if scope is None else scope
    defaults = _single(function.__defaults__) if function.__defaults__ else None
    clone = types.FunctionType(code, names, function.__name__, defaults, None)
    # Numba's disk cache remembers the module; a user's file may be known under another name next time.
    clone.__module__ = __name__
    clone.__qualname__ = function.__qualname__
    return clone


def _single(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_single_constant(value) for value in values)


def _single_constant(value: Any) -> Any:
    if isinstance(value, types.CodeType):  # a function within the function
        return value.replace(co_consts=_single(value.co_consts))
    return np.float32(value) if type(value) is float else value


def _names(code: types.CodeType) -> set[str]:
    """Global names a code object reads; attributes of the same spelling do not count."""
    own = {str(op.argval) for op in dis.get_instructions(code) if op.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return own.union(*(_names(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _globals_of(function: types.FunctionType) -> dict[str, Any]:
    return {
        name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__
    }


def _free_names(function: types.FunctionType) -> dict[str, Any]:
    if function.__closure__:
        raise ScenarioError(
            f"{function.__qualname__} uses names of an enclosing function "
            f"({', '.join(function.__code__.co_freevars)}); a rule may use its arguments and names of its module only"
        )
    return _globals_of(function)


def fingerprint(functions: Iterable[Function]) -> str:
    """A hash of what these functions compute: their code and constants, and of all they call."""
    digest = hashlib.sha256()
    seen: set[Function] = set()
    pending = list(functions)
    while pending:
        function = pending.pop(0)
        if function in seen or not isinstance(function, types.FunctionType):
            continue
        seen.add(function)
        digest.update(_code_text(function.__code__).encode())
        for name, value in sorted(_globals_of(function).items()):
            if isinstance(value, types.FunctionType):
                pending.append(value)
            elif isinstance(value, np.ndarray):
                digest.update(value.tobytes())
            elif not isinstance(value, types.ModuleType):
                digest.update(f"{name}={value!r}".encode())
    return digest.hexdigest()


def _code_text(code: types.CodeType) -> str:
    constants = [_code_text(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_name}{code.co_names}{code.co_varnames}{code.co_code.hex()}{constants}"
