"""What tells how far to trust a fit: scales of measures, warnings, contraction, and the expected number of runs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.lab.fit.adjustment import adjusted
from murmura.lab.fit.diagnosis import constants, contraction, effective_size, warnings_of
from murmura.lab.fit.folder import Fit
from murmura.lab.fit.forecast import Forecast
from murmura.lab.runs.recording import record
from murmura.lab.sweeps.axes import Axis
from tests.optional import needs

pytestmark = needs("pyabc")
SCHOOL = {
    "agents": 4, "world": {"width": 30.0, "height": 20.0, "boundary": "reflect"}, "start.radius": 3.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def counts() -> list[tuple[int, int]]:
    return []


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, counts: list[tuple[int, int]]) -> Fit:
    """A fit of two measures; the speed is constant."""
    folder, model = tmp_path_factory.mktemp("fit"), mm.load_scenario("couzin").with_values(SCHOOL)
    simulation = mm.Simulation(model.with_values({"motion.speed": 5.0}), 3, "reference")
    run = record(simulation, 8, folder / "run", 1, measures=["polarization"])
    return mm.fit(
        model, run, ["motion.speed=0.5:8"], folder / "fit", measures=["speeds", "nearest_neighbor_distances"],
        population=8, generations=3, seconds=0.5, instants=2, batch=8, predictions=3, workers=0, backend="reference",
        progress=lambda *now: counts.append(now),
    )  # fmt: skip


def wasserstein(one: list[float], other: Any) -> float:
    return float(np.mean(np.abs(np.array(one) - np.array(other))))


def test_measures_weigh_by_their_distance_under_the_prior(made: Fit):
    """A measure's scale is the median distance of the first runs, drawn from the prior; distances are sums."""
    with closing(made.rows()) as rows:
        known = {row["run"]: row for row in rows}
    scales = made.result["scales"]
    for name, scale in scales.items():
        prior = [wasserstein(known[number]["summaries"][name], made.observed[name]) for number in range(8)]
        assert scale == pytest.approx(float(np.median(prior)), rel=1e-6)
    assert len(set(scales.values())) == 2
    for line in made.posterior():
        summaries = known[line["run"]]["summaries"]
        total = sum(wasserstein(summaries[name], made.observed[name]) / scales[name] for name in scales)
        assert line["distance"] == pytest.approx(total, rel=1e-6)


def test_values_are_adjusted_to_the_exact_posterior():
    """A summary is a number plus noise of 0.05, one is noise alone: the posterior is known, acceptance is coarse."""
    chance = np.random.default_rng(1)
    truth = chance.uniform(0.0, 1.0, 3000)
    told = truth[:, None] + chance.normal(0.0, 0.05, (3000, 1)) + np.zeros(4)
    noise = chance.normal(0.0, 1.0, (3000, 4))
    distances = np.abs(told[:, 0] - 0.55) / 0.25 + np.abs(noise).mean(axis=1) / 0.8
    near = np.argsort(distances)[:500]
    summaries = [{"told": told[k], "noise": noise[k]} for k in near]
    observed = {"told": np.full(4, 0.55), "noise": np.zeros(4)}
    found = adjusted(truth[near, None], np.full(500, 1.0 / 500.0), distances[near], summaries, observed)[:, 0]
    before = np.quantile(truth[near], 0.95) - np.quantile(truth[near], 0.05)
    low, middle, high = np.quantile(found, [0.05, 0.5, 0.95])
    assert before > 0.3
    assert middle == pytest.approx(0.55, abs=0.02)
    assert high - low == pytest.approx(2.0 * 1.6449 * 0.05, rel=0.3)


