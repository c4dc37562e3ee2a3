"""Positions with a height: pointer, tools and picking in a 3-D world."""

from __future__ import annotations

import math
from typing import Any

import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.rules.environment.terrain import Box, Circle, Cylinder, Plane
from murmura.rules.predators.reading import WITHOUT_TARGET
from murmura.rules.predators.row import layout_of
from murmura.rules.predators.states import STATE_NAMES
from murmura.view.session.editing.shapes import distance_to
from murmura.view.session.editing.tools import with_pointer
from murmura.view.session.observing.observer import inspect, nearest_agent
from murmura.view.session.scene import Scene
from murmura.view.wire.scenery import scenery_message
from tests.view.live import flock


def deep(agents: int = 20, **values: Any) -> mm.Scenario:
    return flock(agents, **{"world.depth": 400.0, "world.boundary": "wrap"} | values)


def scene_of(scenario: mm.Scenario) -> Scene:
    return Scene(scenario, 3, "reference")


def test_a_hand_pulls_at_its_height() -> None:
    """Below an agent it pulls down, with more than half of its strength at the centre."""
    scene = scene_of(deep())
    x, y, z = (float(value) for value in scene.simulation.positions[0])
    below = max(z - 30.0, 1.0)
    scene.carry_out({"type": "pointer", "x": x, "y": y, "z": below, "mode": "attract"})
    point = with_pointer(scene.scenario, scene.pointer).rules.attractors.points[-1]
    assert (point.x, point.y, point.z, point.strength > 0) == (x, y, below, True)
    assert scene.actions[-1]["z"] == below
    free = mm.Simulation(with_pointer(deep(), None), 3, "reference")
    scene.step(1)
    free.step(1)
    pulled = scene.simulation.velocities[0] - free.velocities[0]
    assert pulled[2] < -0.5 * scene.scenario.motion.max_force


@pytest.mark.parametrize(
    "message", [{"type": "pointer", "mode": "attract"}, {"type": "erase"}, {"type": "place", "kind": "food"}]
)
def test_a_height_in_a_plane_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError, match="z has no meaning in a plane, got 5"):
        scene_of(flock(5)).carry_out({**message, "x": 1.0, "y": 1.0, "z": 5})
    with pytest.raises(ScenarioError, match="z must be a number"):
        scene_of(deep(5)).carry_out({**message, "x": 1.0, "y": 1.0, "z": "high"})


def test_things_are_placed_moved_and_taken_at_their_height() -> None:
    scene = scene_of(deep())
    for z in (50.0, 350.0):
        scene.carry_out({"type": "place", "kind": "circle", "x": 200.0, "y": 200.0, "z": z, "radius": 20.0})
        scene.carry_out({"type": "place", "kind": "attractor", "x": 90.0, "y": 80.0, "z": z, "strength": 2.0})
    scene.carry_out(
        {
            "type": "move",
            "kind": "circle",
            "x": 200,
            "y": 200,
            "z": 340,
            "to_x": 210,
            "to_y": 200,
            "to_z": 300,
        }
    )
    assert [(each.x, each.z) for each in scene.scenario.obstacles] == [(200.0, 50.0), (210.0, 310.0)]
    scene.carry_out({"type": "erase", "kind": "attractor", "x": 90.0, "y": 80.0, "z": 60.0})
    assert [point.z for point in scene.scenario.rules.attractors.points] == [350.0]
    scene.carry_out({"type": "erase", "x": 200.0, "y": 200.0, "z": 300.0})
    assert [each.z for each in scene.scenario.obstacles] == [50.0]


def test_a_hunter_is_placed_at_a_height_and_its_prey_is_told_with_one() -> None:
    scene = scene_of(deep(30))
    scene.carry_out(
        {"type": "place", "kind": "predator", "x": 700.0, "y": 300.0, "z": 320.0, "species": "hawk"}
    )
    assert scene.scenario.rules.predators.hunters[-1].z == 320.0
    seen = scene.simulation.snapshot()
    rows = seen.state.items["predators"]
    columns = list(layout_of(rows.shape[1]).columns)
    hunting = next(code for code in range(len(STATE_NAMES)) if code not in WITHOUT_TARGET)
    rows[0, columns.index("state")], rows[0, columns.index("target")] = hunting, 7
    [hunter] = [each for each in scenery_message(seen)["objects"] if each["kind"] == "predator"]
    place = scene.simulation.positions[7]
    assert [hunter[f"target_{axis}"] for axis in "xyz"] == pytest.approx(place.tolist())


def test_the_nearest_is_the_nearest_in_space() -> None:
    """Directly above each other, and across the floor of a wrapping world."""
    places = [[100.0, 100.0, 40.0], [100.0, 100.0, 200.0], [101.0, 100.0, 395.0]]
    sim = mm.Simulation(deep(3), 1, "reference", positions=places, velocities=[[1.0, 0.0, 0.0]] * 3)
    assert [nearest_agent(sim, 100.0, 100.0, z) for z in (60.0, 180.0, 3.0)] == [0, 1, 2]
    assert nearest_agent(sim, 101.2, 100.0) == 2  # seen from above
    told = inspect(sim, 0)
    assert len(told["position"]) == 3 and all("z" in each for each in told["neighbors"])


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Circle(x=0.0, y=0.0, z=0.0, radius=2.0), math.sqrt(14.0) - 2.0),
        (Cylinder(x=0.0, y=0.0, radius=1.0, bottom=-1.0, top=2.0), math.hypot(math.sqrt(5.0) - 1.0, 1.0)),
        (Cylinder(x=0.0, y=0.0, radius=1.0), math.sqrt(5.0) - 1.0),
        (Box(low=(2.0, 0.0, 0.0), high=(5.0, 5.0, 2.0)), math.sqrt(2.0)),
        (Box(low=(-1.0, -1.0, 0.0), high=(1.0, 1.0, 2.0), turn=45.0), math.hypot(3.0 / math.sqrt(2.0) - 1.0, 1.0)),
        (Plane(point=(0.0, 0.0, 1.0), normal=(0.0, 0.0, 2.0)), 2.0),
    ],
)  # fmt: skip
def test_how_far_a_place_is_from_an_obstacle_in_space(shape: Any, expected: float) -> None:
    assert distance_to(shape, 1.0, 2.0, 3.0) == pytest.approx(expected)


def test_every_obstacle_in_space_can_be_taken_away() -> None:
    shapes = [
        {"kind": "box", "low": [50, 50, 50], "high": [90, 90, 90]},
        {"kind": "cylinder", "x": 300, "y": 300, "radius": 20},
        {"kind": "plane", "point": [0, 0, 390], "normal": [0, 0, 1]},
    ]
    scene = scene_of(deep(5, obstacles=shapes, **{"world.boundary": "soft"}))
    for place in ((310.0, 310.0, 200.0), (600.0, 100.0, 385.0), (60.0, 60.0, 70.0)):
        scene.carry_out({"type": "erase", **dict(zip("xyz", place, strict=True))})
    assert scene.scenario.obstacles == ()
