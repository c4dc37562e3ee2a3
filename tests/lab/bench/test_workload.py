"""Timing: rows name what was timed, wrong results are not timed, and the baseline computes the same flock."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.cpu import BackendCpu
from murmura.core.errors import RunError
from murmura.core.state import State
from murmura.lab.bench import workload as benching
from murmura.lab.bench.baseline import NumpyFlock

FIELDS = {
    "agents", "program", "backend", "threads", "best_ms", "median_ms", "agent_steps_per_second", "ns_per_agent",
    "times_murmura",
}  # fmt: skip


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benching, "ROUNDS", 2)
    monkeypatch.setattr(benching, "SECONDS_PER_ROUND", 0.005)


@pytest.mark.parametrize("space", [False, True])
def test_the_workload_has_the_neighbours_it_promises(space: bool):
    scenario = benching.workload(2000, space)
    simulation = mm.Simulation(scenario, 1, "reference")
    d = simulation.positions[:300, None, :].astype(np.float64) - simulation.positions[None, :, :]
    size = scenario.world.width
    d -= size * np.round(d / size)
    within = (np.linalg.norm(d, axis=2) <= 50.0).sum(axis=1) - 1
    assert within.mean() == pytest.approx(20.0, abs=1.5)
    assert scenario.perception.field_of_view == 270.0 and scenario.rules.separation.radius == 25.0


@pytest.mark.usefixtures("hasty")
def test_rows_say_what_was_timed():
    rows = list(benching.bench((300,), "cpu", 1))
    assert [row["program"] for row in rows] == ["murmura", "murmura, all forces", "NumPy + cKDTree"]
    for row in rows:
        assert set(row) == FIELDS
        assert row["agents"] == 300 and row["threads"] == 1
        assert 0.0 < row["best_ms"] <= row["median_ms"]
        assert row["agent_steps_per_second"] == pytest.approx(300 / (row["best_ms"] / 1e3))
        assert row["ns_per_agent"] == pytest.approx(row["best_ms"] * 1e6 / 300)
        assert row["times_murmura"] == pytest.approx(row["best_ms"] / rows[0]["best_ms"])
    assert [row["backend"] for row in rows] == ["cpu", "cpu", ""]


@pytest.mark.usefixtures("hasty")
def test_space_is_timed_beside_the_plane():
    rows = list(benching.bench((300,), "reference", 1, space=True))
    assert [row["program"] for row in rows] == ["murmura", "murmura, in the plane"]


@pytest.mark.usefixtures("hasty")
def test_as_many_agents_in_small_flocks_are_timed_beside_one_flock():
    for chosen in (None, mm.load_scenario("classic")):
        rows = list(benching.bench((300,), "cpu", 1, chosen, baselines=False, ensemble=True))
        assert [row["program"] for row in rows][:2] == ["murmura", "murmura, flocks of 100"]
        assert [row["agents"] for row in rows[:2]] == [300, 300]


@pytest.mark.usefixtures("hasty")
def test_a_scenario_of_ones_own_is_timed_beside_its_trio():
    rows = list(benching.bench((40, 80), "reference", None, mm.load_scenario("starlings")))
    assert [(row["agents"], row["program"], row["backend"]) for row in rows] == [
        (40, "murmura", "reference"),
        (40, "its trio alone", "reference"),
        (80, "murmura", "reference"),
        (80, "its trio alone", "reference"),
    ]


def test_a_resized_world_is_as_dense_and_holds_everything_where_it_was():
    whole = mm.load_scenario("sky-and-sea")
    half = benching.resized(whole, whole.agents // 4)
    assert half.world.width == pytest.approx(whole.world.width / 2.0)
    assert half.agents / (half.world.width * half.world.height) == pytest.approx(
        whole.agents / (whole.world.width * whole.world.height)
    )
    homes = zip(whole.rules.territory.homes, half.rules.territory.homes, strict=True)
    assert all((b.x, b.y) == pytest.approx((a.x / 2.0, a.y / 2.0)) for a, b in homes)
    assert whole.rules.territory.homes
    many = benching.resized(whole, 100 * whole.agents)
    assert many.rules.breeding.most >= many.agents


def test_a_larger_population_that_breeds_has_caps_as_much_larger():
    many = benching.resized(mm.load_scenario("ecosystem"), 20_000)
    assert (many.agents, many.rules.reproduction.most) == (20_000, 80_000)
    assert many.species[0].values["rules.reproduction.most_of_kind"] == 16_000
    assert benching.bare(many).agents == 20_000


def test_the_trio_alone_has_no_other_rule():
    bare = benching.bare(mm.load_scenario("sky-and-sea"))
    assert {name for name, rule in bare.rules if rule.enabled} == set(benching.TRIO)


@pytest.mark.usefixtures("hasty")
def test_a_backend_that_is_wrong_is_not_timed(monkeypatch: pytest.MonkeyPatch):
    benching.check("cpu", 1)
    right = BackendCpu.store

    def wrong(self: BackendCpu, state: State) -> None:
        right(self, state)
        state["velocity_x"][::10] *= np.float32(1.0005)

    monkeypatch.setattr(BackendCpu, "store", wrong)
    with pytest.raises(RunError, match=r"the cpu backend disagrees with the reference by .*not timed"):
        benching.check("cpu", 1)
    with pytest.raises(RunError, match="not timed"):
        next(benching.bench((300,), "cpu", 1))


def test_steps_are_counted_in_full_and_every_round_begins_at_the_start(monkeypatch: pytest.MonkeyPatch):
    """With a clock that advances 3 ms per step, plus a millisecond for each step since the start."""
    now, age, starts = [0.0], [0], [0]
    monkeypatch.setattr(benching.time, "perf_counter", lambda: now[0])

    def step(count: int) -> None:
        for _ in range(count):
            now[0] += 0.003 + 0.001 * age[0]
            age[0] += 1

    def restart() -> None:
        age[0] = 0
        starts[0] += 1
        now[0] += 100.0  # not timed

    one = benching.Contestant(step, restart)
    found = benching.time_steps({"a": one, "b": one})
    assert starts[0] == 2 * benching.ROUNDS
    for times in found.values():
        assert len(times) == benching.ROUNDS
        assert min(times) > 3.0 and np.ptp(times) < 1e-6  # ms


def test_going_back_to_the_start_gives_the_same_flock():
    scenario = benching.workload(300)
    simulation, contestant = benching.ours(scenario, "reference", None)
    flock = NumpyFlock(mm.Simulation(scenario, 1, "reference"))
    first = simulation.positions, flock.positions.copy()
    for one in (contestant, flock):
        one.step(4)
        one.restart()
    assert (simulation.positions == first[0]).all()
    assert (flock.positions == first[1]).all()


def test_all_forces_are_at_work():
    scenario = benching.with_all_forces(benching.workload(300))
    simulation = mm.Simulation(scenario, 1, "reference")
    simulation.step(2)
    centre = scenario.world.width / 2.0
    near = np.argmin(np.hypot(*(simulation.positions - centre).T))
    rules: dict[str, Any] = simulation.explain(int(simulation.ids[near]))["rules"]
    for name in ("separation", "alignment", "cohesion", "noise", "wind", "fear"):
        assert name in rules
    assert math.hypot(*rules["fear"]["force"]) > 0.0
    assert simulation.column("panic").max() > 0.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_baseline_flies_as_the_reference_does(seed: int):
    """Two independent programs give the same flock after ten steps."""
    start = mm.Simulation(benching.workload(400), seed, "reference")
    baseline = NumpyFlock(start)
    start.step(10)
    baseline.step(10)
    size = start.scenario.world.width
    apart = start.positions - baseline.positions
    apart -= size * np.round(apart / size)
    moved = np.hypot(*baseline.velocities.T)
    assert moved.min() > 0.0
    assert np.abs(start.velocities - baseline.velocities).max() < 2e-3
    assert np.abs(apart).max() < 2e-3
