"""Back in time: the flock of an earlier step is the one that was there, bit for bit, and a branch can be undone."""

from __future__ import annotations

from typing import Any

import pytest

from murmura.core.errors import ScenarioError
from murmura.scenario import load_scenario
from murmura.view.session.editing.changes import change_of
from murmura.view.session.observing.event_feed import EventFeed
from murmura.view.session.past import MEMORY, Past
from murmura.view.session.scene import Scene

CHANGES: dict[int, dict[str, Any]] = {
    30: {"type": "set", "values": {"rules.alignment.weight": 0.0}},
    75: {"type": "place", "kind": "circle", "x": 300.0, "y": 300.0, "radius": 40.0},
    110: {"type": "pointer", "x": 200.0, "y": 200.0, "mode": "attract"},
    140: {"type": "pointer", "x": 0.0, "y": 0.0, "mode": "none"},
}


class Watched:
    """A scene that is stepped and changed as a session does it, with the hash of every step."""

    def __init__(self, name: str = "classic", memory: int = MEMORY, **values: Any) -> None:
        self.scene = Scene(load_scenario(name).with_values({"agents": 60, **values}), 5, "reference")
        self.feed = EventFeed()
        self.past = Past(self.scene, self.feed, memory)
        self.hashes: dict[int, str] = {}
        self.hashes_before: dict[int, str] = {}
        self.clock = 100.0
        self.watch()

    def watch(self) -> None:
        self.clock += 0.1
        self.feed.add(self.scene.epoch, self.scene.simulation.events())
        self.past.keep(self.clock)

    def fly(self, to: int, changes: dict[int, dict[str, Any]] | None = None) -> None:
        while (step := self.scene.simulation.step_count) < to:
            if changes and step in changes:
                self.change(changes[step])
            self.hashes[step] = self.scene.simulation.state_hash()
            self.scene.step()
            self.watch()
        self.hashes[to] = self.scene.simulation.state_hash()

    def change(self, message: dict[str, Any]) -> None:
        self.scene.apply(change_of(self.scene, message))
        self.watch()

    def seek(self, step: int) -> str:
        self.scene.step(self.past.seek(step))
        self.watch()
        assert self.scene.simulation.step_count == step
        return self.scene.simulation.state_hash()


def test_every_earlier_step_is_exact_and_playing_on_repeats_the_actions() -> None:
    seen = Watched()
    seen.fly(160, CHANGES)
    actions = list(seen.scene.actions)
    known = dict(seen.hashes)
    for step in (133, 12, 76, 0, 159, 111):
        assert seen.seek(step) == known[step]
        assert seen.past.is_back
    assert seen.scene.pointer is not None  # at step 111 the hand was there
    assert seen.seek(76) == known[76]
    seen.fly(160)
    assert {step: seen.hashes[step] for step in known} == known
    assert seen.scene.actions == actions
    assert not seen.past.is_back
    seen.fly(165)
    assert seen.past.time_line() == {"first": 0, "last": 165, "at": 165, "back": False, "left": False}


def test_a_change_in_the_past_starts_a_branch_that_can_be_undone() -> None:
    seen = Watched()
    seen.fly(160, CHANGES)
    before, log = seen.scene.simulation.state_hash(), list(seen.scene.actions)
    seen.hashes_before = dict(seen.hashes)
    seen.seek(50)
    seen.change({"type": "set", "values": {"rules.cohesion.weight": 0.0}})
    assert not seen.past.is_back
    assert seen.past.time_line()["left"] is True
    seen.fly(90)
    branch = seen.scene.simulation.state_hash()
    assert branch != seen.hashes[160]
    assert seen.scene.scenario.rules.cohesion.weight == 0.0
    seen.past.turn_back()
    assert seen.scene.simulation.state_hash() == before
    assert seen.scene.simulation.step_count == 160
    assert seen.scene.actions == log
    assert seen.scene.scenario.rules.cohesion.weight > 0.0
    seen.watch()
    assert seen.seek(140) == seen.hashes_before[140]
    seen.past.turn_back()  # to 160
    seen.past.turn_back()  # to the branch again
    assert seen.scene.simulation.state_hash() == branch


def test_births_deaths_and_events_after_it_have_not_happened() -> None:
    seen = Watched("scarcity")
    seen.fly(14)
    tree = seen.scene.simulation.lineage()
    totals = seen.feed.totals
    seen.seek(5)
    back = seen.scene.simulation.lineage()
    assert len(back) == (tree.born <= 5).sum()
    assert back.alive.sum() == seen.scene.simulation.agent_count
    seen.fly(14)
    again = seen.scene.simulation.lineage()
    for name in ("ids", "born", "died", "causes", "mothers"):
        assert (getattr(again, name) == getattr(tree, name)).all()
    assert seen.feed.totals == totals
    assert totals


def test_moments_stay_within_their_memory_and_the_oldest_goes_first() -> None:
    seen = Watched(memory=20_000)
    seen.fly(900)
    kept = seen.past._moments
    assert 2 <= len(kept) < 9
    assert sum(each.bytes for each in kept) <= 20_000
    first = seen.past.time_line()["first"]
    assert 0 < first == kept[0].step
    assert seen.seek(first) == seen.hashes[first]
    assert seen.past.seek(0) == 0  # not farther than that
    assert seen.scene.simulation.step_count == first


def test_who_changes_something_in_the_past_does_not_hold_the_hand_of_then() -> None:
    seen = Watched()
    seen.fly(160, CHANGES)
    seen.seek(120)
    seen.change({"type": "set", "values": {"rules.cohesion.weight": 0.5}})
    assert seen.scene.pointer is None


def test_another_flock_has_no_past() -> None:
    seen = Watched()
    seen.fly(60)
    seen.change({"type": "reset", "seed": 9})
    assert seen.past.time_line() == {"first": 0, "last": 0, "at": 0, "back": False, "left": False}
    with pytest.raises(ScenarioError, match="the present already"):
        seen.past.turn_back()
