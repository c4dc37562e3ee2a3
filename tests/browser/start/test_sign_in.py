"""Opening the printed address in another tab and in another browser."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.tab import PLAIN, Tab
from tests.cli.terminal import MURMURA, environment, started
from tests.view.live import PATIENCE

SHOWN = "() => globalThis.murmura?.epoch >= 0"


def test_the_printed_address_opens_again_where_the_cookie_is_and_elsewhere_says_what_to_do(
    tab: Tab, browser: Browser
) -> None:
    used = f"{tab.live.origin}/?token={tab.live.token}"
    other = tab.page.context.new_page()
    other.goto(used)
    other.wait_for_function(SHOWN)
    assert other.url == tab.live.origin + "/"
    other.close()
    stranger = browser.new_context().new_page()
    answer = stranger.goto(used)
    assert answer is not None and answer.status == 403
    assert "press Enter in the terminal" in stranger.locator("main").inner_text()
    stranger.goto(f"{tab.live.origin}/?token={tab.live.app.renew()}")
    stranger.wait_for_function(SHOWN)
    stranger.context.close()


class Terminal:
    """A terminal in which somebody has started `murmura live`."""

    def __init__(self, keyboard: int) -> None:
        self._keyboard = keyboard
        self._printed = ""

    def press_enter(self) -> None:
        os.write(self._keyboard, b"\n")

    def next_address(self) -> str:
        """Read on until an address has been printed that was not yet told."""
        while not (found := re.search(r"murmura: (http://\S+)\r?\n", self._printed)):
            assert select.select([self._keyboard], [], [], PATIENCE)[0], f"no address in {self._printed!r}"
            self._printed += os.read(self._keyboard, 4096).decode()
        self._printed = self._printed[found.end() :]
        return found[1]


@pytest.fixture
def terminal(built: None, tmp_path: Path) -> Iterator[Terminal]:
    keyboard, screen = pty.openpty()
    words = ["live", "classic", "--agents", "20", "--backend", "reference", "--no-open"]
    ends = {"stdin": screen, "stdout": screen, "stderr": screen}
    with started(*MURMURA, *words, cwd=tmp_path, env=environment(), **ends) as process:
        os.close(screen)
        yield Terminal(keyboard)
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    os.close(keyboard)


def _opened(browser: Browser, address: str) -> Page:
    """In a browser that has no cookie."""
    context = browser.new_context(viewport={"width": 400, "height": 300})
    context.set_default_timeout(1000.0 * PATIENCE)
    context.add_init_script(PLAIN)
    page = context.new_page()
    page.goto(address)
    return page


def test_enter_in_the_terminal_prints_an_address_for_another_browser(
    terminal: Terminal, browser: Browser
) -> None:
    first = terminal.next_address()
    one, two = (_opened(browser, first) for _ in range(2))
    one.wait_for_function("() => globalThis.murmura?.drawn === 20")
    assert "press Enter in the terminal" in two.locator("main").inner_text()
    terminal.press_enter()
    fresh = terminal.next_address()
    assert fresh != first
    two.goto(fresh)
    two.wait_for_function("() => globalThis.murmura?.drawn === 20")
    for page in (one, two):
        page.context.close()
