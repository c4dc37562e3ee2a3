"""Estimated costs of measures: their order, agreement with timings, and costs of registered measures."""

from __future__ import annotations

import time

import pytest

from murmura.measure import MEASURES, measure_flock, register_measure, unregister_measure, usual_measures
from murmura.measure.costs import COSTS, STEP, Budget, microseconds

from .oracle import random_flock


def test_every_measure_of_any_flock_has_a_cost():
    assert set(COSTS) == set(usual_measures(in_space=True))
    assert all(0.0 < COSTS[name](500) < microseconds([name], 500) for name in COSTS)


def test_costly_is_what_takes_longer_than_ten_steps():
    small, large = (Budget.of(usual_measures(), agents) for agents in (500, 4_000_000))
    assert "polarization" in small.cheap and "correlation_length" in small.costly
    assert "correlation_length" in large.cheap  # a sample, whatever the size of the flock
    assert {"groups", "clustering_coefficient"} <= {*small.costly} & {*large.costly}
    assert sorted(small.cheap + small.costly) == sorted(usual_measures())
    assert all(COSTS[name](500) > 10.0 * STEP(500) for name in small.costly)


def test_a_users_measures_count_as_costly_by_default():
    register_measure("slow_one", lambda flock: 0.0)
    register_measure("quick_one", lambda flock: 0.0, live_up_to=10**7)
    try:
        budget = Budget.of(["slow_one", "quick_one", "gene_speed_mean@predator"], 1_000)
    finally:
        unregister_measure("slow_one")
        unregister_measure("quick_one")
    assert (budget.costly, budget.cheap) == (["slow_one"], ["quick_one", "gene_speed_mean@predator"])


@pytest.mark.parametrize("agents", [300, 3_000])
def test_the_costs_agree_roughly_with_timings(agents: int):
    """Processor time, the least of several; machines differ, but a factor of ten would be a wrong estimate."""
    flock = random_flock(seed=1, count=agents, radius=10.0 * (300 / agents) ** 0.5)
    names = list(MEASURES)[:13]
    measure_flock(flock, names)  # loads what they need
    found = []
    for _ in range(5):
        again = random_flock(seed=1, count=agents, radius=10.0 * (300 / agents) ** 0.5)
        begun = time.thread_time()
        measure_flock(again, names)
        found.append((time.thread_time() - begun) * 1e6)
    assert 0.1 < min(found) / microseconds(names, agents) < 10.0
