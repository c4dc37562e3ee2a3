"""Effects of the panel, the inspector, the charts and the links on the simulation."""

from __future__ import annotations

import json
from operator import attrgetter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator

from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.view.live import flock


def _row(tab: Tab, path: str) -> Locator:
    """The control of a value."""
    return tab.page.locator(f'.lil-controller[data-path="{path}"]')


# S4-40: sliders for R, d_min, the weights, max_force and the field of view.
NUMBERS = {
    "perception.radius": 80.0,
    "perception.field_of_view": 200.0,
    "motion.max_force": 0.25,
    "rules.separation.radius": 12.0,
    "rules.separation.weight": 3.0,
    "rules.alignment.weight": 2.5,
    "rules.cohesion.weight": 0.5,
}


def test_a_number_acts_at_once(tab: Tab) -> None:
    simulation = tab.simulation
    for path, value in NUMBERS.items():
        tab.page.get_by_label("Search settings").fill(path)
        field = _row(tab, path).locator("input")
        field.fill(str(value))
        field.press("Enter")
        holds = attrgetter(path)
        tab.until(lambda holds=holds, value=value: holds(tab.session.scenario) == value)
        assert holds(simulation.scenario) == value  # the running one: nothing was restarted
        assert tab.simulation is simulation


def test_a_slider_changes_what_the_flock_does(tab: Tab) -> None:
    simulation = tab.simulation
    before = {each: simulation.explain(5)["rules"][each]["force"] for each in ("alignment", "cohesion")}
    tab.page.get_by_label("Search settings").fill("rules.alignment.weight")
    slider = _row(tab, "rules.alignment.weight").locator(".lil-slider")
    box = slider.bounding_box()
    assert box is not None
    tab.page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    weight = tab.until(
        lambda: (
            tab.session.scenario.rules.alignment.weight != 1 and tab.session.scenario.rules.alignment.weight
        )
    )
    assert weight > 3
    after = simulation.explain(5)["rules"]
    assert after["cohesion"]["force"] == before["cohesion"]
    assert after["alignment"]["force"] == pytest.approx(
        [weight * part for part in before["alignment"]], rel=1e-5
    )


def test_a_check_box_takes_a_rule_out(tab: Tab) -> None:
    # S4-39, S4-57: a check box for each rule. S4-41: toggling a rule changes which neighbours contribute.
    tab.still(flock(60, **{"world.width": 300, "world.height": 200}))
    crowded = next(k for k in range(60) if tab.simulation.explain(k)["rules"]["separation"]["neighbors"])
    for rule in ("separation", "alignment", "cohesion"):
        box = tab.page.get_by_label(f"Enable {rule}", exact=True)
        assert tab.simulation.explain(crowded)["rules"][rule]["neighbors"]
        box.uncheck()
        tab.until(lambda rule=rule: rule not in tab.simulation.explain(crowded)["rules"])
        box.check()
        tab.until(lambda rule=rule: rule in tab.simulation.explain(crowded)["rules"])


def test_a_refused_value_comes_back_with_the_reason(tab: Tab) -> None:
    tab.page.get_by_label("Agents", exact=True).fill("90000000")
    tab.page.get_by_label("Agents", exact=True).press("Enter")
    tab.until(lambda: "agents must be" in str(tab.page.locator("#notes").text_content()))
    assert tab.simulation.agent_count == 60


def test_agents_speed_and_presets(tab: Tab) -> None:
    tab.page.get_by_label("Agents", exact=True).fill("33")
    tab.page.get_by_label("Agents", exact=True).press("Enter")
    tab.until(lambda: tab.simulation.agent_count == 33)
    tab.page.get_by_label("Simulation speed").fill("1")
    tab.until(lambda: tab.session.speed == 8.0)
    tab.page.locator("#preset").select_option("roadmap")
    tab.until(lambda: tab.session.scenario.name == "roadmap")


