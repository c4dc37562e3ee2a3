"""One server for all tests of a module; each test has its own flock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from murmura.view.server import app as server
from murmura.view.session.session import Session

from .live import Live, Page, flock


@pytest.fixture(scope="module")
def built_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A minimal page, because the real one may not be built where tests run."""
    folder = tmp_path_factory.mktemp("static")
    (folder / "assets").mkdir()
    (folder / "index.html").write_text("<!doctype html><title>flock</title>")
    (folder / "compare.html").write_text("<!doctype html><title>two flocks</title>")
    (folder / "notebook.js").write_text("export default { render() {} };")
    (folder / "assets" / "index.js").write_text("let flock;")
    (folder.parent / "secret.txt").write_text("secret")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "STATIC", folder)
        yield folder


@pytest.fixture(scope="module")
def live(built_page: Path) -> Iterator[Live]:
    with Live(Session(flock(), seed=7, backend="reference")) as found:
        yield found


@pytest.fixture
def page(live: Live) -> Iterator[Page]:
    with live.page() as found:
        yield found
