"""Correlation of velocity fluctuations, against freud, plain loops and fields whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import Flock, correlation_length, velocity_correlation
from tests.measure.oracle import distance, make_flock, random_flock


def by_loops(flock: Flock, bins: int, reach: float) -> list[float]:
    """Follow the definition pair by pair: sum of products over number of pairs, over the mean square."""
    mean = [sum(v[k] for v in flock.velocities) / flock.agent_count for k in (0, 1)]
    u = [(v[0] - mean[0], v[1] - mean[1]) for v in flock.velocities]
    power = sum(x * x + y * y for x, y in u) / len(u)
    sums, counts = [0.0] * bins, [0] * bins
    for i in range(len(u)):
        for j in range(i):
            k = int(distance(flock, i, j) / reach * bins)
            if k < bins:
                sums[k] += u[i][0] * u[j][0] + u[i][1] * u[j][1]
                counts[k] += 1
    return [s / c / power if c else math.nan for s, c in zip(sums, counts, strict=True)]


def test_correlation_is_that_of_plain_loops_on_a_torus() -> None:
    flock = random_flock(seed=3, count=80, wraps=True)
    middles, found = velocity_correlation(flock, bins=10)
    assert middles == pytest.approx(np.arange(10) * 3.0 + 1.5)  # reach: half of the smaller side, 60
    assert found == pytest.approx(by_loops(flock, 10, 30.0), nan_ok=True)


def test_correlation_is_that_of_plain_loops_without_edges() -> None:
    flock = random_flock(seed=4, count=60)
    middle = flock.positions.mean(axis=0)
    reach = 2.0 * max(math.hypot(*(x - middle)) for x in flock.positions)
    _, found = velocity_correlation(flock, bins=12)
    assert found == pytest.approx(by_loops(flock, 12, reach), nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_freud_agrees_on_a_torus(seed: int) -> None:
    freud = pytest.importorskip("freud")
    flock = random_flock(seed=seed, count=400, wraps=True)
    deviations = flock.velocities - flock.velocities.mean(axis=0)
    box = freud.box.Box(flock.width, flock.height, is2D=True)
    points = np.column_stack([flock.positions - flock.size / 2.0, np.zeros(flock.agent_count)])
    values = deviations[:, 0] + 1j * deviations[:, 1]
    theirs = freud.density.CorrelationFunction(bins=15, r_max=30.0 - 1e-4).compute((box, points), values)
    power = (np.abs(values) ** 2).mean()
    _, ours = velocity_correlation(flock, bins=15)
    assert ours == pytest.approx(theirs.correlation.real / power, abs=2e-4)


def test_a_wave_of_velocities_has_the_correlation_of_its_cosine() -> None:
    # Velocities along y that vary as cos(2 pi x / L) on a torus: C depends on dx as cos(2 pi dx / L). Averaged over
    # all directions of a distance r it is the Bessel function J0(2 pi r / L), which is first 0 at 2.4048.
    rng = np.random.default_rng(5)
    places = rng.random((6_000, 2)) * 100.0
    wave = np.cos(2.0 * np.pi * places[:, 0] / 100.0)
    flock = make_flock(places, np.column_stack([np.ones(6_000), wave]), width=100.0, height=100.0, wraps=True)
    assert correlation_length(flock) == pytest.approx(2.404826 * 100.0 / (2.0 * np.pi), rel=0.04)


def test_a_sample_represents_the_whole() -> None:
    rng = np.random.default_rng(6)
    places = rng.random((1_400, 2)) * 100.0
    wave = np.sin(2.0 * np.pi * places[:, 1] / 100.0) + 0.3 * rng.normal(size=1_400)
    flock = make_flock(places, np.column_stack([wave, np.ones(1_400)]), width=100.0, height=100.0, wraps=True)
    _, whole = velocity_correlation(flock, bins=8, sample=1_400)
    _, part = velocity_correlation(flock, bins=8)
    assert not np.array_equal(whole, part)
    assert part == pytest.approx(whole, abs=0.05)


def test_undefined_without_fluctuations() -> None:
    for flock in (
        make_flock(np.zeros((0, 2))),
        make_flock([[1.0, 2.0]], wraps=True),
        make_flock(np.full((5, 2), 7.0), np.random.default_rng(0).normal(size=(5, 2))),
        make_flock([[1.0, 1.0], [5.0, 5.0], [9.0, 2.0]]),  # all with the same velocity
    ):
        assert math.isnan(correlation_length(flock))
        assert np.isnan(velocity_correlation(flock)[1]).all()


def test_refuses_invalid_arguments() -> None:
    with pytest.raises(ValueError, match="1 or more bins and a sample of 2 or more, got 0 and 500"):
        velocity_correlation(random_flock(seed=0), bins=0)
