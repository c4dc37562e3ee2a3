"""Scene messages: hunters and the time of day."""

from __future__ import annotations

import murmura as mm
from murmura.engine.reading.surroundings import hunters
from murmura.rules.environment.daylight import sky
from murmura.rules.predators.reading import drawn
from murmura.view.wire.scenery import NO_SCENERY, scenery_message
from tests.view.live import Page


def test_a_plain_flock_has_nothing_beside_it() -> None:
    simulation = mm.Simulation(mm.load_scenario("classic").with_values({"agents": 5}), 1, "reference")
    assert scenery_message(simulation) is NO_SCENERY


def test_a_page_is_told_where_hunters_are_and_how_they_are(page: Page) -> None:
    scenario = mm.load_scenario("murmuration-hawk").with_values({"agents": 30})
    page.still(scenario)
    twin = mm.Simulation(page._session.simulation.scenario, page._session.simulation.seed, "reference")
    twin.step(4)
    [hawk] = hunters(twin)
    energy = hawk["energy"] / hawk["stats"]["max_energy"]
    page.send("step", count=4)
    page.wait("scene", lambda told: told["objects"] == [drawn(hawk)])
    shown = drawn(hawk)
    assert (shown["kind"], shown["species"], shown["energy"]) == ("predator", "hawk", energy)


def test_the_hour_is_reported() -> None:
    scenario = mm.load_scenario("day-and-night").with_values({"agents": 4})
    simulation = mm.Simulation(scenario, 1, "reference")
    simulation.step(3)
    now = sky(scenario.rules.daylight, simulation.time)
    assert scenery_message(simulation)["objects"] == [
        {"kind": "sky", "daylight": now.light, "clock": now.clock}
    ]
