"""Tools of the page as changes of a scenario: a pointer that attracts, repels or scares; obstacles added and removed.

Pure functions from scenario to scenario, independent of simulations, messages and time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from murmura.core.rule import Rule
from murmura.rules.environment.terrain import Attractor
from murmura.rules.life.panic import Threat
from murmura.scenario import Scenario
from murmura.scenario.models import Rules
from murmura.view.session.editing.shapes import distance_to

REACH = 220.0  # [u] of the pointer, in a world whose shorter side is 1,000 u; scaled with it
Mode = Literal["attract", "repel", "scare", "none"]
STRENGTHS: dict[Mode, float] = {"attract": 4.0, "repel": -6.0, "scare": -6.0, "none": 0.0}


@dataclass(frozen=True)
class Pointer:
    """The position of the user's pointer [u] and its effect."""

    x: float
    y: float
    mode: Mode
    z: float | None = None  # none: half way up, where the world has a depth


def with_pointer(scenario: Scenario, pointer: Pointer | None) -> Scenario:
    """The scenario with the pointer's attractor. An idle pointer has one too: using it never changes the kernel."""
    world, rules = scenario.world, scenario.rules
    pointer = pointer or Pointer(world.width / 2.0, world.height / 2.0, "none")
    reach = REACH * min(world.width, world.height) / 1000.0
    hunts = pointer.mode == "scare" and rules.fear.enabled  # with the rule fear, the pointer is a predator
    strength = 0.0 if hunts else STRENGTHS[pointer.mode]
    point = Attractor(x=pointer.x, y=pointer.y, z=pointer.z, strength=strength, radius=reach)
    threat = Threat(x=pointer.x, y=pointer.y, z=pointer.z, radius=0.8 * reach)

    def changed(rules: Rules) -> dict[str, Any]:
        points = rules.attractors.points if rules.attractors.enabled else ()
        found: dict[str, Rule] = {
            "attractors": rules.attractors.model_copy(update={"enabled": True, "points": (*points, point)})
        }
        if hunts:
            found["fear"] = rules.fear.model_copy(update={"threats": (*rules.fear.threats, threat)})
        return found

    return scenario.with_rules(changed)


def with_obstacle(scenario: Scenario, shape: dict[str, Any]) -> Scenario:
    return _with_obstacles(scenario, [*_obstacles(scenario), shape])


def without_obstacle_near(scenario: Scenario, x: float, y: float, z: float | None = None) -> Scenario:
    """The scenario without the obstacle nearest to a position; unchanged if there is none."""
    distances = [distance_to(shape, x, y, z) for shape in scenario.obstacles]
    if not distances:
        return scenario
    obstacles = _obstacles(scenario)
    del obstacles[distances.index(min(distances))]
    return _with_obstacles(scenario, obstacles)


def _obstacles(scenario: Scenario) -> list[dict[str, Any]]:
    return [shape.model_dump(mode="json") for shape in scenario.obstacles]


def _with_obstacles(scenario: Scenario, obstacles: list[dict[str, Any]]) -> Scenario:
    return Scenario.from_data(scenario.model_dump(mode="json") | {"obstacles": obstacles})
