"""Panic: from threats, from neighbours, and how it fades."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura import Simulation
from murmura.rules.life.panic import Fear, Threat
from tests.rules.oracle import ZERO, added, birds_of, neighbors_of, way, with_length
from tests.rules.scenes import (
    MAX_FORCE,
    MAX_SPEED,
    close,
    make_flock,
    make_scenario,
    place,
    rule_forces,
    shares,
)

THREATS = [{"x": 60.0, "y": 40.0, "radius": 64.0}, {"x": 230.0, "y": 150.0, "radius": 72.0}]
ALL_ROUND = {"field_of_view": 360.0}


@pytest.mark.parametrize("boundary", ["wrap", "open"])
def test_threats_frighten_and_drive_away(boundary: str) -> None:
    # S0-55, S0-56, S2-36: document 002's calculatePanicResponse for every threat
    sim = make_flock(make_scenario({"fear": {"threats": THREATS}}, world={"boundary": boundary}))
    panics, forces = [], []
    for bird in birds_of(sim):
        panic, force = 0.0, ZERO
        for threat in THREATS:
            d = way(sim, (threat["x"], threat["y"]), (bird.x, bird.y))
            distance = math.hypot(*d)
            if distance < threat["radius"]:
                level = 1.0 - distance / threat["radius"]
                panic = max(panic, level)
                force = added(force, with_length(d, MAX_FORCE * (1.0 + 2.0 * level)))
        panics.append(panic)
        forces.append(force)
    assert 15 < np.count_nonzero(panics) < 55
    close(shares(sim)["panic"], panics)
    close(rule_forces(sim, "fear"), forces)


def test_panic_from_the_edge_to_the_centre() -> None:
    # S0-55, S0-56: 0 to 1, flight from one to three times max_force, none outside, none at the very centre
    threat = {"x": 100.0, "y": 80.0, "radius": 64.0}
    places = [[164.5, 80.0], [164.0, 80.0], [132.0, 80.0], [100.25, 80.0], [100.0, 80.0]]
    sim = place(make_scenario({"fear": {"threats": [threat], "spread": 0.0}}), places)
    close(shares(sim)["panic"], [0.0, 0.0, 0.5, 1.0 - 0.25 / 64.0, 1.0])
    expected = [0.0, 1.0, 2.0, 3.0 - 0.5 / 64.0, 0.0]
    close(rule_forces(sim, "fear"), [[size * MAX_FORCE, 0.0] for size in expected])
    sim.step()
    close(sim.forces[3], [MAX_FORCE * (3.0 - 0.5 / 64.0), 0.0])  # not limited by max_force


def test_defaults_are_the_documents() -> None:
    # S0-29, S0-56, S2-37 with panic decay 0.95
    fear = Fear()
    assert (fear.flight_boost, fear.spread_from, fear.fade, fear.calm_below) == (2.0, 0.3, 0.98, 0.01)
    assert fear.spread == pytest.approx(0.95 * 0.5)
    assert Threat(x=0.0, y=0.0).radius == 150.0


def test_weight_scales_flight_and_not_panic() -> None:
    threat = {"x": 100.0, "y": 80.0, "radius": 64.0}
    light, heavy = (
        place(make_scenario({"fear": {"threats": [threat], "weight": weight}}), [[116.0, 80.0]])
        for weight in (0.5, 2.0)
    )
    close(rule_forces(light, "fear") * 4.0, rule_forces(heavy, "fear"))
    assert shares(light)["panic"].tolist() == shares(heavy)["panic"].tolist() == [0.75]


def test_panic_spreads_to_neighbours() -> None:
    # S2-37 with decision 15: the greatest of its own panic and what panicked neighbours spread
    rng = np.random.default_rng(21)
    panic = rng.choice([0.0, 0.1, 0.25, 0.3125, 0.5, 0.75, 1.0], 60)
    sim = make_flock(make_scenario({"fear": {"spread": 0.475}}, perception=ALL_ROUND), panic=panic)
    flock = birds_of(sim)
    expected = [
        max([bird.panic] + [o.panic * 0.475 for o, _, _ in neighbors_of(sim, bird, flock) if o.panic > 0.3])
        for bird in flock
    ]
    caught = np.array(expected) > panic
    assert 10 < caught.sum() < 55
    close(shares(sim)["panic"], expected)
    sim.step()
    close(sim.column("panic"), np.where(np.array(expected) * 0.98 < 0.01, 0.0, np.array(expected) * 0.98))


@pytest.mark.parametrize(("panic", "caught"), [(0.25, 0.0), (0.3125, 0.15625), (1.0, 0.5)])
def test_only_panic_above_the_threshold_spreads(panic: float, caught: float) -> None:
    # S2-37
    sim = place(make_scenario({"fear": {"spread": 0.5}}), [[100.0, 80.0], [110.0, 80.0]], panic=[panic, 0.0])
    close(shares(sim)["panic"], [panic, caught])


@pytest.mark.parametrize("frightened", [0, 1])
def test_the_panicked_infect_those_they_see(frightened: int, backend: str) -> None:
    # S2-37, decision 26: 0 flies behind 1; it sees 1, and 1 does not see it
    panic = [1.0 - frightened, float(frightened)]
    sim = place(
        make_scenario({"fear": {"fade": 1.0}}), [[100.0, 80.0], [110.0, 80.0]], [[4.0, 0.0]] * 2, panic=panic
    )
    if backend == "cpu":
        state = sim.state
        sim = Simulation(sim.scenario, backend="cpu", positions=sim.positions, velocities=sim.velocities)
        sim.load_state(state)
    assert [sim.neighbors(k).tolist() for k in (0, 1)] == [[1], []]
    sim.step()
    close(sim.column("panic"), [1.0, 0.475] if frightened == 0 else [0.0, 1.0])


def test_panic_of_exactly_the_threshold_does_not_spread(backend: str) -> None:
    # S2-37: more than 0.3
    least = np.nextafter(np.float32(0.3), np.float32(1.0))
    for panic, caught in ((np.float32(0.3), 0.0), (least, 0.475 * 0.3)):
        sim = Simulation(make_scenario({"fear": {"fade": 1.0}}), backend=backend, positions=np.zeros((0, 2)))
        sim.add_agents([[100.0, 80.0], [110.0, 80.0]], np.zeros((2, 2)), {"panic": [panic, 0.0]})
        sim.step()
        close(sim.column("panic"), [panic, caught])


def test_panic_travels_one_neighbour_a_step() -> None:
    # S2-37 with decision 15: synchronous, so the order of agents does not matter
    line = [[40.0 + 30.0 * k, 80.0] for k in range(5)]
    rule = {"fear": {"spread": 0.875, "spread_from": 0.25, "fade": 1.0}}
    panic = [1.0, 0.0, 0.0, 0.0, 0.0]
    forth, back = (place(make_scenario(rule), line[::way], panic=panic[::way]) for way in (1, -1))
    for step in range(1, 5):
        forth.step()
        back.step()
        expected = [0.875**k if k <= step else 0.0 for k in range(5)]
        close(forth.column("panic"), expected)
        close(back.column("panic"), expected[::-1])


def test_panic_does_not_reach_the_unseen() -> None:
    # S2-37: nor does it add up, however many are frightened
    crowd = [[100.0, 80.0]] + [[104.0 + k, 80.0] for k in range(6)] + [[200.0, 20.0]]
    sim = place(
        make_scenario({"fear": {"spread": 0.5}}), crowd, panic=[0.0, 1.0, 0.75, 1.0, 0.5, 1.0, 1.0, 0.0]
    )
    found = shares(sim)["panic"]
    assert found[0] == 0.5
    assert found[-1] == 0.0


def test_panic_fades_and_ends() -> None:
    # S0-29: times 0.98 a step, and 0 once below 0.01
    sim = place(make_scenario({"fear": {}}), [[100.0, 80.0]], panic=[1.0])
    level = 1.0
    for _ in range(240):
        sim.step()
        level *= 0.98
        level = 0.0 if level < 0.01 else level
        close(sim.column("panic"), [level], 1e-5)
    assert sim.column("panic")[0] == 0.0


def test_panic_raises_the_top_speed() -> None:
    # S0-25, S0-26: in the same step in which it is felt
    threat = {"x": 100.0, "y": 80.0, "radius": 64.0}
    sim = place(
        make_scenario({"fear": {"threats": [threat], "weight": 0.0}}),
        [[132.0, 80.0], [200.0, 10.0]],
        [[20.0, 0.0], [20.0, 0.0]],
    )
    sim.step()
    close(sim.velocities, [[MAX_SPEED * 1.25, 0.0], [MAX_SPEED, 0.0]])
