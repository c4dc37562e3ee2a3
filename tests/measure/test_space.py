"""Measures in space against independent results: all images of a box, NumPy in double precision, known shapes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

import murmura as mm
from murmura.measure import (
    Flock,
    anisotropy,
    measure_flock,
    neighbor_map,
    principal_lengths,
    thickness_to_width,
    usual_measures,
    velocity_correlation,
)

SIDES = np.array([100.0, 60.0, 40.0])
EDGES = [(True, True), (True, False), (False, False)]
OF_SPACE = {"thickness", "thickness_to_width", "thickness_to_length", "anisotropy"}
Vectors = NDArray[np.float64]


def flock_of(positions: Vectors, velocities: Vectors, wraps: bool = False, wraps_z: bool = False) -> Flock:
    width, height, depth = SIDES.tolist()
    return Flock(positions, velocities, width, height, wraps, 15.0, depth=depth, wraps_z=wraps_z)


def crowd(seed: int, wraps: bool, wraps_z: bool, count: int = 60) -> Flock:
    rng = np.random.default_rng(seed)
    return flock_of(rng.random((count, 3)) * SIDES, rng.normal(0.2, 1.0, (count, 3)), wraps, wraps_z)


def offsets(flock: Flock) -> Vectors:
    """Offsets between all pairs, shape (n, n, 3): the shortest over all images of the box."""
    copies = [(-1, 0, 1) if wraps else (0,) for wraps in flock.wrapping]
    direct = flock.positions[None] - flock.positions[:, None]
    images = np.stack([direct + np.array(shift) * SIDES for shift in itertools.product(*copies)])
    nearest = (images**2).sum(axis=-1).argmin(axis=0)
    return np.take_along_axis(images, nearest[None, ..., None], axis=0)[0]


@pytest.mark.parametrize(("wraps", "wraps_z"), EDGES)
def test_distances_and_links_are_those_to_the_nearest_image(wraps: bool, wraps_z: bool) -> None:
    flock = crowd(1, wraps, wraps_z)
    apart = np.linalg.norm(offsets(flock), axis=-1)
    np.fill_diagonal(apart, math.inf)
    linked = apart <= flock.radius
    counts, labels = linked.sum(axis=1), connected_components(linked)[1]
    shares = [
        linked[np.ix_(row, row)].sum() / (k * (k - 1)) if k > 1 else 0.0
        for row, k in zip(linked, counts, strict=True)
    ]
    sizes = np.bincount(labels)
    assert measure_flock(flock) | {
        "nearest_neighbor_distance": pytest.approx(apart.min(axis=1).mean()),
        "local_density": pytest.approx(counts.mean()),
        "clustering_coefficient": pytest.approx(np.mean(shares)),
        "groups": float(len(sizes)),
        "largest_group": float(sizes.max()),
        "mean_group": pytest.approx(sizes.mean()),
    } == measure_flock(flock)


@pytest.mark.parametrize(("wraps", "wraps_z"), EDGES)
def test_correlations_are_those_of_all_pairs(wraps: bool, wraps_z: bool) -> None:
    flock = crowd(2, wraps, wraps_z)
    distances, found = velocity_correlation(flock, bins=8)
    apart, deviations = (
        np.linalg.norm(offsets(flock), axis=-1),
        flock.velocities - flock.velocities.mean(axis=0),
    )
    width = 2.0 * distances[0]
    for middle, value in zip(distances, found, strict=True):
        inside = (
            (apart >= middle - width / 2) & (apart < middle + width / 2) & ~np.eye(len(apart), dtype=bool)
        )
        products = (deviations @ deviations.T)[inside]
        expected = products.mean() / (deviations**2).sum(axis=1).mean() if inside.any() else math.nan
        assert value == pytest.approx(expected, nan_ok=True)


def random_turn(seed: int) -> Vectors:
    """A rotation drawn at random."""
    return np.asarray(np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0])


def test_a_mill_is_found_about_any_axis() -> None:
    angles = np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    along = np.column_stack([-np.sin(angles), np.cos(angles), 0.0 * angles])
    for seed in range(4):
        turn = random_turn(seed)
        mill = flock_of(10.0 * ring @ turn + SIDES / 2.0, along @ turn)
        assert measure_flock(mill, ["milling", "polarization"]) == pytest.approx(
            {"milling": 1.0, "polarization": 0.0}, abs=1e-12
        )


def test_milling_is_the_greatest_rotation_about_an_axis() -> None:
    flock = crowd(3, wraps=False, wraps_z=False)
    offsets = flock.positions - flock.positions.mean(axis=0)
    unit = lambda v: v / np.linalg.norm(v, axis=1, keepdims=True)  # noqa: E731
    spins = np.cross(unit(offsets), unit(flock.velocities))
    axes = unit(np.random.default_rng(0).normal(size=(20_000, 3)))
    found = measure_flock(flock, ["milling", "polarization"])
    best = (axes @ spins.mean(axis=0)).max()
    assert best <= found["milling"] <= best * 1.001
    assert found["polarization"] == pytest.approx(np.linalg.norm(unit(flock.velocities).mean(axis=0)))


def block(lengths: tuple[float, float, float]) -> Vectors:
    """Agents on an even grid of a box: a uniform filling, up to the grid's step."""
    marks = [(np.arange(9) + 0.5) / 9 * side - side / 2 for side in lengths]
    return np.stack(np.meshgrid(*marks, indexing="ij"), axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("wraps", [False, True])
def test_the_lengths_of_a_box_do_not_depend_on_its_orientation(wraps: bool) -> None:
    places = block((4.0, 8.0, 16.0)) @ random_turn(5) + [99.0, 30.0, 20.0]  # across an edge
    flock = flock_of(places, np.ones_like(places), wraps, wraps)
    # A grid of 9 has the variance (1 - 1/81) of an even filling.
    assert principal_lengths(flock) == pytest.approx(np.array([4.0, 8.0, 16.0]) * math.sqrt(80.0 / 81.0))
    found = measure_flock(flock, ["thickness_to_width", "thickness_to_length"])
    assert found == pytest.approx({"thickness_to_width": 0.5, "thickness_to_length": 0.25})


def test_principal_lengths_are_singular_values() -> None:
    flock = crowd(6, wraps=False, wraps_z=False)
    centered = flock.positions - flock.positions.mean(axis=0)
    expected = np.linalg.svd(centered, compute_uv=False)[::-1] * math.sqrt(12.0 / flock.agent_count)
    assert principal_lengths(flock) == pytest.approx(expected)


def test_undefined_ratios_are_nan() -> None:
    line = np.outer(np.arange(5.0), [1.0, 2.0, 0.5])
    assert math.isnan(thickness_to_width(flock_of(line, np.ones_like(line))))
    nobody = measure_flock(flock_of(np.zeros((0, 3)), np.zeros((0, 3))))
    assert all(math.isnan(nobody[name]) for name in OF_SPACE)
    one = measure_flock(flock_of(np.ones((1, 3)), np.ones((1, 3))))
    assert one["thickness"] == 0.0 and math.isnan(one["anisotropy"])


def test_anisotropy_of_layers_columns_and_crowds() -> None:
    grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0), indexing="ij"), axis=-1).reshape(-1, 2)
    layer = np.column_stack([grid, 0.0 * grid[:, 0]])
    up, along = np.tile([0.0, 0.0, 1.0], (25, 1)), np.tile([1.0, 1.0, 0.0], (25, 1))
    assert anisotropy([flock_of(layer, up)], 4) == pytest.approx(np.ones(4))
    assert anisotropy([flock_of(layer, along)], 4) == pytest.approx(np.zeros(4), abs=1e-12)
    rng = np.random.default_rng(4)
    crowds = [flock_of(rng.random((80, 3)) * SIDES, np.ones((80, 3)), True, True) for _ in range(200)]
    # For uniform directions the cosine is uniform on 0 ... 1: mean 1/3, standard deviation 0.298.
    assert anisotropy(crowds, 1)[0] == pytest.approx(1.0 / 3.0, abs=3.0 * 0.298 / math.sqrt(200))


