"""Invalid input is refused: the message says what was expected, what was found and what to do."""

from __future__ import annotations

import datetime
import math
from typing import Any

import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.scenario import Scenario


def refusal(data: Any) -> str:
    with pytest.raises(ScenarioError) as error:
        Scenario.from_data(data)
    return str(error.value)


def nested(path: str, value: Any) -> dict[str, Any]:
    data: Any = value
    for part in reversed(path.split(".")):
        data = {part: data}
    return data


@pytest.mark.parametrize(
    ("data", "path", "hint"),
    [
        ({"agnts": 5}, "agnts", "'agents'"),
        ({"world": {"widht": 5}}, "world.widht", "'width'"),
        ({"rules": {"separation": {"wieght": 5}}}, "rules.separation.wieght", "'weight'"),
        ({"rules": {"seperation": {}}}, "seperation", "'separation'"),
        ({"motion": {"zzz": 5}}, "motion.zzz", "max_speed"),
        ({"Agents": 5}, "Agents", "'agents'"),
        ({"obstacles": [{"x": 1, "y": 1, "radius": 1, "r": 1}]}, "obstacles.0.r", "unknown key"),
        ({"species": [{"name": "a", "shere": 1}]}, "species.0.shere", "unknown key"),
        (
            {"species": [{"name": "a", "towards": {"a": {"fly": 1}}}]},
            "species.0.towards.a.fly",
            "unknown key",
        ),
    ],
)
def test_unknown_keys_are_answered_with_the_nearest_known_one(data: Any, path: str, hint: str) -> None:
    message = refusal(data)
    assert path in message
    assert hint in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("agents", "5", "integer"),
        ("agents", 5.5, "integer"),
        ("agents", True, "integer"),
        ("agents", None, "integer"),
        ("agents", [5], "integer"),
        ("world.width", "wide", "number"),
        ("world.width", True, "number"),
        ("world.width", None, "number"),
        ("world.boundary", "round", "'wrap', 'soft', 'reflect' or 'open'"),
        ("world.boundary", 3, "'wrap', 'soft', 'reflect' or 'open'"),
        ("motion.policy", "fast", "'constant' or 'overdamped'"),
        ("motion.clamp_total", 1, "boolean"),
        ("motion.clamp_total", "yes", "boolean"),
        ("rules.alignment.enabled", "on", "boolean"),
        ("rules.separation.falloff", "cubic", "'inverse' or 'inverse_square'"),
        ("perception.nearest", 2.5, "integer"),
        ("title", 5, "string"),
        ("name", "Not A Name", "pattern"),
        ("world", [1, 2], "object"),
        ("rules", None, "object"),
        ("rules", [1], "object"),
        ("rules.separation", 5, "object"),
        ("species", 5, "array"),
        ("obstacles", {"x": 1}, "array"),
        ("obstacles", [5], "object"),
        ("schema_version", 2, "one of 1"),
    ],
)
def test_wrong_types_say_what_was_expected_and_found(path: str, value: Any, expected: str) -> None:
    message = refusal(nested(path, value))
    assert message.startswith(path)
    assert expected in message
    assert f"got {value!r}" in message or f"got {value[0]!r}" in message
    assert "\n" not in message


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "path", ["world.width", "motion.max_speed", "perception.radius", "rules.separation.radius", "start.speed"]
)
def test_numbers_are_finite(path: str, value: float) -> None:
    assert refusal(nested(path, value)) == f"{path} must be a finite number, got {value!r}"


def test_numbers_in_lists_are_finite_too() -> None:
    message = refusal({"obstacles": [{"x": math.nan, "y": 1.0, "radius": 1.0}]})
    assert message == "obstacles.0.x must be a finite number, got nan"


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("rules.separation.radius", -1.0, "> 0 [u]"),
        ("rules.alignment.radius", -1.0, "> 0 [u]"),
        ("rules.cohesion.radius", 0.0, "> 0 [u]"),
        ("perception.radius", -5.0, "> 0 [u]"),
        ("perception.radius", 0.0, "> 0 [u]"),
        ("perception.field_of_view", 0.0, "> 0 [deg]"),
        ("perception.field_of_view", 360.5, "<= 360 [deg]"),
        ("world.width", 0.0, "> 0 [u]"),
        ("world.height", 0.0, "> 0 [u]"),
        ("world.height", -3.0, "> 0 [u]"),
        ("world.width", 2e7, "<= 1e+07 [u]"),
        ("agents", -1, ">= 0"),
        ("agents", 10**12, "<= 2e+07"),
        ("motion.max_speed", 0.0, "> 0 [u/s or u/tick]"),
        ("motion.max_force", 0.0, "> 0"),
        ("motion.time_step", 0.0, "> 0 [s]"),
        ("motion.time_step", 2000.0, "<= 1000 [s]"),
        ("rules.alignment.weight", -0.1, ">= 0"),
        ("perception.nearest", 0, ">= 1"),
        ("perception.nearest", 257, "<= 256"),
    ],
)
def test_ranges_name_the_bound_the_unit_and_the_value(path: str, value: float, rule: str) -> None:
    assert refusal(nested(path, value)) == f"{path} must be {rule}, got {value!r}"


