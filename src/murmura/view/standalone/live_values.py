"""Which values of a scenario a page can change by itself, and how the kernels' numbers follow from them.

A number that kernels read is a value itself or is derived from values (`1 / radius`, a cosine). The derivations run
once over values that keep their expressions, so a page computes what Python does. A value that also changes something
else (the kernels, the items) is not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import WORLD_NUMBERS, Plan
from murmura.compute.substitution import lives_of, substituted
from murmura.compute.trace.expression_target import Expression, ExpressionTarget, expression_of
from murmura.core.algebra import minimum
from murmura.core.errors import MurmuraError
from murmura.scenario import Scenario
from murmura.scenario.sliders import schema_for

FEW, SOME = 3, 17
"""Numbers of values that are tried: always, and if some of them are refused."""
FARTHEST = 1e18
"""Stands for an infinite range of items, which a JSON file cannot hold."""
Vector = NDArray[np.float64]


def vector_of(scenario: Scenario) -> Vector:
    """Everything that a page recomputes when a value changes.

    The numbers of each species, the range of each rule's items, the numbers of the world, and the greatest radius.
    """
    return np.array(_vector(Plan(scenario), lives_of(scenario)), np.float64)


def _vector(plan: Plan, lives: list[Scenario]) -> list[Any]:
    rows = plan.derived_numbers(lives)
    world = plan.world_numbers((0, 0), lives[0])
    numbers = [row[k] for k in range(len(rows[0])) for row in rows]
    ranges = [minimum(reach, FARTHEST) for reach in plan.item_ranges_of(lives)]
    return [*numbers, *ranges, *(world[name] for name in WORLD_NUMBERS), plan.reach_of(lives)]


@dataclass(frozen=True)
class Candidate:
    """A value that might be changeable: its path and the sampled range."""

    path: str
    low: float
    high: float
    whole: bool


def candidates(scenario: Scenario) -> list[Candidate]:
    """All plain numbers of motion, perception and active rules."""
    data, schema = scenario.model_dump(mode="json"), schema_for(scenario)
    taking_part = [name for name, _ in Plan(scenario).rules]
    found: list[Candidate] = []
    for path in ("motion", "perception", *(f"rules.{name}" for name in taking_part)):
        values, node = _at(data, path), _node(schema, path)
        for name, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            found.append(_candidate(f"{path}.{name}", float(value), _field(schema, node, name)))
    return found


def _at(data: Any, path: str) -> dict[str, Any]:
    for part in path.split("."):
        data = data[part]
    return dict(data)


def _resolved(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return node


def _node(schema: dict[str, Any], path: str) -> dict[str, Any]:
    node = schema
    for part in path.split("."):
        node = _resolved(schema, _resolved(schema, node).get("properties", {}).get(part, {}))
    return node


def _field(schema: dict[str, Any], node: dict[str, Any], name: str) -> dict[str, Any]:
    field = dict(_resolved(schema, node.get("properties", {}).get(name, {})))
    for variant in field.get("anyOf", ()):
        if variant.get("type") != "null":
            field |= variant
    return field


def _candidate(path: str, value: float, field: dict[str, Any]) -> Candidate:
    slider = field.get("slider")
    low, high = slider or (min(0.0, 2.0 * value), max(1.0, 4.0 * abs(value)))
    low, high = min(low, value), max(high, value)
    for key, sign in (("minimum", 0.0), ("exclusiveMinimum", 1.0)):
        if key in field:
            low = max(low, field[key] + sign * 1e-3 * (high - low))
    for key, sign in (("maximum", 0.0), ("exclusiveMaximum", 1.0)):
        if key in field:
            high = min(high, field[key] - sign * 1e-3 * (high - low))
    return Candidate(path, float(low), float(high), field.get("type") == "integer")


class Probe:
    """Finds the range in which a value changes nothing but numbers."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.plan = Plan(scenario)

    def range_of(self, candidate: Candidate) -> tuple[float, float] | None:
        """The range around the current value; None if there is none."""
        found = self._sampled(candidate, FEW)
        if found != (candidate.low, candidate.high):
            found = self._sampled(candidate, SOME)
        low, high = found
        return found if low < high and self._starts_alike(candidate, low, high) else None

    def _sampled(self, candidate: Candidate, count: int) -> tuple[float, float]:
        """The least and the greatest of the valid values around the current one, without gaps."""
        places = np.linspace(candidate.low, candidate.high, count)
        present = _value_at(self.scenario, candidate.path)
        places = np.unique([*(np.round(places) if candidate.whole else places), present])
        middle = int(np.searchsorted(places, present))

        def reached(values: Iterable[float]) -> float:
            last = present
            for x in values:
                if not self._allows(candidate, x):
                    break
                last = float(x)
            return last

        return reached(places[:middle][::-1]), reached(places[middle + 1 :])

    def _allows(self, candidate: Candidate, x: float) -> bool:
        """Whether a value is accepted and changes numbers only."""
        try:
            plan = Plan(self.scenario.with_values({candidate.path: int(x) if candidate.whole else float(x)}))
        except MurmuraError:
            return False
        return _differ_in_numbers_only(plan, self.plan)

    def _starts_alike(self, candidate: Candidate, low: float, high: float) -> bool:
        """Whether the start of items that are stepped does not depend on the value."""
        name = candidate.path.split(".")[1]
        if name not in {group.name for _, group, _, _ in self.plan.stateful_items}:
            return True
        ends = (
            self.scenario.with_values({candidate.path: int(x) if candidate.whole else x}) for x in (low, high)
        )
        return all(self._items(self.scenario, name) == self._items(end, name) for end in ends)

    @staticmethod
    def _items(scenario: Scenario, name: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in dict(scenario.rules)[name].items_in(scenario.world.sides, 1)]


