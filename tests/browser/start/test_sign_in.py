"""Opening the printed address in another tab and in another browser."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.tab import Tab


def test_the_printed_address_opens_again_where_the_cookie_is_and_elsewhere_says_what_to_do(
    tab: Tab, browser: Browser
) -> None:
    used = f"{tab.live.origin}/?token={tab.live.token}"
    other = tab.page.context.new_page()
    other.goto(used)
    other.wait_for_function("() => globalThis.murmura?.epoch >= 0")
    assert other.url == tab.live.origin + "/"
    other.close()
    stranger = browser.new_context().new_page()
    answer = stranger.goto(used)
    assert answer is not None and answer.status == 403
    assert "press Enter in the terminal" in stranger.locator("main").inner_text()
    stranger.goto(f"{tab.live.origin}/?token={tab.live.app.renew()}")
    stranger.wait_for_function("() => globalThis.murmura?.epoch >= 0")
    stranger.context.close()