@pytest.mark.parametrize("value", [1e10, 1e40, 1e300, 1e-10, 1e-40, 1e-300])
@pytest.mark.parametrize("path", ["motion.max_force", "perception.radius", "rules.noise.scale"])
def test_numbers_that_single_precision_cannot_hold_are_refused(path: str, value: float) -> None:
    message = refusal(nested(path, value))
    assert message.startswith(f"{path} must be at least 1e-09 and at most 1e+09 in size, got {value:g}")


def test_a_weight_may_be_arbitrarily_small() -> None:
    assert Scenario.from_data(nested("rules.alignment.weight", 1e-300)).rules.alignment.weight == 1e-300
    assert "at most 1e+09 in size" in refusal(nested("rules.alignment.weight", 1e10))
    assert "species.0 (a)" in refusal({"species": [{"name": "a", "values": {"motion.max_force": 1e-12}}]})
    assert "obstacles.0.points.1.0" in refusal({"obstacles": [{"points": [[1.0, 1.0], [1e10, 2.0]]}]})


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_huge_integers_are_refused(value: int) -> None:
    assert refusal({"world": {"width": value}}).startswith("world.width must be ")
    assert refusal({"agents": value}).startswith("agents must be ")


@pytest.mark.parametrize("name", ["separation", "alignment", "cohesion"])
def test_a_radius_beyond_perception_is_refused(name: str) -> None:
    message = refusal({"rules": {name: {"radius": 60.0}}, "perception": {"radius": 50.0}})
    assert message.startswith(f"rules.{name}.radius must be at most perception.radius (50 [u]), got 60")
    assert "lower the first or raise the second" in message
    # The limit itself is allowed, and so is a disabled rule.
    Scenario.from_data({"rules": {name: {"radius": 50.0}}})
    Scenario.from_data({"rules": {name: {"radius": 60.0, "enabled": False}}})


def test_a_million_agents_do_not_fit_into_a_tiny_world() -> None:
    tiny = {"width": 110.0, "height": 110.0, "boundary": "wrap"}
    message = refusal({"agents": 1_000_000, "world": tiny})
    assert message.startswith("agents: 1,000,000 in 110 x 110 [u] would each have about 649,091 neighbours")
    assert "fewer agents, a larger world or a smaller perception.radius" in message
    Scenario.from_data({"agents": 1000, "world": tiny})


@pytest.mark.parametrize("side", ["width", "height"])
def test_a_radius_over_half_a_wrapping_world_is_refused(side: str) -> None:
    world = {"width": 500.0, "height": 500.0, "boundary": "wrap", side: 99.0}
    message = refusal({"agents": 10, "world": world})
    assert message.startswith(
        "perception.radius must be below half the smaller side of a wrapping world (49.5 [u])"
    )
    assert "got 50" in message
    assert "enlarge the world or lower the radius" in message
    for boundary in ("soft", "reflect", "open"):
        Scenario.from_data({"agents": 10, "world": world | {"boundary": boundary}})
    Scenario.from_data({"agents": 10, "world": world | {side: 101.0}})


def test_half_a_wrapping_world_itself_is_refused_too() -> None:
    assert "below half" in refusal({"agents": 1, "world": {"width": 100.0, "boundary": "wrap"}})


def test_a_step_across_half_the_world_is_refused() -> None:
    message = refusal({"motion": {"max_speed": 1e6}})
    assert message.startswith("motion.max_speed: at 1e+06 an agent could cross 25000 [u] in a step")
    assert "lower the speed or motion.time_step, or enlarge the world" in message
    message = refusal({"motion": {"policy": "constant", "speed": 1e6}})
    assert message.startswith("motion.speed: at 1e+06")


