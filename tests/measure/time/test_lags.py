"""Displacement and autocorrelation of velocities, against sums over all pairs of frames and exact processes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from murmura.measure import Flock
from murmura.measure.time.lags import Displacements, Lagged, VelocityAutocorrelation


def walk(frames: int, agents: int, dimension: int, step: float = 1.0) -> NDArray[np.float64]:
    steps = np.random.default_rng(1).normal(scale=step, size=(frames, agents, dimension))
    return np.cumsum(steps, axis=0)


def flock(positions: NDArray[np.float64], ids: NDArray[np.int64], wraps: bool, **more: object) -> Flock:
    depth = 20.0 if positions.shape[1] == 3 else None
    size = np.array([20.0, 30.0, 20.0])[: positions.shape[1]]
    places = positions % size if wraps else positions
    options = {"width": 20.0, "height": 30.0, "wraps": wraps, "radius": 1.0, "depth": depth, "ids": ids}
    return Flock(places, more.get("velocities", positions), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("wraps", [False, True])
def test_displacement_is_that_of_all_origins(dimension: int, wraps: bool):
    tracks = walk(150, 7, dimension)
    found = Displacements()
    for positions in tracks:
        found.add(flock(positions, np.arange(7), wraps))
    curve = found.curve(0.5)
    assert curve.x[:20].tolist() == [0.5 * k for k in [*range(17), 18, 20, 22]]
    assert curve.x[-1] >= 0.5 * 128
    for lag, value in zip((curve.x / 0.5).astype(int), curve.values, strict=True):
        every = 1 << max(0, math.ceil(math.log2(max(lag, 1) / 16)))
        later = tracks[lag:][[k for k in range(150 - lag) if (k + lag) % every == 0]]
        earlier = tracks[: 150 - lag][[k for k in range(150 - lag) if (k + lag) % every == 0]]
        assert value == pytest.approx(((later - earlier) ** 2).sum(axis=2).mean(), rel=1e-9)


def test_the_first_frame_is_an_origin_of_every_lag():
    found = Lagged(lambda one, other: float(other[0, 0] - one[0, 0]))
    for k in range(129):
        found.add(np.zeros(1, np.int64), np.array([[float(k)]]))
    curve = found.curve(1.0)
    assert curve.values.tolist() == curve.x.tolist()
    assert curve.x[-1] == 128.0


def test_those_who_come_and_go_count_while_they_are_there():
    tracks = walk(40, 5, 2)
    there = [[0, 1, 2], [0, 2, 3], [2, 3, 4], [0, 1, 4]]
    found = Displacements()
    for k, positions in enumerate(tracks):
        ids = np.array(there[k % 4])
        found.add(flock(positions[ids], ids, False))
    both = [
        np.sum((tracks[k + 2][i] - tracks[k][i]) ** 2)
        for k in range(38)
        for i in set(there[k % 4]) & set(there[(k + 2) % 4])
    ]
    curve = found.curve(1.0)
    assert curve.values[2] == pytest.approx(np.mean(both), rel=1e-9)  # one agent is in both of each pair


def test_a_random_walk_spreads_as_its_steps_say():
    found = Displacements()
    for positions in walk(4000, 30, 2, 0.3):
        found.add(flock(positions, np.arange(30), True))
    curve = found.curve(2.0)
    exact = 2.0 * 0.3**2 * curve.x / 2.0
    known = np.isfinite(curve.errors) & (curve.x > 0.0)
    assert known[1:30].all() and not known[-1]
    assert np.mean(np.abs(curve.values - exact)[known] < 2.5 * curve.errors[known]) > 0.8


def test_the_velocities_of_an_ornstein_uhlenbeck_process():
    rng, rho, agents = np.random.default_rng(2), 0.9, 50
    velocities = rng.normal(size=(agents, 2))
    found = VelocityAutocorrelation()
    places = np.zeros((agents, 2))
    for _ in range(3000):
        found.add(flock(places, np.arange(agents), False, velocities=velocities))
        velocities = rho * velocities + math.sqrt(1.0 - rho * rho) * rng.normal(size=velocities.shape)
    curve = found.curve(1.0)
    known = np.isfinite(curve.errors)
    assert known[:17].all()
    away = np.abs(curve.values - 2.0 * rho**curve.x)[known]
    assert (away < 4.0 * curve.errors[known]).all()
    assert curve.errors[0] < 0.03


def test_memory_does_not_grow_with_the_frames():
    found = Displacements()
    for positions in walk(2000, 3, 2):
        found.add(flock(positions, np.arange(3), False))
    assert sum(map(len, found._lagged._levels)) <= 16 * 11