def test_adjusted_values_are_in_the_posterior_and_their_runs_in_the_rows(
    tmp_path: Path, made: Fit, counts: list[tuple[int, int]]
):
    """Speeds fix the speed, so adjusting finds it; few runs are left as they are; the best run keeps its own number."""
    assert [line["values"] for line in made.result["posterior"]] == [
        line["drawn"] for line in made.result["posterior"]
    ]
    model = mm.load_scenario("couzin").with_values(SCHOOL)
    more = mm.fit(
        model, mm.open_run(made.folder.parent / "run"), ["motion.speed=0.5:8"], tmp_path / "fit", measures=["speeds"],
        population=14, generations=1, seconds=0.5, instants=2, batch=14, predictions=0, workers=0,
        backend="reference", progress=lambda *_: None,
    )  # fmt: skip
    [line] = more.table().values()
    drawn = [entry["drawn"]["motion.speed"] for entry in more.result["posterior"]]
    assert np.ptp(drawn) > 3.0
    assert line["q50"] == pytest.approx(5.0, abs=0.5)
    assert line["q95"] - line["q05"] < 0.5 * np.ptp(drawn)
    best = min(more.result["posterior"], key=lambda entry: entry["distance"])
    assert mm.open_run(more.folder / "best").scenario.motion.speed == pytest.approx(
        best["drawn"]["motion.speed"]
    )


def test_a_fit_says_what_is_amiss(made: Fit):
    told = made.result["generations"]
    assert [one["acceptance"] for one in told] == pytest.approx(
        [one["accepted"] / one["runs"] for one in told], rel=0.7
    )
    assert all(1.0 <= one["effective_size"] <= 8.0 + 1e-9 for one in told)
    assert any("speeds are 5 throughout" in line and "motion.speed" in line for line in made.warnings)
    assert any("effective runs" in line for line in made.warnings)


def test_a_distance_that_still_fell_is_told():
    def ended(*distances: float) -> list[dict[str, float]]:
        return [{"epsilon": x, "effective_size": 100.0} for x in distances]

    [line] = warnings_of(ended(3.0, 2.0, 1.5), asked=3)
    assert "still falling" in line and "(2, then 1.5)" in line
    assert warnings_of(ended(3.0, 2.0, 1.99), asked=3) == []
    assert warnings_of(ended(3.0, 2.0), asked=5) == [], "it ended because too few were accepted"


def test_contraction_and_effective_size_of_known_samples():
    even = (np.arange(1000) + 0.5) / 1000.0
    same = np.ones(1000)
    assert contraction(Axis("a", low=2.0, high=6.0), 2.0 + 4.0 * even, same) == pytest.approx(0.0, abs=1e-3)
    assert contraction(Axis("a", low=1.0, high=100.0, log=True), 100.0**even, same) == pytest.approx(
        0.0, abs=1e-3
    )
    tenth = contraction(Axis("a", low=0.0, high=1.0), 0.4 + 0.1 * even, same)
    assert tenth == pytest.approx(1.0 - 0.1**2, abs=1e-6)
    assert effective_size(same) == pytest.approx(1000.0)
    assert effective_size(np.array([1.0, 1.0, 0.0, 0.0])) == pytest.approx(2.0)


def test_only_constant_data_are_called_constant():
    values = np.full(32, 2.5)
    [line] = constants({"speeds": values, "polarization": np.linspace(0.0, 1.0, 32), "neighbor_map": values})
    assert line.startswith("speeds are 2.5 throughout")


def test_the_number_of_runs_is_expected_from_what_was_accepted():
    """Three generations that accept a half, a quarter and an eighth of the candidates take 20 + 40 + 80 runs."""
    forecast = Forecast(population=10, generations=3, predictions=5, most=10_000)
    number, expected = 0, []
    for share in (0.5, 0.25, 0.125):
        for evaluated in range(0, round(10 / share), 5):
            now = number + evaluated
            expected.append(now + forecast.left(now, round(share * evaluated), evaluated))
        number += round(10 / share)
        forecast.end_generation(share)
    assert number == 140
    assert forecast.left(number, 0, 0) == 5
    assert forecast.left(number, 0, 0, running=5) == 0
    assert all(80 <= whole <= 280 for whole in expected[4:])
    assert expected[-1] == pytest.approx(145, rel=0.15)


def test_a_fit_that_runs_never_says_that_nothing_is_left(made: Fit, counts: list[tuple[int, int]]):
    assert made.is_finished
    whole = counts[-1][0]
    assert all(done < end for done, end in counts if done < whole)
    late = [end for done, end in counts if whole / 2 <= done < whole]
    assert late and all(whole / 2.5 <= end <= 2.5 * whole for end in late)
