"""The glow around agents: round, and unchanged when the picture is paused, refined or saved."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib import image

from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.sizes import IS_LONG
from tests.view.live import flock

MIDDLE = np.array([[800.0, 450.0]])  # [u]
BRIGHT = 40  # agents at one position
FAR = 140  # px from the agent: only sky
BEYOND = range(24, 100, 2)  # px: beyond the body and its glow
REACH = 20  # px: beyond the body, within the glow
# A machine that needs a tenth of a second per picture, so that the page lowers the resolution.
SLOW = """
(() => {
  let clock = 0;
  performance.now = () => clock;
  const ask = requestAnimationFrame;
  window.requestAnimationFrame = (act) => ask(() => { clock += 100; act(clock); });
})();
"""


def _picture(tab: Tab) -> np.ndarray:
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: np.ndarray = image.imread(io.BytesIO(tab.page.screenshot()))[:, :, :3].astype(float).mean(axis=2)
    return found


def _light(picture: np.ndarray, x: float, y: float) -> float:
    """How much brighter it is around a point than far to its side, at the same height [CSS px]."""

    def around(at: float) -> float:
        row, column = round(y), round(at)
        return float(picture[row - 1 : row + 2, column - 1 : column + 2].mean())

    return around(x) - around(x + FAR)


def _lamp(tab: Tab, heading: tuple[float, float], agents: int = BRIGHT) -> np.ndarray:
    """Load many agents as one bright spot at the centre of the world; return its position in the window."""
    silent = {
        f"rules.{rule}.enabled": False for rule in ("separation", "alignment", "cohesion", "noise", "wind")
    }
    scenario = flock(agents, **{"display.glow": 1.0, "display.size": 1.5, **silent})
    tab.arranged(scenario, np.repeat(MIDDLE, agents, axis=0), [heading] * agents)
    tab.page.keyboard.press("h")
    tab.page.evaluate("() => { dispatchEvent(new Event('resize')); }")  # at once, without a transition
    found: np.ndarray = tab.screen(MIDDLE)[0]
    return found


def test_the_glow_of_a_flock_that_stands_is_round(gl_tab: Tab) -> None:
    x, y = _lamp(gl_tab, (1.0, 0.0))
    picture = _picture(gl_tab)
    angles = np.arange(16) / 16 * 2 * np.pi
    ring = np.array([_light(picture, x + REACH * np.cos(a), y + REACH * np.sin(a)) for a in angles])
    print(ring.round(4))
    assert ring.mean() > 0.01  # there is a glow
    along, across = ring[::4].mean(), ring[2::4].mean()
    assert across == pytest.approx(along, rel=0.35)


def test_the_glow_of_a_dense_flock_does_not_fill_the_sky(gl_tab: Tab) -> None:
    """Without a limit it is white as far as the blur reaches, which is a rectangle."""
    x, y = _lamp(gl_tab, (1.0, 0.0), 2000)
    picture = _picture(gl_tab)
    assert _light(picture, x, y) > 0.5
    angles = np.arange(16) / 16 * 2 * np.pi
    ring = [_light(picture, x + 70 * np.cos(a), y + 70 * np.sin(a)) for a in angles]
    assert max(ring) < 0.15


def test_a_flock_that_stops_keeps_its_trails(make_tab: MakeTab) -> None:
    """Low resolution while it moves, full resolution when it stops: the same light in finer pixels."""
    tab = make_tab()
    tab.page.add_init_script(SLOW)
    tab.open()
    _lamp(tab, (3.0, 0.0))
    tab.send("play")
    tab.until(lambda: _width(tab) < 960 and tab.see("step") > 60)
    tab.send("pause")
    tab.until(lambda: _width(tab) == 960 and tab.see("step") == tab.simulation.step_count)
    x, y = tab.screen(tab.simulation.positions)[0]
    picture = _picture(tab)
    # A busy machine leaves a trail of separate lights: use the brightest.
    behind, ahead = (max(_light(picture, x + way * far, y) for far in BEYOND) for way in (-1, 1))
    assert behind > 0.03
    assert behind > 2 * ahead


def _width(tab: Tab) -> int:
    return int(tab.page.evaluate("() => document.getElementById('flock').width"))


# A large one takes a quarter of a minute in software rendering.
@pytest.mark.parametrize(
    ("key", "size"), [("Shift+S", (960, 540)), *([("y", (3840, 2160))] if IS_LONG else [])]
)
def test_a_screenshot_is_drawn_in_full(make_tab: MakeTab, key: str, size: tuple[int, int]) -> None:
    tab = make_tab()
    tab.page.add_init_script(SLOW)
    tab.open()
    tab.send("play")
    tab.until(lambda: _width(tab) < 960)
    with tab.page.expect_download() as waiting:
        tab.page.keyboard.press(key)
    picture = image.imread(waiting.value.path())
    tab.send("pause")
    assert picture.shape[1::-1] == size
    assert picture[:, :, :3].max() > 0.5  # and it is a picture
