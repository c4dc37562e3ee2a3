"""Which of a scenario's values a page may change by itself, and how the kernels' numbers follow from them.

A number that kernels read is a value itself, or is derived from some by Python (`1 / radius`, a cosine). A page has no
Python, so each derived number is probed here: how it depends on each value alone, as a straight line or a curve, and
whether these combine by sums or by products. What is found is compared with the truth at random places. A value whose
numbers cannot be told so is not offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import WORLD_NUMBERS, Plan
from murmura.core.errors import MurmuraError
from murmura.scenario import Scenario

FEW, SAMPLES = 5, 65
TRIALS = 6
EXACT, CLOSE = 1e-6, 2e-3
"""Relative errors: of what counts as a straight line, and of what is allowed at all."""
Vector = NDArray[np.float64]
MORE = ("reach",)
"""What the host needs beside the numbers of kernels and of the world."""


def vector_of(scenario: Scenario) -> Vector:
    """Everything a page computes anew when a value changes: numbers by species, the world's, the greatest radius."""
    return _vector(Plan(scenario))


def _vector(plan: Plan) -> Vector:
    world = plan.world_numbers((0, 0))
    rest = [world[name] for name in WORLD_NUMBERS] + [plan.reach]
    return np.concatenate([plan.numbers.T.astype(np.float64).ravel(), np.array(rest, np.float64)])


@dataclass(frozen=True)
class Candidate:
    """A value that might be changed: its path and the range in which it is looked at."""

    path: str
    low: float
    high: float
    whole: bool


def candidates(scenario: Scenario) -> list[Candidate]:
    """All plain numbers of motion, perception and the rules that take part."""
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
    """A scenario asked for its numbers under other values."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.signature = Plan(scenario).signature
        self.base = vector_of(scenario)

    def at(self, values: dict[str, float]) -> Vector | None:
        """The vector under these values, or nothing where they are refused or need other kernels."""
        try:
            plan = Plan(self.scenario.with_values(values))
            return _vector(plan) if plan.signature == self.signature else None
        except MurmuraError:
            return None

    def curve(self, candidate: Candidate) -> tuple[Vector, NDArray[np.float64]] | None:
        """Places in a candidate's range, and the vectors there, one for each row: many only where a line bends."""
        found = self._sampled(candidate, FEW)
        if found is None or all(isinstance(_curve(found[0], column), list) for column in found[1].T):
            return found
        return self._sampled(candidate, SAMPLES)

    def _sampled(self, candidate: Candidate, count: int) -> tuple[Vector, NDArray[np.float64]] | None:
        places = np.linspace(candidate.low, candidate.high, count)
        if candidate.whole:
            places = np.unique(np.round(places))
        found = [(x, self.at({candidate.path: int(x) if candidate.whole else float(x)})) for x in places]
        good = [(x, row) for x, row in found if row is not None]
        if len(good) < 3:
            return None
        return np.array([x for x, _ in good]), np.array([row for _, row in good])


def live_values(scenario: Scenario) -> dict[str, Any]:
    """What a page needs to follow changes: ranges of the values it may change, and a recipe for each number.

    A recipe is `{"how": "sum" | "product", "base": number, "parts": [[path, curve]]}`; a curve is `[slope, offset]` or
    `{"x": [...], "y": [...]}`. Of a product the parts are factors beside the base, of a sum differences from it.
    """
    probe = Probe(_generic(scenario))
    curves = {c.path: (c, found) for c in candidates(scenario) if (found := probe.curve(c)) is not None}
    depends: dict[int, list[str]] = {}
    for path, (_, (_, rows)) in curves.items():
        for index in np.flatnonzero((np.abs(rows - probe.base) > 0.0).any(axis=0)):
            depends.setdefault(int(index), []).append(path)
    recipes, spoiled = {}, set[str]()
    for number, paths in depends.items():
        recipe = _recipe(probe, number, paths, curves)
        if recipe is None:
            spoiled.update(paths)
        else:
            recipes[str(number)] = recipe
    live = {path: [c.low, c.high] for path, (c, _) in curves.items() if path not in spoiled}
    recipes = {k: r for k, r in recipes.items() if all(path in live for path, _ in r["parts"])}
    return {"ranges": live, "recipes": recipes, "vector": vector_of(scenario).tolist()}


def _generic(scenario: Scenario) -> Scenario:
    """The scenario with no value at zero: where the wind has no speed, nothing shows that its direction matters."""
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


def _recipe(probe: Probe, index: int, paths: list[str], curves: dict[str, Any]) -> dict[str, Any] | None:
    base = float(probe.base[index])
    for how in ("product", "sum"):
        if how == "product" and (base == 0.0 or len(paths) == 1):
            continue
        parts = []
        for path in paths:
            _, (places, rows) = curves[path]
            column = rows[:, index] / base if how == "product" else rows[:, index] - base
            parts.append([path, _curve(places, column)])
        recipe = {"how": how, "base": base, "parts": parts}
        if _holds(probe, index, recipe, curves):
            return recipe
    return None


def _curve(places: Vector, column: Vector) -> Any:
    """A straight line where it is one, else the points themselves."""
    slope = (column[-1] - column[0]) / (places[-1] - places[0])
    offset = column[0] - slope * places[0]
    scale = max(float(np.abs(column).max()), 1e-12)
    if np.abs(slope * places + offset - column).max() <= EXACT * scale:
        return [float(slope), float(offset)]
    return {"x": [round(float(x), 6) for x in places], "y": [float(f"{y:.8g}") for y in column]}


def evaluated(recipe: dict[str, Any], values: dict[str, float]) -> float:
    """What a page computes for a recipe."""
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


def _holds(probe: Probe, index: int, recipe: dict[str, Any], curves: dict[str, Any]) -> bool:
    """Whether a recipe is right at random places of all its values at once."""
    rng = np.random.default_rng(index)
    paths = [path for path, _ in recipe["parts"]]
    for _ in range(TRIALS if len(paths) > 1 else 3):
        values = {}
        for path in paths:
            candidate = curves[path][0]
            x = rng.uniform(candidate.low, candidate.high)
            values[path] = round(x) if candidate.whole else float(x)
        truth = probe.at(values)
        if truth is None:
            continue
        scale = max(abs(float(truth[index])), abs(recipe["base"]), 1e-9)
        if abs(evaluated(recipe, {p: float(v) for p, v in values.items()}) - truth[index]) > CLOSE * scale:
            return False
    return True
