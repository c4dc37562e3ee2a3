"""Lessons set up a scene, ask a question and show the answer."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from murmura.view.session.session import Session
from tests.browser.sharing.test_share import opened
from tests.browser.tab import Tab
from tests.view.live import Live, flock


def test_a_lesson_asks_first_and_gives_the_own_scene_back(tab: Tab) -> None:
    tab.send("load", scenario="roadmap", seed=11)
    tab.shows_now()
    tab.page.keyboard.press("z")
    tab.page.get_by_role("button", name="Turn alignment off").click()
    card = tab.page.get_by_role("region", name="Lesson", exact=True)
    tab.until(lambda: tab.session.running and "(1 of 2)" in card.inner_text())
    tab.until(lambda: tab.session.scenario.name == "classic")
    assert "mill about" not in card.inner_text()
    card.get_by_role("button", name="They fall apart").click()
    assert "✗ They fall apart" in card.inner_text() and "✓ They stay together" in card.inner_text()
    assert tab.session.scenario.rules.alignment.weight == 1.0 and "mill about" not in card.inner_text()
    card.get_by_role("button", name="Switch alignment off").click()
    tab.until(lambda: tab.session.scenario.rules.alignment.weight == 0.0)
    assert "mill about" in card.inner_text()
    tab.send("pause")
    card.get_by_role("button", name="Next", exact=True).click()
    dial = card.get_by_role("slider")
    dial.evaluate("(one) => { one.value = '0.5'; one.dispatchEvent(new Event('input')); }")
    tab.until(lambda: tab.session.scenario.rules.alignment.weight == 0.5)
    assert card.get_by_role("button", name="Next lesson: Turn cohesion off").is_visible()
    card.get_by_role("button", name="Back to my scene").click()
    assert not card.is_visible()
    tab.until(lambda: (tab.session.scenario.name, tab.simulation.seed) == ("roadmap", 11))


OWN = """
title = "How many see a hawk?"
scene = "classic"
values = { agents = 30 }

[[steps]]
say = "Count them."
ask = "How many are there?"
answer = "Thirty."
"""


def test_a_teachers_own_lesson_stands_beside_those_that_are_included(
    built: None, browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "hawk.toml").write_text(OWN)
    with Live(Session(flock(20), seed=7, backend="reference"), lessons=[tmp_path]) as live:
        page = opened(browser, f"{live.origin}/?token={live.app.renew()}")
        try:
            page.wait_for_function("() => globalThis.murmura?.drawn === 20")
            page.keyboard.press("z")
            titles = page.get_by_role("dialog", name="Lessons").locator("li")
            titles.nth(13).wait_for()
            assert titles.count() == 14 and titles.last.inner_text() == "How many see a hawk?"
            titles.last.get_by_role("button").click()
            card = page.get_by_role("region", name="Lesson", exact=True)
            page.wait_for_function("() => murmura.drawn === 30")
            assert "Count them." in card.inner_text() and "Thirty." not in card.inner_text()
            card.get_by_role("button", name="Show the answer").click()
            assert "Thirty." in card.inner_text()
        finally:
            page.context.close()
