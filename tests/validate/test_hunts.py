"""What the scenarios with hunters promise: each hunter hunts in its own way, and some birds are caught."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

import murmura as mm
from murmura.rules.predators.kind import KINDS
from murmura.rules.predators.row import LAYOUT
from murmura.rules.predators.states import SHARED_MACHINE, STATE_NAMES

NAMES = ("murmuration-hawk", "falcon-stoop", "owl-ambush", "eagle-pursuit", "shark-and-herring", "pack")
SECONDS = 240
EVERY = 5


@cache
def watched(name: str) -> dict[str, Any]:
    """A run of a shipped scenario: its hunters at every fifth step, its events, and the state of the flock."""
    sim = mm.Simulation(name, seed=5, backend="cpu")
    found: dict[str, Any] = {"hunters": [], "events": [], "isolation": [], "center": [], "energy": []}
    for _ in range(SECONDS * 60 // EVERY):
        sim.step(EVERY)
        found["hunters"].append(mm.hunters(sim))
        found["events"] += sim.events()
        rows = sim.state.items["predators"]
        found["center"].append(rows[0, list(LAYOUT.columns_of("center"))].copy())
        if len(found["hunters"]) % 20 == 0:
            found["isolation"].append(float(sim.column("isolation").mean()))
        target = found["hunters"][-1][0]["target"]
        alive = target is not None and target in sim.ids
        found["energy"].append(float(sim.column("energy")[sim.state.rows_of(target)[0]]) if alive else None)
    found["alive"] = sim.agent_count
    return found


def captures(name: str) -> list[dict[str, Any]]:
    return [event for event in watched(name)["events"] if event["kind"] == "capture"]


def stretches(name: str, hunter: int = 0) -> list[tuple[str, int, int]]:
    """The successive states of a hunter, with the first and the last sample of each."""
    found: list[tuple[str, int, int]] = []
    for k, row in enumerate(watched(name)["hunters"]):
        state = row[hunter]["state"]
        if found and found[-1][0] == state:
            found[-1] = (state, found[-1][1], k)
        else:
            found.append((state, k, k))
    return found


# Trap 1: a successful hunt removes its prey.
@pytest.mark.parametrize("name", NAMES)
def test_birds_are_caught_and_gone(name: str):
    run = watched(name)
    caught = captures(name)
    assert caught
    dead = [event for event in run["events"] if event["kind"] == "death"]
    assert [(e["step"], e["id"], e["other"]) for e in dead] == [
        (e["step"], e["id"], e["other"]) for e in caught
    ]
    assert {event["cause"] for event in dead} == {"predation"}
    assert run["alive"] == mm.load_scenario(name).agents - len(caught)
    last = run["hunters"][-1]
    for hunter in last:
        mine = sum(event["other"] == hunter["id"] for event in caught)
        # A catch in the last step is reported in the next one.
        assert mine <= hunter["catches"] <= mine + 1
        assert 0 <= hunter["hunts"] - hunter["catches"] - hunter["failed_hunts"] <= 1


def test_no_hunter_always_succeeds():
    ends = [hunter for name in NAMES for hunter in watched(name)["hunters"][-1]]
    hunts, catches = (sum(hunter[what] for hunter in ends) for what in ("hunts", "catches"))
    assert 0.1 * hunts < catches < 0.9 * hunts


@pytest.mark.parametrize("name", NAMES)
def test_hunters_change_their_states_as_their_tables_say(name: str):
    kinds = [hunter["kind"] for hunter in watched(name)["hunters"][0]]
    for number, kind in enumerate(kinds):
        moves = {(STATE_NAMES[a], STATE_NAMES[b]) for a, b, _ in (*SHARED_MACHINE, *KINDS[kind].machine)}
        states = {state for move in moves for state in move}
        moves |= {(state, "recovering") for state in states}
        # Within five steps a hunter may change twice.
        moves |= {(a, d) for a, b in moves for c, d in moves if b == c}
        seen = [state for state, _, _ in stretches(name, number)]
        assert set(pairwise(seen)) <= moves
        assert len(set(seen)) >= 3


def test_the_hawk_isolates_and_catches_stragglers():
    """S0-74, S0-75."""
    caught = captures("murmuration-hawk")
    assert len(caught) >= 3
    everybody = np.mean(watched("murmuration-hawk")["isolation"])
    assert np.mean([event["amount"] for event in caught]) > 2.0 * everybody
    assert {state for state, _, _ in stretches("murmuration-hawk")} >= {
        "scanning",
        "stalking",
        "hunting",
        "attacking",
        "recovering",
    }


def test_hunters_tire_and_rest():
    """S0-69: exhaustion, recovery, and hunting again."""
    run = watched("murmuration-hawk")
    energies = np.array([row[0]["energy"] / row[0]["stats"]["max_energy"] for row in run["hunters"]])
    rests = [entry for entry in stretches("murmuration-hawk") if entry[0] == "recovering"]
    assert len(rests) >= 2
    long = [(a, b) for _, a, b in rests if b - a > 12]
    assert long
    for begin, end in long:
        assert energies[begin] < 0.6 and energies[end] >= energies[begin]
    after = {state for state, begin, _ in stretches("murmuration-hawk") if begin > long[0][1]}
    assert {"scanning", "stalking"} <= after


def test_the_falcon_stoops_at_more_than_fifty():
    """S0-83, S0-86, S0-109, trap 4."""
    run = watched("falcon-stoop")
    speeds = np.array([np.hypot(row[0]["vx"], row[0]["vy"]) for row in run["hunters"]])
    diving = np.array([row[0]["state"] == "diving" for row in run["hunters"]])
    assert speeds[diving].max() > 50.0 and speeds.max() <= 63.6, "the push of the edge may add to it"
    heights = np.array([row[0]["altitude"] for row in run["hunters"]])
    fright = np.array([row[0]["fright"] for row in run["hunters"]])
    np.testing.assert_allclose(fright, 180.0 * (1.0 - 0.6 * heights), rtol=1e-5)
    for state, begin, end in stretches("falcon-stoop"):
        if state == "climbing" and end > begin:
            assert heights[end] > heights[begin]
    assert len(captures("falcon-stoop")) >= 2


def test_the_owl_waits_and_strikes():
    """S0-95, S0-97, S0-98, S0-99."""
    rows = watched("owl-ambush")["hunters"]
    found = stretches("owl-ambush")
    strikes = [k for k in range(1, len(found)) if found[k][0] == "attacking"]
    assert strikes
    for k in strikes:
        assert found[k - 1][0] == "ambush"
        _, begin, end = found[k - 1]
        assert (end - begin + 1) * EVERY / 60.0 >= 1.5 - EVERY / 60.0
        waiting = rows[end][0]
        assert np.hypot(waiting["vx"], waiting["vy"]) < 1.0 and waiting["fright"] == 40.0
        striking = [rows[j][0] for j in range(found[k][1], found[k][2] + 1)]
        assert all(row["fright"] == 80.0 for row in striking)
    assert max(np.hypot(row[0]["vx"], row[0]["vy"]) for row in rows) > 25.0


def test_the_eagle_wears_its_prey_down():
    """S0-90, S0-91, S0-92: its prey loses energy with every second of the chase, up to a bound."""
    run = watched("eagle-pursuit")
    eagle = mm.load_scenario("eagle-pursuit").rules.predators.hunters[0]
    chases: dict[tuple[int, int], list[float]] = {}
    for row, energy in zip(run["hunters"], run["energy"], strict=True):
        if row[0]["target"] is not None and energy is not None:
            chases.setdefault((row[0]["target"], row[0]["hunts"]), []).append(energy)
    long = [energies for energies in chases.values() if len(energies) * EVERY / 60.0 > 4.0]
    assert len(long) >= 2
    for energies in long:
        seconds = (len(energies) - 1) * EVERY / 60.0
        assert energies[0] - energies[-1] == pytest.approx(
            min(eagle.tiring_max, eagle.tiring * seconds), abs=0.02
        )
    speeds = [np.hypot(row[0]["vx"], row[0]["vy"]) for row in run["hunters"] if row[0]["state"] == "hunting"]
    assert max(speeds) > 18.5


def test_the_sharks_circle_tightens():
    """S0-100, S0-101."""
    run = watched("shark-and-herring")
    nearer = []
    for state, begin, end in stretches("shark-and-herring"):
        if state == "stalking" and end > begin:
            nearer.append(end - begin)
    assert nearer
    ways = [
        np.hypot(row[0]["x"] - center[0], row[0]["y"] - center[1])
        for row, center in zip(run["hunters"], run["center"], strict=True)
        if row[0]["state"] == "scanning"
    ]
    assert np.median(ways) < 320.0


def placed(name: str, hunters: ArrayLike, birds: ArrayLike, velocities: ArrayLike) -> mm.Simulation:
    """A shipped scenario whose hunters and birds begin where they are put: hunters at rest."""
    sim = mm.Simulation(name, seed=1, backend="cpu", positions=birds, velocities=velocities)
    state = sim.state.copy()
    rows = state.items["predators"]
    rows[:, list(LAYOUT.columns_of("position"))] = hunters
    rows[:, list(LAYOUT.columns_of("velocity"))] = 0.0
    sim.load_state(state)
    return sim


# S0-107, S2-37
def test_a_wave_of_panic_runs_faster_than_any_bird():
    rng = np.random.default_rng(2)
    radii, angles = 150.0 * np.sqrt(rng.random(600)), rng.uniform(0.0, 2.0 * np.pi, 600)
    start = np.array([800.0, 500.0]) + np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    hawk = np.array([[650.0, 500.0]])
    sim = placed("murmuration-hawk", hawk, start, np.tile([15.0, 0.0], (600, 1)))
    fronts = []
    for _ in range(3):
        sim.step()
        fronts.append(np.hypot(*(sim.positions - hawk).T)[sim.column("panic") > 0.0].max())
    moved = np.hypot(*(sim.positions - start).T).max()
    # Panic spreads beyond the hawk's own radius, more than twenty times as fast as a bird in panic flies.
    wave = (fronts[2] - fronts[0]) / (2.0 / 60.0)
    assert fronts[0] <= 121.0 and fronts[2] > 135.0
    assert wave > 20.0 * 22.5
    assert moved / (3.0 / 60.0) <= 22.5


PLACES = np.array([(300.0, 300.0), (1300.0, 300.0), (300.0, 700.0), (1300.0, 700.0)])


def test_every_hunter_frightens():
    """S0-55, S0-56, S2-36, trap 3: each of four hunters drives away the birds around it and raises their panic."""
    birds = np.vstack([PLACES + np.array([60.0, 0.0]), [[800.0, 500.0]]])
    sim = placed("pack", PLACES, birds, np.zeros((5, 2)))
    hunters = mm.hunters(sim)
    assert [h["kind"] for h in hunters] == ["hawk", "falcon", "owl", "eagle"]
    radii = [h["fright"] for h in hunters]
    assert radii == [120.0, 180.0, 80.0, 200.0]
    sim.step()
    panic = 1.0 - 60.0 / np.array(radii)
    np.testing.assert_allclose(sim.column("panic")[:4], panic * 0.98, rtol=1e-5)
    np.testing.assert_allclose(sim.forces[:4, 0], 0.5 * (1.0 + 2.0 * panic), rtol=1e-4)
    assert sim.column("panic")[4] == 0.0 and (sim.forces[4] == 0.0).all()


def test_forces_and_panic_of_several_hunters_combine():
    """Forces are added; of the panics, the greatest counts. The hawk is in the west and the eagle in the north."""
    places = PLACES.copy()
    places[0], places[3] = (740.0, 500.0), (800.0, 460.0)
    sim = placed("pack", places, np.array([[800.0, 500.0]]), np.zeros((1, 2)))
    sim.step()
    hawk, eagle = 1.0 - 60.0 / 120.0, 1.0 - 40.0 / 200.0
    np.testing.assert_allclose(sim.forces[0], [0.5 * (1 + 2 * hawk), 0.5 * (1 + 2 * eagle)], rtol=1e-4)
    assert sim.column("panic")[0] == pytest.approx(eagle * 0.98, rel=1e-5)


def test_a_frightened_starling_flies_at_22_5():
    """S0-107."""
    sim = placed("murmuration-hawk", np.array([[800.0, 500.0]]), [[800.5, 500.0]], [[15.0, 0.0]])
    reached = 0.0
    for _ in range(8):
        sim.step()
        reached = max(reached, float(np.hypot(*sim.velocities[0])))
    assert 22.4 < reached <= 22.5 + 1e-4
