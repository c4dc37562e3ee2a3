"""What learning agents observe, against formulas written for one agent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from murmura.rl import Columns, Moment, Nearest, VisualField
from murmura.rl.tasks import formation
from murmura.rl.tasks.formation import formation_reward

SCENARIO = formation(30).scenario


def moment(d: int = 2, learners: list[int] | None = None) -> Moment:
    rng = np.random.default_rng(4)
    scenario = SCENARIO if d == 2 else SCENARIO.with_values({"world.depth": 60.0})
    positions = (rng.random((2, 30, d)) * [100.0, 100.0, 60.0][:d]).astype(np.float32)
    velocities = rng.normal(0.0, 6.0, (2, 30, d)).astype(np.float32)
    positions[1, 7] = velocities[1, 7] = np.nan
    chosen = np.arange(30) if learners is None else np.array(learners)
    kinds = np.repeat([0, 1], 15)
    return Moment(scenario, positions, velocities, chosen.astype(np.int32), kinds, np.zeros(2, np.int64))


def one_view(now: Moment, world: int, me: int, count: int, radius: float, species: int | None = None):
    """The rows of `Nearest` for one agent, in Python's numbers."""
    sides = now.scenario.world.sides
    d = now.positions.shape[-1]
    found = []
    for other in range(now.positions.shape[1]):
        away = now.positions[world, other].astype(float) - now.positions[world, me]
        away -= np.array(sides) * np.rint(away / sides)
        distance = math.sqrt((away**2).sum())
        if other != me and distance <= radius and species in (None, now.species[other]):
            found.append(
                (distance, away, now.velocities[world, other].astype(float) - now.velocities[world, me])
            )
    found.sort(key=lambda each: each[0])
    ahead = now.velocities[world, me].astype(float)
    ahead /= np.linalg.norm(ahead)
    axes = [ahead, np.array([-ahead[1], ahead[0], 0.0][:d]) / np.hypot(ahead[0], ahead[1])]
    if d == 3:
        axes.append(np.cross(*axes))
    rows = np.zeros((count, 2 * d + 1))
    for row, (_, away, motion) in zip(rows, found, strict=False):
        row[:] = [*(away @ a / radius for a in axes), *(motion @ a / 10.0 for a in axes), 1.0]
    return rows


@pytest.mark.parametrize("species", [None, 1])
@pytest.mark.parametrize("d", [2, 3])
def test_the_nearest_are_seen_along_the_own_axes(d: int, species: int | None):
    now = moment(d, [0, 3, 7, 20, 29])
    found = Nearest(4, 25.0, species)(now).reshape(2, 5, 4, 2 * d + 1)
    for world in range(2):
        for k, me in enumerate(now.learners):
            if now.alive[world, me]:
                assert found[world, k] == pytest.approx(one_view(now, world, me, 4, 25.0, species), abs=1e-5)
            else:
                assert not found[world, k].any()


def test_the_visual_field_is_what_bodies_cover():
    now = moment()
    found = VisualField(12, 25.0, body=2.0)(now)
    for me in range(30):
        rows = one_view(now, 0, me, 29, 25.0)
        covered = np.zeros(12)
        for ahead, left, *_, there in rows:
            if there:
                half = math.asin(min(1.0, 2.0 / max(2.0, math.hypot(ahead, left) * 25.0)))
                for k in range(12):
                    middle = -math.pi + (k + 0.5) * math.tau / 12
                    apart = (math.atan2(left, ahead) - middle + math.pi) % math.tau - math.pi
                    covered[k] = max(covered[k], abs(apart) <= half)
        assert found[0, me].tolist() == covered.tolist()
    assert 0.05 < found.mean() < 0.95


def test_columns_are_those_of_the_learners():
    now = moment(learners=[2, 5])
    panic = np.random.default_rng(0).random((2, 30)).astype(np.float32)
    now.columns["panic"] = panic  # type: ignore[index]
    found = Columns(["panic", "speed"])(now)
    assert np.array_equal(found[..., 0], panic[:, [2, 5]])
    assert found[0, 1, 1] == pytest.approx(math.hypot(*now.velocities[0, 5]) / 10.0)


def test_what_a_formation_earns():
    # Three fly along x and one against them; two of them are too close, across the edge
    places = np.array([[[99.5, 50.0], [0.5, 50.0], [40.0, 20.0], [60.0, 80.0]]], np.float32)
    flights = np.array([[[10.0, 0.0], [10.0, 0.0], [10.0, 0.0], [-10.0, 0.0]]], np.float32)
    now = Moment(
        SCENARIO, places, flights, np.arange(4, dtype=np.int32), np.zeros(4, int), np.zeros(1, np.int64)
    )
    assert formation_reward(now, now)[0].tolist() == [-0.5, -0.5, 0.5, -0.5]
