"""The osprey hovers over its target for a while before it plunges."""

from __future__ import annotations

from .hunter_table import HunterTable

PREY = {"x": 1000.0, "y": 1010.0}


def test_it_hovers_and_then_plunges():
    den = HunterTable({"kind": "osprey"})
    den.begin("scanning", x=1000.0, y=1000.0)
    den.turn(seen=30, center=(1000.0, 1100.0), best=(1.0, 4))
    den.turn(seen=30, center=(1000.0, 1100.0), best=(1.0, 4), prey=PREY)
    assert den.state() == "stalking"
    turns = 0
    while den.state() == "stalking":
        den.put(x=1000.0, y=1000.0)
        den.turn(seen=30, center=(1000.0, 1100.0), prey=PREY)
        turns += 1
        assert turns < 100
    assert den.state() == "attacking" and 60 <= turns <= 62, "a second of sixty turns over the fish"


def test_it_catches_what_it_reaches():
    den = HunterTable({"kind": "osprey"})
    den.begin("attacking", x=1000.0, y=1000.0, target=4)
    den.turn(seen=30, prey=PREY)
    assert den.state() == "recovering" and den.get("catches") == 1.0


def test_a_fish_that_is_gone_is_given_up():
    den = HunterTable({"kind": "osprey"})
    den.begin("stalking", x=1000.0, y=1000.0, target=4)
    den.turn(seen=30)
    assert den.state() == "idle" and den.get("failed_hunts") == 1.0
