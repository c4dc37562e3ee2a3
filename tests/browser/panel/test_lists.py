"""The lists of species, hunters, food, obstacles and attractors in the settings."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import murmura as mm
from tests.browser.tab import Tab
from tests.lab.births_and_deaths import family as heirs
from tests.view.live import flock


def _open(tab: Tab, title: str) -> None:
    tab.page.locator(".list > summary", has_text=title).click()


def test_hunters_are_added_changed_and_removed(tab: Tab) -> None:
    tab.still(flock(20))
    _open(tab, "Hunters (0)")
    tab.page.get_by_role("button", name="Add a hunter").click()
    tab.until(lambda: len(tab.session.scenario.rules.predators.hunters) == 1)
    assert tab.session.scenario.rules.predators.enabled
    tab.page.locator(".item > summary", has_text="Hawk 1").click()
    tab.page.get_by_label("Panic radius of Hawk 1").fill("77")
    tab.page.get_by_label("Panic radius of Hawk 1").press("Enter")
    tab.until(lambda: tab.session.scenario.rules.predators.hunters[0].panic_radius == 77)
    tab.page.get_by_label("Kind of Hawk 1").select_option("owl")
    tab.until(lambda: tab.session.scenario.rules.predators.hunters[0].kind == "owl")
    tab.page.get_by_role("button", name="Remove Owl 1").click()
    tab.until(lambda: not tab.session.scenario.rules.predators.hunters)
    tab.page.keyboard.press("Control+z")
    tab.until(lambda: len(tab.session.scenario.rules.predators.hunters) == 1)


# Title, what the button adds, the name of an item, its path, the numbers to change, and the rules it switches on.
LISTS: list[tuple[str, str, str, str, dict[str, float], tuple[str, ...]]] = [
    ("Hunters", "a hunter", "Hawk", "rules.predators.hunters",
     {"max_speed": 4.5, "panic_radius": 66, "max_energy": 80, "energy_regen": 3}, ("predators", "fear")),
    ("Food", "some food", "Food", "rules.feeding.sources",
     {"x": 210, "y": 130, "amount": 7}, ("feeding", "energy")),
    ("Obstacles", "an obstacle", "Circle", "obstacles", {"x": 220, "y": 140, "radius": 33}, ()),
    ("Attractors", "an attractor", "Attractor", "rules.attractors.points",
     {"x": 230, "y": 150, "strength": -2, "radius": 55}, ("attractors",)),
]  # fmt: skip


def test_of_several_items_the_one_that_is_meant_is_changed_and_removed(tab: Tab) -> None:
    for each in LISTS:
        _change_and_remove(tab, *each)
        _open(tab, f"{each[0]} (0)")  # closed again


def _change_and_remove(
    tab: Tab, title: str, one: str, name: str, path: str, numbers: dict[str, float], rules: tuple[str, ...]
) -> None:
    tab.still(flock(20, **{f"rules.{rule}.enabled": False for rule in rules}))

    def items() -> Any:
        return functools.reduce(getattr, path.split("."), tab.session.scenario)

    _open(tab, f"{title} (0)")
    for count in (1, 2):
        tab.page.get_by_role("button", name=f"Add {one}").click()
        tab.until(lambda count=count: len(items()) == count)
        tab.until(tab.page.locator(".list > summary", has_text=f"{title} ({count})").is_visible)
    enabled = tab.session.scenario.rules
    assert all(getattr(enabled, rule).enabled for rule in rules)
    first, second = items()
    tab.page.locator(".item > summary", has_text=f"{name} 2").click()
    for number, value in numbers.items():
        label = number.capitalize().replace("_", " ")
        field = tab.page.get_by_label(f"{label} of {name} 2", exact=True)
        field.fill(str(value))
        field.press("Enter")  # and on to the next number before the server has answered
    changed = second.model_copy(update=numbers)
    tab.until(lambda: items() == (first, changed))
    tab.page.locator(".item > summary", has_text=f"{name} 1").click()
    tab.page.get_by_role("button", name=f"Remove {name} 1").click()
    tab.until(lambda: items() == (changed,))
    field = tab.page.get_by_label(f"{label} of {name} 1", exact=True)  # what was the second is now the first
    tab.until(lambda: field.input_value() == str(value))
    tab.page.get_by_role("button", name=f"Remove {name} 1").click()
    tab.until(lambda: items() == ())
    tab.until(tab.page.locator(".list > summary", has_text=f"{title} (0)").is_visible)
    assert tab.session.scenario.rules.predators.enabled is False


def test_a_refused_number_of_an_item_returns_to_the_one_that_holds(tab: Tab) -> None:
    tab.still(flock(20))
    tab.send("place", kind="circle", x=200, y=150, radius=30)
    _open(tab, "Obstacles (1)")
    tab.page.locator(".item > summary", has_text="Circle 1").click()
    field = tab.page.get_by_label("Radius of Circle 1")
    field.fill("-5")
    field.press("Enter")
    tab.until(lambda: "radius must be" in str(tab.page.locator("#notes").text_content()))
    tab.until(lambda: field.input_value() == "30")
    assert tab.session.scenario.obstacles[0].radius == 30
    field.blur()
    tab.send("set", values={"obstacles": [{"kind": "circle", "x": 200, "y": 150, "radius": 31}]})
    tab.until(lambda: field.input_value() == "31")  # a change from elsewhere is shown too


def test_numbers_and_reactions_of_a_species_act(tab: Tab) -> None:
    pair = flock(2, species=[{"name": "owl"}, {"name": "finch"}])
    simulation = tab.arranged(pair, [[400.0, 400.0], [420.0, 400.0]], [[0.0, 1.0], [0.0, 1.0]])

    def pull() -> float:
        """The force on the owl towards the finch."""
        return float(simulation.explain(0)["steering"][0])

    _open(tab, "Species (2)")
    tab.page.locator(".item > summary", has_text="Owl").click()
    towards = tab.page.get_by_label("Owl towards finch", exact=True)
    for role, sign in (("flee", -1), ("chase", 1)):
        towards.select_option(role)
        tab.until(lambda role=role: tab.session.scenario.species[0].towards == {"finch": role})
        assert sign * pull() > 0.05
    tab.page.get_by_label("Add a value for Owl").select_option("motion.max_speed")
    field = tab.page.get_by_label("Motion: max speed of Owl", exact=True)
    field.fill("0.25")
    field.press("Enter")
    tab.until(lambda: tab.session.scenario.species[0].values == {"motion.max_speed": 0.25})
    assert tab.session.scenario.species[1].values == {}
    tab.send("step", count=1)
    tab.until(lambda: simulation.step_count == 1)
    assert np.linalg.norm(simulation.velocities, axis=1) == pytest.approx([0.25, 1.0], abs=0.1)
    tab.page.get_by_label("Motion: max speed of Owl: same as all others").click()
    tab.until(lambda: tab.session.scenario.species[0].values == {})
    tab.until(lambda: field.count() == 0)


def test_a_reaction_with_weights_of_its_own_is_changed_weight_by_weight(tab: Tab) -> None:
    weights = {"separation": 1.0, "alignment": 0.0, "cohesion": 0.5, "flee": 2.0, "chase": 0.0}
    tab.still(flock(20, species=[{"name": "owl", "towards": {"finch": weights}}, {"name": "finch"}]))

    def towards() -> Any:
        return tab.session.scenario.model_dump(mode="json")["species"][0]["towards"]

    _open(tab, "Species (2)")
    tab.page.locator(".item > summary", has_text="Owl").click()
    assert tab.page.get_by_label("Owl towards finch", exact=True).input_value() == "custom"
    field = tab.page.get_by_label("Flee of Owl towards finch", exact=True)
    assert field.input_value() == "2"
    field.fill("0.75")
    field.press("Enter")
    tab.until(lambda: towards() == {"finch": weights | {"flee": 0.75}})


def test_a_species_is_changed_while_it_flies(tab: Tab) -> None:
    simulation = tab.still(heirs())
    tab.send("step", count=2)
    tab.until(lambda: simulation.step_count == 2)
    _open(tab, "Species (2)")
    tab.page.locator(".item > summary", has_text="Owl").click()
    tab.page.get_by_label("Add a value for Owl").select_option("motion.max_speed")
    field = tab.page.get_by_label("Motion: max speed of Owl", exact=True)
    field.fill("1.5")
    field.press("Enter")
    tab.until(lambda: tab.session.scenario.species[1].values == {"motion.max_speed": 1.5})
    tab.page.get_by_label("Owl towards finch").select_option("flock")
    tab.until(lambda: tab.session.scenario.species[1].towards == {"finch": "flock"})
    assert tab.simulation.step_count == 2  # the flock continued
    tab.page.get_by_label("Colour of Owl").fill("#ff0000")
    tab.until(lambda: tab.session.scenario.species[1].color == "#ff0000")
    dot = "() => [...document.querySelectorAll('.legend .dot')].at(-1).style.getPropertyValue('--dot')"
    tab.until(lambda: tab.page.evaluate(dot) == "rgb(255 0 0)")
    share = tab.page.get_by_label("Share of Owl", exact=True)
    share.fill("3")
    share.press("Enter")
    tab.until(lambda: tab.simulation is not simulation and tab.simulation.step_count == 0)


def test_what_acts_at_the_next_start_only_says_so(tab: Tab) -> None:
    tab.still(mm.load_scenario("arms-race").with_values({"agents": 12}))
    _open(tab, "Species (2)")
    tab.page.locator(".item > summary", has_text="Predator").click()
    rows = tab.page.locator(".item[open] .with-remove")
    values = set(tab.session.scenario.species[1].values)
    for path in ("rules.genome.spread", "rules.ageing.founders"):
        tab.page.get_by_label("Add a value for Predator").select_option(path)
        values.add(path)
        tab.until(lambda: set(tab.session.scenario.species[1].values) == values)
        tab.until(lambda: rows.count() == len(values))
    late = {row.split("\n")[0] for row in rows.all_inner_texts() if "applies to a new flock" in row}
    assert late == {_name(path) for path in values if path.startswith("rules.genome.")} | {"Ageing: founders"}


def _name(path: str) -> str:
    *_, rule, number = path.split(".")
    return f"{rule.capitalize()}: {number}"
