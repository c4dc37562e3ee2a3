"""Back in time in the page: the slider shows the flock of then, and another course can be undone."""

from __future__ import annotations

from tests.browser.tab import Tab


def test_back_on_and_another_course(tab: Tab) -> None:
    tab.still()
    tab.send("step", count=400)
    hashes = {}
    for _ in range(2):
        hashes[tab.simulation.step_count] = tab.simulation.state_hash()
        tab.send("step", count=20)
    tab.until(lambda: tab.see("step") == 440)
    bar = tab.page.get_by_role("group", name="Back in time")
    assert not bar.is_visible()
    tab.page.get_by_role("button", name="Back in time").click()
    tab.until(lambda: tab.see("step") == 140)  # five seconds
    assert tab.simulation.step_count == 140 and not tab.session.running
    bar.get_by_text("5.0 s ago").wait_for()
    slider = bar.get_by_role("slider")
    slider.evaluate("(one) => { one.value = '400'; one.dispatchEvent(new Event('input')); }")
    tab.until(lambda: tab.see("step") == 400)
    assert tab.simulation.state_hash() == hashes[400]
    tab.page.locator("#flock").focus()
    tab.page.keyboard.press(">")
    tab.until(lambda: tab.see("step") == 440)
    tab.page.keyboard.press("<")
    tab.until(lambda: tab.see("step") == 140)
    tab.send("set", values={"rules.cohesion.weight": 0.0})
    bar.get_by_role("button", name="Undo the new course").click()
    tab.until(lambda: tab.see("step") == 440)
    assert tab.simulation.scenario.rules.cohesion.weight > 0.0
