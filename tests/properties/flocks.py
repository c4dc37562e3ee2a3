"""Flocks on a lattice, so that shifts and rotations are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import murmura as mm
from tests.sizes import size

SIDE = 256.0
GRAIN = 64  # lattice points per unit: coordinates, shifts and differences are exact in single precision
Array = NDArray[np.float64]

quick = settings(
    max_examples=size(15, 40), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@st.composite
def flocks(draw: st.DrawFn, most: int = 60, with_ties: bool = True) -> tuple[Array, Array]:
    """Positions on the lattice, some of them shared, and velocities of up to 3 units.

    Without ties, nobody is at another's place or exactly on its line of flight.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(0, most))
    crowding = draw(st.sampled_from([1.0, 0.25, 0.05]))
    places = rng.integers(0, int(SIDE * GRAIN * crowding), (count, 2)) / GRAIN
    if count > 3 and with_ties:
        places[0] = places[1]
        places[2, 0] = places[3, 0]
    velocities = rng.integers(-96, 97, (count, 2)) / 32
    velocities[(velocities == 0).all(axis=1)] = [1.0, 0.0]
    if not with_ties:
        places += rng.integers(0, GRAIN, places.shape) / GRAIN**2
        velocities += rng.uniform(0.001, 0.01, velocities.shape)
    return places, velocities


@st.composite
def tunings(draw: st.DrawFn) -> dict[str, Any]:
    """Numbers of the three rules, radius and view, none of which requires recompiling."""
    radius = draw(st.floats(5.0, 100.0))
    return {
        "perception.radius": radius,
        "perception.field_of_view": draw(st.sampled_from([360.0, 270.0, 120.0])),
        "rules.separation.radius": radius * draw(st.floats(0.1, 1.0)),
        "rules.separation.weight": draw(st.floats(0.0, 4.0)),
        "rules.alignment.weight": draw(st.floats(0.0, 4.0)),
        "rules.cohesion.weight": draw(st.floats(0.0, 4.0)),
        "motion.max_force": draw(st.floats(0.01, 1.0)),
    }


def square(name: str, tuning: dict[str, Any]) -> mm.Scenario:
    return mm.load_scenario(name).with_values(
        {"world.width": SIDE, "world.height": SIDE, "agents": 0, **tuning}
    )


def after(
    scenario: mm.Scenario,
    places: Array,
    velocities: Array,
    steps: int = 1,
    backend: str = "cpu",
    ids: Array | None = None,
) -> tuple[Array, Array]:
    """Positions and velocities some steps later, in double precision."""
    simulation = mm.Simulation(scenario, backend=backend, positions=places, velocities=velocities, ids=ids)
    simulation.step(steps)
    return simulation.positions.astype(float), simulation.velocities.astype(float)


def apart(a: Array, b: Array) -> float:
    """The greatest distance along an axis between places on the torus."""
    d = a - b
    d -= SIDE * np.round(d / SIDE)
    return float(np.abs(d).max(initial=0.0))
