"""The settings panel: order, readable text, and undo of every change."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator

from tests.browser.tab import Tab


def _row(tab: Tab, path: str) -> Locator:
    return tab.page.locator(f'.lil-controller[data-path="{path}"]')


def _set(tab: Tab, path: str, value: float) -> None:
    field = _row(tab, path).locator("input")
    field.fill(str(value))
    field.press("Enter")
    field.blur()


def _holds(tab: Tab, path: str) -> Any:
    found: Any = tab.session.scenario
    for name in path.split("."):
        found = getattr(found, name)
    return found


def test_rules_that_take_part_come_first_and_open(tab: Tab) -> None:
    tab.send("load", scenario="vicsek")
    tab.shows_now()
    row = _row(tab, "rules.vicsek.noise")
    tab.until(row.is_visible)
    box = row.bounding_box()
    assert box is not None and box["y"] < 400  # near the top: nothing has to be scrolled
    assert not _row(tab, "rules.separation.radius").is_visible()


def test_a_rule_that_is_switched_on_moves_up(tab: Tab) -> None:
    tab.page.get_by_role("button", name="More rules").click()
    assert not _row(tab, "rules.wander.rate").is_visible()
    tab.page.get_by_label("Enable wander", exact=True).check()
    tab.until(lambda: _holds(tab, "rules.wander.enabled"))
    tab.page.get_by_role("button", name="More rules").click()
    tab.until(lambda: not tab.page.get_by_label("Enable jitter", exact=True).is_visible())  # collapsed again
    tab.until(_row(tab, "rules.wander.rate").is_visible)  # among active rules, and open


def test_rules_that_cannot_act_are_not_among_the_active_ones(tab: Tab) -> None:
    # S4-40: `roadmap` wraps, has no obstacles and one species
    tab.send("load", scenario="roadmap")
    tab.shows_now()
    active = tab.page.locator(".lil-gui", has=tab.page.locator(".lil-title", has_text="Active rules")).last
    tab.until(lambda: active.locator('[data-path="rules.separation.radius"]').count() == 1)
    for path in ("boundary.margin", "avoid_obstacles.reach", "attractors.weight", "flee.weight"):
        assert active.locator(f'[data-path="rules.{path}"]').count() == 0, path
    title = tab.page.locator(".lil-title", has_text="Boundary").first.get_attribute("title")
    assert title and title.endswith("It acts only where world.boundary is soft.")
    tab.send("set", values={"world.boundary": "soft"})
    tab.until(lambda: active.locator('[data-path="rules.boundary.margin"]').count() == 1)


def test_tooltips_and_options_are_in_plain_words(tab: Tab) -> None:
    titles = tab.page.locator(".settings [title]").evaluate_all("(all) => all.map((each) => each.title)")
    assert len(titles) > 100
    assert [text for text in titles if re.search(r"\b[A-Z]\d+-\d+|rules\.\w|_", text)] == []
    options = tab.page.locator(".settings option").all_text_contents()
    assert "1 / distance²" in options and not [text for text in options if "_" in text]


def test_advanced_settings_are_folded(tab: Tab) -> None:
    falloff = _row(tab, "rules.separation.falloff")
    assert _row(tab, "rules.separation.radius").is_visible()
    assert not falloff.is_visible()
    title = tab.page.locator(".lil-gui", has=falloff).last.get_by_role("button", name="Advanced")
    title.click()
    tab.until(falloff.is_visible)
    _set(tab, "rules.separation.radius", 11.0)
    tab.until(lambda: "changed" in str(_row(tab, "rules.separation.radius").get_attribute("class")))
    assert falloff.is_visible()  # what was opened stays open
    title.click()
    tab.until(lambda: not falloff.is_visible())
    tab.page.get_by_label("Search settings").fill("falloff")
    tab.until(falloff.is_visible)


def test_a_changed_value_is_marked_and_goes_back(tab: Tab) -> None:
    path = "rules.alignment.weight"
    loaded = _holds(tab, path)
    back = _row(tab, path).get_by_role("button", name="reset to the loaded value")
    assert not back.is_visible()
    _set(tab, path, 2.5)
    tab.until(lambda: _holds(tab, path) == 2.5)
    tab.until(back.is_visible)
    assert "changed" in str(_row(tab, path).get_attribute("class"))
    tab.send("reset", seed=3)  # a restart does not change the loaded value
    tab.shows_now()
    assert back.is_visible()
    back.click()
    tab.until(lambda: _holds(tab, path) == loaded)
    tab.until(lambda: not back.is_visible())


def test_undo_and_redo(tab: Tab) -> None:
    weight, radius = "rules.cohesion.weight", "rules.separation.radius"
    before = (_holds(tab, weight), _holds(tab, radius), tab.session.scenario.obstacles)
    _set(tab, weight, 3.0)
    tab.until(lambda: _holds(tab, weight) == 3.0)
    _set(tab, radius, 11.0)
    tab.until(lambda: _holds(tab, radius) == 11.0)
    tab.page.keyboard.press("k")
    tab.page.mouse.click(470, 330)
    tab.until(lambda: tab.session.scenario.obstacles)
    tab.until(lambda: "circle" in tab.see("things"))
    tab.page.keyboard.press("Control+z")
    tab.until(lambda: not tab.session.scenario.obstacles)
    tab.until(lambda: "circle" not in tab.see("things"))
    tab.page.get_by_role("button", name="Undo").click()
    tab.until(lambda: _holds(tab, radius) == before[1])
    tab.until(lambda: _row(tab, radius).locator("input").input_value() == f"{before[1]:g}")
    tab.page.keyboard.press("Control+z")
    tab.until(lambda: _holds(tab, weight) == before[0])
    assert tab.page.get_by_role("button", name="Undo").is_disabled()
    tab.until(lambda: _row(tab, weight).locator("input").input_value() == f"{before[0]:g}")
    tab.page.keyboard.press("Control+Shift+z")
    tab.until(lambda: _holds(tab, weight) == 3.0)
    tab.until(lambda: _row(tab, weight).locator("input").input_value() == "3")
    tab.page.get_by_role("button", name="Redo").click()
    tab.until(lambda: _holds(tab, radius) == 11.0)
    tab.page.keyboard.press("8")  # in another scene there is nothing to undo
    tab.until(lambda: tab.session.scenario.name == "vicsek")
    assert tab.page.get_by_role("button", name="Undo").is_disabled()
    assert tab.page.get_by_role("button", name="Redo").is_disabled()


def test_sliders_end_where_the_model_does(tab: Tab) -> None:
    path = "rules.separation.radius"
    reach = tab.session.scenario.perception.radius
    _set(tab, path, 500.0)
    tab.until(lambda: _holds(tab, path) == reach)
    assert "must be" not in str(tab.page.locator("#notes").text_content())
    tab.send("set", values={"perception.radius": reach + 20.0})
    tab.until(lambda: _row(tab, path).locator("input").is_visible())

    def follows() -> bool:
        _set(tab, path, 500.0)
        return bool(_holds(tab, path) == reach + 20.0)

    tab.until(follows)


def test_refused_values_return_to_those_that_hold(tab: Tab) -> None:
    slow, fast = "motion.min_speed", "motion.max_speed"
    tab.page.get_by_label("Search settings").fill("speed")
    _set(tab, slow, 2.0)
    tab.until(lambda: _holds(tab, slow) == 2.0)
    top = _holds(tab, fast)
    _set(tab, fast, 1.0)
    tab.until(lambda: "min_speed must be at most" in str(tab.page.locator("#notes").text_content()))
    tab.until(lambda: _row(tab, fast).locator("input").input_value() == f"{top:g}")
    assert _holds(tab, fast) == top
    tab.page.get_by_label("Search settings").fill("rules.level")
    box = tab.page.get_by_label("Enable level", exact=True)
    box.click()
    tab.until(lambda: "needs a 3-D world" in str(tab.page.locator("#notes").text_content()))
    tab.until(lambda: not box.is_checked())


# Decision 39
def test_a_rule_switches_on_what_it_needs_and_the_page_says_so(tab: Tab) -> None:
    tab.page.get_by_label("Search settings").fill("predators")
    tab.page.get_by_label("Enable predators", exact=True).click()
    tab.until(lambda: _holds(tab, "rules.predators.enabled") and _holds(tab, "rules.fear.enabled"))
    words = "rules.fear is on too, because rules.predators needs it"
    tab.until(lambda: words in str(tab.page.locator("#notes").text_content()))
    tab.page.get_by_label("Search settings").fill("fear")
    tab.until(tab.page.get_by_label("Enable fear", exact=True).is_checked)


# Decision 35
def test_sliders_of_a_rule_that_is_off_say_so_and_move_nothing(tab: Tab) -> None:
    path, search = "rules.wander.rate", tab.page.get_by_label("Search settings")
    search.fill("rules.wander")
    folder = tab.page.locator(".lil-gui.off", has=_row(tab, path)).last
    words = folder.get_by_text("This rule is off. Switch it on to change its values.")
    tab.until(words.is_visible)
    before = tab.session.scenario
    assert _row(tab, path).locator("input").is_disabled()
    slider = _row(tab, path).locator(".lil-slider").bounding_box()
    assert slider is not None
    tab.page.mouse.click(slider["x"] + 0.8 * slider["width"], slider["y"] + slider["height"] / 2)
    box = tab.page.get_by_label("Enable wander", exact=True)
    box.check()
    tab.until(lambda: _holds(tab, "rules.wander.enabled"))
    assert tab.session.scenario == before.with_values({"rules.wander.enabled": True})
    tab.until(lambda: not words.is_visible())
    _set(tab, path, 3.0)
    tab.until(lambda: _holds(tab, path) == 3.0)
    box.uncheck()
    tab.until(lambda: not _holds(tab, "rules.wander.enabled"))
    tab.until(_row(tab, path).locator("input").is_disabled)  # when the page has heard of it


def test_a_limit_that_was_set_is_marked_and_can_be_taken_back(tab: Tab) -> None:
    tab.page.get_by_label("Search settings").fill("perception.nearest")
    limit = tab.page.locator(".lil-controller", has_text="Limit nearest")
    back = limit.get_by_role("button", name="reset to the loaded value")
    assert not back.is_visible()
    limit.locator("input").check()
    tab.until(lambda: _holds(tab, "perception.nearest"))
    tab.until(_row(tab, "perception.nearest").is_visible)
    _set(tab, "perception.nearest", 5)
    tab.until(lambda: _holds(tab, "perception.nearest") == 5)
    tab.until(back.is_visible)
    back.click()
    tab.until(lambda: _holds(tab, "perception.nearest") is None)
    tab.until(lambda: not limit.locator("input").is_checked())
    assert not _row(tab, "perception.nearest").is_visible()


def test_the_number_of_agents_shows_what_holds(tab: Tab) -> None:
    field = tab.page.get_by_label("Agents", exact=True)
    field.fill("-5")
    field.press("Enter")
    tab.until(lambda: tab.simulation.agent_count == 1)
    assert field.input_value() == "1"
    tab.knows_all()  # until then the page would restore the old number
    field.fill("")
    field.press("Enter")
    assert field.input_value() == "1"
    field.fill("90000000")
    field.press("Enter")
    tab.until(lambda: field.input_value() == "1")


NAMES_IN_DOCUMENTS = {
    "maxSpeed": "motion.max_speed",
    "fieldOfView": "perception.field_of_view",
    "simulationSpeed": "display.speed",
    "particleSize": "display.size",
    "panicDecay": "rules.fear.spread",
    "gatherRadius": "rules.feeding.gather_radius",
}


def test_the_search_finds_what_documents_call_a_value(tab: Tab) -> None:
    for name, path in NAMES_IN_DOCUMENTS.items():
        tab.page.get_by_label("Search settings").fill(name)
        tab.until(_row(tab, path).is_visible)
        shown = tab.page.locator(".lil-controller[data-path]:visible").evaluate_all(
            "(all) => all.map((each) => each.dataset.path)"
        )
        assert shown == [path]


def test_the_search_finds_the_number_of_agents_switches_and_lists(tab: Tab) -> None:
    search, above = (
        tab.page.get_by_label("Search settings"),
        tab.page.get_by_text("The number of agents is the field above."),
    )
    search.fill("birdCount")
    tab.until(above.is_visible)
    search.fill("energyEnabled")
    tab.until(tab.page.get_by_label("Enable energy", exact=True).is_visible)
    assert not above.is_visible()
    search.fill("huntingDrain")
    tab.until(tab.page.locator(".lists").get_by_text("Hunters").is_visible)
    assert not tab.page.locator(".lists").get_by_text("Attractors").is_visible()
