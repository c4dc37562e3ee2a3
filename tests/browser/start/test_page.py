"""The page: it fills the window, moves, starts paused for reduced motion, and reconnects."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.view.live import flock


def test_the_canvas_fills_the_window_without_margins(tab: Tab) -> None:
    # S1-1: an HTML5 <canvas> in a standard browser. S1-2: margins reset, the canvas fills the window.
    box = tab.page.evaluate("""() => {
      const canvas = document.getElementById('flock'), at = canvas.getBoundingClientRect();
      const body = getComputedStyle(document.body);
      return [canvas.tagName, at.left, at.top, at.width, at.height, body.margin, body.overflow,
        document.documentElement.scrollWidth, document.documentElement.scrollHeight];
    }""")
    assert box == ["CANVAS", 0, 0, 960, 540, "0px", "hidden", 960, 540]
    tab.page.set_viewport_size({"width": 700, "height": 900})
    tab.until(lambda: tab.see("view") == {"width": 700, "height": 900})
    assert tab.page.evaluate("() => document.getElementById('flock').getBoundingClientRect().width") == 700


def test_the_flock_moves(gl_tab: Tab) -> None:
    # S1-14: each picture is cleared, then shows the agents at their positions after the step.
    tab = gl_tab
    before, first = tab.see("step"), tab.page.locator("#flock").screenshot()
    tab.send("play")
    tab.until(lambda: tab.see("step") > before + 20)
    tab.send("pause")
    assert tab.page.locator("#flock").screenshot() != first
    assert tab.page.locator(".line").text_content() == "live"


# What had been done when the first picture was drawn, and whether it existed when the next frame was requested.
START = """
(() => {
  window.early = { pictures: 0, controls: null, asked: null };
  let frames = 0;
  const draw = WebGL2RenderingContext.prototype.drawArrays;
  WebGL2RenderingContext.prototype.drawArrays = function (...given) {
    if (frames === 0) early.pictures += 1;
    draw.apply(this, given);
  };
  const ask = requestAnimationFrame;
  window.requestAnimationFrame = (act) => ask((now) => {
    act(now);
    if (window.murmura?.firstPicture != null) early.controls ??=
      document.querySelectorAll('#settings .lil-controller').length;
  });
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    if (JSON.parse(text).type === 'ready') early.asked ??= murmura.firstPicture !== null;
    send.call(this, text);
  };
  addEventListener('DOMContentLoaded', () => {
    sockets[0].addEventListener('message', ({ data }) => { if (typeof data !== 'string') frames += 1; });
  });
})();
"""


def test_the_first_picture_waits_for_nothing(make_tab: MakeTab) -> None:
    """In software rendering, an empty picture and hundreds of controls would delay it by tenths of a second."""
    tab = make_tab()
    tab.page.add_init_script(START)
    tab.open()
    tab.until(lambda: tab.page.locator("#settings .lil-controller").count() > 50)
    assert tab.page.evaluate("() => early") == {"pictures": 0, "controls": 0, "asked": True}


def test_prefers_reduced_motion_begins_paused(lend_tab: MakeTab) -> None:
    tab = lend_tab(gl=False, reduced_motion="reduce")
    tab.live.session.submit({"type": "play"}, pytest.fail)
    tab.page.goto(tab.live.origin)
    tab.page.get_by_text("Your system asks for less motion").wait_for()
    first = tab.see("step")
    before = tab.simulation.step_count
    tab.until(lambda: tab.simulation.step_count > before + 20)  # others see it fly
    assert tab.session.running
    assert tab.see("step") == first
    assert tab.see("looks.trails") is False
    tab.page.locator(".big-play").get_by_role("button", name="Play").click()
    tab.until(lambda: tab.see("step") > first + 20)
    assert not tab.page.locator(".big-play").is_visible()


def test_without_webgl_a_plain_canvas_does(lend_tab: MakeTab) -> None:
    tab = lend_tab(gl=False).open()
    assert "no WebGL2" in str(tab.page.locator("#notes").text_content())
    simulation = tab.still(flock(40))
    tab.page.keyboard.press("h")
    tab.page.keyboard.press("t")

    def shown() -> bool:
        """Whether there is a bright pixel at every agent or next to its centre: a dart is slim."""
        at = tab.screen(simulation.positions).round().astype(int).tolist()
        script = """(at) => { const c = document.getElementById('flock').getContext('2d'), z = c.getTransform().a;
          const rgb = ([x, y]) => c.getImageData(x * z - 1, y * z - 1, 3, 3).data.filter((_, k) => k % 4 < 3);
          return at.map((place) => Math.max(...rgb(place))); }"""
        return bool(np.min(tab.page.evaluate(script, at)) > 80)

    tab.until(shown)


def test_a_reloaded_page_shows_the_same_run(tab: Tab) -> None:
    simulation = tab.still(flock(50))
    tab.send("step", count=3)
    tab.reload()
    tab.until(lambda: tab.see("step") == 3)
    assert tab.simulation is simulation
    tab.until(lambda: simulation.state_hash()[:8] in str(tab.page.locator(".hud").text_content()))


def test_the_page_reconnects(tab: Tab) -> None:
    sockets = tab.page.evaluate("() => sockets.length")
    tab.page.evaluate("() => sockets.at(-1).close()")
    tab.until(lambda: tab.page.evaluate("() => sockets.length") > sockets)
    tab.send("step", count=2)
    tab.until(lambda: tab.see("step") == tab.simulation.step_count)
    assert tab.page.locator(".line").text_content() == "live"


def test_two_tabs_show_one_flock(lend_tab: MakeTab) -> None:
    one, two = (lend_tab(gl=False).open() for _ in range(2))
    one.page.keyboard.press("Space")
    two.until(lambda: two.see("step") > 3)
    one.page.keyboard.press("Space")
    two.until(
        lambda: (
            not two.session.running and two.page.get_by_role("button", name="Play", exact=True).count() == 1
        )
    )
    two.until(lambda: one.see("step") == two.see("step") == two.simulation.step_count)


def test_texts_for_screen_readers(tab: Tab) -> None:
    # It speaks when the flock is another, not of every number.
    tab.until(lambda: "paused" in str(tab.page.locator("#summary").text_content()))
    assert (
        tab.page.locator("#flock").get_attribute("role") == "application"
    )  # arrow keys are for the cross-hair
    assert "flying" in str(tab.page.locator("#flock").get_attribute("aria-label"))
    assert "agents" not in str(tab.page.locator("#summary").text_content())
    tab.page.keyboard.press("'")
    tab.until(lambda: "60 agents" in str(tab.page.locator("#summary").text_content()))
