"""How what many say comes together: what neighbours and items contribute to a rule, and what agents tell an item.

A contribution says how it merges. `pair` and `item` return one of `Sum`, `Greatest`, `Least`, or several by name:

    return Sum(seen.velocity)                                     # `steer` is given the sum
    return {"away": Sum(push), "worst": Greatest(seen.panic)}     # `steer` is given .away and .worst

`gather` returns `Count`, `Total` and `Best` by name; the item's `turn` is then told each of them.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Target, where
from murmura.core.errors import ScenarioError
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec

FAR = 3.0e38
"""The score of nobody. Not infinity: some targets have no such constant."""
NOWHERE = 1.0e38
"""Scores beyond this mean that nobody was found."""


class Merge:
    """Something that neighbours or items contribute; its parts are numbers or vectors, by name."""

    start = 0.0

    def __init__(self, **parts: Any) -> None:
        self.parts = parts

    def with_parts(self, parts: dict[str, Any]) -> Merge:
        twin = object.__new__(type(self))
        twin.parts = parts
        return twin

    def initial(self, target: Target) -> Merge:
        """The same shape before anybody has contributed."""
        filled = {name: _filled(part, target.number(0.0)) for name, part in self.parts.items()}
        first = next(iter(filled))
        filled[first] = _filled(self.parts[first], target.number(self.start))
        return self.with_parts(filled)

    def merged(self, other: Merge, mask: Any) -> Merge:
        """This, together with what another one contributes where the mask is set."""
        raise NotImplementedError

    @property
    def result(self) -> Any:
        """What the rule's functions are given."""
        return next(iter(self.parts.values()))


class Sum(Merge):
    """Contributions are added up."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)

    def merged(self, other: Merge, mask: Any) -> Merge:
        mine, its = self.result, other.result
        return self.with_parts({"value": where(mask, mine + its, mine)})


class Greatest(Merge):
    """The greatest contribution counts, and at least 0."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)

    def merged(self, other: Merge, mask: Any) -> Merge:
        mine, its = self.result, other.result
        return self.with_parts({"value": where(mask & (its > mine), its, mine)})


class Least(Merge):
    """The one with the least score counts, with all it says. The result has `.score`, what was said, and `.exists`."""

    start = FAR

    def __init__(self, score: Any, **payload: Any) -> None:
        super().__init__(score=score, **payload)

    def merged(self, other: Merge, mask: Any) -> Merge:
        nearer = mask & (other.parts["score"] < self.parts["score"])
        return self.with_parts(
            {name: where(nearer, other.parts[name], mine) for name, mine in self.parts.items()}
        )

    @property
    def result(self) -> Any:
        return Record("the nearest", {**self.parts, "exists": self.parts["score"] < NOWHERE})


class Report:
    """Something that agents tell an item; `value` is a number, a vector or a condition."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Count(Report):
    """How many agents for whom this condition holds, or whose number is not 0."""


class Total(Report):
    """The sum of this over all agents, in steps of 1/4096, so that it does not depend on their order."""


class Best(Report):
    """The greatest positive score; the item is told `.score` and `.id` (among equals the least; nobody: 0 and -1)."""


def _filled(part: Any, value: Any) -> Any:
    return Vec(*[value] * len(part)) if isinstance(part, Vec) else value


def named(contribution: Any) -> dict[str, Any]:
    """Contributions by name; a single one has the name ''."""
    if contribution is None:
        return {}
    merges = contribution if isinstance(contribution, dict) else {"": contribution}
    for merge in merges.values():
        if not isinstance(merge, Merge):
            raise ScenarioError(
                "`pair` and `item` of a rule must return a Sum, Greatest or Least, or a dictionary of these by name, "
                f"got {type(merge).__name__}: say how contributions merge, as in `return Sum(seen.velocity)`"
            )
    return merges


def found(merges: dict[str, Merge]) -> Any:
    """What a rule's functions are given: the result of a single contribution, or a record of several."""
    if "" in merges:
        return merges[""].result
    return Record("what was found", {name: merge.result for name, merge in merges.items()})


def flatten(tree: Any) -> list[Any]:
    """The numbers of a tree of dictionaries, sequences, vectors and merges, in order."""
    if isinstance(tree, Merge):
        return flatten(tree.parts)
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in flatten(part)]
    if isinstance(tree, tuple | list | Vec):
        return [leaf for part in tree for leaf in flatten(part)]
    return [tree]


def unflatten(tree: Any, values: list[Any]) -> Any:
    """The tree with other numbers in its leaves; `values` is used up."""
    if isinstance(tree, Merge):
        return tree.with_parts(unflatten(tree.parts, values))
    if isinstance(tree, dict):
        return {name: unflatten(part, values) for name, part in tree.items()}
    if isinstance(tree, Vec):
        return Vec(*[unflatten(part, values) for part in tree])
    if isinstance(tree, tuple | list):
        return type(tree)(unflatten(part, values) for part in tree)
    return values.pop(0)
