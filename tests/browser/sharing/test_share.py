"""Sharing with a class: visitors with the class code can only watch; the host can change the flock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from murmura.view.server import files
from murmura.view.session.session import Session
from tests.browser.tab import PLAIN, VISITED, WATCH, Tab
from tests.view.live import PATIENCE, Live, flock

CODE = "KMP234"


@pytest.fixture
def shared(built: None) -> Iterator[Live]:
    """Serves what `murmura live --share` serves, on this machine only."""
    with Live(Session(flock(20), seed=7, backend="reference"), CODE) as found:
        yield found


def opened(browser: Browser, address: str) -> Page:
    context = browser.new_context(viewport={"width": 960, "height": 640})
    context.set_default_timeout(1000.0 * PATIENCE)
    for script in (WATCH, PLAIN, VISITED):
        context.add_init_script(script)
    page = context.new_page()
    page.goto(address)
    return page


def test_visitors_watch_and_the_host_controls(shared: Live, browser: Browser) -> None:
    session = shared.session
    session.submit({"type": "pause"}, pytest.fail)
    session.ask(lambda: None).result(PATIENCE)
    begun = session.simulation.step_count
    visitor = opened(browser, shared.origin)
    host = opened(browser, f"{shared.origin}/?token={shared.app.renew()}")
    try:
        visitor.get_by_label("Class code").fill(CODE.lower())
        visitor.get_by_label("Class code").press("Enter")
        for page in (visitor, host):
            page.wait_for_function("() => globalThis.murmura?.drawn === 20")
        assert "visitor" in str(visitor.locator("body").get_attribute("class"))
        for offer in ("#preset", "#agents", "[data-group=play]"):
            assert host.locator(offer).is_visible() and not visitor.locator(offer).is_visible(), offer
        # Keys and clicks of a visitor do nothing, and neither do messages sent by hand.
        visitor.keyboard.press("Space")
        visitor.keyboard.press("2")
        visitor.mouse.click(480, 300)
        visitor.get_by_text("You are a visitor").first.wait_for()
        for message in ({"type": "play"}, {"type": "set", "values": {"agents": 3}}):
            visitor.evaluate("(message) => { sockets[0].send(JSON.stringify(message)); }", message)
        visitor.wait_for_function("() => heard.error")
        host.keyboard.press(".")  # a step after all of that
        visitor.wait_for_function("(step) => murmura.step === step", arg=begun + 1)
        assert (session.running, session.simulation.agent_count) == (False, 20)
        visitor.keyboard.press("v")  # display settings work for visitors
        visitor.wait_for_function("() => murmura.looks.vision")
        assert host.evaluate("murmura.looks.vision") is False
    finally:
        for page in (visitor, host):
            page.context.close()


def test_a_wrong_code_is_refused(shared: Live, browser: Browser) -> None:
    stranger = opened(browser, shared.origin)
    try:
        stranger.get_by_label("Class code").fill("KMP235")
        stranger.get_by_label("Class code").press("Enter")
        stranger.wait_for_url("**/?code=KMP235")
        assert stranger.get_by_label("Class code").is_visible()
        assert stranger.evaluate("globalThis.murmura") is None
    finally:
        stranger.context.close()


def test_share_is_one_button_and_says_what_became_of_it(tab: Tab) -> None:
    tab.still(flock(20))
    share = tab.page.get_by_role("button", name="Share", exact=True)
    sheet = tab.page.get_by_role("dialog", name="Share")
    share.click()
    with tab.page.expect_download() as waiting:
        sheet.get_by_role("button", name="Picture").click()
    tab.page.get_by_text(f"{waiting.value.suggested_filename} was saved").wait_for()
    tab.page.locator("#flock").focus()
    tab.page.keyboard.press("X")
    sheet.get_by_role("button", name="Link").click()
    sheet.get_by_text("Link copied. It works on this computer only").wait_for()
    assert tab.page.evaluate("() => navigator.clipboard.readText()") == tab.page.url
    with pytest.MonkeyPatch.context() as patch, tab.page.expect_download() as waiting:
        patch.setattr(files, "page_of", lambda *_: b"<!doctype html>a page")  # exporting one takes seconds
        sheet.get_by_role("button", name="Page").click()
    assert waiting.value.suggested_filename == "classic.html"
    sheet.get_by_text("classic.html was saved").wait_for()
    sheet.get_by_role("button", name="Clip").click()
    tab.page.get_by_role("group", name="Clip").get_by_text("0:01").wait_for()
    with tab.page.expect_download():
        tab.page.get_by_role("button", name="Stop and save").click()
