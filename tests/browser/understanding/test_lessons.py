"""Lessons set up a scene, ask a question and show the answer."""

from __future__ import annotations

from tests.browser.tab import Tab


def test_a_lesson_sets_asks_and_shows(tab: Tab) -> None:
    tab.send("load", scenario="roadmap")
    tab.shows_now()
    tab.page.keyboard.press("z")
    tab.page.get_by_role("button", name="Turn alignment off").click()
    card = tab.page.get_by_role("region", name="Lesson", exact=True)
    tab.until(lambda: tab.session.running and "(1 of 2)" in card.inner_text())
    assert tab.session.scenario.rules.alignment.weight == 1.0 and tab.session.scenario.name == "classic"
    card.get_by_role("button", name="Next").click()
    tab.until(lambda: tab.session.scenario.rules.alignment.weight == 0.0)
    assert "Do the groups fall apart?" in card.inner_text() and "mill about" not in card.inner_text()
    card.get_by_role("button", name="Show the answer").click()
    assert "mill about" in card.inner_text()
    tab.send("pause")
    card.get_by_role("button", name="End the lesson").click()
    assert not card.is_visible()
