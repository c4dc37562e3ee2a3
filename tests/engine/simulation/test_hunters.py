"""Hunters in a simulation: the same on every backend, on all threads and after a checkpoint; live changes; readings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.rules.predators.row import LAYOUT
from tests.parity.side_by_side import twin_of

COVER = {"hawk": {"stealth_radius": 60.0}, "shark": {"stealth_radius": 70.0}}
"""Without it they rarely catch anything."""
EAGER = {"rules.predators.aggression": 1.0, "rules.predators.eagerness": 60.0}


def crowded(
    agents: int = 90, hunters: tuple[str, ...] = ("hawk", "falcon", "owl", "eagle"), **values: Any
) -> mm.Scenario:
    """A small world full of hunters that do little but hunt; same kernel as the shipped scenarios."""
    return mm.load_scenario("pack").with_values(
        {
            "agents": agents,
            "world.width": 600.0,
            "world.height": 400.0,
            "start.radius": 150.0,
            "rules.predators.hunters": [
                {"kind": kind, "catch_distance": 30.0, "attack_distance": 40.0, **COVER.get(kind, {})}
                for kind in hunters
            ],
            **EAGER,
            **values,
        }
    )


def column(sim: mm.Simulation, name: str) -> Any:
    return sim.state.items["predators"][:, LAYOUT.place[name]]


@pytest.mark.parametrize(
    "hunters", [("hawk", "falcon", "owl", "eagle"), ("shark", "orca", "barracuda", "sea_lion")]
)
def test_each_step_agrees_with_the_reference(hunters: tuple[str, ...]):
    sim = mm.Simulation(crowded(hunters=hunters), seed=5, backend="cpu")
    caught = 0
    states = set()
    for _ in range(60):
        sim.step(17)
        caught += sum(event["kind"] == "capture" for event in sim.events())
        twin = twin_of(sim)
        sim.step()
        twin.step()
        np.testing.assert_array_equal(sim.ids, twin.ids)
        for name in ("position_x", "velocity_y", "panic", "energy", "isolation"):
            np.testing.assert_allclose(
                sim.column(name), twin.column(name), rtol=2e-4, atol=2e-3, err_msg=name
            )
        ours, theirs = sim.state.items["predators"], twin.state.items["predators"]
        for k, name in enumerate(LAYOUT.columns):
            np.testing.assert_allclose(ours[:, k], theirs[:, k], rtol=1e-4, atol=0.02, err_msg=name)
        events = [(e["kind"], e["id"], e["other"]) for e in twin.events()]
        assert [(e["kind"], e["id"], e["other"]) for e in sim.events()] == events
        caught += len(events) // 2
        states |= {h["state"] for h in mm.hunters(sim)}
    assert caught >= 1
    assert len(states) >= 6


def test_bits_do_not_depend_on_threads_batches_or_checkpoints(tmp_path):
    scenario = crowded(3000, **{"world.width": 1600.0, "world.height": 1000.0, "start.radius": 300.0})
    hashes, told = set(), set()
    for threads in (1, 2, 3):
        sim = mm.Simulation(scenario, seed=1, backend="cpu", threads=threads)
        sim.step(200)
        assert any(h["target"] is not None for h in mm.hunters(sim)), "in the middle of a hunt"
        before = sim.events()
        sim.save(tmp_path / "half.npz")
        sim = mm.Simulation.restore(tmp_path / "half.npz", backend="cpu", threads=threads)
        for _ in range(4):
            sim.step(50)
        hashes.add(sim.state_hash())
        told.add(str(before + sim.events()))
    whole = mm.Simulation(scenario, seed=1, backend="cpu", threads=2)
    whole.step(400)
    assert hashes == {whole.state_hash()} and told == {str(whole.events())}
    other = mm.Simulation(scenario, seed=2, backend="cpu")
    assert not np.array_equal(column(other, "x"), column(whole, "x"))


def test_reading_hunters():
    sim = mm.Simulation(crowded(), seed=5, backend="cpu")
    assert [h["kind"] for h in mm.hunters(sim)] == ["hawk", "falcon", "owl", "eagle"]
    hunted = None
    while hunted is None:
        sim.step(10)
        hunted = next((h for h in mm.hunters(sim) if h["target"] is not None), None)
    [row] = sim.state.rows_of(hunted["target"])
    assert [hunted["target_x"], hunted["target_y"]] == sim.positions[row].tolist()
    listed = sim.scenario.rules.predators.hunters
    for h, wanted in zip(mm.hunters(sim), listed, strict=True):
        # S0-67
        assert h["stats"] == {
            name: pytest.approx(getattr(wanted, name))
            for name in ("max_energy", "energy_regen", "hunting_drain", "attack_cost", "exhaustion_threshold")
        }
        for name in ("time", "state_time", "cooldown", "energy"):
            assert h[name] == column(sim, name)[h["id"]]
        assert h["time"] == pytest.approx(sim.time, rel=1e-5) and h["state_time"] <= h["time"]
        assert 0.0 <= h["energy"] <= h["stats"]["max_energy"] and 0.0 <= h["altitude"] <= 1.0
        assert (h["target"] is None) == (h["target_x"] is None) == (h["target_y"] is None)
        assert h["heading"] == math.atan2(h["vy"], h["vx"])
    assert max(h["energy"] for h in mm.hunters(sim)) > 1.0, "in the unit of max_energy, not a share"
    assert mm.hunters(sim.snapshot()) == mm.hunters(sim)
    assert mm.hunters(mm.Simulation("classic", backend="reference")) == []


def test_start_places_come_from_the_scenario_or_the_seed():
    values = {"rules.predators.hunters": [{"kind": "hawk", "x": 12.0, "y": 34.0}, {"kind": "owl"}]}
    places = []
    for seed in (1, 1, 2):
        sim = mm.Simulation(crowded(**values), seed=seed, backend="cpu")
        found = mm.hunters(sim)
        assert (found[0]["x"], found[0]["y"]) == (12.0, 34.0)
        assert 0.0 <= found[1]["x"] <= 600.0 and 0.0 <= found[1]["y"] <= 400.0
        places.append((found[1]["x"], found[1]["y"]))
    assert places[0] == places[1] != places[2]


def test_numbers_of_a_running_hunter_can_be_changed():
    sim = mm.Simulation(crowded(), seed=5, backend="cpu")
    sim.step(120)
    before = sim.state.items["predators"].copy()
    sim.retune({"rules.predators.hunters.0.max_speed": 3.0, "rules.predators.hunters.0.edge_weight": 2.5})
    assert column(sim, "max_speed").tolist() == [3.0, 18.0, 8.0, 18.0]
    assert column(sim, "edge_weight")[0] == 2.5
    changed = {
        LAYOUT.columns[k] for k in np.flatnonzero((sim.state.items["predators"] != before).any(axis=0))
    }
    assert changed == {"max_speed", "edge_weight"}
    sim.step(60)
    speeds = np.hypot(column(sim, "vx"), column(sim, "vy"))
    assert speeds[0] <= 3.0 * 1.8 + 1.0


def test_hunters_can_be_added_and_removed_while_running():
    sim = mm.Simulation(crowded(hunters=("hawk",)), seed=5, backend="cpu")
    sim.step(120)
    first = mm.hunters(sim)[0]
    hunters = [h.model_dump(mode="json") for h in sim.scenario.rules.predators.hunters]
    sim.retune({"rules.predators.hunters": [*hunters, {"kind": "owl", "x": 50.0, "y": 60.0}]})
    now = mm.hunters(sim)
    assert now[0] == first and (now[1]["kind"], now[1]["x"], now[1]["y"]) == ("owl", 50.0, 60.0)
    sim.step(30)
    # Another kind in the same row starts over.
    sim.retune({"rules.predators.hunters.0.kind": "shark"})
    sim.step()
    changed = mm.hunters(sim)[0]
    assert changed["kind"] == "shark" and changed["state"] in ("idle", "scanning")
    assert changed["energy"] == changed["stats"]["max_energy"] == 100.0 and changed["hunts"] == 0
    sim.retune({"rules.predators.hunters": []})
    sim.step(5)
    assert mm.hunters(sim) == []


def test_a_bird_that_is_only_counted_survives():
    fast = {
        "kind": "eagle",
        "max_speed": 40.0,
        "catch_distance": 50.0,
        "attack_distance": 60.0,
        "x": 300.0,
        "y": 200.0,
    }
    values = {"rules.predators.on_capture": "count", "rules.predators.hunters": [fast, fast]}
    sim = mm.Simulation(crowded(20, **values), seed=5, backend="reference")
    events: list[Any] = []
    while len(events) < 2:
        sim.step(25)
        events += sim.events()
        assert sim.step_count < 1000
    assert {event["kind"] for event in events} == {"capture"}
    assert sim.agent_count == 20
    assert 0 <= sum(h["catches"] for h in mm.hunters(sim)) - len(events) <= 2


def test_a_bird_respawns_elsewhere_on_a_torus_as_on_the_reference():
    """On a torus, so that this kernel also covers hunts across the edge."""
    edge = {"catch_distance": 30.0, "attack_distance": 40.0}
    hunters = [
        {"kind": kind, "x": x, "y": 200.0, **edge, **COVER.get(kind, {})}
        for kind, x in (("hawk", 1.0), ("eagle", 599.0))
    ]
    values = {
        "rules.predators.on_capture": "respawn",
        "world.boundary": "wrap",
        "rules.predators.hunters": [*hunters, {"kind": "shark", **COVER["shark"]}],
    }
    sim = mm.Simulation(crowded(90, **values), seed=5, backend="cpu")
    back = 0
    crossings = 0
    for _ in range(5000):
        places, before = sim.positions, column(sim, "x").copy()
        awaited = column(sim, "caught").max() >= 0.0
        twin = twin_of(sim) if awaited else None
        sim.step()
        crossings += int((np.abs(column(sim, "x") - before) > 300.0).sum())
        if twin is None:
            continue
        twin.step()
        events = sim.events()
        assert [(e["kind"], e["id"]) for e in events] == [(e["kind"], e["id"]) for e in twin.events()]
        np.testing.assert_allclose(sim.positions, twin.positions, atol=2e-3)
        for event in events:
            gone = np.hypot(*(sim.positions[event["id"]] - places[event["id"]]))
            back += gone > 5.0
            assert sim.column("panic")[event["id"]] == 0.0 and sim.column("energy")[event["id"]] == 1.0
            assert (sim.positions[event["id"]] >= 0.0).all()
        if back >= 1 and crossings >= 1:
            break
    assert back >= 1 and crossings >= 1
    assert sim.agent_count == 90
    assert (column(sim, "x") < 600.0).all() and (column(sim, "x") >= 0.0).all()


def test_starving_and_breeding():
    values = {
        "rules.predators.breed_after": 1,
        "rules.predators.most_hunters": 6,
        "rules.predators.starve_after": 20.0,
    }
    sim = mm.Simulation(crowded(120, hunters=("hawk", "eagle"), **values), seed=11, backend="cpu")
    assert len(mm.hunters(sim)) == 2
    most = 2
    for _ in range(60):
        sim.step(60)
        most = max(most, len(mm.hunters(sim)))
    assert most > 2
    assert all(not h["listed"] or h["id"] < 2 for h in mm.hunters(sim))
    assert len(mm.hunters(sim)) < most, "with fewer birds left some starved"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"rules.fear.enabled": False}, ("rules.predators: panic spreads", "rules.fear.enabled = true")),
        ({"rules.predators.hunters.1.max_speed": 1e6}, ("hunters.1.max_speed", "half the world", "lower the speed")),
        ({"rules.predators.hunters.0.attack_distance": 300.0}, ("attack_distance must be at most panic_radius (120)",)),
        ({"rules.predators.hunters.0.catch_distance": 50.0}, ("catch_distance must be at most attack_distance",)),
        ({"rules.predators.hunters.2.stealth_radius": 90.0}, ("stealth_radius must be at most panic_radius (80)",)),
        ({"rules.predators.hunters.1.max_altitude": 0.5}, ("dive_altitude must be at most max_altitude (0.5)",)),
        ({"rules.predators.hunters.0.hunt_energy": 900.0}, ("hunt_energy must be at most max_energy (80)",)),
        ({"rules.predators.hunters.0.x": -5.0}, ("hunters.0.x and y must lie in the world",)),
        ({"rules.predators.hunters.0.kind": "cat"}, ("hunters.0.kind must be one of 'hawk'", "'cat'")),
        ({"rules.predators.most_hunters": 2}, ("most_hunters must be 0 or at least the 4 hunters",)),
        ({"rules.predators.breed_after": 3}, ("set most_hunters above 4",)),
        (
            {"rules.predators.on_capture": "respawn", "obstacles": [{"x": 90.0, "y": 80.0, "radius": 25.0}]},
            ("respawn", "obstacle", "remove or count"),
        ),
    ],
)  # fmt: skip
def test_invalid_settings_are_refused(values: dict[str, Any], words: tuple[str, ...]):
    with pytest.raises(ScenarioError) as error:
        mm.load_scenario("pack").with_values(values)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_change_of_kind_brings_its_numbers_and_keeps_the_users():
    scenario = mm.load_scenario("murmuration-hawk").with_values({"rules.predators.hunters.0.max_speed": 30.0})
    owl = scenario.with_values({"rules.predators.hunters.0.kind": "owl"}).rules.predators.hunters[0]
    assert (owl.kind, owl.panic_radius, owl.max_speed) == ("owl", 80.0, 30.0)
    again = mm.Scenario.from_data(scenario.model_dump(mode="json"))
    assert again == scenario
