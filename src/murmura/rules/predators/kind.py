"""A kind of hunter: its parameters, its state machine, and its behaviour in each state.

A file in `kinds/` registers one. No other code names it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass

from murmura.core.errors import ScenarioError
from murmura.rules.predators.hunt import Action
from murmura.rules.predators.looks import PLAIN, HunterLooks
from murmura.rules.predators.states import Machine


@dataclass(frozen=True)
class Kind:
    """A kind of hunter.

    Args:
        name: What scenarios call it.
        looks: What it looks like.
        code: Its number in rows and checkpoints, which must never change. A new kind of murmura takes the next one;
            without one it follows from the name, so that kinds of different laboratories stay apart.
        numbers: Fields of `Hunter` in which it differs from the defaults.
        machine: Its changes of state in words, for the page that draws them.
        actions: What it does in each of its states; resting and idling are the same for all kinds.
        afterwards: What it does at the end of each turn in one of those states.
    """

    name: str
    numbers: Mapping[str, float]
    machine: Machine
    actions: Mapping[int, Action]
    afterwards: Action | None = None
    code: int = -1
    looks: HunterLooks = PLAIN

    def __post_init__(self) -> None:
        if self.code < 0:
            object.__setattr__(self, "code", FIRST_OWN_CODE + zlib.crc32(self.name.encode()) % OWN_CODES)


FIRST_OWN_CODE, OWN_CODES = 1_000, 2**23
"""Codes that follow from names; with float32 they are exact."""


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
    """Make a kind of hunter known to scenarios and the page. Registering one of your own again replaces it."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", kind.name):
        raise ScenarioError(
            f"a kind of hunter has a name of small letters, digits, - and _, such as sea-lion, got {kind.name!r}"
        )
    for other in KINDS.values():
        own = kind.name == other.name and other.code >= FIRST_OWN_CODE
        if not own and (kind.name == other.name or kind.code == other.code):
            raise ScenarioError(
                f"a kind of hunter needs a name and a code of its own: {kind.name!r} ({kind.code}) is already "
                f"{other.name!r} ({other.code}); choose another name"
            )
    KINDS[kind.name] = kind


def looks_of_kinds() -> dict[str, dict[str, str]]:
    """The looks of all kinds by name, as plain data; those of any other hunter have no name."""
    return {"": asdict(PLAIN)} | {name: asdict(KINDS[name].looks) for name in kind_names()}


def kind_names() -> list[str]:
    """Names of all kinds: murmura's own in the order of their codes, then the others by name."""
    return sorted(KINDS, key=lambda name: (min(KINDS[name].code, FIRST_OWN_CODE), name))


def name_of_kind(code: float) -> str:
    """The name of a kind by its code; the code itself where no kind of that code is registered here."""
    return next((kind.name for kind in KINDS.values() if kind.code == int(code)), f"kind-{int(code)}")


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
