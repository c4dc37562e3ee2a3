"""Public signatures say what they take and return: `Any` appears only as the element type of an array."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import murmura as mm
from murmura import rl

ELEMENTS = re.compile(r"(NDArray|ndarray|dtype)\[[^\]]*Any[^\]]*\]")
OF_ITS_BASE = {"model_post_init"}  # pydantic's own


def functions_of(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """A function; of a class, its public methods and properties."""
    if not inspect.isclass(thing):
        yield name, thing
        return
    for owner in thing.__mro__:
        if not owner.__module__.startswith("murmura.") or owner.__module__.startswith("murmura.core.rule"):
            continue  # rules have types of their own (tests/core/test_rule_arguments.py)
        for method, value in list(vars(owner).items()):
            found = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            is_public = not method.startswith("_") or method == "__init__"
            if is_public and method not in OF_ITS_BASE and inspect.isfunction(found):
                yield f"{name}.{method}", found


def annotations_of(function: Any) -> list[str]:
    """What it takes and returns. A function of a request has the request's arguments."""
    found = inspect.signature(function)
    return [f"{each}" for each in (*found.parameters.values(), found.return_annotation)]


@pytest.mark.parametrize("module", [mm, rl], ids=["murmura", "murmura.rl"])
def test_no_public_signature_says_any(module: Any) -> None:
    loose = [
        f"{label}: {about}"
        for name in module.__all__
        for label, function in functions_of(name, getattr(module, name))
        for about in annotations_of(function)
        if re.search(r"\bAny\b", ELEMENTS.sub("", about))
    ]
    assert loose == []
