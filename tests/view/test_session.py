"""A session without a server: what the hand may not change, and what a broken run does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import murmura as mm
from murmura.core.algebra import where
from murmura.core.rule import REGISTRY, register_rule
from murmura.view.session import Session

from .live import Live, flock, until


def obey(session: Session, *messages: dict[str, Any]) -> list[str]:
    """Carry commands out here and now; return the reasons of those that were refused."""
    reasons: list[str] = []
    for message in messages:
        session.submit(message, reasons.append)
    while session._obey():
        pass
    return reasons


def test_the_fast_backend_shows_the_same_bits_as_a_plain_run():
    session = Session(flock(100), 5, "cpu")
    assert obey(session, {"type": "step", "count": 30}) == []
    plain = mm.Simulation(flock(100), 5, "cpu")
    plain.step(30)
    assert session.simulation.state_hash() == plain.state_hash()


def test_attractors_that_are_switched_off_stay_off():
    points = [{"x": 800.0, "y": 450.0, "strength": 5.0, "radius": 2000.0}]
    quiet = flock(60).with_values({"rules.attractors.points": points, "rules.attractors.enabled": False})
    for scenario in (quiet, quiet.with_values({"rules.attractors.enabled": True})):
        session = Session(scenario, 5, "reference")
        obey(session, {"type": "step", "count": 10})
        plain = mm.Simulation(scenario, 5, "reference")
        plain.step(10)
        assert session.simulation.state_hash() == plain.state_hash()


def test_a_selected_agent_that_dies_is_let_go():
    session = Session(flock(10), 1, "reference")
    obey(session, {"type": "select", "id": 4})
    session._inspect()
    assert session.inspection is not None and session.inspection["id"] == 4
    session.simulation.remove_agents([4])
    session._inspect()
    assert session.inspection == {"type": "inspect", "id": None}


def test_picking_in_an_empty_world_picks_nobody():
    session = Session(flock(0), 1, "reference")
    assert obey(session, {"type": "pick", "x": 1, "y": 1}, {"type": "step", "count": 2}) == []
    session._publish_status()
    assert session.status["agents"] == 0
    assert session.inspection is None


@pytest.fixture
def fuse() -> Iterator[None]:
    known = dict(REGISTRY)

    class Fuse(mm.Rule):
        """Fine for a while, then not a number."""

        burns_at: float = 20.0

        @staticmethod
        def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
            return where(world.step < p.burns_at, 0.0 * me.hx, float("nan")), 0.0 * me.hy

    register_rule("fuse")(Fuse)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)


# R17
@pytest.mark.usefixtures("fuse", "built_page")
def test_a_flock_that_breaks_down_is_told_and_begins_anew():
    live = Live(Session(flock(10).with_values({"rules.fuse.burns_at": 20.0}), 1, "reference"))
    live.open()
    try:
        with live.page() as page:
            error = page.wait("error")
            assert error["about"] == "run" and "step 21" in error["message"]
            status = page.status()
            assert (status["running"], status["step"]) == (False, 0)
            # The same by hand, and the session lives on.
            assert page.ask("step", count=20)["step"] == 20
            page.newest.pop("error")
            page.send("step", count=5)
            assert "step 21" in page.wait("error")["message"]
            assert page.ask("step", count=3)["step"] == 3
        until(lambda: not live.session._listeners)
        with live.page() as late:
            late.status()
            assert "error" not in late.newest  # told once, not to those who come later
    finally:
        live.close()
