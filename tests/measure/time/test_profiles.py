"""Profiles against planted bands and mills, and ideal gases without any."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.measure import Flock
from murmura.measure.time.catalog import OBSERVABLES, Gathering
from murmura.measure.time.profiles import BandProfiles, EgocentricAngles, RotationProfiles


def band(seed: int, crest: float, axis: int, sign: float, wraps: bool = True) -> Flock:
    """A third of the agents scattered, the others in a band that has a sharp front and a tail of 20 behind it."""
    rng = np.random.default_rng(seed)
    places = rng.random((900, 2)) * [80.0, 40.0] if axis else rng.random((900, 2)) * [40.0, 80.0]
    places = places[:, ::-1].copy()
    places[:600, axis] = crest - sign * 20.0 * np.minimum(0.999, rng.exponential(0.3, 600))
    velocities = np.zeros((900, 2))
    velocities[:600, axis] = sign
    velocities[600:] = rng.normal(size=(300, 2))
    width, height = (80.0, 40.0) if axis == 0 else (40.0, 80.0)
    if not wraps:
        places[:, axis] -= crest - 40.0
    return Flock(places, velocities, width, height, wraps, 1.0)


@pytest.mark.parametrize(("axis", "sign"), [(0, 1.0), (0, -1.0), (1, 1.0)])
def test_a_moving_band_keeps_its_shape(axis: int, sign: float):
    found = BandProfiles(bins=40)
    for k in range(60):
        found.add(band(k, 7.0 * k % 80.0, axis, sign))
    density, alignment = found.density(), found.alignment()
    assert density.x == pytest.approx(np.arange(-39.0, 40.0, 2.0))
    assert np.nanmean(density.values) == pytest.approx(1.0)
    behind, front = density.values[density.x < 0], density.values[density.x > 0]
    high = density.values.argmax()
    assert 6.0 < density.values[high] < 15.0 and 0.0 <= density.x[high] < 8.0
    # The front is steep, and behind it the density decays over some 6 units.
    assert density.values[high + 4] < 0.6 and 1.0 < density.values[high - 3] < density.values[high - 1]
    assert abs(front[10:].mean() - 1.0 / 3.0) < 0.05 and abs(behind[:8].mean() - 1.0 / 3.0) < 0.05
    assert alignment.values[high] > 0.9 and abs(alignment.values[:8].mean()) < 0.1
    assert density.errors[high] < 0.5


def test_without_a_torus_the_profile_is_about_the_centre():
    found = BandProfiles(bins=20)
    found.add(Flock([[10.0, 1.0], [30.0, 2.0]], [[1.0, 0.0], [1.0, 0.0]], 100.0, 60.0, False, 1.0))
    curve = found.density()
    assert curve.x[np.nan_to_num(curve.values) > 0.0].tolist() == [-7.5, 12.5]


def test_a_mill_has_its_planted_rotation_curve():
    rng = np.random.default_rng(2)
    found = RotationProfiles(bins=10)
    for k in range(40):
        r, angle = rng.uniform(1.0, 20.0, 400), rng.uniform(0.0, 2.0 * math.pi, 400)
        out = np.column_stack([np.cos(angle), np.sin(angle)])
        around = np.column_stack([-out[:, 1], out[:, 0]]) * (-1.0) ** k
        found.add(
            Flock(50.0 + r[:, None] * out, around * np.sqrt(r)[:, None] - 0.1 * out, 100.0, 100.0, False, 1.0)
        )
    radial, tangential = found.radial(), found.tangential()
    inside = (radial.x > 2.0) & (radial.x < 18.0)
    assert tangential.values[inside] == pytest.approx(np.sqrt(radial.x[inside]), rel=0.08)
    assert radial.values[inside] == pytest.approx(-0.1, abs=0.05)


@pytest.mark.parametrize("depth", [None, 50.0])
def test_a_gas_sees_its_neighbours_everywhere(depth: float | None):
    found = EgocentricAngles(bins=12)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        size = np.array([50.0, 50.0, 50.0])[: 3 if depth else 2]
        places = rng.random((150, len(size))) * size
        found.add(Flock(places, rng.normal(size=places.shape), 50.0, 50.0, True, 1.0, depth=depth))
    curve = found.curve()
    assert (np.abs(curve.values - 1.0) < 4.0 * curve.errors).all() and curve.errors.max() < 0.1


def test_all_of_the_catalogue_are_gathered_at_once_and_share_their_work():
    gathering = Gathering([*OBSERVABLES, "polarization", "extent"])
    for seed in range(30):
        gathering.add(band(seed, 7.0 * seed % 80.0, 0, 1.0))
    found = gathering.found(0.5)
    assert list(found) == [*OBSERVABLES, "polarization", "extent"]
    assert all(
        (each.curve is not None) == bool(OBSERVABLES[name].x) for name, each in list(found.items())[:-2]
    )
    assert found["polarization"].numbers["polarization_binder"].value == pytest.approx(2.0 / 3.0, abs=0.01)
    assert len(gathering._gatherers) == len(found) - 2  # both profiles of a pair come from one


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'g_of_r'.*over time also mean_squared_displacement"):
        Gathering(["g_of_r"])
