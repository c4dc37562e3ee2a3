"""Display settings of a scenario: pace, trails, and a world with the shape of the window."""

from __future__ import annotations

import murmura as mm
from tests.browser.tab import Tab


def test_pace_trails_and_the_shape_of_the_world_come_from_the_scenario(tab: Tab) -> None:
    assert tab.see("looks.trails") is True
    tab.send("load", scenario="classic")
    tab.send("speed", value=4.0)
    tab.until(lambda: tab.see("looks.trails") is False)
    # The world takes the shape of the window, one unit per pixel.
    tab.until(lambda: tab.session.scenario.world.width != 1600)
    world = tab.session.scenario.world

    def fills() -> bool:
        (left, top), (right, bottom) = tab.screen([[0, 0], [world.width, world.height]])
        return (world.width, world.height) == (960, 540) and abs(right - left - 960) < 1e-6 > abs(
            bottom - top - 540
        )

    tab.until(fills)
    tab.send("load", scenario="roosts")
    assert tab.session.speed == mm.load_scenario("roosts").display.speed == 2.0
    tab.until(lambda: tab.see("looks.trails") is True)
    tab.send("load", scenario="fish")
    assert tab.session.speed == 1.0
