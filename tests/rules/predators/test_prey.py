"""Prey from a hunter's view: suitability, isolation, and reports about the flock."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.rules.predators import Predators
from murmura.rules.predators.row import KNOWN, LAYOUT
from murmura.rules.predators.states import STATE_NAMES

from .hunter_table import HunterTable

N = 400


def birds(seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    heading = Vec(*_unit(rng.uniform(0.0, 2.0 * np.pi, N)))
    return SimpleNamespace(
        id=np.arange(N), position=Vec(rng.uniform(0, 1000, N), rng.uniform(0, 1000, N)), heading=heading,
        velocity=heading * 3.0, speed=np.full(N, 3.0), max_speed=np.full(N, 15.0), panic=rng.random(N),
        isolation=rng.random(N), steadiness=rng.random(N),
    )  # fmt: skip


def _unit(angle: Any) -> Any:
    return np.cos(angle), np.sin(angle)


def reported(den: HunterTable, me: Any, **values: float) -> Any:
    """What each bird reports to a hunter at (500, 450), by name."""
    den.put(x=500.0, y=450.0, center_x=300.0, center_y=600.0, reach=380.0, **values)
    it = Record("it", {name: value for name, value in LAYOUT.collect(den.items[0]).items() if name in KNOWN})
    said = Predators.gather(den.p, me, it, den.plan.world_at(0, (1, 2)))
    return SimpleNamespace(**{name: report.value for name, report in said.items()})


# S0-72, S0-79, S0-94
@pytest.mark.parametrize("kind", ["hawk", "falcon", "eagle", "owl", "shark", "orca", "barracuda", "sea_lion"])
def test_the_score_of_a_target(kind: str):
    den = HunterTable({"kind": kind}, spread=0.0)
    h, me = den.rule.hunters[0], birds()
    score = reported(den, me).best
    (x, y), (hx, hy) = me.position, me.heading
    away = np.hypot(x - 500.0, y - 450.0)
    to_center = np.stack([300.0 - x, 600.0 - y])
    far = np.hypot(*to_center)
    expected = (
        h.isolation_weight * me.isolation
        + h.edge_weight * np.minimum(1.0, far / 150.0)
        + h.velocity_weight * np.maximum(0.0, -(to_center[0] * hx + to_center[1] * hy) / far)
        + h.panic_weight * 0.5 * me.panic
        + h.intercept_weight * np.maximum(0.0, 1.0 - away / 400.0)
        + h.approach_weight * np.maximum(0.0, -((x - 500.0) * hx + (y - 450.0) * hy) / away)
        + (h.pace_weight * 0.2 if h.pace_weight > 0 else -h.pace_weight * (0.5 * 0.8 + 0.5 * me.steadiness))
    )
    np.testing.assert_allclose(score, np.where(away <= 380.0, np.maximum(expected, 1e-6), 0.0), rtol=1e-9)


def test_the_eagle_prefers_slow_and_the_sea_lion_fast_prey():
    """S0-94."""
    for kind, likes_slow in (("eagle", True), ("sea_lion", False)):
        den, me = HunterTable({"kind": kind}, spread=0.0), birds()
        slow = reported(den, me).best
        me.speed = np.full(N, 15.0)
        fast = reported(den, me).best
        near = slow > 0.0
        assert ((slow > fast)[near] if likes_slow else (fast > slow)[near]).all()


# S0-94: slow and steady birds
def test_the_eagle_prefers_birds_that_fly_straight():
    for kind, likes_steady in (("eagle", True), ("sea_lion", False), ("hawk", False)):
        den, me = HunterTable({"kind": kind}, spread=0.0), birds()
        me.steadiness = np.full(N, 0.2)
        restless = reported(den, me).best
        me.steadiness = np.full(N, 0.9)
        steady = reported(den, me).best
        near = restless > 0.0
        assert ((steady > restless)[near] if likes_steady else (steady == restless)[near]).all()


def test_steadiness_is_how_little_a_bird_turns(backend: str) -> None:
    """Three birds in wind from below: it turns the first sharply, the second not at all; the third is slower."""
    scenario = mm.Scenario.from_data(
        {
            "world": {"width": 2000.0, "height": 2000.0, "boundary": "open"},
            "rules": {
                "fear": {"enabled": True},
                "predators": {"enabled": True, "hunters": [{"kind": "eagle", "x": 1900.0, "y": 1900.0}]},
                "wind": {"enabled": True, "speed": 10.0, "direction": 90.0, "turbulence": 0.0},
            },
        }
    )
    velocities = np.array([[5.0, 0.0], [0.0, 5.0], [1.5, 0.0]])
    sim = mm.Simulation(
        scenario, backend=backend, positions=[[100, 100], [400, 100], [700, 100]], velocities=velocities
    )
    sim.step()
    after = sim.velocities.astype(float)
    turned = np.abs(np.arctan2(after[:, 1], after[:, 0]) - np.arctan2(velocities[:, 1], velocities[:, 0]))
    expected = np.maximum(0.0, 1.0 - turned / (np.radians(180.0) / 60.0))
    assert 0.0 < expected[0] < 0.9 and expected[1] == 1.0 and expected[2] == 0.0
    np.testing.assert_allclose(sim.column("steadiness"), expected, atol=2e-5)


def test_randomness_lowers_scores_by_at_most_the_spread():
    me = birds()
    exact = reported(HunterTable({"kind": "hawk"}, spread=0.0), me).best
    best = set()
    for salt in range(40):
        score = reported(HunterTable({"kind": "hawk"}, spread=0.15), me, salt=salt * 1639.0 / 65536.0).best
        share = score[exact > 0.0] / exact[exact > 0.0]
        assert share.min() >= 0.85 and share.max() <= 1.0 and np.ptp(share) > 0.1
        best.add(int(score.argmax()))
    # Not always the same bird, and never one that is far worse than the best.
    assert len(best) >= 3
    assert min(exact[k] for k in best) >= 0.85 * exact.max()


def test_birds_report_only_what_a_hunter_requests():
    den, me = HunterTable({"kind": "hawk"}), birds()
    (x, y), (vx, vy), (hx, hy) = me.position, me.velocity, me.heading
    away, off = np.hypot(x - 500.0, y - 450.0), np.hypot(x - 500.0, y - 500.0)
    den.put(sight=300.0, watch_x=500.0, watch_y=500.0, watch_radius=100.0, watch_cosine=-2.0)
    said = reported(den, me)
    near = away <= 300.0
    np.testing.assert_array_equal(said.seen, near)
    sums = [part.sum() for part in (*said.offset, *said.velocity)]
    np.testing.assert_allclose(sums, [part[near].sum() for part in (x - 500.0, y - 450.0, vx, vy)])
    np.testing.assert_array_equal(said.watched, off <= 100.0)
    den.put(watch_cosine=0.5)
    towards = ((500.0 - x) * hx + (500.0 - y) * hy) >= 0.5 * off
    np.testing.assert_array_equal(reported(den, me).watched, (off <= 100.0) & towards)
    den.put(watch_radius=0.0, least_approach=0.2)
    later = reported(den, me)
    assert not np.any(later.watched)
    coming = -((x - 500.0) * hx + (y - 450.0) * hy) / away
    assert (later.best[coming < 0.2] == 0.0).all() and (later.best > 0.0).any()
    den.put(reach_from=200.0)
    assert (reported(den, me).best[away < 200.0] == 0.0).all()


def test_isolation_of_birds():
    """min(1, nearest/80) x (1 - min(1, neighbours/10)); a bird that sees nobody is alone."""
    scenario = mm.load_scenario("murmuration-hawk").with_values(
        {"perception.field_of_view": 360.0, "rules.predators.hunters": []}
    )
    rng = np.random.default_rng(4)
    places = rng.uniform([300.0, 300.0], [900.0, 700.0], (60, 2))
    sim = mm.Simulation(scenario, seed=1, backend="reference", positions=places)
    sim.step()
    gaps = np.hypot(
        *(places.astype(np.float32)[:, None] - places.astype(np.float32)[None]).transpose(2, 0, 1)
    )
    np.fill_diagonal(gaps, np.inf)
    count = (gaps <= 50.0).sum(axis=1)
    expected = np.where(
        count == 0, 1.0, np.minimum(1.0, gaps.min(axis=1) / 80.0) * (1.0 - np.minimum(1.0, count / 10.0))
    )
    np.testing.assert_allclose(sim.column("isolation"), expected, atol=1e-5)
    assert (count == 0).any() and (count > 3).any()


# S0-100, S0-94, decision 28: the flock of a hunter is the whole flock, unless a sight is set
@pytest.mark.parametrize(("sight", "counted"), [(None, 500), (200.0, 1)])
def test_a_hunter_knows_the_whole_flock(sight: float | None, counted: int, backend: str) -> None:
    places = np.stack(np.meshgrid(np.linspace(10, 1990, 25), np.linspace(10, 1990, 20)), axis=-1).reshape(
        -1, 2
    )
    places = np.vstack([[[60.0, 50.0]], places[np.hypot(*(places - [50.0, 50.0]).T) > 250.0]])[:500]
    places = np.vstack([places, np.full((500 - len(places), 2), 1800.0)])
    hunter = {"kind": "shark", "x": 50.0, "y": 50.0} | ({} if sight is None else {"sight": sight})
    scenario = mm.Scenario.from_data(
        {
            "world": {"width": 2000.0, "height": 2000.0, "boundary": "open"},
            "rules": {"fear": {"enabled": True}, "predators": {"enabled": True, "hunters": [hunter]}},
        }
    )
    sim = mm.Simulation(scenario, backend=backend, positions=places, velocities=np.zeros((500, 2)))
    sim.step(2)
    assert sim.state.items["predators"][0, LAYOUT.place["seen"]] == counted


# Decision 28: nor is the choice of a target limited, unless a distance is set
@pytest.mark.parametrize("kind", ["hawk", "falcon", "eagle", "shark", "orca", "sea_lion"])
@pytest.mark.parametrize(("limit", "target"), [(None, 0), (400.0, -1)])
def test_a_hunter_chooses_from_the_whole_flock(
    kind: str, limit: float | None, target: int, backend: str
) -> None:
    hunter = {"kind": kind, "x": 50.0, "y": 50.0} | ({} if limit is None else {"target_distance": limit})
    scenario = mm.Scenario.from_data(
        {
            "world": {"width": 2000.0, "height": 2000.0, "boundary": "open"},
            "rules": {
                "fear": {"enabled": True},
                "predators": {"enabled": True, "hunters": [hunter], "aggression": 0},
            },
        }
    )
    sim = mm.Simulation(scenario, backend=backend, positions=[[1500.0, 1500.0]], velocities=[[0.0, 0.0]])
    state = sim.state.copy()
    state.items["predators"][0, LAYOUT.place["state"]] = STATE_NAMES.index("scanning")
    sim.load_state(state)
    sim.step(3)
    assert sim.state.items["predators"][0, LAYOUT.place["target"]] == target
