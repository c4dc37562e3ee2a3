"""Appearance settings: shape, size, custom colours, trails, wind; sharp on any screen."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from matplotlib import image

from tests.browser.conftest import MakeTab
from tests.browser.tab import EVEN, Tab
from tests.view.live import flock

SMALL = {"viewport": {"width": 360, "height": 280}}
MIDDLE = np.array([[800.0, 450.0]])  # [u]
SILENT = {f"rules.{rule}.enabled": False for rule in ("separation", "alignment", "cohesion", "noise", "wind")}
CHOOSE = """([id, value]) => {
  const input = document.getElementById(id);
  input.value = value;
  for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind, { bubbles: true }));
}"""
TWO_PICTURES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def lone(tab: Tab, heading: tuple[float, float], agents: int = 1, **values: Any) -> np.ndarray:
    """Load one large animal, or several at one position, at the centre of an empty window; return that position."""
    scenario = flock(agents, **{"display.size": 20.0, **SILENT} | values)
    tab.arranged(scenario, np.repeat(MIDDLE, agents, axis=0), [heading] * agents)
    if not tab.see("looks.hidden"):
        tab.page.keyboard.press("h")
    tab.page.evaluate("() => { dispatchEvent(new Event('resize')); }")  # at once, without a transition
    found: np.ndarray = tab.screen(MIDDLE)[0]
    return found


def picture(tab: Tab) -> np.ndarray:
    """All pixels of the screen: red, green and blue."""
    density = tab.page.evaluate("devicePixelRatio")
    tab.until(
        lambda: tab.page.evaluate("() => document.getElementById('flock').width") == round(360 * density)
    )
    tab.page.evaluate(TWO_PICTURES)
    found: np.ndarray = image.imread(io.BytesIO(tab.page.screenshot()))[:, :, :3].astype(float)
    return found


def body(shown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pixels of the animal, and their colours."""
    bright = shown.max(axis=2) > 0.55
    return np.argwhere(bright), shown[bright]


def extent(shown: np.ndarray) -> tuple[int, int]:
    """Width and height of the animal [px]."""
    rows, columns = body(shown)[0].T
    return int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


def test_shape_size_and_own_colours(lend_tab: MakeTab) -> None:
    tab = lend_tab(**SMALL).open()
    lone(tab, (1.0, 0.0))
    wide, high = extent(picture(tab))
    assert wide > 1.5 * high  # a dart that flies to the right
    tab.page.evaluate(CHOOSE, ["look-form", "dot"])
    wide, high = extent(picture(tab))
    assert wide == pytest.approx(high, abs=1)
    tab.page.evaluate(CHOOSE, ["look-form", "bird"])
    wide, high = extent(picture(tab))
    assert high > 1.1 * wide  # it has wings
    tab.page.evaluate(CHOOSE, ["look-form", "fish"])
    fish = extent(picture(tab))
    assert fish[0] > 1.5 * fish[1]
    tab.page.evaluate(CHOOSE, ["look-size", "0.69"])  # by ratio: twice as large
    assert extent(picture(tab))[0] == pytest.approx(2 * fish[0], rel=0.2)
    tab.page.get_by_label("Custom colours: from", exact=True).evaluate(
        "(input) => { input.value = '#ff0000'; input.dispatchEvent(new Event('input')); }"
    )
    red, green, blue = np.median(body(picture(tab))[1], axis=0)
    assert red > 0.6 and max(green, blue) < 0.35 * red
    tab.page.get_by_label("Custom colours: to", exact=True).evaluate(
        "(input) => { input.value = '#00ff00'; input.dispatchEvent(new Event('input')); }"
    )
    lone(tab, (-1.0, 0.0))  # the other way, the other colour
    red, green, blue = np.median(body(picture(tab))[1], axis=0)
    assert green > 0.6 and max(red, blue) < 0.35 * green
    tab.reload()
    looks = tab.see("looks")
    assert (looks["form"], looks["palette"], looks["own"]) == ("fish", "own", ["#ff0000", "#00ff00"])
    assert looks["size"] == pytest.approx(2.0, abs=0.01)


def test_hunters_have_another_shape(make_tab: MakeTab) -> None:
    """A species that hunts another differs in more than its colour."""
    tab = make_tab(**SMALL).open()
    extents = []
    for towards in ({}, {"hare": "chase"}):
        wolf = {"name": "wolf", "color": "#ffffff", "towards": towards}
        lone(tab, (1.0, 0.0), species=[wolf, {"name": "hare", "share": 0.001}])
        extents.append(extent(picture(tab)))
    (wide, high), (wider, higher) = extents
    assert wide > 1.5 * high and higher > 1.5 * high and higher / high > 1.2 * wider / wide


def test_long_trails_are_longer_than_short_ones(make_tab: MakeTab) -> None:
    tab = make_tab(**SMALL)
    tab.page.add_init_script(EVEN)
    tab.open()

    def light(length: str) -> float:
        """The brightness of a trail far behind the animals, relative to that right behind them."""
        lone(tab, (3.0, 0.0), 40, **{"display.size": 3.0})
        tab.page.evaluate(CHOOSE, ["look-trailLength", length])
        tab.send("step", count=1)
        for _ in range(15):
            seen = tab.see("step")
            tab.send("step", count=8)
            tab.until(lambda seen=seen: tab.see("step") >= seen + 8)
            tab.page.evaluate(
                TWO_PICTURES
            )  # trails fade with every picture, however few a busy machine draws
        x, y = tab.screen(tab.simulation.positions)[0].round().astype(int)
        shown = picture(tab).mean(axis=2)
        # A line that stands out from its glow, which is smooth.
        line = shown[y - 1 : y + 2].mean(axis=0) - shown[[y - 12, y + 12]].mean(axis=0)
        near, far = line[x - 30 : x - 15].mean(), line[x - 75 : x - 55].mean()
        return float(far / near)

    short, long = light("-2.3"), light("2.07")
    assert long > 0.3
    assert long > 2.0 * short


def test_the_wind_is_drawn_or_not(tab: Tab) -> None:
    tab.still(flock(20, **{"rules.wind.enabled": True, "rules.wind.speed": 9.0}))
    assert len(tab.drawn()["lines"]) >= 60
    tab.page.get_by_text("Appearance").click()
    tab.page.get_by_label("Show the wind").uncheck()
    tab.until(lambda: tab.drawn()["lines"] == [])
    tab.reload()  # which is remembered
    assert tab.drawn()["lines"] == []
    tab.page.get_by_text("Appearance").click()
    tab.page.get_by_label("Show the wind").check()
    tab.until(lambda: len(tab.drawn()["lines"]) >= 60)


def test_on_a_dense_screen_every_device_pixel_counts(lend_tab: MakeTab) -> None:
    """The edge of a body has the same width in device pixels at a pixel ratio of three as at one."""
    sharpness = {}
    for density in (1, 3):
        tab = lend_tab(**SMALL, device_scale_factor=density).open()
        tab.page.keyboard.press("t")  # no trails
        lone(tab, (1.0, 0.0), **{"display.glow": 0.0, "world.boundary": "reflect"})
        tab.page.evaluate(CHOOSE, ["look-form", "dot"])
        shown = picture(tab)
        assert shown.shape[:2] == (280 * density, 360 * density)
        assert tab.page.evaluate("() => document.getElementById('overlay').width") == 360 * density
        sharpness[density] = np.abs(np.diff(shown.max(axis=2), axis=1)).max()
        assert extent(shown)[0] == pytest.approx(22 * density, rel=0.3)
    assert sharpness[3] > 0.85 * sharpness[1]
