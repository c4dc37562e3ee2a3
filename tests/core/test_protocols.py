"""The types of `me`, `seen` and `world` match what rules receive."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import get_annotations
from typing import Any

import pytest

import murmura as mm
from murmura.core.rule import REGISTRY
from murmura.core.vec import Vec
from murmura.rules import Me, Rule, Seen, Sum, World, register_rule


@pytest.fixture
def given() -> Iterator[dict[str, Any]]:
    """The records that a rule receives in a flock of two, by argument."""
    found: dict[str, Any] = {}

    @register_rule("curious")
    class Curious(Rule):
        meets_everyone = True
        uses_eye = True

        @staticmethod
        def pair(p: Any, me: Me, seen: Seen, world: World) -> Any:
            found["seen"] = seen
            return Sum(seen.nearness)

        @staticmethod
        def steer(p: Any, me: Me, found_: Any, world: World) -> Vec:
            found["me"], found["world"] = me, world
            return me.velocity * 0.0

    scenario = mm.load_scenario("classic").with_values(
        {"agents": 2, "rules.curious": {}, "perception.occlusion": True}
    )
    sim = mm.Simulation(
        scenario, backend="reference", positions=[[50, 50], [60, 50]], velocities=[[1, 0], [0, 1]]
    )
    sim.step()
    yield found
    del REGISTRY["curious"]


@pytest.mark.parametrize(("name", "protocol"), [("me", Me), ("seen", Seen), ("world", World)])
def test_protocols_name_exactly_the_fields_of_the_records(
    given: dict[str, Any], name: str, protocol: type
) -> None:
    declared = get_annotations(protocol)
    present = set(dir(given[name]))
    assert set(declared) <= present, f"{name} lacks {sorted(set(declared) - present)}"
    assert present <= set(declared), f"{name} has {sorted(present - set(declared))} as well"
    for field, kind in declared.items():
        assert isinstance(getattr(given[name], field), Vec) == (kind == "Vec"), field
