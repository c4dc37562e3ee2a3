"""Until a page has painted a new flock, no kernel is built and nothing is measured, for a limited time."""

from __future__ import annotations

import pytest

from murmura.view.session.first_picture import FirstPicture
from murmura.view.session.session import Session
from murmura.view.session.subscriber import Subscriber
from tests.view.live import PATIENCE, flock, until


def test_it_ends_when_the_new_flock_is_painted_or_patience_ends():
    now = 10.0
    picture = FirstPicture(lambda: now)
    assert not picture.is_awaited(1)  # no page is expected
    picture.patience = 1.5
    assert picture.is_awaited(2)
    picture.painted(7)  # of the previous flock
    picture.published(8)
    picture.published(9)
    assert picture.is_awaited(2)
    picture.painted(8)
    assert not picture.is_awaited(2)
    assert picture.is_awaited(3)  # another flock
    now += 1.5
    assert not picture.is_awaited(3)


def test_a_flock_beside_another_waits_for_both():
    left, right = FirstPicture(lambda: 10.0), FirstPicture(lambda: 10.0)
    left.patience = right.patience = 1.5
    left.others = (right,)
    assert right.is_awaited(1)
    left.is_awaited(1)
    left.published(1)
    left.painted(1)
    assert left.is_awaited(1)
    right.published(1)
    right.painted(1)
    assert not left.is_awaited(1)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_kernel_and_measures_wait_for_the_page(backend: str, monkeypatch: pytest.MonkeyPatch):
    """The reference needs no kernel, so that it is measured at once."""
    begun: list[str] = []
    session = Session(flock(), seed=7, backend=backend)
    monkeypatch.setattr(session._editor, "build_if_needed", lambda: begun.append("cpu"))
    monkeypatch.setattr(session.watch.observer, "observe", lambda simulation, now: begun.append("reference"))
    session.first_picture.patience = 1e6
    session.open()
    try:
        page = Subscriber(session, lambda: None)
        page.open()
        until(lambda: any(isinstance(message, bytes) for message in page.updates()))
        for _ in range(3):  # iterations of the session
            session.ask(lambda: None).result(PATIENCE)
        assert session.status["compiling"] == (backend == "cpu")  # so the page shows what it is waiting for
        assert not begun
        page.receive('{"type": "ready"}')
        until(lambda: backend in begun)
    finally:
        session.close()
