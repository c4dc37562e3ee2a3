"""Details of one animal, bodies close up, and the state of a hunter."""

from __future__ import annotations

from typing import Any

import numpy as np

import murmura as mm
from murmura.engine.reading.surroundings import hunters
from tests.browser.tab import Tab
from tests.view.live import flock


def _ecosystem(**values: Any) -> mm.Scenario:
    return mm.load_scenario("arms-race").with_values({"agents": 14} | values)


def test_the_selected_animal_shows_its_life_and_its_actual_sight(tab: Tab) -> None:
    simulation = tab.still(_ecosystem())
    tab.send("step", count=3)
    tab.until(lambda: simulation.step_count == 3)
    tab.send("select", id=2)
    told = simulation.explain(2)
    story = tab.page.get_by_role("region", name="Selected agent")
    tab.until(lambda: "Agent 2" in story.inner_text())
    text = story.inner_text()
    assert told["stance"]["reason"] in text and told["state"]["gender"] in text
    assert f"Energy\n{told['state']['energy']:.3g}" in text and "Health\n1" in text
    assert "2 eyes" in text and f"Age\n{told['life']['age']:.0f} s" in text
    story.get_by_text("Genes").click()
    assert "Longevity" in story.inner_text()
    radius = tab.session.inspection["perception"]["radius"]  # type: ignore[index]
    assert radius < simulation.scenario.perception.radius - 1
    circle = radius * tab.see("camera.zoom")
    whole = [arc for arc in tab.drawn()["arcs"] if arc["how"] == "stroke"]  # the wedge is filled
    assert min(abs(arc["r"] - circle) for arc in whole) < 0.01
    # V draws the mean sight of each species, not the scenario's radius.
    tab.until(lambda: tab.session.status["population"].get("sights"))
    sights = np.array(tab.session.status["population"]["sights"]) * tab.see("camera.zoom")
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("v")
    tab.until(lambda: set(sights.round(1).tolist()) <= {round(arc["r"], 1) for arc in tab.drawn()["arcs"]})


def test_bodies_are_drawn_close_up(tab: Tab) -> None:
    simulation = tab.still(_ecosystem())
    place = tab.screen(simulation.positions[:1])[0]
    before = len(tab.drawn()["lines"])
    tab.page.mouse.move(*place.tolist())
    tab.page.mouse.wheel(0, -2400)
    tab.until(lambda: tab.session.body_observer.window is not None)
    tab.until(lambda: len(tab.drawn()["lines"]) > before + 2)  # at least a tail
    tab.until(lambda: any("♂" in text or "♀" in text for text in tab.drawn()["texts"]))
    tab.page.keyboard.press("f")
    tab.still(flock(20))
    tab.until(lambda: tab.session.body_observer.window is None)


def test_a_hunter_shows_its_target_and_its_fright_radius(tab: Tab) -> None:
    hawk = [{"kind": "hawk", "x": 400.0, "y": 400.0, "panic_radius": 90.0}]
    values = {"rules.predators.hunters": hawk, "rules.predators.enabled": True, "rules.fear.enabled": True}
    simulation = tab.still(flock(12, **values))
    tab.until(lambda: "predator" in tab.see("things"))
    for _ in range(40):
        tab.send("step", count=30)
        tab.until(lambda: tab.session._left == 0)
        [hunter] = hunters(simulation)
        if hunter["target"] is not None:
            break
    tab.until(lambda: tab.see("step") == simulation.step_count)
    ring = hunter["fright"] * tab.see("camera.zoom")
    [at] = tab.screen([[hunter["x"], hunter["y"]]])
    row = simulation.ids.tolist().index(hunter["target"])
    [prey] = tab.screen(simulation.positions[[row]])

    def drawn() -> bool:
        seen = tab.drawn()
        rings = [arc for arc in seen["arcs"] if np.hypot(arc["x"] - at[0], arc["y"] - at[1]) < 1]
        lines = [line for line in seen["lines"] if np.hypot(*(np.array(line["to"]) - prey)) < 1]
        return any(abs(arc["r"] - ring) < 0.5 for arc in rings) and any(
            np.hypot(*(np.array(line["from"]) - at)) < 1 for line in lines
        )

    tab.until(drawn)