def _differ_in_numbers_only(plan: Plan, other: Plan) -> bool:
    """Whether kernels, items and capacity of two plans are the same."""
    if plan.signature != other.signature or plan.capacity != other.capacity:
        return False
    arrays = ("items", "ranges", "tracked", "affinities", "shapes")
    return all(np.array_equal(getattr(plan, name), getattr(other, name)) for name in arrays)


def live_values(scenario: Scenario) -> dict[str, Any]:
    """What a page needs to apply changes.

    `ranges` of the changeable values, the `vector` of numbers as they are, and by index the `expressions` of those that
    depend on values.
    """
    offered = {c.path: c for c in candidates(scenario)}
    expressions, paths = _expressions(scenario, list(offered))
    probe = Probe(scenario)
    ranges = {path: found for path in paths if (found := probe.range_of(offered[path])) is not None}
    return {"ranges": ranges, "expressions": expressions, "vector": vector_of(scenario).tolist()}


def _expressions(scenario: Scenario, paths: list[str]) -> tuple[dict[str, Expression], list[str]]:
    """The expressions in the vector by index, and the paths of the values that a page may change.

    A user's rule may derive its numbers by functions that take plain numbers only: then its values stay as they are.
    """
    plan, kept = Plan(scenario), list(paths)
    while True:
        target = ExpressionTarget()
        lives = substituted(scenario, {path: target.value_at(path) for path in kept})
        try:
            vector = [expression_of(x) for x in _vector(plan, lives)]
        except TypeError:
            opaque = next(prefix for prefix in _owners(kept) if not _is_traced(plan, lives, prefix))
            kept = [path for path in kept if not path.startswith(opaque)]
            continue
        constant = (int, float)
        return {str(k): x for k, x in enumerate(vector) if not isinstance(x, constant)}, kept


def _owners(paths: list[str]) -> list[str]:
    """The rules with values among these paths, then perception, which their numbers may depend on."""
    return [*dict.fromkeys(path.rpartition(".")[0] + "." for path in paths if path[0] == "r"), "perception."]


def _is_traced(plan: Plan, lives: list[Scenario], owner: str) -> bool:
    """Whether the numbers of a rule can be derived from symbolic values."""
    if owner == "perception.":
        return False
    rule = dict(lives[0].rules)[owner.split(".")[1]]
    return _works(lambda: (rule.numbers(1.0), rule.item_range()))


def _works(derive: Callable[[], object]) -> bool:
    try:
        derive()
    except TypeError:
        return False
    return True


def _value_at(scenario: Scenario, path: str) -> float:
    owner, _, name = path.rpartition(".")
    return float(_at(scenario.model_dump(mode="json"), owner)[name])
