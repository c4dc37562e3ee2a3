"""Curves over space, against freud, plain sums, lattices and gases whose answer is exact."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import Flock, correlation_length, velocity_correlation
from murmura.measure.time.spatial import (
    FluctuationCorrelation,
    Fluctuations,
    GroupSizes,
    PairDistribution,
    StructureFactor,
    first_zero,
    overlap,
    wave_sums,
)
from tests.measure.oracle import group_sizes, random_flock


def gas(seed: int, count: int, depth: float | None = None, **options: object) -> Flock:
    rng = np.random.default_rng(seed)
    size = np.array([100.0, 60.0] if depth is None else [100.0, 60.0, depth])
    return Flock(
        rng.random((count, len(size))) * size, rng.normal(size=(count, len(size))),
        **{"width": 100.0, "height": 60.0, "wraps": True, "radius": 5.0, "depth": depth} | options,
    )  # fmt: skip


@pytest.mark.parametrize("depth", [None, 50.0])
def test_freud_has_the_same_pair_distribution(depth: float | None):
    freud = pytest.importorskip("freud")
    flock = gas(1, 240, depth)
    found = PairDistribution(bins=20, reach=20.0)
    found.add(flock)
    box = freud.box.Box(*flock.size, is2D=depth is None)
    points = flock.positions - flock.size / 2.0
    points = points if depth else np.column_stack([points, np.zeros(240)])
    theirs = freud.density.RDF(bins=20, r_max=20.0).compute((box, points)).rdf
    # freud divides by n where the others of an agent are n - 1.
    assert found.curve().values == pytest.approx(theirs * 240.0 / 239.0, rel=2e-3, abs=2e-3)
    assert found.curve().x == pytest.approx(np.arange(20) + 0.5)


@pytest.mark.parametrize("options", [{"wraps": True}, {"wraps": False}, {"wraps": True, "wraps_z": False}])
@pytest.mark.parametrize("depth", [None, 30.0])
def test_a_gas_has_no_structure_with_or_without_edges(options: dict[str, bool], depth: float | None):
    found = PairDistribution(bins=12, reach=15.0)
    for seed in range(150):
        found.add(gas(seed, 150, depth, **options))
    curve = found.curve()
    assert (np.abs(curve.values - 1.0) < 4.0 * curve.errors).all()
    assert curve.errors[1:].max() < 0.06


def test_a_shell_in_a_rectangle_is_the_known_covariogram():
    edges = np.linspace(0.0, 30.0, 7)
    found = overlap(edges, np.array([100.0, 60.0]), (False, False))
    r = np.linspace(edges[:-1], edges[1:], 2001)
    exact = 2.0 * math.pi * r * (1.0 - 2.0 * r * (1 / 100 + 1 / 60) / math.pi + r**2 / (math.pi * 6000.0))
    assert found == pytest.approx(np.trapezoid(exact, r, axis=0), rel=1e-5)


def test_a_square_lattice_has_neighbours_at_its_distances():
    x = np.arange(20.0)
    places = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2) + 0.5
    flock = Flock(places, places, width=20.0, height=20.0, wraps=True, radius=1.0)
    found = PairDistribution(bins=30, reach=3.0)
    found.add(flock)
    curve = found.curve()
    counts = np.rint(curve.values * found._overlap * 399.0 / 400.0).astype(int)
    expected = {
        10: 4,
        14: 4,
        20: 4,
        22: 8,
        28: 4,
    }  # 1, sqrt 2, 2, sqrt 5, sqrt 8; 3 is the end of the last bin
    assert {k: int(c) for k, c in enumerate(counts) if c and k != 29} == expected
    sharp = StructureFactor(per_axis=20)
    sharp.add(flock)
    k, s = sharp.curve().x, sharp.curve().values
    assert s[k < 6.0] == pytest.approx(0.0, abs=1e-9)
    assert s[np.argmin(np.abs(k - 2.0 * math.pi))] > 10.0  # Bragg


@pytest.mark.parametrize("depth", [None, 40.0])
def test_waves_are_plain_sums(depth: float | None):
    flock = gas(3, 30, depth)
    found = wave_sums(flock.positions, flock.size, 2)
    for index in np.ndindex(*found.shape):
        wave = np.array([*(k - 2 for k in index[:-1]), index[-1]]) * 2.0 * math.pi / flock.size
        assert found[index] == pytest.approx(np.exp(-1j * (flock.positions @ wave)).sum(), abs=1e-10)


@pytest.mark.parametrize("depth", [None, 40.0])
def test_a_gas_scatters_evenly_at_all_waves(depth: float | None):
    found = StructureFactor()
    for seed in range(200):
        found.add(gas(seed, 100, depth))
    curve = found.curve()
    assert (np.abs(curve.values - 1.0) < 4.0 * curve.errors).all() and len(curve.x) > 3
    assert curve.x[0] == pytest.approx(2.0 * math.pi / 100.0, rel=0.2)


def test_the_correlation_is_the_mean_of_that_of_the_frames():
    flocks = [random_flock(seed=seed, count=50, wraps=True) for seed in range(40)]
    found = FluctuationCorrelation()
    for flock in flocks:
        found.add(flock)
    rows = np.stack([velocity_correlation(flock)[1] for flock in flocks])
    assert found.curve().values == pytest.approx(np.nanmean(rows, axis=0))
    lengths = [correlation_length(flock) for flock in flocks]
    assert found.length().mean == pytest.approx(np.nanmean(lengths))
    assert math.isnan(first_zero(np.array([1.0, 2.0]), np.array([0.9, 0.5])))


def test_without_edges_the_bins_of_the_first_frame_stay():
    one, other = random_flock(seed=1, count=60), random_flock(seed=2, count=60)
    found = FluctuationCorrelation()
    found.add(one)
    found.add(other)
    x, first = velocity_correlation(one)
    y, second = velocity_correlation(other)
    assert found.curve().x == pytest.approx(x)
    k = 10
    known = np.isfinite(second)
    assert found.curve().values[k] == pytest.approx(
        0.5 * (first[k] + np.interp(x[k], y[known], second[known]))
    )


@pytest.mark.parametrize("depth", [None, 60.0])
def test_independent_agents_fluctuate_as_their_number(depth: float | None):
    found = Fluctuations()
    for seed in range(400):
        found.add(gas(seed, 1000, depth))
    result = found.result()
    shares = result.curve.x / 1000.0
    exact = 1000.0 * shares * (1.0 - shares)
    assert (np.abs(result.curve.values - exact) < 4.0 * result.curve.errors).all()
    slope = np.polyfit(np.log(shares), np.log(exact), 1)[0]
    assert abs(result.exponent - slope) < 3.0 * result.exponent_error
    assert result.exponent_error < 0.03


def test_boxes_are_counted_as_a_histogram_counts_them():
    flock = gas(5, 500)
    found = Fluctuations()
    found.add(flock)
    for part, variance in zip(found._parts, found._rows[0], strict=False):
        counts = np.histogram2d(*flock.positions.T, part, [(0.0, 100.0), (0.0, 60.0)])[0]
        assert variance == pytest.approx(counts.var())


def test_a_swarm_in_one_place_fluctuates_most():
    places = np.full((1000, 2), 7.0)
    flock = Flock(places, places, width=100.0, height=60.0, wraps=True, radius=1.0)
    found = Fluctuations()
    for _ in range(50):
        found.add(flock)
    # n^2 (1/m - 1/m^2) against n/m: exponent 1 again, but a thousand times as much.
    result = found.result()
    assert result.curve.values / result.curve.x == pytest.approx(1000.0 * (1.0 - result.curve.x / 1000.0))
    assert result.exponent_error == pytest.approx(0.0, abs=1e-9)


def test_groups_are_counted_by_size():
    flocks = [random_flock(seed=seed, count=60, radius=6.0) for seed in range(5)]
    found = GroupSizes()
    for flock in flocks:
        found.add(flock)
    curve = found.curve()
    sizes = [size for flock in flocks for size in group_sizes(flock)]
    assert curve.x[:2] == pytest.approx([1.0, math.sqrt(6.0)])
    assert curve.values[0] == pytest.approx(sum(size == 1 for size in sizes) / 5.0)
    assert curve.values[1] == pytest.approx(sum(size in (2, 3) for size in sizes) / 5.0 / 2.0)


@pytest.mark.parametrize("kind", [FluctuationCorrelation, PairDistribution, StructureFactor, GroupSizes])
def test_no_frames_and_lonely_agents_give_no_curve_and_no_error(kind: type):
    assert len(kind().curve().x) == 0
    found = kind()
    found.add(gas(1, 1))
    found.add(gas(2, 0))
    assert np.isnan(found.curve().errors).all()