def test_the_minimum_speed_is_at_most_the_maximum() -> None:
    message = refusal({"motion": {"min_speed": 20.0, "max_speed": 15.0}})
    assert message == "motion.min_speed must be at most motion.max_speed (15), got 20"


def test_the_start_margin_leaves_room() -> None:
    message = refusal({"start": {"margin": 600.0}})
    assert message == "start.margin must leave room between the edges (at most 500 [u]), got 600"


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"x": 1.0, "y": 1.0}, ["obstacles.0.radius", "missing"]),
        ({"x": 1.0, "y": 1.0, "radius": 0.0}, ["obstacles.0.radius", "> 0"]),
        ({"x": 1.0, "y": 1.0, "radius": -2.0}, ["obstacles.0.radius", "> 0", "-2.0"]),
        ({"points": [[1.0, 1.0]]}, ["obstacles.0.points", "at least"]),
        (
            {"points": [[1.0, 1.0, 1.0], [2.0, 2.0], [3.0, 1.0]]},
            ["obstacles.0.points.0", "at most 2 values, got 3"],
        ),
        (
            {"kind": "sphere", "x": 1.0, "y": 1.0, "radius": 2.0},
            ["obstacles.0.kind", "'circle'", "'box'", "'sphere'"],
        ),
        (
            {"kind": "cylinder", "x": 1.0, "y": 1.0, "radius": 2.0, "z": 5.0},
            ["unknown key 'z'", "bottom, top"],
        ),
        (
            {"kind": "box", "low": [1.0, 1.0], "high": [9.0, 9.0, 9.0]},
            ["obstacles.0.low has too few", "(x, y, z)"],
        ),
        (
            {"kind": "box", "low": [1.0] * 3, "high": [9.0] * 3, "trun": 5.0},
            ["'trun' (did you mean 'turn'?)"],
        ),
        (
            {"points": [[1.0, 1.0], [2.0, "b"], [3.0, 3.0], [4.0, 3.0]]},
            ["obstacles.0.points.1.1", "number", "'b'"],
        ),
        ({"x": -1.0, "y": 1.0, "radius": 1.0}, ["obstacles.0", "outside the world", "move it inside"]),
        ({"points": [[1.0, 1.0], [2000.0, 1.0]]}, ["obstacles.0", "outside the world", "2000"]),
    ],
)
def test_bad_obstacles_are_named(shape: Any, words: list[str]) -> None:
    message = refusal({"obstacles": [shape]})
    for word in words:
        assert word in message
    assert "\n" not in message


def test_in_an_open_world_obstacles_may_lie_anywhere() -> None:
    world = {"boundary": "open"}
    Scenario.from_data({"world": world, "obstacles": [{"x": -1.0, "y": 1.0, "radius": 1.0}]})


def test_obstacles_on_a_torus_are_met_in_their_nearest_image_only() -> None:
    # A step of 45 from midway between two images of the circle would reach the one that is not tested.
    data = {
        "agents": 1,
        "perception": {"radius": 10.0},
        "rules": {"separation": {"radius": 5.0}},
        "world": {"width": 200.0, "height": 200.0, "boundary": "wrap"},
        "motion": {"velocity_unit": "tick", "max_speed": 30.0},
        "obstacles": [{"x": 100.0, "y": 100.0, "radius": 60.0}],
    }
    message = refusal(data)
    assert "longest step (45 [u])" in message
    assert "(60 [u])" in message
    assert "lower the speed, shrink the obstacle or enlarge the world" in message
    Scenario.from_data(data | {"world": {"width": 200.0, "height": 200.0, "boundary": "reflect"}})
    Scenario.from_data(data | {"obstacles": [{"x": 100.0, "y": 100.0, "radius": 50.0}]})


