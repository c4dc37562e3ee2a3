"""Measures in space against answers worked out by hand or by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import (
    Flock,
    correlation_length,
    groups,
    local_density,
    measure_flock,
    milling,
    nearest_neighbor_distance,
    polarization,
    principal_lengths,
    spread,
    turning_rate,
)


def flock(positions: object, velocities: object = None, **options: object) -> Flock:
    places = np.asarray(positions, float)
    moving = np.ones_like(places) if velocities is None else velocities
    known = {"width": 100.0, "height": 90.0, "depth": 80.0, "wraps": False, "radius": 10.0}
    return Flock(places, moving, **known | options)  # type: ignore[arg-type]


def turned(vectors: object) -> np.ndarray:
    """Turned by some rotation."""
    q, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    return np.asarray(vectors) @ (q * np.sign(np.linalg.det(q)))


def test_a_box_has_its_own_sides_whatever_its_pose() -> None:
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 40)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    box = np.add(turned(grid * [4.0, 10.0, 25.0]), [50.0, 45.0, 40.0])
    lengths = principal_lengths(flock(box))
    assert lengths == pytest.approx(
        [4.0, 10.0, 25.0], rel=0.06
    )  # a lattice of 40 is a little wider than it is filled
    found = measure_flock(flock(box), ["thickness", "thickness_to_width", "thickness_to_length"])
    assert list(found.values()) == pytest.approx([lengths[0], 0.4, 0.16], rel=1e-6)


def test_neighbours_aside_and_ahead() -> None:
    aside = np.array(
        [[50.0 + 20.0 * k, 45.0 + s, 40.0 + r] for k in (-1, 0, 1) for s, r in ((0, 0), (0, 2), (2, 1))]
    )
    ahead = np.array([[x, 45.0 + 15.0 * y, 40.0] for x in (40.0, 42.0, 44.0) for y in (-1, 0, 1)])
    east = np.tile([3.0, 0.0, 0.0], (9, 1))
    assert measure_flock(flock(aside, east))["neighbor_anisotropy"] == pytest.approx(1.0)
    assert measure_flock(flock(ahead, east))["neighbor_anisotropy"] == pytest.approx(0.0, abs=1e-9)
    rng = np.random.default_rng(2)
    # Of many isotropic flocks the mean is 1/3.
    found = [
        measure_flock(
            flock(rng.uniform(0, 60, (60, 3)), np.tile([0.0, 0.0, 1.0], (60, 1))), ["neighbor_anisotropy"]
        )
        for _ in range(300)
    ]
    assert np.mean([one["neighbor_anisotropy"] for one in found]) == pytest.approx(1.0 / 3.0, abs=0.05)


def test_a_mill_about_any_axis() -> None:
    angles = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    around = np.stack([-np.sin(angles), np.cos(angles), 0.0 * angles], axis=1)
    mill = flock(turned(ring) * 20.0 + [50.0, 45.0, 40.0], turned(around) * 3.0)
    assert milling(mill) == pytest.approx(1.0) and polarization(mill) == pytest.approx(0.0, abs=1e-12)


def test_speeds_spread_and_turns() -> None:
    before = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    after = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    two = flock([[50.0, 45.0, 38.0], [50.0, 45.0, 42.0]], after, before=before, elapsed=0.5)
    assert spread(two) == pytest.approx(2.0) and turning_rate(two) == pytest.approx((90.0 + 0.0) / 2.0 / 0.5)
    assert polarization(two) == pytest.approx(math.sqrt(2.0) / 2.0)


@pytest.mark.parametrize(("wraps", "wraps_z"), [(True, None), (True, False), (False, None)])
def test_neighbours_by_brute_force(wraps: bool, wraps_z: bool | None) -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(0.0, [100.0, 90.0, 80.0], (120, 3))
    one = flock(places, rng.normal(size=(120, 3)), wraps=wraps, wraps_z=wraps_z, radius=14.0)
    ways = places[None] - places[:, None]
    for axis, (size, wrap) in enumerate(zip((100.0, 90.0, 80.0), one.wrapping, strict=True)):
        ways[..., axis] -= wrap * size * np.round(ways[..., axis] / size)
    apart = np.linalg.norm(ways, axis=2) + np.where(np.eye(120) > 0, np.inf, 0.0)
    assert nearest_neighbor_distance(one) == pytest.approx(apart.min(axis=1).mean())
    assert local_density(one) == pytest.approx((apart <= 14.0).sum(axis=1).mean())
    reached = np.linalg.matrix_power((apart <= 14.0) + np.eye(120, dtype=bool), 120) > 0
    assert groups(one) == len({tuple(row) for row in reached.tolist()})


def test_velocities_that_change_along_z_are_correlated_over_a_quarter_of_it() -> None:
    rng = np.random.default_rng(4)
    places = rng.uniform(0.0, 80.0, (3000, 3))
    wave = np.cos(2.0 * math.pi * places[:, 2] / 80.0)
    flat = np.zeros(3000)
    one = flock(
        places * [0.02, 0.02, 1.0],
        np.stack([1.0 + wave, flat, flat], axis=1),
        width=80.0,
        height=80.0,
        wraps=True,
    )
    assert correlation_length(one) == pytest.approx(20.0, abs=2.0)


def test_planes_and_spaces_are_told_apart() -> None:
    with pytest.raises(ValueError, match=r"positions must have shape \(n, 3\), got \(4, 2\)"):
        flock(np.ones((4, 2)))
    assert "thickness" not in measure_flock(Flock(np.ones((4, 2)), np.ones((4, 2)), 9.0, 9.0, False, 1.0))
