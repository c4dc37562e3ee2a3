"""The base class of rules: registry, messages, numbers and options, and a user's own rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest
from scipy.spatial import cKDTree

from murmura import Rule, Scenario, Simulation, register_rule
from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.core.layout import POSITION
from murmura.core.merging import Greatest, Least, Sum
from murmura.core.model import choice, quantity
from murmura.core.parameters import numbers_of, options_of
from murmura.core.rule import REGISTRY, is_built_in, registered_rule
from murmura.core.vec import Vec
from murmura.core.world.randomness import STREAM_USER, uniform_from, uniform_pair
from murmura.rules import ORDER


@pytest.fixture(autouse=True)
def _registry_as_it_was() -> Iterator[None]:
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


class Gust(Rule):
    """A steady push plus a random one, regardless of neighbours."""

    weight: float = quantity(0.25, "How hard.", "", ge=0)
    radius: float | None = quantity(None, "How near.", "u", gt=0)
    count: int = quantity(3, "How many.", "", ge=0)
    style: Literal["soft", "hard"] = choice("soft", "How.")
    often: bool = choice(True, "Whether.")

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        u, v = uniform_pair(me.id, world, STREAM_USER)
        return Vec(p.weight + 0.125 * u, 0.125 * v)


def test_every_built_in_rule_is_registered() -> None:
    # S4-73: obstacle avoidance, goal seeking, wander and leader following are rules like the others
    assert {"avoid_obstacles", "seek", "wander", "follow_leader"} <= set(REGISTRY)
    ours = {name for name, rule in REGISTRY.items() if is_built_in(rule)}
    names = [name for name, _ in Scenario().rules]
    assert set(names) == ours and len(names) == len(ours)
    assert names[: len(ORDER)] == list(ORDER), "their order changes the bits"
    assert names[len(ORDER) :] == sorted(names[len(ORDER) :])


def test_a_rule_can_be_registered_and_replaced() -> None:
    assert register_rule("gust")(Gust) is Gust
    assert registered_rule("gust") is Gust

    class Other(Rule):
        """Another one."""

    register_rule("gust")(Other)
    assert registered_rule("gust") is Other


def test_a_rule_file_may_use_the_old_name_of_suppress() -> None:
    class Old(Rule):
        @staticmethod
        def hush(p: Any, me: Any, found: Any, world: Any) -> Any:
            return 0.0

    assert register_rule("old")(Old).suppress is Old.hush


@pytest.mark.parametrize("name", ["", "two words", "1st", "a-b"])
def test_a_name_is_an_identifier(name: str) -> None:
    with pytest.raises(
        ScenarioError, match=r"must be a Python identifier, got .*: use letters, digits and _"
    ):
        register_rule(name)


def test_an_unknown_rule_is_reported_with_its_nearest() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no rule is called 'aligment' \(did you mean 'alignment'\?\).*--rules"
    ):
        registered_rule("aligment")


@pytest.mark.parametrize("name", ["alignment", "chase", "motion", "perception"])
def test_names_of_murmura_itself_are_taken(name: str) -> None:
    with pytest.raises(ScenarioError, match=f"the name '{name}' is taken by murmura itself"):
        register_rule(name)(Gust)
    assert REGISTRY.get(name) is not Gust


def nothing(*_: Any) -> dict[str, float]:
    return {}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"feel": staticmethod(nothing)}, "changes the agent: name the columns in `writes`"),
        ({"age": staticmethod(nothing)}, "changes the agent: name the columns in `writes`"),
    ],
)
def test_a_rule_that_cannot_work_is_refused(body: dict[str, Any], message: str) -> None:
    rule = type("Broken", (Rule,), body | {"__module__": __name__})
    with pytest.raises(ScenarioError, match=f"rule 'broken'.*{message}"):
        register_rule("broken")(rule)
    assert "broken" not in REGISTRY


def step_with(**functions: Any) -> None:
    """One step of two agents with a rule of these functions."""
    body = {name: staticmethod(function) for name, function in functions.items() if callable(function)}
    rest = {name: value for name, value in functions.items() if not callable(value)}
    register_rule("gust")(type("Broken", (Rule,), body | rest | {"__module__": __name__}))
    scenario = Scenario.from_data({"perception": {"field_of_view": 360.0}, "rules": {"gust": {}}})
    Simulation(scenario, backend="reference", positions=[[5.0, 5.0], [9.0, 5.0]]).step()


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"pair": lambda p, me, seen, world: (1.0, 2.0)}, "must return a Sum, Greatest or Least"),
        (
            {"steer": lambda p, me, found, world: (0.0, 1.0)},
            "`steer` of rule 'gust' must return a vector, got tuple",
        ),
        (
            {"writes": ("panic",), "age": lambda p, me, world: {"panik": 1.0}},
            r"rule 'gust' returned the column 'panik' \(did you mean 'panic'\?\)",
        ),
    ],
)
def test_a_result_of_the_wrong_kind_is_reported(functions: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        step_with(**functions)


def test_python_cannot_branch_on_values() -> None:
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return me.velocity if me.speed > 1.0 else -me.velocity

    with pytest.raises(ScenarioError, match=r"gust.* use where\(condition, a, b\)"):
        step_with(steer=steer)


def test_contributions_are_known_by_name() -> None:
    # Two agents, four units apart: each finds the sum, the greatest and the nearest of one neighbour and one item.
    known: dict[str, Any] = {}

    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return {"way": Sum(seen.offset), "far": Greatest(seen.distance)}

    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        return {"nearest": Least((it.position - me.position).square, strength=it.strength)}

    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        known.update(way=found.way.x, far=found.far, strength=found.nearest.strength)
        return found.way * 0.0

    step_with(
        pair=pair, item=item, steer=steer, item_fields=(POSITION, "strength"), items=lambda: [(1.0, 1.0, 7.0)]
    )
    assert np.array_equal(known["way"].code.ravel(), [4.0, -4.0])
    assert np.allclose(known["far"].code, 4.0)
    assert np.allclose(known["strength"].code, 7.0)


@pytest.mark.parametrize(
    ("rule", "data"),
    [
        ("boundary", {"world": {"boundary": "soft"}}),
        ("avoid_obstacles", {"obstacles": [{"x": 5.0, "y": 5.0, "radius": 2.0}]}),
        ("attractors", {"rules": {"attractors": {"points": [{"x": 5.0, "y": 5.0}]}}}),
        ("flee", {"species": [{"name": "a", "towards": {"b": {"flee": 0.5}}}, {"name": "b"}]}),
        ("chase", {"species": [{"name": "a"}, {"name": "b", "towards": {"a": "chase"}}]}),
    ],
)
def test_a_rule_says_whether_it_has_any_effect(rule: str, data: dict[str, Any]) -> None:
    for scenario, expected in ((Scenario.from_data(data), True), (Scenario.from_data({}), False)):
        scenario = scenario if expected else scenario.with_values({"world.boundary": "wrap"})
        assert dict(scenario.rules)[rule].takes_part(scenario) is expected
    assert Gust().takes_part(Scenario()) is True


def test_numbers_and_options() -> None:
    rule = Gust(style="hard")
    assert numbers_of(rule, 42.0) == {"weight": 0.25, "radius": 42.0, "count": 3.0}
    assert numbers_of(Gust(radius=7.0), 42.0)["radius"] == 7.0
    assert options_of(rule) == {"style_soft": False, "style_hard": True, "often": True}
    assert rule.numbers(42.0) == numbers_of(rule, 42.0)
    assert rule.items() == ()
    assert rule.variant() is Gust


def test_the_roadmap_types_work_together() -> None:
    # S4-5, S4-6: vectors, agents, a world, a seeded source of randomness, a rule, a way to find neighbours
    register_rule("gust")(Gust)
    silent = {name: {"enabled": False} for name in ("separation", "alignment", "cohesion")}
    scenario = Scenario.from_data(
        {
            "world": {"width": 300.0, "height": 200.0, "boundary": "wrap"},
            "rules": silent | {"gust": {"weight": 0.25}},
        }
    )
    rng = np.random.default_rng(2)
    positions = rng.uniform(0.0, (300.0, 200.0), (60, 2)).astype(np.float32)
    sim = Simulation(
        scenario.with_values({"perception.field_of_view": 360.0}),
        seed=77,
        backend="reference",
        positions=positions,
        velocities=np.zeros((60, 2)),
    )
    tree = cKDTree(positions.astype(float), boxsize=(300.0, 200.0))
    for k in range(60):
        found = sorted(set(tree.query_ball_point(positions[k].astype(float), 50.0)) - {k})
        assert sim.neighbors(k).tolist() == found
    sim.step(3)
    u, v = uniform_from(77, 0, 2, np.arange(60), STREAM_USER)
    np.testing.assert_allclose(sim.forces, np.stack([0.25 + 0.125 * u, 0.125 * v], axis=1), rtol=1e-6)
