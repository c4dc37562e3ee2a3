"""Values by path: stable paths, hints for misspelt ones, and no partial changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.scenario import value_paths
from murmura.scenario.paths import unit_at

STABLE: dict[str, Any] = {
    "agents": 123,
    "world.width": 777.0,
    "world.height": 555.0,
    "world.boundary": "reflect",
    "motion.max_speed": 4.5,
    "motion.max_force": 0.25,
    "motion.speed": 2.5,
    "perception.radius": 61.0,
    "perception.field_of_view": 199.0,
    "rules.separation.weight": 0.75,
    "rules.separation.radius": 11.0,
    "rules.separation.enabled": False,
    "rules.alignment.weight": 2.0,
    "rules.alignment.radius": 33.0,
    "rules.alignment.enabled": False,
    "rules.cohesion.weight": 0.5,
    "rules.cohesion.radius": 44.0,
    "rules.cohesion.enabled": False,
    "rules.noise.strength": 0.2,
}


def value_at(scenario: mm.Scenario, path: str) -> Any:
    value: Any = scenario
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("path", STABLE)
def test_stable_paths_change_exactly_their_value(path: str) -> None:
    before = mm.load_scenario("starlings")
    after = before.with_values({path: STABLE[path]})
    assert value_at(after, path) == STABLE[path]
    assert value_at(before, path) != STABLE[path]
    values = dict(value_paths(before))
    changed = {name for name, value in value_paths(after) if value != values[name]}
    assert changed == {path}


def test_all_stable_paths_at_once() -> None:
    after = mm.load_scenario("classic").with_values(STABLE)
    assert {path: value_at(after, path) for path in STABLE} == STABLE


@pytest.mark.parametrize("name", mm.scenario_names())
def test_every_listed_path_can_be_set_to_its_own_value(name: str) -> None:
    """All in one call: each alone would validate the same data a hundred times."""
    scenario = mm.load_scenario(name)
    data = scenario.model_dump(mode="json")
    own = {}
    for path, _ in value_paths(scenario):
        value: Any = data
        for part in path.split("."):
            value = value[part]
        own[path] = value
    assert len(own) > 100
    assert scenario.with_values(own) == scenario


def test_items_of_lists_have_paths_too() -> None:
    scenario = mm.load_scenario("mixed").with_values({"species.0.share": 9.0})
    assert scenario.species[0].share == 9.0
    circle = {"x": 50.0, "y": 60.0, "radius": 7.0}
    scenario = scenario.with_values({"obstacles": [circle]}).with_values({"obstacles.0.radius": 8.0})
    assert scenario.obstacles[0].radius == 8.0


@pytest.mark.parametrize("value", [np.int64(7), np.int32(7), np.uint8(7)])
def test_numpy_numbers_are_numbers(value: Any) -> None:
    assert mm.load_scenario("classic").with_values({"agents": value}).agents == 7


def test_numpy_floats_and_switches_too() -> None:
    values = {"motion.max_speed": np.float32(2.5), "rules.noise.enabled": np.bool_(True)}
    scenario = mm.load_scenario("classic").with_values(values)
    assert scenario.motion.max_speed == 2.5
    assert scenario.rules.noise.enabled is True


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("agnts", "agents"),
        ("rules.alignment.wieght", "rules.alignment.weight"),
        ("rules.allignment.weight", "rules.alignment.weight"),
        ("perception.radious", "perception.radius"),
        ("perception.fieldofview", "perception.field_of_view"),
        ("motion.maxspeed", "motion.max_speed"),
        ("agents.count", "agents"),
        ("rules.separation.weight.x", "rules.separation.weight"),
    ],
)
def test_a_misspelt_path_is_answered_with_the_nearest_one(path: str, meant: str) -> None:
    with pytest.raises(ScenarioError, match="has no value") as error:
        mm.load_scenario("classic").with_values({path: 1})
    assert repr(path) in str(error.value)
    assert f"did you mean {meant!r}?" in str(error.value)


@pytest.mark.parametrize("path", ["", ".", "..", "rules..", "zzz", "obstacles.0", "species.x.share", 5])
def test_an_unknown_path_is_refused(path: Any) -> None:
    with pytest.raises(ScenarioError, match="has no value"):
        mm.load_scenario("classic").with_values({path: 1})


@pytest.mark.parametrize("bad", [{"agents": -1}, {"motion.nope": 1}, {"motion.max_speed": "fast"}])
def test_an_error_changes_nothing(bad: dict[str, Any]) -> None:
    scenario = mm.load_scenario("classic")
    before = scenario.model_dump()
    with pytest.raises(ScenarioError):
        scenario.with_values({"rules.alignment.weight": 3.0, **bad, "rules.cohesion.weight": 3.0})
    assert scenario.model_dump() == before
    assert scenario == mm.load_scenario("classic")


def test_a_scenario_cannot_be_changed_in_place() -> None:
    scenario = mm.load_scenario("classic")
    with pytest.raises(ValueError, match="frozen"):
        scenario.agents = 5  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        scenario.motion.max_speed = 5.0  # type: ignore[misc]


def test_values_given_together_are_validated_together() -> None:
    # Each alone would contradict the current value of the other; both together are valid.
    scenario = mm.load_scenario("classic")
    with pytest.raises(ScenarioError, match=r"rules\.separation\.radius"):
        scenario.with_values({"rules.separation.radius": 60.0})
    both = scenario.with_values({"rules.separation.radius": 60.0, "perception.radius": 70.0})
    assert both.rules.separation.radius == 60.0


def test_values_of_a_species_have_paths() -> None:
    """With the path of the value inside: values the species already has, and others it may have."""
    mixed = mm.load_scenario("ecosystem")
    speed, weight = "species.0.values.rules.genome.speed", "species.0.values.rules.alignment.weight"
    changed = mixed.with_values({speed: 0.9, weight: 2.5})
    assert (
        changed.of_species(0).rules.genome.speed == 0.9
        and changed.of_species(0).rules.alignment.weight == 2.5
    )
    assert changed.of_species(1) == mixed.of_species(1)
    assert unit_at(mixed, "species.0.values.perception.radius") == "u"
    for path in (
        "species.9.values.rules.genome.speed",
        "species.0.values",
        "species.0.values.rules.genom.speed",
    ):
        with pytest.raises(ScenarioError):
            mixed.with_values({path: 0.9})
