"""Each command of the protocol, sent through a real socket, has its effect."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import murmura as mm
from tests.view.live import Live, Page, flock

HAND = (800.0, 450.0)


def plain(scenario: mm.Scenario, steps: int, seed: int = 7) -> mm.Simulation:
    """The same flock without server, session or pointer."""
    simulation = mm.Simulation(scenario, seed, "reference")
    simulation.step(steps)
    return simulation


def test_hello_holds_all_a_page_needs(page: Page):
    hello = page.wait("hello")
    assert hello["version"] == mm.__version__
    assert [entry["name"] for entry in hello["scenarios"]] == mm.scenario_names()
    assert all(entry["title"] for entry in hello["scenarios"])
    assert hello["species"] == [{"name": "default", "color": "#4cc9f0"}]
    mm.Scenario.from_data(hello["scenario"])
    schema = hello["schema"]
    radius = schema["$defs"]["Perception"]["properties"]["radius"]  # S4-40
    assert radius["unit"] == "u" and radius["slider"] == [5, 200] and radius["exclusiveMinimum"] == 0
    assert {"seed", "running", "speed"} < set(hello)


def test_status_tells_how_it_goes(page: Page):
    page.still(flock(50))
    page.send("play")
    status = page.wait("status", lambda s: s["running"] and s["step"] > 20 and s["steps_per_second"] > 0)
    assert status["time"] == pytest.approx(status["step"] / 60.0)
    assert status["agents"] == 50
    status = page.wait("status", lambda s: s["measures"] and s["hash"])
    assert 0.0 <= status["measures"]["polarization"] <= 1.0
    assert len(status["hash"]) == 12


# S4-10
def test_what_is_shown_is_the_very_flock_that_a_plain_run_computes(page: Page):
    scenario = flock(50)
    assert page.still(scenario) == plain(scenario, 0).state_hash()[:12]
    status = page.ask("step", count=25)
    assert (status["step"], status["hash"]) == (25, plain(scenario, 25).state_hash()[:12])
    shown = page.seen_at(25)
    assert shown.positions == pytest.approx(plain(scenario, 25).positions, abs=0.05)


def test_pause_stops_and_play_continues(page: Page):
    page.still(flock(50))
    page.send("play")
    page.wait("status", lambda status: status["step"] > 5)
    page.send("pause")
    stopped = page.wait("status", lambda status: not status["running"])
    later = [page.status() for _ in range(4)]
    assert {(s["step"], s["hash"], s["running"], s["steps_per_second"]) for s in later} == {
        (stopped["step"], stopped["hash"], False, 0.0)
    }
    page.send("play")
    page.wait("status", lambda status: status["step"] > stopped["step"] and status["running"])


@pytest.mark.parametrize("count", [1, 2, 17, 60])
def test_step_advances_by_so_many(count: int, page: Page):
    page.still(flock(20))
    assert page.ask("step", count=count)["step"] == count
    assert page.ask("step")["step"] == count + 1  # one by default
    assert page.seen_at(count + 1).step == count + 1


def test_quick_single_steps_while_paused_are_all_shown(page: Page):
    """The last of many quick steps is drawn, although each came before the previous frame was due."""
    page.still(flock(20))
    for _ in range(9):
        page.send("step")
    assert page.seen_at(9).count == 20


def test_step_pauses_a_running_flock(page: Page):
    page.still(flock(20))
    page.send("play")
    page.wait("status", lambda status: status["running"] and status["step"] > 0)
    assert page.ask("step")["running"] is False


def test_speed_changes_how_much_time_passes(page: Page):
    """Eight times the speed gives eight times the simulated time per frame."""
    page.still(flock(5))
    page.send("speed", value=8)
    page.send("play")
    fast = page.wait("status", lambda s: s["running"] and s["speed"] == 8 and s["step"] > 200)
    page.send("speed", value=0.1)
    slow = page.wait("status", lambda s: s["speed"] == 0.1)
    later = page.wait("status", lambda s: s["speed"] == 0.1 and s["step"] > slow["step"])
    assert later["step"] - slow["step"] <= 20 < fast["step"]
    for value in (0, -1, 17, 1e9, "fast", None, True):
        assert "value must be a number from 0.05 to 16" in page.refusal("speed", value=value)


def test_reset_with_the_same_seed_gives_the_same_flock(page: Page):
    page.still(flock(40))
    first = page.ask("step", count=15)
    epoch = page.seen_at(15).epoch
    page.newest.pop("hello", None)
    page.send("reset", seed=None)
    assert page.wait("hello")["seed"] == 7
    assert page.seen_at(0).epoch > epoch
    again = page.ask("step", count=15)
    assert (again["step"], again["hash"]) == (15, first["hash"])
    page.send("reset", seed=99)
    assert page.wait("hello")["seed"] == 99
    other = page.ask("step", count=15)
    assert other["hash"] == plain(flock(40), 15, seed=99).state_hash()[:12] != first["hash"]
    page.send("reset", seed=7)
    assert page.ask("step", count=15)["hash"] == first["hash"]


def test_load_by_name_and_by_value(page: Page):
    page.send("pause")
    page.newest.clear()
    page.send("load", scenario="fish")
    hello = page.wait("hello", lambda hello: hello["scenario"]["name"] == "fish")
    assert hello["scenario"] == mm.load_scenario("fish").model_dump(mode="json")
    own = mm.load_scenario("mixed").with_values({"agents": 30})
    page.send("load", scenario=own.model_dump(mode="json"))
    hello = page.wait("hello", lambda hello: hello["scenario"]["name"] == "mixed")
    assert [kind["name"] for kind in hello["species"]] == list(own.species_names())
    status = page.ask("step", count=3)
    assert status["hash"] == plain(own, 3).state_hash()[:12]


# S4-39, S4-40, S4-41
def test_set_changes_the_scenario_and_how_the_flock_behaves(page: Page):
    page.still(flock(80))
    page.send("set", values={"rules.alignment.weight": 2.5, "perception.radius": 70.0})
    told = page.wait("values")["values"]
    assert told == {"rules.alignment.weight": 2.5, "perception.radius": 70.0}
    changed = flock(80).with_values({"rules.alignment.weight": 2.5, "perception.radius": 70.0})
    status = page.ask("step", count=10)
    assert status["hash"] == plain(changed, 10).state_hash()[:12] != plain(flock(80), 10).state_hash()[:12]
    # Between two steps of the same flock, a whole rule:
    page.send("set", values={"rules.cohesion.enabled": False})
    page.wait("values", lambda message: message["values"].get("rules.cohesion.enabled") is False)
    other = plain(changed, 10)
    other.retune({"rules.cohesion.enabled": False})
    other.step(5)
    status = page.ask("step", count=5)
    assert (status["step"], status["hash"]) == (15, other.state_hash()[:12])


def test_set_agents_restarts_with_that_many(page: Page):
    page.still(flock(20))
    page.send("step", count=5)
    page.newest.pop("hello", None)
    page.send("set", values={"agents": 33})
    assert page.wait("hello")["scenario"]["agents"] == 33
    status = page.status()
    assert (status["step"], status["agents"]) == (0, 33)
    assert page.seen_at(0).count == 33
    assert page.ask("step", count=5)["hash"] == plain(flock(33), 5).state_hash()[:12]


def test_a_change_that_makes_no_sense_changes_nothing(page: Page, live: Live):
    before = page.still(flock(20)), live.session.scenario
    assert "did you mean 'rules.alignment.weight'" in page.refusal(
        "set", values={"rules.alignment.wieght": 1}
    )
    assert "must be <=" in page.refusal("set", values={"agents": 10**12})
    assert "up to 2,000,000" in page.refusal(
        "set", values={"agents": 3_000_000, "world.width": 1e5, "world.height": 1e5}
    )
    assert "perception.radius must be > 0" in page.refusal(
        "set", values={"agents": 5, "perception.radius": -1}
    )
    assert "values must be paths" in page.refusal("set", values=[1, 2])
    assert (page.status()["hash"], live.session.scenario) == before


def distances(page: Page, mode: str) -> Any:
    """The distances, after a while, of the agents that started near the pointer, by id."""
    page.send("reset", seed=None)
    page.send("pointer", x=HAND[0], y=HAND[1], mode=mode)
    page.send("step", count=40)
    page.status()
    return np.hypot(*(page.seen_at(40).positions - HAND).T)


def test_the_hand_attracts_repels_and_scares(page: Page):
    page.still(flock(300))
    near = np.hypot(*(plain(flock(300), 0).positions - HAND).T) < 150.0
    assert near.sum() > 10
    without = distances(page, "none")
    assert without == pytest.approx(np.hypot(*(plain(flock(300), 40).positions - HAND).T), abs=0.05)
    assert distances(page, "attract")[near].mean() < 0.8 * without[near].mean()
    assert distances(page, "repel")[near].mean() > 1.1 * without[near].mean()
    assert distances(page, "scare")[near].mean() > 1.1 * without[near].mean()
    assert distances(page, "none") == pytest.approx(without, abs=1e-9)
    assert "mode must be attract, repel, scare or none" in page.refusal("pointer", x=1, y=1, mode="love")
    assert "x must be a number" in page.refusal("pointer", x="left", y=1, mode="attract")


# S0-55, S0-56
def test_where_there_is_fear_the_scaring_hand_is_a_predator(page: Page, live: Live):
    starlings = mm.load_scenario("starlings").with_values(
        {"agents": 60, "world.width": 400.0, "world.height": 400.0}
    )
    page.still(starlings)
    page.send("extra", column="panic")
    page.send("pointer", x=200.0, y=200.0, mode="scare")
    page.send("step", count=1)
    frame = page.wait("frame", lambda frame: frame.step == 1 and frame.column == 1)
    from_hand = np.hypot(*(frame.positions - 200.0).T)
    assert frame.extra[from_hand < 30.0].min() > 0.3
    assert frame.extra.max() <= 1.0 and (frame.extra[from_hand > 120.0] < 0.3).all()
    page.send("pointer", x=200.0, y=200.0, mode="none")
    page.send("extra", column="density")
    page.status()
    assert live.session.scenario == starlings  # the pointer is not part of it


def test_pick_selects_the_nearest_also_across_the_edge(page: Page):
    page.still(flock(120))
    positions = plain(flock(120), 0).positions.astype(np.float64)
    size = np.array([1600.0, 900.0])
    for place in ([300.0, 300.0], [1599.9, 450.0], [0.0, 0.0], [800.0, 899.9]):
        offsets = positions - place
        offsets -= size * np.round(offsets / size)
        page.send("pick", x=place[0], y=place[1])
        nearest = int(np.argmin(np.hypot(*offsets.T)))
        assert page.wait("inspect", lambda found, nearest=nearest: found["id"] == nearest)


# S4-38, S4-69, S4-70
def test_inspect_is_what_the_simulation_explains(page: Page):
    scenario = flock(150)
    page.still(scenario)
    page.send("step", count=6)
    twin = plain(scenario, 6)
    chosen = max(range(150), key=lambda k: len(twin.neighbors(k)))
    page.send("select", id=chosen)
    found = page.wait("inspect", lambda message: message["id"] == chosen)
    expected = json.loads(json.dumps(twin.explain(chosen)))
    places = {int(k): p for k, p in zip(twin.ids, twin.positions, strict=True)}
    assert [n["id"] for n in found["neighbors"]] == expected.pop("neighbors") == list(twin.neighbors(chosen))
    assert len(found["neighbors"]) > 2
    for n in found["neighbors"]:
        assert (n["x"], n["y"]) == pytest.approx(tuple(places[n["id"]]))
    assert found["rules"].pop("attractors")["force"] == [0.0, 0.0]  # the pointer, which does nothing
    expected["rules"].pop("attractors", None)
    assert found["perception"] == {"radius": 50.0, "field_of_view": 360.0}
    assert {key: found[key] for key in expected} == expected
    assert math.hypot(*found["steering"]) > 0.0
    page.send("select", id=None)
    page.wait("inspect", lambda message: message["id"] is None)


def test_a_selection_ends_with_the_flock_it_was_made_in(page: Page):
    page.still(flock(30))
    page.send("select", id=3)
    page.wait("inspect", lambda message: message["id"] == 3)
    page.send("reset", seed=None)
    page.wait("inspect", lambda message: message["id"] is None)
    for wrong in (30, -1, 1.5, "3", True, [3], [], {"a": 1}, 2**70):
        assert page.refusal("select", id=wrong)


@pytest.mark.parametrize(("column", "number"), [("panic", 1), ("energy", 2), ("density", 0)])
def test_extra_chooses_the_column(column: str, number: int, page: Page):
    page.still(flock(10))
    page.send("extra", column=column)
    frame = page.wait("frame", lambda frame: frame.column == number)
    if column == "energy":
        assert (frame.extra == 1.0).all()  # S2-7
    assert "column must be one of density, panic, energy" in page.refusal("extra", column="mood")


# S4-43
def test_obstacles_are_placed_avoided_and_erased(page: Page, live: Live):
    page.still(flock(60))
    page.send("place", kind="circle", x=400, y=300, radius=120)
    page.wait("values", lambda m: len(m["values"]["obstacles"]) == 1)
    page.send("place", kind="wall", points=[[100, 800], [1500, 800]])
    both = page.wait("values", lambda m: len(m["values"]["obstacles"]) == 2)["values"]["obstacles"]
    assert both == [
        {"kind": "circle", "x": 400.0, "y": 300.0, "z": None, "radius": 120.0},
        {"kind": "wall", "points": [[100.0, 800.0], [1500.0, 800.0]]},
    ]
    page.send("step", count=120)
    frame = page.seen_at(120)
    start = np.hypot(*(plain(flock(60), 0).positions - (400, 300)).T)
    assert (np.hypot(*(frame.positions - (400, 300)).T)[start > 120.0] >= 120.0 - 0.1).all()
    # Next to its centre the wall is nearer, although its ends are farther away than the circle's centre.
    page.send("erase", x=800, y=640)
    left = page.wait("values", lambda m: len(m["values"]["obstacles"]) == 1)["values"]["obstacles"]
    assert left[0]["kind"] == "circle"
    page.send("erase", x=0, y=0)
    page.wait("values", lambda m: m["values"]["obstacles"] == [])
    page.send("erase", x=0, y=0)  # nothing to erase, no error
    assert page.status()["step"] == 120


def test_obstacles_that_make_no_sense_are_refused(page: Page, live: Live):
    page.still(flock(20))
    before = live.session.scenario
    for shape in (
        {"kind": "circle", "x": 1, "y": 1},
        {"kind": "circle", "x": 1, "y": 1, "radius": 0},
        {"kind": "circle", "x": 1, "y": 1, "radius": 1e300},
        {"kind": "circle", "x": 1e5, "y": 1, "radius": 5},
        {"kind": "wall", "points": [[1, 1]]},
        {"kind": "wall", "points": "here"},
        {"kind": "wall"},
        {"kind": "moat", "points": [[1, 1], [2, 2]]},
        {},
    ):
        assert page.refusal("place", **shape)
    assert "x must be a number" in page.refusal("erase", x=None, y=1)
    assert live.session.scenario == before


def test_actions_are_noted_with_their_step(page: Page, live: Live):
    page.still(flock(20))
    page.send("step", count=3)
    page.send("set", values={"rules.alignment.weight": 1.5}, step=99, junk=["x" * 1000])
    page.send("step", count=2)
    page.send("pointer", x=5, y=6, mode="attract", junk="\ud800")
    page.send("pointer", x=5, y=6, mode="none")
    page.status()
    status, _, body = live.get("/api/actions", Cookie=live.cookie)
    assert status == 200
    load, _, change, touch, _ = json.loads(body)["actions"][-5:]
    assert load["scenario"] == flock(20).model_dump(mode="json") and load["seed"] == 7
    assert change == {"step": 3, "type": "set", "values": {"rules.alignment.weight": 1.5}}
    assert touch == {"step": 5, "type": "pointer", "x": 5.0, "y": 6.0, "mode": "attract"}


def test_next_selects_one_after_the_other_and_begins_again(page: Page):
    page.still(flock(3))
    for wanted in (0, 1, 2, 0):
        page.send("next")
        page.wait("inspect", lambda found, wanted=wanted: found["id"] == wanted)
