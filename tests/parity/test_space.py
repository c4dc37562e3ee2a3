"""Every rule in space: the CPU against the reference, step by step from the same state."""

from __future__ import annotations

import pytest

from murmura.core.rule import REGISTRY, is_built_in
from murmura.scenario import Scenario

from .scenes import SCENES, in_space, lively, loud_rules
from .side_by_side import Comparison, compare_step

SOLIDS = [
    {"x": 90.0, "y": 80.0, "z": 40.0, "radius": 25.0},
    {"kind": "cylinder", "x": 200.0, "y": 80.0, "radius": 20.0},
    {"kind": "cylinder", "x": 320.0, "y": 80.0, "radius": 20.0, "bottom": 20.0, "top": 60.0},
    {"kind": "box", "low": [240.0, 180.0, 30.0], "high": [290.0, 230.0, 90.0]},
    {"kind": "box", "low": [30.0, 160.0, 20.0], "high": [90.0, 190.0, 80.0], "turn": 25.0},
    {"points": [[150.0, 220.0], [210.0, 250.0]]},
]
"""Obstacles of every form; a level plane is added where z does not wrap."""
EXTRA = {
    "soft": {"obstacles": [*SOLIDS, {"kind": "plane", "point": [0.0, 0.0, 6.0]}]},
    "wrapped": {"obstacles": SOLIDS, "world.boundary_z": "reflect"},
}


FLYING = {
    "world": {"width": 200.0, "height": 150.0, "depth": 120.0, "boundary": "wrap", "boundary_z": "soft"},
    "rules": {
        "altitude": {"enabled": True, "z": 50.0}, "level": {"enabled": True}, "banking": {"enabled": True},
        "cruise": {"enabled": True},
        "stardisplay": {"enabled": True, "roost_x": 100.0, "roost_y": 75.0, "roost_z": 60.0, "roost_radius": 40.0},
    },
    "agents": 90, "name": "flying",
}  # fmt: skip
"""Rules that only a 3-D world has."""


def scene_in_space(scene: str) -> Scenario:
    return Scenario.from_data(FLYING) if scene == "flying" else in_space(scene, **EXTRA.get(scene, {}))


def test_every_built_in_rule_is_compared_in_space_or_refuses_it() -> None:
    used = {name for scene in (*SCENES, "flying") for name in loud_rules(scene_in_space(scene))}
    ours = {name for name, rule in REGISTRY.items() if is_built_in(rule)}
    assert ours - used == {"vision"}


@pytest.mark.parametrize("scene", [*SCENES, "flying"])
def test_all_rules_together_in_space(scene: str) -> None:
    sim = lively(scene_in_space(scene))
    found = Comparison()
    for _ in range(2):
        compare_step(sim, found)
        compare_step(sim, found)
        sim.step(10)
    found.check()
