"""The lists of species, hunters, food, obstacles and attractors in the settings."""

from __future__ import annotations

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


def test_obstacles_attractors_and_food_are_lists_too(tab: Tab) -> None:
    tab.still(flock(20))
    tab.send("place", kind="circle", x=200, y=150, radius=30)
    _open(tab, "Obstacles (1)")
    tab.page.locator(".item > summary", has_text="Circle 1").click()
    tab.page.get_by_label("Radius of Circle 1").fill("44")
    tab.page.get_by_label("Radius of Circle 1").press("Enter")
    tab.until(lambda: tab.session.scenario.obstacles[0].radius == 44)
    _open(tab, "Attractors (0)")
    tab.page.get_by_role("button", name="Add an attractor").click()
    tab.until(lambda: len(tab.session.scenario.rules.attractors.points) == 1)
    _open(tab, "Food (0)")
    tab.page.get_by_role("button", name="Add some food").click()
    tab.until(lambda: len(tab.session.scenario.rules.feeding.sources) == 1)
    assert tab.session.scenario.rules.feeding.enabled
    tab.page.locator(".item > summary", has_text="Food 1").click()
    tab.page.get_by_label("Amount of Food 1").fill("7")
    tab.page.get_by_label("Amount of Food 1").press("Enter")
    tab.until(lambda: tab.session.scenario.rules.feeding.sources[0].amount == 7)


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
    tab.page.locator(".list > summary", has_text="Species (2)").click()
    tab.page.locator(".item > summary", has_text="Predator").click()
    assert tab.page.get_by_text("applies to a new flock").last.is_visible()
