"""The page's JavaScript time: printed, without a limit, because timings on a busy machine prove nothing."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import CDPSession

from murmura.view.wire import frames
from tests.sizes import size
from tests.view.live import flock

from .conftest import MakeTab
from .tab import Tab

# For each picture: milliseconds in the page's code since the previous picture, those inside calls of WebGL, and the
# number of frames uploaded to the GPU. Everything is uploaded but nothing painted: without a GPU, painting the agents
# alone would take a quarter of a second, and calls would wait for it.
TIMES = """
(() => {
  window.pictures = [];
  let open = { all: 0, gl: 0, frames: 0 };
  const timed = (key, work) => function (...given) {
    const began = performance.now();
    const found = work.apply(this, given);
    open[key] += performance.now() - began;
    return found;
  };
  const own = WebGL2RenderingContext.prototype;
  const draw = own.drawArrays;
  own.drawArrays = function (kind, first) { draw.call(this, kind, first, 0); };
  const send = own.texSubImage2D;
  own.texSubImage2D = function (...given) { open.frames += 1; send.apply(this, given); };
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(own))) {
    if (typeof value === 'function') own[name] = timed('gl', value);
  }
  const line = Object.getPrototypeOf(WebSocket.prototype);
  const { get, set } = Object.getOwnPropertyDescriptor(line, 'onmessage');
  Object.defineProperty(line, 'onmessage', { get, set(act) { set.call(this, timed('all', act)); } });
  const later = queueMicrotask;
  window.queueMicrotask = (act) => { later(timed('all', act)); };  // charts are drawn there
  const ask = requestAnimationFrame;
  window.requestAnimationFrame = (act) => ask((now) => {
    timed('all', act)(now);
    window.pictures.push(open);
    open = { all: 0, gl: 0, frames: 0 };
  });
})();
"""


FRESH = "() => pictures.filter((each) => each.frames > 0).length"
AGENTS = size(20_000, 200_000)


WORLDS = {"plane": {}, "space": {"world.depth": 4_000.0}}


@pytest.mark.parametrize("world", size(["plane"], ["plane", "space"]))
def test_javascript_time_per_picture_of_a_large_flock(
    world: str, make_tab: MakeTab, capsys: pytest.CaptureFixture[str]
) -> None:
    """The goal is 2 ms per picture of 200,000 agents, as with MURMURA_LONG=1, including all messages since the previous
    one.

    Processor time is Chromium's own count for the page's thread, which does not grow when the machine is busy. Wall
    time is printed too, with the part inside calls of WebGL.
    """
    tab = make_tab()
    tab.page.add_init_script(TIMES)
    tab.open()
    first = tab.until(lambda: tab.see("firstPicture"))
    tab.still(flock(AGENTS, **{"world.width": 16_000, "world.height": 9_000} | WORLDS[world]))
    chromium = tab.page.context.new_cdp_session(tab.page)
    chromium.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.page.evaluate("() => { pictures.length = 0; }")
    before = script_seconds(chromium)
    for column in ("panic", "energy", "density") * size(8, 40):
        drawn = tab.page.evaluate(FRESH)
        tab.send("extra", column=column)  # a new frame although nothing moves
        tab.until(lambda drawn=drawn: tab.page.evaluate(FRESH) > drawn)
    spent = script_seconds(chromium) - before
    pictures = tab.page.evaluate("() => pictures")
    fresh = np.array([(each["all"], each["gl"]) for each in pictures if each["frames"] > 0])
    assert tab.see("drawn") == AGENTS
    assert len(fresh) >= size(24, 120)
    (median, in_gl), (p95, _) = np.percentile(fresh, [50, 95], axis=0)
    assert 0.0 < in_gl < median  # otherwise something was not timed
    with capsys.disabled():
        print(
            f"\nfirst picture {first:.0f} ms after loading; JavaScript at {AGENTS:,} agents ({world}): "
            f"{1e3 * spent / len(pictures):.2f} ms of processor time a picture ({len(fresh)} of {len(pictures)} with a "
            f"new frame); those by the clock {median:.2f} ms (p95 {p95:.2f}), {in_gl:.2f} ms inside WebGL calls"
        )


def script_seconds(chromium: CDPSession) -> float:
    """Processor time of the page's scripts so far."""
    metrics = chromium.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "ScriptDuration"))


def test_of_a_huge_flock_a_part_is_drawn_and_the_page_says_so(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million agents with the real limit; here a fiftieth of both, which makes no difference to the page."""
    monkeypatch.setattr(frames, "MOST_SENT", 4_000)
    tab.still(flock(20_000, **{"world.width": 8_000, "world.height": 4_500}))
    tab.until(lambda: tab.see("drawn") == 4_000)
    tab.until(lambda: "1 in 5 drawn" in str(tab.page.locator(".hud").text_content()))
    tab.page.keyboard.press("g")
    assert len(tab.drawn()["rects"]) > 800  # the density grid covers the world
