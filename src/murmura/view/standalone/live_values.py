"""Which values of a scenario a page can change by itself, and how to compute the kernels' numbers from them.

A number that kernels read is a value itself or is derived from values by Python (`1 / radius`, a cosine). A page has no
Python, so each derived number is probed here: how it depends on each single value, as a straight line or a curve, and
whether these combine as sums or as products. The result is compared with the exact numbers at random points. A value
whose numbers cannot be described in this way is not offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import WORLD_NUMBERS, Plan
from murmura.core.errors import MurmuraError
from murmura.scenario import Scenario

FEW, SOME, SAMPLES = 3, 17, 65
"""Numbers of sampled points: always, if some values are refused, and if the dependence is not linear."""
TRIALS = 6
EXACT, CLOSE = 1e-6, 2e-3
"""Greatest relative errors: for a straight line, and for any recipe."""
FARTHEST = 1e18
Vector = NDArray[np.float64]
Curves = tuple[Vector, NDArray[np.float64]]


def vector_of(scenario: Scenario) -> Vector:
    """Everything that a page recomputes when a value changes.

    The numbers of each species, the range of each rule's items, the numbers of the world, and the greatest radius.
    """
    return _vector(Plan(scenario))


def _vector(plan: Plan) -> Vector:
    world = plan.world_numbers((0, 0))
    # An infinite range means that items act everywhere; replace it, because differences must be finite.
    rest = [*np.minimum(plan.item_ranges, FARTHEST), *(world[name] for name in WORLD_NUMBERS), plan.reach]
    return np.concatenate([plan.numbers.T.astype(np.float64).ravel(), np.array(rest, np.float64)])


@dataclass(frozen=True)
class Candidate:
    """A value that might be changeable: its path and the sampled range."""

    path: str
    low: float
    high: float
    whole: bool


def candidates(scenario: Scenario) -> list[Candidate]:
    """All plain numbers of motion, perception and active rules."""
    data, schema = scenario.model_dump(mode="json"), Scenario.model_json_schema()
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
    """Computes the numbers of a scenario for other values."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.plan = Plan(scenario)
        self.base = _vector(self.plan)

    def at(self, values: dict[str, float]) -> Vector | None:
        """The vector for these values; None if they are refused or change more than the vector."""
        try:
            plan = Plan(self.scenario.with_values(values))
        except MurmuraError:
            return None
        return _vector(plan) if _differ_in_numbers_only(plan, self.plan) else None

    def curve(self, candidate: Candidate) -> Curves | None:
        """Points in a candidate's range and the vectors there, one per row; many only if they are not on a line."""
        found, is_whole = self._sampled(candidate, FEW)
        if not is_whole:
            found, _ = self._sampled(candidate, SOME)
        if found is None or not self._starts_alike(candidate):
            return None
        if all(isinstance(_curve(found[0], column), list) for column in found[1].T):
            return found
        return self._sampled(candidate, SAMPLES)[0]

    def _sampled(self, candidate: Candidate, count: int) -> tuple[Curves | None, bool]:
        """The valid values around the current one, without gaps, and whether they are the whole range."""
        places = np.linspace(candidate.low, candidate.high, count)
        if (
            count == SAMPLES
        ):  # the end may be a special case: with a full field of view, an agent also sees behind itself
            places = np.insert(places, -1, candidate.high - 1e-5 * (candidate.high - candidate.low))
        present = _value_at(self.scenario, candidate.path)
        places = np.unique([*(np.round(places) if candidate.whole else places), present])
        rows = [
            self.base if x == present else self.at({candidate.path: int(x) if candidate.whole else float(x)})
            for x in places
        ]
        first = last = int(np.searchsorted(places, present))
        while first > 0 and rows[first - 1] is not None:
            first -= 1
        while last + 1 < len(rows) and rows[last + 1] is not None:
            last += 1
        good = [row for row in rows[first : last + 1] if row is not None]
        is_whole = len(good) == len(places)
        return ((places[first : last + 1], np.array(good)) if len(good) > 2 else None), is_whole

    def _starts_alike(self, candidate: Candidate) -> bool:
        """Whether the start of items that are stepped does not depend on the value."""
        name = candidate.path.split(".")[1]
        if name not in {group.name for _, group, _, _ in self.plan.stateful_items}:
            return True
        other = self.scenario.with_values({candidate.path: self._middle(candidate)})
        return self._items(self.scenario, name) == self._items(other, name)

    def _middle(self, candidate: Candidate) -> float:
        """Another valid value."""
        present = _value_at(self.scenario, candidate.path)
        for share in (0.37, 0.63, 0.1, 0.02):
            x = candidate.low + share * (candidate.high - candidate.low)
            x = round(x) if candidate.whole else x
            if x != present and self.at({candidate.path: x}) is not None:
                return x
        return int(present) if candidate.whole else present

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
    """What a page needs to apply changes: ranges of the changeable values, and a recipe for each number.

    A recipe is `{"how": "sum" | "product", "base": number, "parts": [[path, curve]]}`; a curve is `[slope, offset]` or
    `{"x": [...], "y": [...]}`. In a product, the parts are factors of the base; in a sum, differences from it.
    """
    probe = Probe(_generic(scenario))
    curves = {c.path: (c, found) for c in candidates(scenario) if (found := probe.curve(c)) is not None}
    depends: dict[int, list[str]] = {}
    for path, (_, (_, rows)) in curves.items():
        for index in np.flatnonzero((np.abs(rows - probe.base) > 0.0).any(axis=0)):
            depends.setdefault(int(index), []).append(path)
    trials, recipes, spoiled = Trials(probe, curves), {}, set[str]()
    for number, paths in depends.items():
        recipe = _recipe(trials, number, paths)
        if recipe is None:
            spoiled.update(paths)
        else:
            recipes[str(number)] = recipe
    live = {path: _range(c, found) for path, (c, found) in curves.items() if path not in spoiled}
    recipes = {k: r for k, r in recipes.items() if all(path in live for path, _ in r["parts"])}
    return {"ranges": live, "recipes": recipes, "vector": vector_of(scenario).tolist()}


