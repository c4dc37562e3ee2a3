"""What birds are to a hunter: how good a prey each is, how alone, and what they tell it of the flock."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.rules.hunting import row
from murmura.rules.predators import Predators

from .den import Den

N = 400


def birds(seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.0, 2.0 * np.pi, N)
    return SimpleNamespace(
        id=np.arange(N), x=rng.uniform(0, 1000, N), y=rng.uniform(0, 1000, N), hx=np.cos(angle), hy=np.sin(angle),
        vx=3.0 * np.cos(angle), vy=3.0 * np.sin(angle), speed=np.full(N, 3.0), max_speed=np.full(N, 15.0),
        panic=rng.random(N), isolation=rng.random(N),
    )  # fmt: skip


def told(den: Den, me: Any, **values: float) -> Any:
    den.put(x=500.0, y=450.0, center_x=300.0, center_y=600.0, reach=380.0, **values)
    it = SimpleNamespace(**dict(zip(row.KNOWN, den.items[0], strict=False)))
    return Predators.gather(den.p, me, it, den.plan.world(0, (1, 2)))


# S0-72, S0-79, S0-94
@pytest.mark.parametrize("kind", ["hawk", "falcon", "eagle", "owl", "shark", "orca", "barracuda", "sea_lion"])
def test_the_score_of_a_target(kind: str):
    den = Den({"kind": kind}, spread=0.0)
    h, me = den.rule.hunters[0], birds()
    score = told(den, me)[-1]
    away = np.hypot(me.x - 500.0, me.y - 450.0)
    to_center = np.stack([300.0 - me.x, 600.0 - me.y])
    far = np.hypot(*to_center)
    expected = (
        h.isolation_weight * me.isolation
        + h.edge_weight * np.minimum(1.0, far / 150.0)
        + h.velocity_weight * np.maximum(0.0, -(to_center[0] * me.hx + to_center[1] * me.hy) / far)
        + h.panic_weight * 0.5 * me.panic
        + h.intercept_weight * np.maximum(0.0, 1.0 - away / 400.0)
        + h.approach_weight * np.maximum(0.0, -((me.x - 500.0) * me.hx + (me.y - 450.0) * me.hy) / away)
        + (h.pace_weight * 0.2 if h.pace_weight > 0 else -h.pace_weight * 0.8)
    )
    np.testing.assert_allclose(score, np.where(away <= 380.0, np.maximum(expected, 1e-6), 0.0), rtol=1e-9)


def test_slow_birds_are_the_eagles_and_fast_ones_the_sea_lions():
    """S0-94."""
    for kind, likes_slow in (("eagle", True), ("sea_lion", False)):
        den, me = Den({"kind": kind}, spread=0.0), birds()
        slow = told(den, me)[-1]
        me.speed = np.full(N, 15.0)
        fast = told(den, me)[-1]
        near = slow > 0.0
        assert ((slow > fast)[near] if likes_slow else (fast > slow)[near]).all()


def test_chance_lowers_scores_by_no_more_than_the_spread():
    me = birds()
    exact = told(Den({"kind": "hawk"}, spread=0.0), me)[-1]
    best = set()
    for salt in range(40):
        score = told(Den({"kind": "hawk"}, spread=0.15), me, salt=salt * 1639.0 / 65536.0)[-1]
        share = score[exact > 0.0] / exact[exact > 0.0]
        assert share.min() >= 0.85 and share.max() <= 1.0 and np.ptp(share) > 0.1
        best.add(int(score.argmax()))
    # Not always the same bird, and never one that is far worse than the best.
    assert len(best) >= 3
    assert min(exact[k] for k in best) >= 0.85 * exact.max()


def test_what_a_hunter_does_not_ask_for_is_not_told():
    den, me = Den({"kind": "hawk"}), birds()
    den.put(sight=300.0, watch_x=500.0, watch_y=500.0, watch_radius=100.0, watch_cosine=-2.0)
    seen, dx, dy, vx, vy, watched, _ = told(den, me)
    near = np.hypot(me.x - 500.0, me.y - 450.0) <= 300.0
    np.testing.assert_array_equal(seen, near)
    np.testing.assert_allclose([dx.sum(), dy.sum()], [(me.x - 500.0)[near].sum(), (me.y - 450.0)[near].sum()])
    np.testing.assert_allclose([vx.sum(), vy.sum()], [me.vx[near].sum(), me.vy[near].sum()])
    np.testing.assert_array_equal(watched, np.hypot(me.x - 500.0, me.y - 500.0) <= 100.0)
    den.put(watch_cosine=0.5)
    towards = ((500.0 - me.x) * me.hx + (500.0 - me.y) * me.hy) >= 0.5 * np.hypot(me.x - 500.0, me.y - 500.0)
    np.testing.assert_array_equal(told(den, me)[5], (np.hypot(me.x - 500.0, me.y - 500.0) <= 100.0) & towards)
    den.put(watch_radius=0.0, least_approach=0.2)
    later = told(den, me)
    assert not later[5].any()
    coming = -((me.x - 500.0) * me.hx + (me.y - 450.0) * me.hy) / np.hypot(me.x - 500.0, me.y - 450.0)
    assert (later[6][coming < 0.2] == 0.0).all() and (later[6] > 0.0).any()
    den.put(reach_from=200.0)
    assert (told(den, me)[6][np.hypot(me.x - 500.0, me.y - 450.0) < 200.0] == 0.0).all()


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
