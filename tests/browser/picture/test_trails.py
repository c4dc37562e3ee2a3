"""Trails show where agents flew, and only there."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib import image

from tests.browser.conftest import MakeTab
from tests.browser.tab import EVEN, Tab
from tests.view.live import flock

VIEWPORT = {"width": 640, "height": 420}  # software rendering: as few pixels as possible
COLUMNS, ROWS = 5, 3
BESIDE, BELOW = np.array([100.0, 0.0]), np.array([0.0, 100.0])  # [u] farther than any agent sees or is long
FLOWN = 60  # steps: enough pictures for light to accumulate
GHOST = 0.03  # of full brightness


def _places() -> np.ndarray:
    """Agents that are too far apart to react to each other."""
    cells = np.stack(np.meshgrid(np.arange(COLUMNS), np.arange(ROWS)), axis=-1).reshape(-1, 2)
    return np.array([350.0, 220.0]) + cells * (200.0, 200.0)


def _arranged(tab: Tab, places: np.ndarray, velocity: np.ndarray) -> None:
    scenario = flock(len(places), **{"motion.max_speed": 100.0})
    tab.arranged(scenario, places, np.tile(velocity, (len(places), 1)))


def _light(tab: Tab, places: np.ndarray) -> float:
    """The median of how much brighter it is at these points than to their sides, at the same height."""
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    picture = image.imread(io.BytesIO(tab.page.screenshot()))[:, :, :3].astype(float).mean(axis=2)

    def around(spots: np.ndarray) -> np.ndarray:
        return np.array([picture[y - 8 : y + 9, x - 8 : x + 9].max() for x, y in spots.round().astype(int)])

    return float(np.median(around(tab.screen(places)) - around(tab.screen(places + BESIDE))))


@pytest.fixture
def even_tab(make_tab: MakeTab) -> Tab:
    tab = make_tab(viewport=VIEWPORT)
    tab.page.add_init_script(EVEN)
    tab.open()
    tab.page.keyboard.press("h")  # no panels
    tab.page.evaluate("() => { dispatchEvent(new Event('resize')); }")  # the world takes their space at once
    return tab


def test_a_moving_flock_leaves_no_ghost_at_its_start(even_tab: Tab) -> None:
    tab, start = even_tab, _places()
    _arranged(tab, start, BELOW)  # so far in one step
    assert _light(tab, start) > 5.0 * GHOST
    tab.send("step", count=1)
    tab.until(lambda: _light(tab, start + BELOW) > 5.0 * GHOST)
    assert _light(tab, start) < GHOST


def test_a_flock_that_begins_elsewhere_leaves_no_ghost(even_tab: Tab) -> None:
    tab, start = even_tab, _places()
    _arranged(tab, start, BELOW / 20_000.0)  # it hardly moves, so that its light accumulates
    tab.send("play")
    tab.until(lambda: tab.see("step") > FLOWN)
    tab.send("pause")
    assert _light(tab, start) > 5.0 * GHOST
    _arranged(tab, start + BELOW, BELOW)
    tab.until(lambda: _light(tab, start + BELOW) > 5.0 * GHOST)
    assert _light(tab, start) < GHOST
