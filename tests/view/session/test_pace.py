"""The pace of the live view: the scenario's display speed, the longest frame, and a world that follows the window."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.cli.compare import compare
from murmura.cli.live import live
from murmura.core.errors import ScenarioError
from murmura.view.compare import Pair, SyncedSession
from murmura.view.notebook import show
from murmura.view.session.session import Session
from tests.view.live import flock

DOCUMENTS = ("classic", "roadmap", "starlings", "insects", "fish", "fireflies", "locusts", "emergent")
"""Scenarios that follow a document exactly."""


def session(speed: float | None = None, **values: Any) -> Session:
    """A flock whose steps take almost no time."""
    found = Session(flock(5).with_values(values), 1, "reference", speed=speed)
    found.pacing._step_seconds = 1e-9
    return found


def tell(to: Session, **message: Any) -> list[str]:
    reasons: list[str] = []
    to.submit(message, reasons.append)
    while to._run_commands():
        pass
    return reasons


# S2-51, decision 25
def test_the_live_view_runs_at_the_scenarios_own_speed() -> None:
    plain = session()
    assert (plain.speed, plain.hello()["speed"]) == (1.0, 1.0)
    for _ in range(60):
        plain._advance(1 / 60)
        plain.pacing._step_seconds = 1e-9
    assert plain.simulation.step_count == 60
    quick = session(**{"display.speed": 3.0})
    assert quick.speed == 3.0
    for _ in range(20):
        quick._advance(1 / 60)
        quick.pacing._step_seconds = 1e-9
    assert quick.simulation.step_count == 60
    assert session(2.5, **{"display.speed": 3.0}).speed == 2.5, "unless a speed was asked for"


# S2-51
@pytest.mark.parametrize("command", [live, compare, show])
def test_no_command_has_a_speed_of_its_own(command: Any) -> None:
    assert inspect.signature(command).parameters["speed"].default is None


# S2-51, decision 25
@pytest.mark.parametrize("name", DOCUMENTS)
def test_scenarios_that_follow_a_document_run_at_1x(name: str) -> None:
    assert mm.load_scenario(name).display.speed == 1.0


def test_another_scenario_brings_its_own_speed() -> None:
    to = session()
    other = flock(5).with_values({"display.speed": 4.0}).model_dump(mode="json")
    assert tell(to, type="load", scenario=other) == []
    assert to.speed == to.pacing._clock.speed == 4.0
    asked = session(2.0)
    tell(asked, type="load", scenario=other)
    asked._follow_scene()
    assert asked.speed == 2.0
    # All at once and in order: a speed that is set after loading wins.
    for message in ({"type": "load", "scenario": other}, {"type": "speed", "value": 1.5}):
        to.submit(message, pytest.fail)
    while to._run_commands():
        pass
    to._follow_scene()
    assert to.speed == 1.5
    tell(to, type="speed", value=7.0)
    tell(to, type="reset")
    to._follow_scene()
    assert to.speed == 7.0, "the same flock anew is no other scenario"


def test_two_side_by_side_share_the_left_ones_speed() -> None:
    left, right = (
        SyncedSession(flock(5).with_values({"display.speed": speed}), 1, "reference", None, None)
        for speed in (3.0, 5.0)
    )
    Pair(left, right)
    assert left.speed == right.speed == 3.0


# S0-32
@pytest.mark.parametrize("frame", [0.1, 0.2, 5.0])
def test_a_long_frame_of_the_live_view_counts_as_a_tenth_of_a_second(frame: float) -> None:
    to = session()
    assert to._advance(frame) == 6


# S1-2
def test_the_world_follows_the_window() -> None:
    to = session()
    before = to.simulation
    tell(to, type="step", count=3)
    assert tell(to, type="window", width=700.0, height=420.0) == []
    assert (to.scenario.world.width, to.scenario.world.height) == (700.0, 420.0)
    assert to.simulation is before and to.simulation.step_count == 3, "the flock goes on"
    assert (to.simulation.positions < [700.0, 420.0]).all()
    told = to.scene.record()["actions"][-1]
    assert told == {"step": 3, "type": "window", "width": 700.0, "height": 420.0}
    again = Session(flock(5), 1, "reference")
    tell(again, type="step", count=3)
    again.scene.carry_out(told)
    np.testing.assert_array_equal(again.simulation.positions, to.simulation.positions)


@pytest.mark.parametrize(
    "size", [{"width": 60.0, "height": 500.0}, {"width": "700", "height": 1}, {"width": 700.0}, {}]
)
def test_a_window_too_small_for_the_flock_changes_nothing(size: dict[str, Any]) -> None:
    to = session()
    (reason,) = tell(to, type="window", **size)
    assert "perception.radius" in reason or "must be a number" in reason
    assert to.scenario.world == flock(5).world


def test_values_of_a_species_change_in_a_running_flock() -> None:
    to = Session(mm.load_scenario("mixed").with_values({"agents": 20}), 1, "reference")
    tell(to, type="step", count=2)
    value = {"species.0.values.rules.alignment.weight": 3.5}
    assert tell(to, type="set", values=value) == []
    assert to.simulation.step_count == 2, "it goes on"
    assert to.scenario.of_species(0).rules.alignment.weight == 3.5
    assert tell(to, type="set", values={"species.0.share": 5.0}) == []
    assert to.simulation.step_count == 0, "who there is, is decided at the start"


# S1-2, S1-14
def test_classic_fills_the_window_and_leaves_no_trails() -> None:
    display = mm.load_scenario("classic").display
    assert display.follow_window and not display.trails
    assert mm.load_scenario("starlings").display.trails and not mm.Scenario().display.follow_window
    with pytest.raises(ScenarioError, match=r"display.speed must be .* 16"):
        mm.Scenario().with_values({"display.speed": 17.0})
