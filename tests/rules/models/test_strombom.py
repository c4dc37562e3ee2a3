"""Sheep and a dog against one step in plain NumPy, and the drive as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm


def unit(vector: Any) -> Any:
    size = np.linalg.norm(vector)
    return vector / size if size > 0.0 else vector


def field(sheep: int, values: dict[str, Any], seed: int, backend: str = "cpu") -> mm.Simulation:
    """Sheep in the far quarter, a dog near the goal."""
    kinds = [kind.model_dump(mode="json") for kind in mm.load_scenario("sheep").species]
    kinds[1]["share"] = float(sheep)
    scenario = mm.load_scenario("sheep").with_values({"agents": sheep + 1, "species": kinds, **values})
    rng = np.random.default_rng(seed)
    places = np.vstack([[15.0, 10.0], 75.0 + 75.0 * rng.random((sheep, 2))])
    angle = 2.0 * np.pi * rng.random(sheep + 1)
    return mm.Simulation(
        scenario, seed, backend, positions=places, velocities=np.c_[np.cos(angle), np.sin(angle)]
    )


def sheep_after(x: Any, heading: Any, dog: Any, me: int, nearest: int) -> Any:
    """Where a sheep goes: h H + c C + rho_a R_a + rho_s R_s, without an error; x without the dog."""
    if np.linalg.norm(x[me] - dog) > 65.0:
        return x[me]
    way = np.delete(x - x[me], me, axis=0)
    distance = np.linalg.norm(way, axis=1)
    middle = way[np.argsort(distance)[:nearest]].mean(axis=0)
    close = way[distance < 2.0]
    away = -(close / np.linalg.norm(close, axis=1, keepdims=True)).sum(axis=0) if len(close) else np.zeros(2)
    wish = 0.5 * heading[me] + 1.05 * unit(middle) + 2.0 * unit(away) + unit(x[me] - dog)
    return x[me] + unit(wish)


def dog_after(x: Any, dog: Any, before: Any) -> Any:
    """Where the dog goes: behind the one farthest from the middle `before`, if it strays, or behind all; or nowhere."""
    n, middle = len(x), x.mean(axis=0)
    if np.linalg.norm(x - dog, axis=1).min() < 6.0:
        return dog
    far = x[np.argmax(np.linalg.norm(x - before, axis=1))]
    stray = far - middle
    if np.linalg.norm(stray) > 2.0 * n ** (2.0 / 3.0):
        point = far + unit(stray) * 2.0
    else:
        point = middle + unit(middle) * 2.0 * np.sqrt(n)
    way = point - dog
    return dog + way * min(1.0, 1.5 / np.linalg.norm(way))


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("seed", [1, 2])
def test_steps_are_those_of_the_paper(seed: int, backend: str) -> None:
    values = {"rules.sheep.error": 0.0, "rules.sheep.grazing": 0.0, "perception.nearest": 12}
    sim = field(30, values, seed, backend)
    sim.step(60)  # the dog needs a step to know the middle, and some to come near
    heard = 0
    for _ in range(15):
        x, dog = sim.positions[1:].astype(np.float64), sim.positions[0].astype(np.float64)
        facing, before = (sim.column(name).astype(np.float64) for name in ("facing", "middle"))
        sim.step()
        # The nearest include the dog, where it is one of them: compare sheep to which it is not.
        rank = (np.linalg.norm(x[:, None] - x[None], axis=-1) < np.linalg.norm(x - dog, axis=1)[:, None]).sum(
            axis=1
        )
        for k in np.flatnonzero(rank > 13):
            np.testing.assert_allclose(
                sim.positions[k + 1], sheep_after(x, facing[1:], dog, k, 12), atol=2e-4
            )
            heard += np.linalg.norm(x[k] - dog) <= 65.0
        np.testing.assert_allclose(sim.positions[0], dog_after(x, dog, before[0]), atol=2e-4)
    assert heard > 200


def test_the_dog_drives_the_flock_home() -> None:
    home = 0
    for seed in range(3):
        sim = field(40, {"perception.nearest": 39}, seed)
        for _ in range(80):
            sim.step(50)
            if np.linalg.norm(sim.positions[1:].mean(axis=0)) < 10.0:
                home += 1
                break
    assert home == 3


def test_sheep_that_see_no_dog_graze_where_they_are() -> None:
    sim = field(200, {"rules.sheep.dog": 999}, 5)
    before = sim.positions.copy()
    sim.step()
    moved = np.linalg.norm(sim.positions - before, axis=1)[1:]
    assert set(np.round(moved, 3)) == {0.0, 1.0}
    assert 2 <= (moved > 0.5).sum() <= 22  # 5 %, within four standard errors
