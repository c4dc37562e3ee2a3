"""Vectors and noise of three components, against SciPy's rotations and their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from murmura.core.noise.space import fractal_noise_vector, noise, noise_vector
from murmura.core.vec import Vec, from_angle, random_direction

RNG = np.random.default_rng(7)
PAIRS = RNG.normal(size=(40, 2, 3))


def plain(vector: Vec) -> np.ndarray:
    return np.array([float(part) for part in vector])


@pytest.mark.parametrize("scale", [1.0, 1e-6, 3.0])
def test_a_turn_is_a_rotation_about_its_axis(scale: float) -> None:
    for vector, turn in PAIRS:
        found = plain(Vec(*vector).rotated(Vec(*(turn * scale))))
        assert found == pytest.approx(Rotation.from_rotvec(turn * scale).apply(vector), abs=1e-12)


def test_the_shortest_turn_leads_there() -> None:
    for start, end in PAIRS:
        turn = Vec(*start).turn_to(Vec(*end))
        cosine = start @ end / np.linalg.norm(start) / np.linalg.norm(end)
        assert float(turn.length) == pytest.approx(math.acos(cosine))
        there = plain(Vec(*start).rotated(turn))
        assert there / np.linalg.norm(there) == pytest.approx(end / np.linalg.norm(end), abs=1e-9)


@pytest.mark.parametrize("start", [(0.0, 0.0, 2.0), (3.0, 0.0, 0.0), (1.0, -2.0, 0.5)])
def test_a_half_turn_has_some_perpendicular_axis(start: tuple[float, ...]) -> None:
    turn = Vec(*start).turn_to(-Vec(*start))
    assert float(turn.length) == pytest.approx(math.pi)
    assert float(turn.dot(Vec(*start))) == pytest.approx(0.0, abs=1e-9)
    assert plain(Vec(*start).rotated(turn)) == pytest.approx(-np.array(start), abs=1e-9)


def test_no_turn_from_or_to_the_zero_vector_or_to_itself() -> None:
    for start, end in ((Vec(1.0, 2.0, 3.0), Vec(2.0, 4.0, 6.0)), (Vec(0.0, 0.0, 0.0), Vec(1.0, 0.0, 0.0))):
        assert plain(start.turn_to(end)) == pytest.approx([0.0, 0.0, 0.0], abs=1e-7)


def test_products_and_levels() -> None:
    for a, b in PAIRS:
        assert plain(Vec(*a).cross(Vec(*b))) == pytest.approx(np.cross(a, b))
        assert float(Vec(*a).perpendicular.dot(Vec(*a))) == pytest.approx(0.0, abs=1e-12)
    assert plain(Vec(1.0, 2.0, 3.0).left) == pytest.approx([-2.0, 1.0, 0.0])
    assert float(Vec(0.0, 2.0, 5.0).angle) == pytest.approx(math.pi / 2.0)
    assert plain(Vec(1.0, 0.0, 4.0).rotated(math.pi / 2.0)) == pytest.approx([0.0, 1.0, 4.0])
    assert plain(from_angle(0.5, 2.0, 3)) == pytest.approx([2.0 * math.cos(0.5), 2.0 * math.sin(0.5), 0.0])


def test_random_directions_are_uniform() -> None:
    u, v = RNG.random((2, 40_000))
    found = np.stack([*random_direction(2.0 * math.pi * u, v, 3.0, 3)], axis=1)
    assert np.linalg.norm(found, axis=1) == pytest.approx(3.0)
    np.testing.assert_allclose(found.T @ found / len(found), 3.0 * np.eye(3), atol=0.06)


def test_noise_in_space_is_bounded_smooth_and_zero_on_the_lattice() -> None:
    x, y, z = RNG.uniform(-3000.0, 3000.0, (3, 50_000))
    values = noise(x, y, z)
    assert np.abs(values).max() <= 1.0 and values.std() > 0.15 and abs(values.mean()) < 0.01
    whole = np.floor(x[:500])
    assert noise(whole, np.floor(y[:500]), np.floor(z[:500])) == pytest.approx(np.zeros(500), abs=1e-12)
    step = 1e-5
    for move in ((step, 0, 0), (0, step, 0), (0, 0, step)):
        assert np.abs(noise(x + move[0], y + move[1], z + move[2]) - values).max() < 4.0 * step
    assert noise(x[:99] + 256.0, y[:99], z[:99] - 512.0) == pytest.approx(values[:99], abs=1e-9)


def test_components_of_a_noise_vector_are_independent_with_the_same_spread() -> None:
    x, y, z = RNG.uniform(0.0, 256.0, (3, 40_000))
    for field in (noise_vector(x, y, z), fractal_noise_vector(x, y, z, 3)):
        table = np.corrcoef([*field])
        assert np.abs(table - np.eye(3)).max() < 0.05
        assert np.ptp([part.std() for part in field]) < 0.02
