"""Panels are collapsed at a first visit, and the world is fitted into the free area."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from matplotlib import image

from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.sizes import IS_LONG
from tests.view.live import flock

# A laptop's window, one half of `compare` in it, a notebook's cell, and a phone.
WINDOWS = [(1440, 900), (720, 900), (900, 540), (390, 844)]


def _with_edges(tab: Tab, agents: int) -> None:
    """A world with edges is fitted into the free area; one without fills the window."""
    tab.still(flock(agents, **{"world.boundary": "reflect"}))


def _covered(tab: Tab) -> int:
    """The number of agents that are covered by anything but the canvas, or outside the window."""
    places = tab.screen(tab.simulation.positions).tolist()
    return int(
        tab.page.evaluate(
            "(at) => at.filter(([x, y]) => document.elementFromPoint(x, y)?.id !== 'flock').length", places
        )
    )


def _corners(tab: Tab) -> list[list[float]]:
    world = tab.session.scenario.world
    return [[float(v) for v in p] for p in tab.screen([[0, 0], [world.width, world.height]])]


@pytest.mark.parametrize("size", WINDOWS)
def test_no_agent_is_under_a_panel_at_the_first_visit(lend_tab: MakeTab, size: tuple[int, int]) -> None:
    tab = lend_tab(gl=False, first_visit=True, viewport={"width": size[0], "height": size[1]}).open()
    _with_edges(tab, 150)
    assert not tab.page.get_by_label("Search settings").is_visible()
    assert not tab.page.get_by_role("region", name="Charts").is_visible()
    assert tab.until(lambda: _covered(tab) == 0)
    # The whole world is in the window, also if the window has another shape.
    (left, top), (right, bottom) = _corners(tab)
    assert left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
    if tab.page.get_by_role(
        "button", name="Look tools"
    ).is_visible():  # a narrow window shows a group at a time
        tab.page.get_by_role("button", name="Look tools").click()
    tab.page.get_by_role("button", name="Settings", exact=True).click()
    assert tab.page.get_by_label("Search settings").is_visible()


def test_the_world_makes_room_for_panels_and_comes_back(lend_tab: MakeTab) -> None:
    tab = lend_tab(gl=False, first_visit=True, viewport={"width": 1440, "height": 900}).open()
    _with_edges(tab, 400)
    zoom = tab.see("camera.zoom")
    tab.page.get_by_role("button", name="Dismiss the hint").click()  # the world takes its space
    tab.until(lambda: tab.see("camera.zoom") > zoom)
    tab.page.evaluate("() => { dispatchEvent(new Event('resize')); }")  # at once, without a transition
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
    _with_edges(tab, 60)
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


def test_a_world_without_edges_fills_the_window_in_any_shape(lend_tab: MakeTab) -> None:
    tab = lend_tab(first_visit=True).open()
    rng = np.random.default_rng(4)
    tab.arranged(flock(900), rng.uniform((0.0, 0.0), (1600.0, 900.0), (900, 2)), rng.normal(size=(900, 2)))
    tab.page.keyboard.press("h")
    tab.page.keyboard.press("t")

    def is_full() -> bool:
        """Agents are everywhere: in each of 6 x 6 parts of the window something is bright."""
        picture = image.imread(io.BytesIO(tab.page.locator("#flock").screenshot()))[..., :3].max(axis=2)
        parts = [part for row in np.array_split(picture, 6) for part in np.array_split(row, 6, axis=1)]
        return min(float(part.max()) for part in parts) > 0.6

    for wide, high in ((1440, 900) if IS_LONG else (800, 500), (390, 844), (844, 390)):
        tab.page.set_viewport_size({"width": wide, "height": high})
        tab.until(lambda size=[wide, high]: tab.page.evaluate("() => [innerWidth, innerHeight]") == size)
        tab.until(is_full)
