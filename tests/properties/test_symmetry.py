"""The model is invariant under translation, rotation and permutation of ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import murmura as mm

from .flocks import GRAIN, SIDE, Array, after, apart, flocks, quick, square, tunings

NAMES = ["classic", "roadmap"]
CLOSE = {"reference": 1e-6, "cpu": 3e-4}
"""How far velocities may differ. The definition is symmetric; where `roadmap` predicts a meeting, single precision
magnifies rounding: of 1,100 random flocks a dozen differed by more than 2e-5, the worst by 2e-4."""


def agree(backend: str, places: Any, others: Any, velocities: Any, their_velocities: Any) -> None:
    assert np.abs(velocities - their_velocities).max(initial=0.0) < CLOSE[backend]
    assert apart(places, others) < CLOSE[backend] * 10 + 2e-5  # places of up to 256 u in single precision


@pytest.mark.parametrize("name", NAMES)
@quick
@given(flock=flocks(), tuning=tunings(), shift=st.tuples(*[st.integers(0, int(SIDE * GRAIN) - 1)] * 2))
def test_shifting_a_wrapping_world_shifts_the_result(
    backend: str, name: str, flock: tuple[Array, Array], tuning: dict[str, Any], shift: tuple[int, int]
) -> None:
    places, velocities = flock
    scenario = square(name, tuning)
    way = np.array(shift) / GRAIN
    here, speeds = after(scenario, places, velocities, backend=backend)
    there, shifted_speeds = after(scenario, (places + way) % SIDE, velocities, backend=backend)
    agree(backend, here + way, there, speeds, shifted_speeds)


@pytest.mark.parametrize("name", NAMES)
@quick
@given(flock=flocks(), tuning=tunings())
def test_turning_a_square_world_turns_the_result(
    backend: str, name: str, flock: tuple[Array, Array], tuning: dict[str, Any]
) -> None:
    places, velocities = flock
    scenario = square(name, tuning)

    def turned(vectors: Array) -> Array:
        return np.column_stack([-vectors[:, 1], vectors[:, 0]])

    here, speeds = after(scenario, places, velocities, backend=backend)
    there, turned_speeds = after(scenario, turned(places) % SIDE, turned(velocities), backend=backend)
    agree(backend, turned(here), there, turned(speeds), turned_speeds)


@pytest.mark.parametrize(("name", "with_ties"), [("classic", True), ("roadmap", False)])
@quick
@given(tuning=tunings(), data=st.data())
def test_mirroring_a_world_mirrors_the_result(
    backend: str, name: str, with_ties: bool, tuning: dict[str, Any], data: st.DataObject
) -> None:
    """In `roadmap` an agent whose force is straight back takes the side that its id chooses, left if it is even: in the
    mirror ids are odd. Two that come straight towards each other choose by the sum of their ids, so none do here."""
    places, velocities = data.draw(flocks(with_ties=with_ties), label="flock")
    scenario, even = square(name, tuning), 2 * np.arange(len(places))
    here, speeds = after(scenario, places, velocities, backend=backend, ids=even)
    there, mirrored_speeds = after(
        scenario, (places * [-1, 1]) % SIDE, velocities * [-1, 1], backend=backend, ids=even + 1
    )
    agree(backend, here * [-1, 1], there, speeds * [-1, 1], mirrored_speeds)


@pytest.mark.parametrize("name", NAMES)
@quick
@given(flock=flocks(), tuning=tunings(), data=st.data())
def test_permuting_agents_permutes_the_result_to_the_bit(
    name: str, flock: tuple[Array, Array], tuning: dict[str, Any], data: st.DataObject
) -> None:
    """Ids are even, because in `roadmap` even and odd ones choose different sides."""
    places, velocities = flock
    order = data.draw(st.permutations(range(len(places))), label="order")
    scenario, even = square(name, tuning), 2 * np.arange(len(places))
    here, speeds = after(scenario, places, velocities, steps=10, ids=even)
    there, permuted_speeds = after(scenario, places[order], velocities[order], steps=10, ids=even)
    assert (here[order] == there).all()
    assert (speeds[order] == permuted_speeds).all()


@quick
@given(flock=flocks(), tuning=tunings(), data=st.data())
def test_ids_are_names_and_nothing_more(
    flock: tuple[Array, Array], tuning: dict[str, Any], data: st.DataObject
) -> None:
    places, velocities = flock
    count = len(places)
    ids = data.draw(
        st.lists(st.integers(0, 2**31 - 2), min_size=count, max_size=count, unique=True), label="ids"
    )
    scenario = square("classic", tuning)
    here, _ = after(scenario, places, velocities, steps=10)
    simulation = mm.Simulation(scenario, backend="cpu", positions=places, velocities=velocities, ids=ids)
    simulation.step(10)
    order = np.argsort(np.array(ids, int), kind="stable")
    assert simulation.ids.tolist() == sorted(ids)
    assert (simulation.positions == here[order]).all()
