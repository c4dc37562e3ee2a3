"""One thread at a time: whoever reads or changes a flock while another thread steps it waits until the step is done."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar


class TakesTurns(Protocol):
    """A flock that threads may share."""

    _turn: AbstractContextManager[Any]


Flock = TypeVar("Flock", bound=TakesTurns)
Given = ParamSpec("Given")
Found = TypeVar("Found")


def in_turn(method: Callable[Concatenate[Flock, Given], Found]) -> Callable[Concatenate[Flock, Given], Found]:
    """A method during which no other thread steps or changes the flock."""

    @wraps(method)
    def alone(self: Flock, /, *args: Given.args, **more: Given.kwargs) -> Found:
        with self._turn:
            return method(self, *args, **more)

    return alone