def _range(candidate: Candidate, found: Curves) -> list[float]:
    return [max(candidate.low, float(found[0][0])), min(candidate.high, float(found[0][-1]))]


def _generic(scenario: Scenario) -> Scenario:
    """The scenario with no value at zero: if the wind has no speed, its direction seems to have no effect."""
    signature = Plan(scenario).signature
    for candidate in candidates(scenario):
        if candidate.low <= 0.0 <= candidate.high and _value_at(scenario, candidate.path) == 0.0:
            middle = 0.37 * candidate.high
            try:
                changed = scenario.with_values({candidate.path: round(middle) if candidate.whole else middle})
            except MurmuraError:
                continue
            scenario = changed if Plan(changed).signature == signature else scenario
    return scenario


def _value_at(scenario: Scenario, path: str) -> float:
    owner, _, name = path.rpartition(".")
    return float(_at(scenario.model_dump(mode="json"), owner)[name])


def _recipe(trials: Trials, index: int, paths: list[str]) -> dict[str, Any] | None:
    base = float(trials.probe.base[index])
    for how in ("product", "sum"):
        if how == "product" and (base == 0.0 or len(paths) == 1):
            continue
        parts = []
        for path in paths:
            _, (places, rows) = trials.curves[path]
            column = rows[:, index] / base if how == "product" else rows[:, index] - base
            parts.append([path, _curve(places, column)])
        recipe = {"how": how, "base": base, "parts": parts}
        if trials.hold(index, recipe):
            return recipe
    return None


def _curve(places: Vector, column: Vector) -> Any:
    """A straight line if it fits, otherwise the points themselves."""
    slope = (column[-1] - column[0]) / (places[-1] - places[0])
    offset = column[0] - slope * places[0]
    scale = max(float(np.abs(column).max()), 1e-12)
    if np.abs(slope * places + offset - column).max() <= EXACT * scale:
        return [float(slope), float(offset)]
    return {"x": [float(f"{x:.9g}") for x in places], "y": [float(f"{y:.8g}") for y in column]}


def evaluated(recipe: dict[str, Any], values: dict[str, float]) -> float:
    """The result of a recipe, as a page computes it."""
    result = float(recipe["base"])
    for path, curve in recipe["parts"]:
        x = values[path]
        y = (
            curve[0] * x + curve[1]
            if isinstance(curve, list)
            else float(np.interp(x, curve["x"], curve["y"]))
        )
        result = result * y if recipe["how"] == "product" else result + y
    return result


class Trials:
    """Random values and the exact numbers for them. Most recipes share the same trials, because a plan is expensive.

    Args:
        probe: The scenario.
        curves: All candidates and their curves.
    """

    def __init__(self, probe: Probe, curves: dict[str, tuple[Candidate, Curves]]) -> None:
        self.probe, self.curves = probe, curves
        self._rng = np.random.default_rng(len(curves))
        self._shared = [trial for _ in range(TRIALS) if (trial := self._of_many(list(curves)))]

    def _of_many(self, paths: list[str]) -> tuple[dict[str, float], Vector] | None:
        """As many of these values as are valid together."""
        for _ in range(6):
            values = self._drawn(paths)
            truth = self.probe.at(values)
            if truth is not None:
                return values, truth
            paths = [str(path) for path in self._rng.permutation(paths)[: max(1, 2 * len(paths) // 3)]]
        return None

    def _drawn(self, paths: list[str]) -> dict[str, float]:
        values: dict[str, float] = {}
        for path in paths:
            candidate, found = self.curves[path]
            low, high = _range(candidate, found)
            x = float(self._rng.uniform(low, high))
            values[path] = round(x) if candidate.whole else x
        return values

    def hold(self, index: int, recipe: dict[str, Any]) -> bool:
        """Whether a recipe is accurate in all trials of its values."""
        paths = [path for path, _ in recipe["parts"]]
        tried = [trial for trial in self._shared if all(path in trial[0] for path in paths)]
        while len(tried) < (TRIALS // 2 if len(paths) > 1 else 1):
            values = self._drawn(paths)
            truth = self.probe.at(values)
            if truth is None:
                break
            tried.append((values, truth))
        return all(self._is_right(index, recipe, *trial) for trial in tried)

    @staticmethod
    def _is_right(index: int, recipe: dict[str, Any], values: dict[str, float], truth: Vector) -> bool:
        scale = max(abs(float(truth[index])), abs(recipe["base"]), 1e-9)
        told = evaluated(recipe, {path: float(value) for path, value in values.items()})
        return bool(abs(told - float(truth[index])) <= CLOSE * scale)
