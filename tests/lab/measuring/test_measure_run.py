"""Measures over time of runs, tracked animals and ensembles, against sums over all frames."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.lab.measuring.frames import Source, measure_frames
from murmura.lab.measuring.measure_run import measured_runs, source_of
from murmura.lab.runs.recording import record
from murmura.lab.runs.run import Run
from murmura.measure import Flock, polarization
from murmura.measure.time.catalog import OBSERVABLES
from murmura.measure.time.errors import average


def make_run(folder: Path, seed: int, steps: int = 62, every: int = 3) -> Run:
    scenario = mm.load_scenario("vicsek").with_values({"agents": 40})
    return record(mm.Simulation(scenario, seed, "reference"), steps, folder, every)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    place = tmp_path_factory.mktemp("runs")
    return [make_run(place / str(seed), seed) for seed in (1, 2, 3)]


def displacements(run: Run, lag: int, first: int) -> float:
    """The shortest ways between frames, added up, of all origins."""
    flocks = list(run.flocks())[first:21]
    size = flocks[0].size
    steps = [(b.positions - a.positions + size / 2.0) % size - size / 2.0 for a, b in pairwise(flocks)]
    places = np.concatenate([np.zeros((1, 40, 2)), np.cumsum(steps, axis=0)])
    return float(((places[lag:] - places[: len(places) - lag]) ** 2).sum(axis=2).mean())


def test_a_run_is_measured_with_units(runs: list[Run]):
    found = mm.measure_run(runs[0], ["mean_squared_displacement", "polarization"], discard=0.3)
    step = runs[0].scenario.motion.time_step
    first = math.ceil(0.3 / (3 * step) - 1e-6)
    # Step 62 is recorded after two steps, not three, and does not count.
    assert found.attrs["frames"] == 21 - first and found.attrs["discarded_seconds"] == pytest.approx(
        3 * step * first
    )
    assert found.lag.values[:3] == pytest.approx([0.0, 3 * step, 6 * step])
    for lag in (1, 5):
        assert float(found.mean_squared_displacement[lag]) == pytest.approx(
            displacements(runs[0], lag, first)
        )
    assert found.mean_squared_displacement.attrs["units"] == "u^2" and found.lag.attrs["units"] == "s"
    series = np.array([polarization(flock) for flock in runs[0].flocks()][first:21])
    expected = average(series)
    assert float(found.polarization) == pytest.approx(expected.mean)
    assert float(found.polarization_error) == pytest.approx(expected.error, nan_ok=True)
    assert found.polarization_time.attrs["units"] == "s"


def test_by_default_everything_is_measured(runs: list[Run]):
    found = mm.measure_run(runs[0].folder, every=2)
    assert set(OBSERVABLES) - {"fission_fusion"} <= set(found.data_vars)
    assert {"fission_rate", "groups", "milling_binder", "turning_rate_error"} <= set(found.data_vars)
    assert (
        found.attrs["equilibrium"].startswith("detected") and "too short for an error" in found.attrs["notes"]
    )
    assert found.sizes["lag"] > 5 and "murmura" in found.attrs["source"]


def test_several_runs_have_the_error_of_their_means(runs: list[Run]):
    names = ["polarization", "pair_distribution"]
    both = mm.measure_run(runs, names, discard=0.0)
    single = [mm.measure_run(run, names, discard=0.0) for run in runs]
    for name in names:
        rows = np.array([one[name].values for one in single])
        assert both[name].values == pytest.approx(rows.mean(axis=0))
        assert both[f"{name}_error"].values == pytest.approx(rows.std(axis=0, ddof=1) / math.sqrt(3.0))
    assert both.attrs["runs"] == 3 and "over runs" in both.attrs["errors"]


def test_worlds_of_an_ensemble_are_measured_as_simulations(runs: list[Run]):
    scenario = mm.load_scenario("vicsek").with_values({"agents": 40})
    names = ["mean_squared_displacement", "polarization"]
    found = mm.measure_ensemble(mm.Ensemble(scenario, [4, 5]), names, frames=8, every=2)
    values = []
    for seed in (4, 5):
        simulation = mm.Simulation(scenario, seed, "cpu")
        one = []
        for _ in range(8):
            one.append(simulation.measure(["polarization"])["polarization"])
            simulation.step(2)
        values.append(np.mean(one))
    assert float(found.polarization) == pytest.approx(np.mean(values))
    assert float(found.polarization_error) == pytest.approx(abs(values[0] - values[1]) / 2.0)
    assert found.lag.values[1] == pytest.approx(2 * scenario.motion.time_step)


def test_tracked_animals_with_gaps_are_measured(tmp_path: Path):
    rng = np.random.default_rng(1)
    places = 50.0 + np.cumsum(rng.normal(size=(80, 6, 2)), axis=0)
    places[30:40, 2] = np.nan
    np.save(tmp_path / "tracks.npy", places)
    run = mm.load_tracks(tmp_path / "tracks.npy", tmp_path / "run", fps=10.0)
    found = mm.measure_run(
        run, ["mean_squared_displacement", "group_size_distribution", "extent"], discard=0.0
    )
    assert float(found.mean_squared_displacement[1]) == pytest.approx(2.0, rel=0.25)
    assert float(found.extent) > 0.0


def test_a_trait_is_averaged(tmp_path: Path):
    scenario = mm.load_scenario("ecosystem").with_values({"agents": 30})
    run = record(mm.Simulation(scenario, 1, "reference"), 4, tmp_path / "run", 2, columns=("energy",))
    found = mm.measure_run(run, ["energy_mean"], discard=0.0)
    expected = np.mean([frame.columns["energy"].mean() for frame in run.frames])
    assert float(found.energy_mean) == pytest.approx(expected, rel=1e-6)


def test_wrong_requests_are_refused(runs: list[Run]):
    for names, message in (
        (["g"], "no measure is called 'g'"),
        ("polarization", "write \\['polarization'\\]"),
    ):
        with pytest.raises(ScenarioError, match=message):
            mm.measure_run(runs[0], names)
    with pytest.raises(ScenarioError, match="--discard takes 0 to less than the run's"):
        mm.measure_run(runs[0], ["polarization"], discard=1e9)
    with pytest.raises(ScenarioError, match="got every 0"):
        mm.measure_run(runs[0], ["polarization"], every=0)


def gas(first: int, count: int) -> Iterator[Flock]:
    rng = np.random.default_rng(1)
    places, moves = rng.random((3000, 2)) * 50.0, rng.normal(size=(3000, 2))
    for k in range(first, count):
        yield Flock((places + 0.1 * k * moves) % 50.0, moves, 50.0, 50.0, True, 1.0)


def peak(count: int) -> int:
    source = Source(lambda first: gas(first, count), count, 0.1)
    tracemalloc.start()
    measure_frames(source, ["mean_squared_displacement", "structure_factor"], 0.0)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_memory_is_flat_in_the_number_of_frames():
    peak(3)  # loads what it needs
    # Positions and velocities of 64 frames would be 6 MB more; what is kept grows with their logarithm.
    assert peak(96) - peak(32) < 2_000_000


def test_the_run_is_read_twice_at_most_and_progress_ends(runs: list[Run]):
    told: list[tuple[int, int]] = []
    found = measured_runs(runs[:1], ["polarization"], progress=lambda done, end: told.append((done, end)))
    assert told[-1][0] == told[-1][1] == source_of(runs[0]).count + found.frames
    assert [done for done, _ in told] == list(range(1, told[-1][0] + 1))
