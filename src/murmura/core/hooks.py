"""The functions a rule may have, with what each is called with, and the check of those that a user wrote."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from murmura.core.errors import ScenarioError, nearest

HOOKS: dict[str, str] = {
    "modulate": "p, me, world",
    "alert": "p, me",
    "pair": "p, me, seen, world",
    "contributes": "p, seen, world",
    "item": "p, me, it, world",
    "feel": "p, me, found, world",
    "steer": "p, me, found, world",
    "suppress": "p, me, found, world",
    "exclusive": "p, me, found, world",
    "age": "p, me, world",
    "dies": "p, me, found, world",
    "happens": "p, was, me, found, world",
    "gives_birth": "p, was, me, found, world",
    "inherit": "p, mother, father, child_id, world",
    "may_report": "p, me, world",
    "gather": "p, me, it, world",
    "report": "p, me, world",
    "turn": "p, it, reports, items, world",
    "arrives": "p, it, species, world",
    "settle": "p, it, name, world",
}

FORMER_NAMES = {"hush": "suppress", "fate": "dies", "bears": "gives_birth", "speaks": "may_report"}
"""Functions by the names that rules of earlier versions, and recorded runs, have for them."""


def place_of(function: Callable[..., Any]) -> str:
    """Where a function was written, for a message; nothing if nobody knows."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({code.co_filename}, line {code.co_firstlineno})"


def check_hooks(name: str, rule: type, known: type) -> None:
    """Refuse functions that would be called with other arguments than they take, or never, by a slip of the pen.

    Args:
        name: The rule's name.
        rule: The rule.
        known: The class all rules are derived from: what it has, a rule may have.
    """
    for word, value in list(vars(rule).items()):  # pydantic adds to it when it is looked at
        function = getattr(value, "__func__", value)
        if not inspect.isfunction(function) or word.startswith("_"):
            continue
        if word in HOOKS:
            _check_parameters(name, word, function)
        elif not hasattr(known, word) and (hint := nearest(word, HOOKS, 0.75)):
            raise ScenarioError(
                f"rule {name!r} has a function {word!r}{place_of(function)}, which is never called{hint}; begin the "
                "name of a function of your own with _"
            )


def _check_parameters(name: str, word: str, function: Callable[..., Any]) -> None:
    expected = HOOKS[word].split(", ")
    signature = inspect.signature(function)
    try:
        signature.bind(*expected)
    except TypeError:
        raise ScenarioError(
            f"`{word}` of rule {name!r}{place_of(function)} must take {len(expected)} arguments, ({HOOKS[word]}), got "
            f"{len(signature.parameters)}, {signature}"
        ) from None
