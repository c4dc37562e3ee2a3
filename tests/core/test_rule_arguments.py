"""The classes of `me`, `seen` and `world` match what rules receive, and what mypy and messages say of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import murmura as mm
from murmura.core.rule import REGISTRY
from murmura.core.rule_arguments import Agent, Columns, Neighbor, World
from murmura.core.tracing.fields import Fields
from murmura.core.vec import Vec
from murmura.rules import Rule, Sum, built_in_rules, register_rule
from murmura.rules.evolution.animal import AnimalColumns
from murmura.rules.evolution.phenotype import GENES, PARTS


@pytest.fixture
def given() -> Iterator[dict[str, Any]]:
    """The records that a rule receives in a flock of two, by argument."""
    found: dict[str, Any] = {}

    @register_rule("curious")
    class Curious(Rule):
        meets_everyone = True
        uses_eye = True

        @staticmethod
        def pair(p: Any, me: Agent, seen: Neighbor, world: World) -> Any:
            found["seen"] = seen
            return Sum(seen.nearness)

        @staticmethod
        def steer(p: Any, me: Agent, found_: Any, world: World) -> Vec:
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


CARRIED = {"panic", "energy", "species", "heading_angle"}
"""Columns that every agent has; the others exist where a rule reads them."""


@pytest.mark.parametrize(("name", "kind"), [("me", Agent), ("seen", Neighbor), ("world", World)])
def test_a_record_has_exactly_the_fields_of_its_class(
    given: dict[str, Any], name: str, kind: type[Fields]
) -> None:
    declared = kind.declared()
    expected = {field for field in declared if field not in Columns.declared() or field in CARRIED} - {
        "force"
    }
    assert set(dir(given[name])) == expected
    for field in expected:
        assert isinstance(getattr(given[name], field), Vec) == (declared[field] == "Vec"), field


@pytest.mark.parametrize("kind", [Agent, Neighbor, Columns, World])
def test_every_field_is_described(kind: type[Fields]) -> None:
    assert list(kind.described()) == list(kind.declared())
    assert all(kind.described().values())


def test_a_message_names_the_nearest_field_or_says_why_one_is_absent(given: dict[str, Any]) -> None:
    messages = {
        "velocty": r"me has no field 'velocty' \(did you mean 'velocity'\?\); it has: ",
        "gendre": r"me has no field 'gendre' \(did you mean 'gender'\?\)",
        "gender": r"me has no field 'gender' here: name the column in `reads` of the rule",
        "force": r"me has no field 'force' here: what steered it in this step; in `age` only",
    }
    for field, message in messages.items():
        with pytest.raises(AttributeError, match=message):
            getattr(given["me"], field)


def test_evolution_declares_every_column_of_its_rules() -> None:
    rules = [rule for _, rule in built_in_rules() if ".evolution." in rule.__module__]
    columns = {name for rule in rules for kind in (rule, rule.in_space or rule) for name in kind.columns}
    assert columns | {"starving", "meal"} == set(AnimalColumns.declared()) - set(Columns.declared())


def test_a_rule_declares_its_numbers_and_options() -> None:
    """What `p` has besides fields is annotated in the class, so that mypy knows it."""
    for name, rule in built_in_rules():
        example = rule()
        flags = {f"{field}_{word}" for field, word in every_word(rule)}
        present = example.numbers(50.0).keys() | example.options().keys() | rule.borrows.keys()
        declared = {field for part in rule.__mro__ for field in vars(part).get("__annotations__", {})}
        unknown = present - flags - declared - (set(GENES) | set(PARTS) if name == "immigration" else set())
        assert not unknown, f"{name}: {sorted(unknown)}"


def every_word(rule: type[Rule]) -> Iterator[tuple[str, str]]:
    """Every word that a field of the rule can be."""
    for field, info in rule.model_fields.items():
        for word in getattr(info.annotation, "__args__", ()):
            if isinstance(word, str):
                yield field, word


def test_mypy_finds_a_wrong_name_in_a_rule() -> None:
    """pyproject.toml lists this file: mypy fails if one of these ignores were not needed."""

    class Slow(Rule):
        weight: float = 1.0

        @staticmethod
        def pair(p: Slow, me: Agent, seen: Neighbor, world: World) -> Any:
            return Sum(seen.ofset)  # type: ignore[attr-defined]

        @staticmethod
        def steer(p: Slow, me: Agent, found: Any, world: World) -> Any:
            force = me.velocty  # type: ignore[attr-defined]
            scale = p.wieght  # type: ignore[attr-defined]
            return force * scale * world.tme  # type: ignore[attr-defined]

    assert Slow.steer is not None