@pytest.mark.parametrize(("wraps", "wraps_z"), EDGES)
def test_anisotropy_follows_its_definition(wraps: bool, wraps_z: bool) -> None:
    flock = crowd(7, wraps, wraps_z)
    apart = offsets(flock)
    lengths = np.linalg.norm(apart, axis=-1)
    np.fill_diagonal(lengths, math.inf)
    nearest = lengths.argmin(axis=1)
    units = np.array([apart[i, j] / lengths[i, j] for i, j in enumerate(nearest)])
    values, vectors = np.linalg.eig(sum(np.outer(u, u) for u in units))
    velocity = flock.velocities.mean(axis=0)
    cosine = vectors[:, values.argmin()] @ velocity / np.linalg.norm(velocity)
    assert measure_flock(flock, ["anisotropy"])["anisotropy"] == pytest.approx(cosine**2)


def test_maps_of_the_plane_refuse_space() -> None:
    with pytest.raises(ValueError, match="interaction maps need a flock in the plane"):
        neighbor_map([crowd(1, wraps=False, wraps_z=False)], 5.0)


def test_a_simulation_in_space_takes_them_and_a_plane_only_on_request() -> None:
    scenario = mm.Scenario(agents=20)
    deep = scenario.with_values({"world.depth": 300.0})
    space, plane = (mm.Simulation(s, seed=1, backend="reference") for s in (deep, scenario))
    assert set(space.measure()) == set(plane.measure()) | OF_SPACE == set(usual_measures(in_space=True))
    assert plane.measure(["thickness"])["thickness"] > 0.0
