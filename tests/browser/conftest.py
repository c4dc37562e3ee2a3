"""One server and one browser for all tests; each test has its own tab."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from murmura.view.server import app as server
from murmura.view.session.session import Session
from tests.view.live import PATIENCE, Live, flock

from .tab import FLAGS, PLAIN, STROKES, VISITED, WATCH, Tab

# The shell has the same engine without windows, menus and their processes, at four fifths of the time.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WEB = Path(server.__file__).parents[1] / "web"
MakeTab = Callable[..., Tab]


Launch = Callable[[list[str]], Browser]


@pytest.fixture(scope="package")
def launch() -> Iterator[Launch]:
    """Starts a browser with some flags.

    Playwright keeps its own event loop running: later tests of other packages must not find it.
    """
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        pytest.fail(
            "these tests drive a real browser: `apt-get install chromium-headless-shell` (or run scripts/test as root)"
        )
    with sync_playwright() as playwright:
        yield lambda flags: playwright.chromium.launch(executable_path=path, args=flags)


@pytest.fixture(scope="package")
def browser(launch: Launch) -> Iterator[Browser]:
    found = launch(FLAGS)
    yield found
    found.close()


@pytest.fixture(scope="session")
def built() -> None:
    """Raise if the built page is older than its sources."""
    page = server.STATIC / "index.html"
    sources = [*(WEB / "src").rglob("*"), WEB / "index.html", WEB / "vite.config.ts"]
    newest = max(path.stat().st_mtime for path in sources)
    if not page.exists() or page.stat().st_mtime < newest:
        pytest.fail(f"the page is not built: run `npm install && npm run build` in {WEB}")


@pytest.fixture(scope="package")
def live(built: None) -> Iterator[Live]:
    with Live(Session(flock(), seed=7, backend="reference")) as found:
        yield found


VIEWPORT: ViewportSize = {"width": 960, "height": 540}  # of the same shape as the world of `flock`


def _new_page(browser: Browser, live: Live, gl: bool, first_visit: bool, options: dict[str, Any]) -> Page:
    context = browser.new_context(**{"viewport": VIEWPORT, "color_scheme": "dark"} | options)
    context.set_default_timeout(1000.0 * PATIENCE)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live.origin)
    name, _, value = live.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": live.origin}])
    for script in (WATCH, STROKES, *(() if gl else (PLAIN,)), *(() if first_visit else (VISITED,))):
        context.add_init_script(script)
    return context.new_page()


@pytest.fixture
def fresh(live: Live) -> None:
    """A new flock, paused: pictures are expensive without a GPU."""
    for message in (
        {"type": "load", "scenario": flock().model_dump(mode="json")},
        {"type": "reset", "seed": 7},
        {"type": "speed", "value": 1.0},
        {"type": "pointer", "x": 0, "y": 0, "mode": "none"},
        {"type": "select", "id": None},
        {"type": "pause"},
    ):
        live.session.submit(message, pytest.fail)
    live.session.ask(lambda: None).result(
        PATIENCE
    )  # wait until all of it is done: no test may start with the previous flock


@pytest.fixture
def make_tab(browser: Browser, live: Live, fresh: None) -> Iterator[MakeTab]:
    """Makes tabs on a new flock, in new pages: for tests that need their own scripts, clock or touch input."""
    tabs: list[Tab] = []

    def make(gl: bool = True, first_visit: bool = False, **options: Any) -> Tab:
        tab = Tab(_new_page(browser, live, gl, first_visit, options), live)
        tabs.append(tab)
        return tab

    yield make
    for tab in tabs:
        tab.close()


@pytest.fixture(scope="package")
def pool() -> dict[str, list[Page]]:
    """Pages that no test is using, by the options that cannot be changed later."""
    return {}


@pytest.fixture
def lend_tab(browser: Browser, live: Live, fresh: None, pool: dict[str, list[Page]]) -> Iterator[MakeTab]:
    """Like `make_tab`, but reuses pages of earlier tests: a new one costs four times as much."""
    lent: list[tuple[str, Tab]] = []

    def lend(
        gl: bool = True,
        first_visit: bool = False,
        viewport: ViewportSize = VIEWPORT,
        color_scheme: Literal["dark", "light"] = "dark",
        **options: Any,
    ) -> Tab:
        kind = repr((gl, first_visit, options))
        free = pool.setdefault(kind, [])
        page = free.pop() if free else _new_page(browser, live, gl, first_visit, options)
        page.emulate_media(color_scheme=color_scheme)
        if page.viewport_size != viewport:
            page.set_viewport_size(viewport)
        lent.append((kind, Tab(page, live)))
        return lent[-1][1]

    yield lend
    for kind, tab in lent:
        tab.leave()  # do not reuse a page in which something failed
        pool[kind].append(tab.page)


@pytest.fixture
def gl_tab(lend_tab: MakeTab) -> Tab:
    """With WebGL2, rendered in software: for tests that look at the flock itself."""
    return lend_tab().open()


@pytest.fixture
def tab(lend_tab: MakeTab) -> Tab:
    """Without WebGL2, at a tenth of the time: for tests that do not look at the flock itself."""
    return lend_tab(gl=False).open()