@pytest.mark.parametrize(
    ("species", "words"),
    [
        ([{"name": "a"}, {"name": "a"}], ["species", "once", "a, a"]),
        ([{"share": 1.0}], ["species.0.name", "missing"]),
        ([{"name": "A b"}], ["species.0.name", "pattern", "'A b'"]),
        ([{"name": "a", "share": 0.0}], ["species.0.share", "> 0", "0.0"]),
        ([{"name": "a", "share": -1.0}], ["species.0.share", "> 0", "-1.0"]),
        ([{"name": "a", "color": "red"}], ["species.0.color", "pattern", "'red'"]),
        ([{"name": "a", "towards": {"b": "flee"}}], ["species.0.towards", "'b'", "known: a"]),
        ([{"name": "a", "towards": {"a": "luv"}}], ["species.0.towards.a", "'flock'", "'chase'", "'luv'"]),
        ([{"name": "a", "towards": {"a": {"flee": -1.0}}}], ["species.0.towards.a.flee", ">= 0", "-1.0"]),
        ([{"name": "a", "towards": {"a": 5}}], ["species.0.towards.a", "'flock'", "5"]),
        (
            [{"name": "a", "values": {"world.width": 5.0}}],
            ["species.0.values", "motion, perception and rules may differ"],
        ),
        ([{"name": "a", "values": {"motion.max_sped": 5.0}}], ["species.0 (a)", "'motion.max_speed'"]),
        ([{"name": "a", "values": {"motion.max_speed": -5.0}}], ["species.0 (a)", "> 0", "-5"]),
        (
            [{"name": "a", "values": {"motion.max_speed": "x"}}],
            ["species.0.values.motion.max_speed", "number", "'x'"],
        ),
        ([{"name": "a", "values": {"motion.policy": 1.0}}], ["species.0 (a)", "motion.policy"]),
        (
            [{"name": "a", "values": {"perception.radius": 10.0}}],
            ["species.0 (a)", "rules.separation.radius", "perception.radius (10 [u])"],
        ),
        ([5], ["species.0", "object", "5"]),
    ],
)
def test_bad_species_tables_are_named(species: Any, words: list[str]) -> None:
    message = refusal({"species": species})
    for word in words:
        assert word in message
    assert "\n" not in message


@pytest.mark.parametrize("data", [None, 5, "classic", [1], True])
def test_a_scenario_is_a_table(data: Any) -> None:
    assert refusal(data) == f"a scenario: input should be an object, got {data!r}"


@pytest.mark.parametrize("value", [datetime.date(2000, 1, 1), {1, 2}, object(), b"x", 1j, lambda: None])
def test_values_are_plain_data(value: Any) -> None:
    assert "must be made of text, numbers, true, false, lists and tables" in refusal({"title": value})
    with pytest.raises(ScenarioError, match=type(value).__name__):
        mm.load_scenario("classic").with_values({"title": value})


def test_endlessly_nested_data_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert "must be made of" in refusal({"title": deep})
    loop: dict[str, Any] = {}
    loop["title"] = loop
    assert "must be made of" in refusal(loop)


def test_each_error_has_its_own_line() -> None:
    message = refusal({"agents": -1, "world": {"width": 0.0}, "motion": {"max_sped": 1.0}})
    lines = message.split("\n")
    assert len(lines) == 3
    assert lines[0] == "agents must be >= 0, got -1"
    assert lines[1] == "world.width must be > 0 [u], got 0.0"
    assert "did you mean 'max_speed'?" in lines[2]


def test_the_source_is_named_in_every_line() -> None:
    with pytest.raises(ScenarioError) as error:
        Scenario.from_data({"agents": -1, "world": {"width": 0.0}}, "mine.toml")
    assert all(line.startswith("mine.toml: ") for line in str(error.value).split("\n"))


@pytest.mark.parametrize(
    ("data", "path"), [({"weight": -1.0}, "weight"), ({"wait": 1.0}, "wait"), (5, "object")]
)
def test_errors_in_a_users_rule_are_named(data: Any, path: str) -> None:
    from murmura.core.model import quantity
    from murmura.core.rule import REGISTRY

    @mm.register_rule("test_bad_input")
    class Own(mm.Rule):
        weight: float = quantity(1.0, "How much it counts.", "", ge=0)

    try:
        message = refusal({"rules": {"test_bad_input": data}})
        assert "rules.test_bad_input" in message
        assert path in message
        assert "pydantic" not in message
    finally:
        del REGISTRY["test_bad_input"]


@pytest.mark.parametrize("values", [None, ["agents", 5], "agents=5", 5])
def test_values_that_are_not_a_table_are_refused(values: object) -> None:
    with pytest.raises(ScenarioError, match=r"a table from path to value.*got "):
        Scenario().with_values(values)  # type: ignore[arg-type]