def test_the_inspector_shows_what_an_agent_sees_and_its_forces(tab: Tab) -> None:
    # S4-69: counts for each rule and the net steering. S4-57: the inspector.
    simulation = tab.still(flock(60, **{"world.width": 300, "world.height": 200}))
    tab.send("select", id=11)
    story = tab.page.get_by_role("region", name="Selected agent")
    told = simulation.explain(11)
    tab.until(lambda: "Agent 11" in str(story.text_content()))
    text = str(story.text_content())
    assert f"Sees {len(told['neighbors'])} neighbours within" in text
    for rule in ("alignment", "cohesion"):
        count = len(told["rules"][rule]["neighbors"])
        row = story.locator("li", has_text=rule.capitalize()).text_content()
        assert str(count) in str(row), (rule, count)
    strength = sum(part**2 for part in told["steering"]) ** 0.5
    assert f"Net steering{strength:.4g}" in text
    story.get_by_role("button", name="Deselect the agent").click()
    tab.until(lambda: tab.session.watch.selected is None)


def test_charts_can_be_read_as_a_table(tab: Tab) -> None:
    tab.send("step", count=5)
    tab.page.get_by_text("As a table").click()
    tab.send("play")
    now, history = tab.page.locator(".charts table").all()
    tab.until(lambda: history.locator("tr").count() > 2)
    assert history.locator("th").all_text_contents() == ["Time", "Polarization", "Milling"]
    tab.until(lambda: tab.session.status["measures"])
    measures = set(tab.session.status["measures"])
    shown = {text.lower().replace(" ", "_") for text in now.locator("th").all_text_contents()}
    assert shown == measures | {"agents", "steps_per_second"}


def test_a_link_brings_the_scene_back(tab: Tab, lend_tab: MakeTab) -> None:
    tab.page.keyboard.press("6")
    tab.until(lambda: tab.session.scenario.name != "classic")
    name = tab.session.scenario.name
    tab.shows_now()
    values = {"agents": 77, "rules.alignment.weight": 1.75, "perception.field_of_view": 210}
    tab.send("set", values=values)
    tab.send("reset", seed=41)
    tab.send("place", kind="circle", x=200, y=150, radius=30)
    tab.send("place", kind="attractor", x=300, y=150, strength=-2.0)
    tab.send("place", kind="predator", x=400, y=250, species="owl")
    tab.until(lambda: set(tab.see("things")) == {"circle", "attractor", "predator"})
    # Only the newest messages are sent, so the circle may arrive before the scenario that the link is made of.
    tab.until(lambda: tab.see("scenario") == tab.session.scenario.model_dump(mode="json"))
    tab.page.keyboard.press("l")
    tab.until(lambda: tab.page.evaluate("() => location.hash.startsWith('#c=')"))
    address = tab.page.evaluate("() => navigator.clipboard.readText()")
    assert address == tab.page.url and len(address) <= 2000
    wanted = tab.session.scenario
    tab.send("load", scenario="roadmap")
    tab.send("reset", seed=5)
    other = lend_tab(gl=False).open("/" + "#" + urlsplit(address).fragment)
    other.until(lambda: other.session.scenario == wanted and other.simulation.seed == 41)
    assert wanted.name == name


def test_a_damaged_link_says_so_and_changes_nothing(lend_tab: MakeTab) -> None:
    tab = lend_tab(gl=False).open("/#c=%%%")
    tab.until(lambda: "could not be read" in str(tab.page.locator("#notes").text_content()))
    assert tab.session.scenario == flock()


def test_a_scenario_file_is_opened_and_a_bad_one_refused(tab: Tab, tmp_path: Path) -> None:
    wanted = flock(44, **{"rules.cohesion.weight": 0.3})
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(wanted.model_dump(mode="json")))
    bad.write_text("[1, 2")
    chooser = tab.page.get_by_label("Scenario file", exact=True)
    chooser.set_input_files(good)
    tab.until(lambda: tab.session.scenario == wanted)
    chooser.set_input_files(bad)
    tab.until(lambda: "bad.json" in str(tab.page.locator("#notes").text_content()))
    assert tab.session.scenario == wanted
