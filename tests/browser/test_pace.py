"""How long the page's own code takes: printed, never a limit, since a busy machine proves nothing."""

from __future__ import annotations

import pytest

from murmura.view import frames
from tests.view.live import flock

from .tab import Tab


def test_javascript_for_each_picture_of_200_000_agents(
    gl_tab: Tab, capsys: pytest.CaptureFixture[str]
) -> None:
    """The goal is 2 ms: taking a frame in and drawing it, without what the graphics card does meanwhile."""
    tab = gl_tab
    first = tab.until(lambda: tab.see("firstPicture"))
    tab.still(flock(200_000, **{"world.width": 16_000, "world.height": 9_000}))
    for column in ("panic", "energy", "density") * 3:
        number = tab.session.frame_number
        tab.send("extra", column=column)  # a new frame although nobody moves
        tab.until(lambda number=number: tab.session.frame_number > number)
    cost = tab.until(lambda: (found := tab.see("cost"))["upload"]["count"] >= 6 and found)
    assert tab.see("drawn") == 200_000
    with capsys.disabled():
        upload, draw = cost["upload"], cost["draw"]
        print(
            f"\nfirst picture {first:.0f} ms after loading; JavaScript at 200,000 agents: taking a frame in "
            f"{upload['median']:.2f} ms (p95 {upload['p95']:.2f}), "
            f"drawing {draw['median']:.2f} ms (p95 {draw['p95']:.2f})"
        )


def test_of_a_huge_flock_a_part_is_drawn_and_the_page_says_so(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million agents with the real limit; here a fiftieth of both, since the page sees no difference."""
    monkeypatch.setattr(frames, "MOST_SENT", 4_000)
    tab.still(flock(20_000, **{"world.width": 8_000, "world.height": 4_500}))
    tab.until(lambda: tab.see("drawn") == 4_000)
    tab.until(lambda: "1 in 5 drawn" in str(tab.page.locator(".hud").text_content()))
    tab.page.keyboard.press("g")
    assert len(tab.drawn()["rects"]) > 800  # the density grid covers the world
