"""Objects that users place, move and erase: attractors, food, hunters, obstacles.

Pure functions from scenario to scenario, so that a saved or shared scenario contains all objects. Each is applied to
the current scenario: six quick clicks make six hunters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from murmura.core.errors import ScenarioError
from murmura.engine.census import hunting_species
from murmura.rules.predators.kind import kind_names
from murmura.scenario import Scenario
from murmura.view.session.editing.shapes import distance_to, moved
from murmura.view.session.editing.tools import REACH, with_obstacle, without_obstacle_near

PLACEABLE = {
    "circle": ("x", "y", "radius"),
    "wall": ("points",),
    "attractor": ("x", "y", "strength"),
    "food": ("x", "y"),
    "predator": ("x", "y", "species"),
}
MOVABLE = ("circle", "wall", "attractor", "food")
FOOD_PULL = 2.0  # strength of food in a scenario without feeding, where it only attracts
BOLD = {"least_isolation": 0.0, "drop_isolation": 0.0, "attack_distance": 90.0, "hunt_distance": 300.0}
EAGER: dict[str, dict[str, float]] = {
    "hawk": BOLD
    | {"stalk_distance": 0.0, "lose_distance": 2000.0, "target_distance": 300.0}
    | {"intercept_weight": 3.0, "isolation_weight": 0.0, "edge_weight": 0.0},
    "eagle": BOLD,
    "falcon": {"climb_rate": 1.5},
}
"""Numbers of hunters that are placed by hand: who places one wants to see an attack, within three seconds."""
POINTS, SOURCES, HUNTERS = "rules.attractors.points", "rules.feeding.sources", "rules.predators.hunters"


def hunters_to_place(scenario: Scenario) -> list[str]:
    """What the predator tool can place: species of the scenario that hunt, then all kinds of hunters."""
    return [scenario.species[k].name for k in hunting_species(scenario)] + kind_names()


def with_object(scenario: Scenario, placed: Mapping[str, Any]) -> Scenario:
    """The scenario with one more object, given by its kind and the keys that `PLACEABLE` names."""
    kind = placed["kind"]
    place = {"x": placed.get("x"), "y": placed.get("y")} | ({"z": placed["z"]} if "z" in placed else {})
    if kind in ("circle", "wall"):
        return with_obstacle(scenario, dict(placed))
    if kind == "predator":
        kind_of_hunter = str(placed.get("species") or "hawk")
        hunter = place | {"kind": kind_of_hunter} | EAGER.get(kind_of_hunter, {})
        hunters = [*_items(scenario, HUNTERS), hunter]
        # Hunters cause fear, so the rule fear must be enabled.
        return scenario.with_values(
            {HUNTERS: hunters, "rules.predators.enabled": True, "rules.fear.enabled": True}
        )
    if kind == "food" and scenario.rules.feeding.enabled:
        return scenario.with_values({SOURCES: [*_items(scenario, SOURCES), place]})
    strength = FOOD_PULL if kind == "food" else placed.get("strength")
    reach = REACH * min(scenario.world.width, scenario.world.height) / 1000.0
    known = _items(scenario, POINTS) if scenario.rules.attractors.enabled else []
    points = [*known, place | {"strength": strength, "radius": reach}]
    return scenario.with_values({POINTS: points, "rules.attractors.enabled": True})


def without_object(
    scenario: Scenario,
    kind: str | None,
    x: float,
    y: float,
    hunters: Sequence[Mapping[str, Any]],
    z: float | None = None,
) -> Scenario:
    """The scenario without the nearest object of a kind; unchanged if there is none.

    Args:
        scenario: The scenario.
        kind: The kind of object; None: an obstacle.
        x: Position [u].
        y: Position [u].
        hunters: The living hunters with `id` and position. The scenario contains only their starts.
        z: Height [u], in a 3-D world; None: as seen from above.
    """
    if kind in (None, "circle", "wall"):
        return without_obstacle_near(scenario, x, y, z)
    path = _path(scenario, str(kind))
    items = _items(scenario, path)
    found = _nearest(hunters if kind == "predator" else items, (x, y, z))
    if found is not None and kind == "predator":
        found = hunters[found]["id"]
    if found is None or found >= len(items):  # a hunter that was born is not in the list
        return scenario
    del items[found]
    # Without hunters the rule has nothing to compute.
    off = {"rules.predators.enabled": False} if kind == "predator" and not items else {}
    return scenario.with_values({path: items, **off})


def with_object_moved(
    scenario: Scenario, kind: str, from_: tuple[float, ...], to: tuple[float, ...]
) -> Scenario:
    """The scenario with the object nearest to `from_` moved by `to - from_`, two or three coordinates [u] each."""
    way = tuple(b - a for a, b in zip(from_, to, strict=True))
    if kind in ("circle", "wall"):
        return _with_obstacle_moved(scenario, from_, way)
    path = _path(scenario, kind)
    items = _items(scenario, path)
    found = _nearest(items, from_)
    if found is None:
        return scenario
    items[found] = moved(items[found], way)
    return scenario.with_values({path: items})


def _with_obstacle_moved(scenario: Scenario, at: tuple[float, ...], way: tuple[float, ...]) -> Scenario:
    if not scenario.obstacles:
        return scenario
    far = [distance_to(shape, *at) for shape in scenario.obstacles]
    shapes = [shape.model_dump(mode="json") for shape in scenario.obstacles]
    nearest = far.index(min(far))
    shapes[nearest] = moved(shapes[nearest], way)
    return scenario.with_values({"obstacles": shapes})


def _path(scenario: Scenario, kind: str) -> str:
    if kind == "food":
        return SOURCES if scenario.rules.feeding.enabled else POINTS
    paths = {"attractor": POINTS, "predator": HUNTERS}
    if kind not in paths:
        raise ScenarioError(f"kind must be one of {', '.join(PLACEABLE)}, got {kind!r}")
    return paths[kind]


def _items(scenario: Scenario, path: str) -> list[dict[str, Any]]:
    rules = scenario.rules
    found = {
        POINTS: rules.attractors.points,
        SOURCES: rules.feeding.sources,
        HUNTERS: rules.predators.hunters,
    }
    return [it.model_dump(mode="json") for it in found[path]]


def _nearest(items: Sequence[Mapping[str, Any]], place: Sequence[float | None]) -> int | None:
    """The index of the item nearest to a position; heights count if both have one."""
    if not items:
        return None

    def distance(it: Mapping[str, Any]) -> float:
        pairs = zip((it["x"], it["y"], it.get("z")), place, strict=False)
        return math.hypot(*(a - b for a, b in pairs if a is not None and b is not None))

    far = [distance(it) for it in items]
    return far.index(min(far))
