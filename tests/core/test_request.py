"""A function takes the fields of a request: its arguments, their help and their checks."""

from __future__ import annotations

import inspect
from dataclasses import KW_ONLY, dataclass

import pytest

from murmura.core.errors import ScenarioError
from murmura.core.request import Idle, Request, argument, names_in, option, takes


@dataclass(frozen=True, kw_only=True)
class Shared(Request):
    loud: bool = option(False, "Speak up.")


@dataclass(frozen=True)
class Greeting(Shared):
    name: str
    _: KW_ONLY
    times: int = option(1, "How often.")
    word: str | None = argument(None, "Another word.")

    idle = (Idle("times", lambda given: given.word is None, "nothing is said: give word"),)


@takes(Greeting)
def greet(request: Greeting) -> list[str]:
    """Greet somebody.

    Args:
        name: Whom.
    """
    return sorted(request.given)


def test_arguments_are_the_fields():
    assert str(inspect.signature(greet)) == (
        "(name: 'str', *, loud: 'bool' = False, times: 'int' = 1, word: 'str | None' = None) -> 'list[str]'"
    )
    lines = (greet.__doc__ or "").splitlines()
    assert [line.strip() for line in lines[-4:]] == [
        "name: Whom.", "loud: Speak up.", "times: How often.", "word: Another word.",
    ]  # fmt: skip


def test_what_was_given_is_known_by_position_and_by_name():
    assert greet("Ada") == ["name"]
    assert greet(name="Ada", loud=False) == ["loud", "name"]


def test_an_option_without_effect_is_refused():
    with pytest.raises(ScenarioError, match="times has no effect here: nothing is said"):
        greet("Ada", times=1)
    assert greet("Ada", times=1, word="hi") == ["name", "times", "word"]


def test_names_in_texts():
    assert names_in("a, b,") == names_in(["a", "b"]) == ["a", "b"]
    assert names_in(None) == []
