"""Invariants: positions inside the world, speeds below the maximum, finite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.world.space import wrapped
from murmura.scenario import value_paths
from tests.sizes import size

from .flocks import SIDE, Array, after, flocks, quick, square, tunings


# S4-44
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@quick
@given(
    x=st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, -1e-9, 1e-9]), min_size=1, max_size=30),
    size=st.floats(0.5, 1e5),
)
def test_wrapping_twice_changes_nothing(kind: Any, x: list[float], size: float) -> None:
    side = kind(size)
    once = wrapped(np.array(x, kind), side)
    assert (once >= 0).all()
    assert (once < side).all()
    assert (wrapped(once, side) == once).all()
    # It is the remainder, up to the rounding of a quotient of a million.
    d = np.array(x, kind).astype(float) - once
    turns = d / float(side)
    assert np.abs(turns - np.round(turns)).max() * float(side) < 1e6 * np.finfo(kind).eps * 4


# S4-44
@quick
@given(flock=flocks(), tuning=tunings(), steps=st.integers(1, 30))
def test_places_are_always_inside_and_wrapped(
    flock: tuple[Array, Array], tuning: dict[str, Any], steps: int
) -> None:
    places, _ = after(square("classic", tuning), *flock, steps)
    assert (places >= 0).all()
    assert (places < SIDE).all()
    assert (wrapped(places, SIDE) == places).all()


# S1-4, S0-26, S4-7
@quick
@given(flock=flocks(), tuning=tunings(), cap=st.floats(0.05, 50.0), steps=st.integers(1, 10))
def test_speeds_never_exceed_the_cap(
    flock: tuple[Array, Array], tuning: dict[str, Any], cap: float, steps: int
) -> None:
    _, velocities = after(square("classic", tuning | {"motion.max_speed": cap}), *flock, steps)
    assert np.hypot(*velocities.T).max(initial=0.0) <= cap * (1 + 1e-6)


# S0-25, S0-26, S0-107
@quick
@given(
    seed=st.integers(0, 2**32),
    cap=st.floats(1.0, 40.0),
    force=st.floats(0.1, 5.0),
    x=st.floats(0.0, 1600.0),
    radius=st.floats(20.0, 900.0),
)
def test_panic_raises_the_speed_by_at_most_half(
    seed: int, cap: float, force: float, x: float, radius: float
) -> None:
    values = {
        "agents": 80,
        "motion.max_speed": cap,
        "motion.max_force": force,
        "start.speed": cap,
        "rules.fear.threats": [{"x": x, "y": 500.0, "radius": radius}],
        "rules.wind.speed": 10.0,
    }
    simulation = mm.Simulation(mm.load_scenario("starlings").with_values(values), seed=seed, backend="cpu")
    for _ in range(5):
        panic = simulation.column("panic").astype(float)
        simulation.step(3)
        speeds = np.hypot(*simulation.velocities.astype(float).T)
        assert speeds.max() <= cap * 1.5 * (1 + 1e-6)
        assert (panic >= 0).all()
        assert (panic <= 1).all()


# S4-9, S4-32, S4-34
@quick
@given(flock=flocks(), tuning=tunings(), speed=st.floats(0.05, 20.0), steps=st.integers(1, 20))
def test_constant_speed_is_constant_whatever_the_forces(
    flock: tuple[Array, Array], tuning: dict[str, Any], speed: float, steps: int
) -> None:
    _, velocities = after(square("roadmap", tuning | {"motion.speed": speed}), *flock, steps)
    assert np.abs(np.hypot(*velocities.T) / speed - 1.0).max(initial=0.0) < 1e-5


ENDS = [0.0, 1e-9, 1e-6, 1e-3, 1.0, 1e4, 1e6, 1e9]
PARTS = (
    "world.",
    "motion.",
    "perception.",
    "start.",
    "rules.separation.",
    "rules.alignment.",
    "rules.cohesion.",
)
MORE = ("rules.noise.", "rules.wind.", "rules.fear.", "rules.boundary.")


@settings(quick, max_examples=size(60, 150))
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_numbers_at_the_ends_of_their_range_stay_finite_or_are_refused(
    data: st.DataObject, seed: int
) -> None:
    base = mm.load_scenario("starlings").with_values({"agents": 40})
    paths = [
        path for path, value in value_paths(base) if type(value) is float and path.startswith(PARTS + MORE)
    ]
    chosen = data.draw(st.dictionaries(st.sampled_from(paths), st.sampled_from(ENDS), min_size=1, max_size=4))
    try:
        simulation = mm.Simulation(base.with_values(chosen), seed=seed, backend="cpu")
    except ScenarioError:
        return
    simulation.step(10)
    for array in (simulation.positions, simulation.velocities, simulation.forces):
        assert np.isfinite(array).all()
