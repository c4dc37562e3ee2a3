"""Reductions: what neighbours and items contribute to a rule, and what agents report to an item.

A contribution states how it merges. `pair` and `item` return one of `Sum`, `Greatest`, `Least`, or several by name:

    return Sum(seen.velocity)                                     # `steer` gets the sum
    return {"away": Sum(push), "worst": Greatest(seen.panic)}     # `steer` gets .away and .worst

`gather` returns `Count`, `Total` and `Best` by name; the item's `turn` gets the reduced values as `reports`.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Target, where
from murmura.core.errors import ScenarioError
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec

FAR = 3.0e38
"""The score when there is no contribution. Not infinity: WGSL has no such constant."""
NOWHERE = 1.0e38
"""Scores above this mean that there was no contribution."""


class Merge:
    """A contribution of a neighbour or an item. Its parts are numbers or vectors, by name."""

    start = 0.0

    def __init__(self, **parts: Any) -> None:
        self.parts = parts

    def with_parts(self, parts: dict[str, Any]) -> Merge:
        twin = object.__new__(type(self))
        twin.parts = parts
        return twin

    def initial(self, target: Target) -> Merge:
        """The identity element: the same shape before any contribution."""
        filled = {name: _filled(part, target.number(0.0)) for name, part in self.parts.items()}
        first = next(iter(filled))
        filled[first] = _filled(self.parts[first], target.number(self.start))
        return self.with_parts(filled)

    def merged(self, other: Merge, mask: Any) -> Merge:
        """This contribution merged with another one, where the mask is set."""
        raise NotImplementedError

    @property
    def result(self) -> Any:
        """The value that the rule's functions get."""
        return next(iter(self.parts.values()))


class Sum(Merge):
    """The sum of all contributions."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)

    def merged(self, other: Merge, mask: Any) -> Merge:
        mine, its = self.result, other.result
        return self.with_parts({"value": where(mask, mine + its, mine)})


class Greatest(Merge):
    """The greatest contribution, at least 0."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)

    def merged(self, other: Merge, mask: Any) -> Merge:
        mine, its = self.result, other.result
        return self.with_parts({"value": where(mask & (its > mine), its, mine)})


class Least(Merge):
    """The contribution with the least score. The result has `.score`, the payload by name, and `.exists`."""

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
    """A value that an agent reports to an item: a number, a vector or a condition."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Count(Report):
    """The number of agents for which the condition holds, or whose number is not 0."""


class Total(Report):
    """The sum over all agents, in steps of 1/4096, so that it does not depend on their order."""


class Best(Report):
    """The greatest positive score. The item gets `.score` and `.id` (the least among equals; 0 and -1 if none)."""


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
    """The argument `found` of a rule's functions: the result of a single contribution, or a record of several."""
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
    """The tree with other numbers in its leaves. Consumes `values`."""
    if isinstance(tree, Merge):
        return tree.with_parts(unflatten(tree.parts, values))
    if isinstance(tree, dict):
        return {name: unflatten(part, values) for name, part in tree.items()}
    if isinstance(tree, Vec):
        return Vec(*[unflatten(part, values) for part in tree])
    if isinstance(tree, tuple | list):
        return type(tree)(unflatten(part, values) for part in tree)
    return values.pop(0)
