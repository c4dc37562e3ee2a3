"""What a step exchanges with the kernel around it: the memory it reads, contributions, decisions and outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from murmura.core.merging import Merge
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec

SAME_PLACE = 1e-20
"""Keeps 1/d, and its cube, finite for agents in the same place."""
Contributions = list[dict[str, Merge]]
"""What neighbours contribute: their number, then the contributions to each rule by name."""


@dataclass(frozen=True)
class Parameters:
    """The numbers and options of an agent's motion, of its perception and of each rule, in the order of the rules."""

    motion: Record
    perception: Record
    rules: tuple[Record, ...]

    def of(self, owner: int | str) -> Record:
        """The record of "motion", "perception", or of a rule by its number."""
        record: Record = self.rules[owner] if isinstance(owner, int) else getattr(self, owner)
        return record

    def updated(self, owner: int | str, values: dict[str, Any]) -> Parameters:
        """These parameters with other values in one record."""
        changed = self.of(owner).updated(values)
        if owner == "motion":
            return replace(self, motion=changed)
        if owner == "perception":
            return replace(self, perception=changed)
        return replace(self, rules=tuple(changed if k == owner else q for k, q in enumerate(self.rules)))


class Memory(Protocol):
    """Access to everything a step reads besides the agent's own columns."""

    def number(self, place: int, species: Any) -> Any:
        """A parameter for the agent's species (None: there is only one species)."""

    def affinity(self, field: int, mine: Any, other: Any) -> Any:
        """A factor by which one species reacts to another."""

    def each_item(
        self, rule: int, values: list[Any], body: Callable[[list[Any], list[Any]], list[Any]]
    ) -> list[Any]:
        """For each item of a rule: values = body(the item's numbers, values)."""

    def each_shape(self, values: list[Any], body: Callable[[list[Any], list[Any]], list[Any]]) -> list[Any]:
        """For each obstacle: values = body(its numbers, values)."""


@dataclass
class Decision:
    """An agent's new feelings and its force."""

    was: Record
    me: Record
    force: Vec
    forces: dict[str, Vec]
    found: list[Any]


@dataclass
class Outcome:
    """What happens to an agent besides its move."""

    cause: Any
    by: Any
    events: list[tuple[Any, Any, Any]]
    births: list[tuple[int, Any, Any]]
    """For each rule with `gives_birth`: its number, whether there is a birth, and the father."""
