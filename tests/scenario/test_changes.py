"""What a change implies; the quick way of changing accepts and refuses what reading the whole scenario does."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.scenario import value_paths
from murmura.scenario.changes import _with_few_parts, read_again
from murmura.scenario.parts import part_of
from tests.sizes import size

CLASSIC = mm.load_scenario("classic").with_values(
    {"world.width": 3000.0, "world.height": 3000.0, "perception.radius": 100.0, "agents": 100}
)
DEEP = CLASSIC.with_values({"world.depth": 3000.0})
OFF = [name for name, rule in CLASSIC.rules if not rule.enabled]
FLIGHT = ("altitude", "banking", "level", "stardisplay")
NO_NUMBER = {"mating_cooldown"}


def rules_on(scenario: mm.Scenario) -> set[str]:
    return {name for name, rule in scenario.rules if rule.enabled}


def number_of(rule: Any) -> tuple[str, float]:
    return next((key, x) for key, x in rule if isinstance(x, float | int) and not isinstance(x, bool))


def test_classic_leaves_most_rules_off() -> None:
    assert len(OFF) == 45 and set(OFF) > NO_NUMBER


# Decision 35
@pytest.mark.parametrize("name", [name for name in OFF if name not in NO_NUMBER])
def test_naming_a_number_of_a_rule_switches_it_on_as_a_scenario_file_does(name: str) -> None:
    base = DEEP if name in FLIGHT else CLASSIC
    key, number = number_of(getattr(base.rules, name))
    path, switch = f"rules.{name}.{key}", f"rules.{name}.enabled"
    found = base.with_values({path: number})
    assert name in rules_on(found)
    data = base.model_dump(mode="json")
    tables = {rule: table for rule, table in data["rules"].items() if table["enabled"]}
    assert found == mm.Scenario.from_data(data | {"rules": tables | {name: {key: number}}})
    assert found == base.edit(rules={name: {key: number}})  # type: ignore[misc]
    assert base.with_values({path: number, switch: False}) == base  # unless the same change says otherwise
    assert base.with_values({path: number}).with_values({switch: False, path: number}).rules != found.rules
    whole = {key: number, "enabled": False}
    assert base.with_values({f"rules.{name}": whole}) == base


def test_other_values_and_species_switch_nothing_on() -> None:
    assert rules_on(CLASSIC.with_values({"agents": 7, "motion.max_speed": 3.0})) == rules_on(CLASSIC)
    off = CLASSIC.with_values({"rules.alignment.enabled": False})
    assert rules_on(off.with_values({"rules.cohesion.weight": 2.0})) == rules_on(off)
    assert "alignment" in rules_on(off.with_values({"rules.alignment.weight": 2.0}))
    mixed = mm.load_scenario("mixed")
    assert rules_on(mixed.with_values({"species.0.values.rules.wander.weight": 2.0})) == rules_on(mixed)


# Decision 39
@pytest.mark.parametrize(
    ("first", "others"),
    [
        ("mating", {"mating_cooldown": "mating"}),
        ("feeding", {"energy": "feeding"}),
        ("starvation", {"energy": "starvation"}),
        ("predators", {"fear": "predators"}),
        ("breeding", {"mating": "breeding", "mating_cooldown": "mating"}),
        ("remains", {"combat": "remains", "behavior": "combat"}),
    ],
)
def test_a_rule_switches_on_those_that_it_needs_and_says_so(first: str, others: dict[str, str]) -> None:
    switch = f"rules.{first}.enabled"
    found = CLASSIC.with_values({switch: True})
    assert rules_on(found) == rules_on(CLASSIC) | {first} | set(others)
    lines = found.switched_on()
    assert [(line.split()[0], line.split("because ")[1].split()[0]) for line in lines] == [
        (f"rules.{other}", f"rules.{by}") for other, by in others.items()
    ]
    # A file says the same; its saved copy, a change and the word of the user are remembered.
    file = mm.Scenario.from_data({"rules": {first: {}}, "perception": {"radius": 100.0}})
    assert set(others) < rules_on(file) and file.switched_on() == lines
    assert mm.Scenario.from_data(found.model_dump(mode="json")).switched_on() == []
    assert found.with_values({"agents": 7}).switched_on() == lines
    named = found.with_values({f"rules.{other}.enabled": True for other in others})
    assert named == found and named.switched_on() == []


def test_a_rule_that_another_needs_stays_off_where_the_change_says_so() -> None:
    for values in (
        {"rules.mating.enabled": True, "rules.mating_cooldown.enabled": False},
        {"rules.mating.enabled": True, "rules.mating_cooldown": {"enabled": False}},
    ):
        with pytest.raises(ScenarioError, match=r"set rules\.mating_cooldown\.enabled = true"):
            CLASSIC.with_values(values)
    with pytest.raises(ScenarioError, match=r"set rules\.mating_cooldown\.enabled = true"):
        CLASSIC.with_values({"rules.mating.enabled": True}).with_values(
            {"rules.mating_cooldown.enabled": False}
        )
    with pytest.raises(ScenarioError, match=r"set rules\.energy\.enabled = true"):
        mm.Scenario.from_data({"rules": {"feeding": {}, "energy": {"enabled": False}}})


@pytest.mark.parametrize(
    "values",
    [
        {"rules": float("inf"), "rules.vicsek.weight": 1},
        {"rules": 1, "rules.cohesion.weight": 2.0},
        {"world": 5, "world.width": 300.0},
        {"rules.wander": 3, "rules.wander.weight": 1.0},
        {"rules": None, "rules.energy.enabled": True},
    ],
)
def test_a_value_and_a_part_of_it_cannot_both_be_set(values: dict[str, Any]) -> None:
    with pytest.raises(
        ScenarioError, match="cannot be set: the same change puts something else in place of its table"
    ):
        CLASSIC.with_values(values)


# The quick way


Way = Callable[[mm.Scenario, dict[str, Any]], mm.Scenario | None]


def outcome(change: Way, scenario: mm.Scenario, values: dict[str, Any]) -> tuple[Any, ...] | None:
    """All of the changed scenario, or None if it is refused."""
    try:
        found = change(scenario, values)
    except ScenarioError:
        return None
    if found is None:
        return None
    kinds = range(len(found.species))
    return (
        found.model_dump_json(),
        [found.of_species(k).model_dump_json() for k in kinds],
        found,
        found._lives,
    )


STRANGE: tuple[Any, ...] = (
    None, True, False, "soft", "wrap", "", "1", [], [1.0], {}, {"x": 1.0}, 0, -1, 1, 3, 2.5, -0.0, 1e-12, 1e12, 1e300,
    10**30, float("nan"), float("inf"), np.float32(1.5), np.int64(3), np.bool_(True), object(), [{"x": 5.0, "y": 5.0}],
)  # fmt: skip


def edits(scenario: mm.Scenario, rng: random.Random) -> dict[str, Any]:
    paths = [path for path, _ in value_paths(scenario)]
    chosen = rng.sample(paths, rng.choice((1, 1, 1, 2, 3)))
    values = dict(value_paths(scenario))

    def other(path: str) -> Any:
        now = values[path]
        if isinstance(now, bool) and rng.random() < 0.9:
            return not now
        if isinstance(now, float | int) and rng.random() < 0.8:
            return type(now)(now * rng.choice((0.5, 0.9, 1.1, 2.0, 5.0, -1.0, 30.0)) + rng.choice((0, 0, 1)))
        return rng.choice(STRANGE)

    return {path: other(path) for path in chosen}


@pytest.mark.parametrize(
    "name", ["starlings", "ecosystem", "mixed", "sky-and-sea", "murmuration", "classic", "couzin"]
)
def test_the_quick_way_accepts_and_refuses_what_reading_all_of_it_does(name: str) -> None:
    scenario, rng = mm.load_scenario(name), random.Random(name)
    taken = refused = 0
    for _ in range(size(150, 5000)):
        values = edits(scenario, rng)
        if any(part_of(path, scenario) is None for path in values):
            continue
        quick, whole = outcome(_with_few_parts, scenario, values), outcome(read_again, scenario, values)
        assert quick == whole, values
        taken, refused = taken + (whole is not None), refused + (whole is None)
    assert min(taken, refused) > size(20, 500)


@pytest.mark.parametrize("name", ["starlings", "ecosystem"])
def test_every_plain_value_is_changed_the_quick_way(name: str) -> None:
    scenario = mm.load_scenario(name)
    own = {path for path, _ in value_paths(scenario) if part_of(path, scenario) is None}
    assert own == {"schema_version", "obstacles", "species"}
    for path in ("agents", "rules.alignment.weight", "motion.max_speed", "perception.field_of_view"):
        value = dict(value_paths(scenario))[path]
        assert _with_few_parts(scenario, {path: type(value)(value * 0.9)}) is not None
