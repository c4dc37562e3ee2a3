"""Code from outside murmura that a plan is traced from: a user's rules and all that they call, or a patched function.

What such code depends on cannot be known: a helper in another file, a global, a closure, a default. So a kernel with
such code is never looked up by the names of its rules: it is traced each time, and the emitted text is its key.
Murmura's own code is what its files contain, and needs no tracing to be recognised.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from murmura.compute.plan import Plan
from murmura.core.hooks import HOOKS
from murmura.core.rule import Rule, is_built_in

PACKAGE = "murmura"
TRACED = ("murmura.core.", "murmura.rules.", "murmura.compute.step")
"""Modules whose functions are traced into kernels."""
LIBRARIES = {PACKAGE, "pydantic", *sys.stdlib_module_names}
"""Packages whose functions belong in such a module."""
GENERATED = "namedtuple_"


def has_foreign_code(plan: Plan) -> bool:
    """Whether a plan's kernels are traced from anything but murmura's own code."""
    kinds = [group.rule.functions_of_kinds() for group in plan.rule_groups if group.rule is not None]
    return (
        any(_is_foreign(group.functions) for group in plan.rule_groups)
        or any(_home_of(function) != PACKAGE for functions in kinds for function in functions)
        or _is_patched()
    )


def _is_foreign(rule: type[Rule]) -> bool:
    hooks = [hook for name in HOOKS if (hook := getattr(rule, name)) is not None]
    return not is_built_in(rule) or not all(_home_of(hook) == PACKAGE for hook in hooks)


def _home_of(function: Any) -> str:
    """The package of a function by the module it was written in, whatever name it was given since."""
    return str(getattr(function, "__globals__", {}).get("__name__", "")).partition(".")[0]


def _is_patched() -> bool:
    """Whether a function of a traced module was replaced by one from elsewhere."""
    modules = [module for name, module in sys.modules.items() if name.startswith(TRACED)]
    return any(_is_strange(function) for module in modules for function in _functions_of(module))


def _functions_of(owner: Any) -> list[FunctionType]:
    """The functions in a module, and those of the classes defined there."""
    found = []
    for value in vars(owner).values():
        kind = type(value)
        value = value.__func__ if kind is staticmethod or kind is classmethod else value
        if type(value) is FunctionType:
            found.append(value)
        elif isinstance(value, type) and value.__module__ == owner.__name__:
            found += _functions_of(value)
    return found


def _is_strange(function: FunctionType) -> bool:
    home = _home_of(function)
    return home not in LIBRARIES and not home.startswith(GENERATED)
