"""The shape of a rule: registry, messages, numbers and options, and a rule of one's own at work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest
from scipy.spatial import cKDTree

from murmura import Rule, Scenario, Simulation, register_rule
from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.core.model import choice, quantity
from murmura.core.randomness import STREAM_USER, uniform_from, uniform_pair
from murmura.core.rule import REGISTRY, numbers_of, options_of, registered_rule

BUILT_IN = [
    "separation",
    "alignment",
    "cohesion",
    "noise",
    "wind",
    "jitter",
    "boundary",
    "containment",
    "avoid_obstacles",
    "attractors",
    "fear",
    "predators",
    "energy",
    "starvation",
    "feeding",
    "mating",
    "breeding",
    "mating_cooldown",
    "daylight",
    "territory",
    "genome",
    "remains",
    "behavior",
    "combat",
    "reproduction",
    "ageing",
    "immigration",
    "seek",
    "flee_point",
    "pursue",
    "evade",
    "wander",
    "follow_leader",
    "flee",
    "chase",
    "vicsek",
    "zones",
    "cucker_smale",
    "vision",
]


@pytest.fixture(autouse=True)
def _registry_as_it_was() -> Iterator[None]:
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


class Gust(Rule):
    """A steady push plus a random one, and towards nobody in particular."""

    weight: float = quantity(0.25, "How hard.", "", ge=0)
    radius: float | None = quantity(None, "How near.", "u", gt=0)
    count: int = quantity(3, "How many.", "", ge=0)
    style: Literal["soft", "hard"] = choice("soft", "How.")
    often: bool = choice(True, "Whether.")

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        u, v = uniform_pair(me.id, world, STREAM_USER)
        return p.weight + 0.125 * u, 0.125 * v


def test_every_built_in_rule_is_registered() -> None:
    # S4-73: obstacle avoidance, goal seeking, wander and leader following are rules like the others
    assert set(BUILT_IN) <= set(REGISTRY)
    assert all(issubclass(registered_rule(name), Rule) for name in BUILT_IN)
    assert [name for name, _ in Scenario().rules] == BUILT_IN


def test_a_rule_can_be_registered_and_replaced() -> None:
    assert register_rule("gust")(Gust) is Gust
    assert registered_rule("gust") is Gust

    class Other(Rule):
        """Another one."""

    register_rule("gust")(Other)
    assert registered_rule("gust") is Other


@pytest.mark.parametrize("name", ["", "two words", "1st", "a-b"])
def test_a_name_is_an_identifier(name: str) -> None:
    with pytest.raises(
        ScenarioError, match=r"must be a Python identifier, got .*: use letters, digits and _"
    ):
        register_rule(name)


def test_an_unknown_rule_is_named_with_its_nearest() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no rule is called 'aligment' \(did you mean 'alignment'\?\).*--rules"
    ):
        registered_rule("aligment")


@pytest.mark.parametrize("name", ["alignment", "chase", "motion", "perception"])
def test_names_of_murmura_itself_are_taken(name: str) -> None:
    with pytest.raises(ScenarioError, match=f"the name '{name}' is taken by murmura itself"):
        register_rule(name)(Gust)
    assert REGISTRY.get(name) is not Gust


def nothing(*_: Any) -> tuple[float, ...]:
    return (0.0,)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"pair": staticmethod(nothing)},
            "has a pair function: say how its results combine in `accumulates`",
        ),
        ({"feel": staticmethod(nothing)}, "changes the agent: name the columns in `writes`"),
        ({"age": staticmethod(nothing)}, "changes the agent: name the columns in `writes`"),
        ({"accumulates": ("payload", "least")}, "a payload must follow the 'least' it belongs to"),
        ({"accumulates": ("least", "payload", "sum", "payload")}, "a payload must follow"),
        ({"item_accumulates": ("payload",)}, "a payload must follow the 'least' it belongs to"),
    ],
)
def test_a_rule_that_cannot_work_is_refused(body: dict[str, Any], message: str) -> None:
    rule = type("Broken", (Rule,), body | {"__module__": __name__})
    with pytest.raises(ScenarioError, match=f"rule 'broken'.*{message}"):
        register_rule("broken")(rule)
    assert "broken" not in REGISTRY


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
