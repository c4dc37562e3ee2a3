"""The hint at the first visit, and the legend of colours and overlays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import murmura as mm
from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.view.live import flock

# The page hears nothing until it is let in.
HELD = """
const held = new Promise((done) => { window.letIn = done; });
window.WebSocket = class extends WebSocket {
  set onmessage(act) { super.onmessage = (event) => { void held.then(() => act(event)); }; }
};
"""


def test_the_hint_stays_until_something_was_done_and_is_remembered(make_tab: MakeTab) -> None:
    tab = make_tab(gl=False, first_visit=True)
    tab.page.clock.install()
    tab.page.add_init_script(HELD)
    tab.page.goto(tab.live.origin)
    hint = tab.page.get_by_role("note")
    tab.until(lambda: tab.page.locator(".hint").count() == 1)
    tab.page.clock.run_for(5_000)
    assert not hint.is_visible()  # it appears with the first picture
    tab.page.evaluate("() => { letIn(); }")

    def begun() -> bool:
        tab.page.clock.run_for(100)
        return tab.see("firstPicture") is not None and hint.is_visible()

    tab.until(begun)
    tab.page.clock.run_for(60_000)  # as long as the visitor only watches
    assert hint.is_visible()
    tab.page.mouse.click(480, 300)
    assert not hint.is_visible()
    tab.page.reload()
    tab.page.evaluate("() => { letIn(); }")
    controls = tab.page.locator("#settings .lil-controller")  # they come after the hint
    tab.until(lambda: tab.page.clock.run_for(100) is None and controls.count())
    assert not hint.is_visible()


def _legend(tab: Tab) -> str:
    return str(tab.page.get_by_role("region", name="Legend").inner_text())


def test_the_legend_names_species_and_says_who_hunts(tab: Tab) -> None:
    tab.send("load", scenario="mixed")
    tab.shows_now()
    names = [kind.name for kind in tab.session.scenario.species]
    tab.until(lambda: all(name.capitalize() in _legend(tab) for name in names))
    assert "Hunter (hunts)" in _legend(tab) and _legend(tab).count("(hunts)") == 1
    tab.unfold()
    tab.page.get_by_label("Colour by", exact=True).select_option("speed")
    tab.until(lambda: "slow" in _legend(tab) and "fast" in _legend(tab))
    assert names[0].capitalize() not in _legend(tab)


# Boxes of the progress of a kernel, of the title, the legend and the doors: left, top, right, bottom [CSS px].
COMPILING = """() => {
  const told = { ...heard.status, compiling: true, progress: 'compiling, 27 s of about 29 s' };
  sockets.at(-1).onmessage({ data: JSON.stringify(told) });
  return ['.line', '.name', '.legend', '#handles'].map((what) => {
    const { left, top, right, bottom } = document.querySelector(what).getBoundingClientRect();
    return [left, top, right, bottom];
  });
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_compile_progress_leaves_room_for_the_rest(tab: Tab, width: int) -> None:
    tab.page.set_viewport_size({"width": width, "height": 640})
    tab.still(mm.load_scenario("ecosystem").with_values({"agents": 20}))
    tab.until(lambda: _legend(tab).count("\n") == 4)
    boxes = tab.page.evaluate(COMPILING)
    for a, b in itertools.combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)


def test_in_a_crowd_lines_are_drawn_for_some_and_the_legend_says_so(tab: Tab) -> None:
    rng = np.random.default_rng(5)
    places = rng.uniform((600.0, 300.0), (900.0, 600.0), (800, 2))
    tab.arranged(flock(800), places, rng.normal(size=(800, 2)))
    tab.page.keyboard.press("n")
    lines = tab.drawn()["lines"]
    tab.until(lambda: "who sees whom, 1 agent in" in _legend(tab))
    every = int(_legend(tab).split("1 agent in ")[1].split()[0])
    watchers = {tuple(line["from"]) for line in lines}
    assert every > 2 and len(watchers) <= 800 / every + 1
    length = sum(np.hypot(*np.subtract(line["to"], line["from"])) for line in lines)
    ground = (300.0 * tab.see("camera.zoom")) ** 2
    assert length / ground < 1.6  # px of line per px: they can be distinguished


def test_the_density_grid_has_a_legend(tab: Tab) -> None:
    tab.arranged(flock(8), [[20, 20]] * 8, [[1, 0]] * 8)
    tab.page.keyboard.press("g")
    # Eight in a square of 40 u are fifty in one of 100 u.
    tab.until(lambda: "up to 50 agents in 100 × 100 u" in _legend(tab))
