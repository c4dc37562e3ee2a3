"""A kind of hunter: its parameters, its state machine, and its behaviour in each state.

A file in `kinds/` registers one. No other code names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from murmura.rules.predators.hunt import Action
from murmura.rules.predators.states import Machine


@dataclass(frozen=True)
class Kind:
    """A kind of hunter.

    Args:
        name: What scenarios call it.
        code: Its number in rows and checkpoints, which must never change; a new kind takes the next one.
        numbers: Fields of `Hunter` in which it differs from the defaults.
        machine: Its changes of state in words, for the page that draws them.
        actions: What it does in each of its states; resting and idling are the same for all kinds.
        afterwards: What it does at the end of each turn in one of those states.
    """

    name: str
    code: int
    numbers: Mapping[str, float]
    machine: Machine
    actions: Mapping[int, Action]
    afterwards: Action | None = None


KINDS: dict[str, Kind] = {}
_present: ContextVar[Collection[str] | None] = ContextVar("kinds that are traced", default=None)


@contextmanager
def only(names: Collection[str]) -> Iterator[None]:
    """A context in which only these kinds are traced."""
    token = _present.set(names)
    yield
    _present.reset(token)


def traced_kinds() -> list[Kind]:
    """The kinds that a turn is traced for."""
    names = _present.get()
    return [kind for kind in KINDS.values() if names is None or kind.name in names]


def register_kind(kind: Kind) -> None:
    """Make a kind of hunter known."""
    for other in KINDS.values():
        if kind.name == other.name or kind.code == other.code:
            raise ValueError(
                f"a kind of hunter needs a name and a code of its own: {kind.name!r} ({kind.code}) is already "
                f"{other.name!r} ({other.code})"
            )
    KINDS[kind.name] = kind


def weights(
    isolation: float, edge: float, velocity: float, panic: float, intercept: float
) -> dict[str, float]:
    """How much a kind likes birds that are alone, at the edge, leaving the flock, frightened, or near."""
    return {
        "isolation_weight": isolation,
        "edge_weight": edge,
        "velocity_weight": velocity,
        "panic_weight": panic,
        "intercept_weight": intercept,
    }
