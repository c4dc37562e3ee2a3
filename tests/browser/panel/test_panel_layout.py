"""Panels are collapsed at a first visit, and the world is fitted into the free area."""

from __future__ import annotations

import math

import pytest

from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab

# A laptop's window, one half of `compare` in it, a notebook's cell, and a phone.
WINDOWS = [(1440, 900), (720, 900), (900, 540), (390, 844)]


def _covered(tab: Tab) -> int:
    """The number of agents that are covered by anything but the canvas, or outside the window."""
    places = tab.screen(tab.simulation.positions).tolist()
    return int(
        tab.page.evaluate(
            "(at) => at.filter(([x, y]) => document.elementFromPoint(x, y)?.id !== 'flock').length", places
        )
    )


def _settled(tab: Tab) -> None:
    """Dismiss the hint; the world takes its space."""
    zoom = tab.see("camera.zoom")
    tab.until(tab.page.get_by_role("note").is_visible)
    tab.page.get_by_role("button", name="Dismiss the hint").click()
    tab.until(lambda: tab.see("camera.zoom") > zoom)
    tab.page.evaluate("() => { dispatchEvent(new Event('resize')); }")  # at once, without a transition


def _corners(tab: Tab) -> list[list[float]]:
    world = tab.session.scenario.world
    return [[float(v) for v in p] for p in tab.screen([[0, 0], [world.width, world.height]])]


@pytest.mark.parametrize("size", WINDOWS)
def test_no_agent_is_under_a_panel_at_the_first_visit(lend_tab: MakeTab, size: tuple[int, int]) -> None:
    tab = lend_tab(gl=False, first_visit=True, viewport={"width": size[0], "height": size[1]}).open()
    tab.still(agents=150)
    assert not tab.page.get_by_label("Search settings").is_visible()
    assert not tab.page.get_by_role("region", name="Charts").is_visible()
    assert tab.until(lambda: _covered(tab) == 0)
    # The whole world is in the window, also if the window has another shape.
    (left, top), (right, bottom) = _corners(tab)
    assert left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
    tab.page.get_by_role("button", name="Settings", exact=True).first.click()
    assert tab.page.get_by_label("Search settings").is_visible()


def test_the_world_makes_room_for_panels_and_comes_back(lend_tab: MakeTab) -> None:
    tab = lend_tab(gl=False, first_visit=True, viewport={"width": 1440, "height": 900}).open()
    tab.still(agents=400)
    _settled(tab)
    alone = tab.see("camera")
    for key in "bm":
        tab.page.keyboard.press(key)
    tab.until(lambda: tab.see("camera.zoom") < 0.8 * alone["zoom"] and _covered(tab) == 0)
    panel = tab.page.get_by_role("complementary", name="Settings").bounding_box()
    charts = tab.page.get_by_role("region", name="Charts").bounding_box()
    assert panel is not None and charts is not None
    tab.until(
        lambda: _corners(tab)[1][0] <= panel["x"] and _corners(tab)[0][0] >= charts["x"] + charts["width"]
    )
    for key in "bm":
        tab.page.keyboard.press(key)
    tab.until(lambda: abs(tab.see("camera.zoom") / alone["zoom"] - 1) < 1e-6)


def test_a_view_that_was_moved_stays_where_it_is(lend_tab: MakeTab) -> None:
    tab = lend_tab(gl=False, first_visit=True, viewport={"width": 1440, "height": 900}).open()
    _settled(tab)
    zoom = tab.see("camera.zoom")
    tab.page.mouse.move(700, 400)
    tab.page.mouse.wheel(0, -500)
    goal = zoom * math.exp(500 * 0.0016)
    tab.until(lambda: abs(tab.see("camera.zoom") / goal - 1) < 1e-3)
    before = tab.see("camera")
    tab.page.keyboard.press("b")
    tab.until(lambda: tab.page.get_by_label("Search settings").is_visible())
    tab.drawn()
    assert tab.see("camera") == pytest.approx(before, rel=1e-2)
