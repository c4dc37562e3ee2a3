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
TIES = pytest.mark.parametrize(("name", "with_ties"), [("classic", True), ("roadmap", False)])
"""In `roadmap` the id decides on which side an agent passes what is exactly ahead of it."""
CLOSE = 3e-4  # a force that is nearly zero has any direction: rounding can turn an agent by so much


@pytest.mark.parametrize("name", NAMES)
@quick
@given(flock=flocks(), tuning=tunings(), shift=st.tuples(*[st.integers(0, int(SIDE * GRAIN) - 1)] * 2))
def test_shifting_a_wrapping_world_shifts_the_result(
    name: str, flock: tuple[Array, Array], tuning: dict[str, Any], shift: tuple[int, int]
) -> None:
    places, velocities = flock
    scenario = square(name, tuning)
    way = np.array(shift) / GRAIN
    here, speeds = after(scenario, places, velocities)
    there, shifted_speeds = after(scenario, (places + way) % SIDE, velocities)
    assert np.abs(speeds - shifted_speeds).max(initial=0.0) < CLOSE
    assert apart(here + way, there) < CLOSE * 10


@pytest.mark.parametrize("name", NAMES)
@quick
@given(flock=flocks(), tuning=tunings())
def test_turning_a_square_world_turns_the_result(
    name: str, flock: tuple[Array, Array], tuning: dict[str, Any]
) -> None:
    places, velocities = flock
    scenario = square(name, tuning)

    def turned(vectors: Array) -> Array:
        return np.column_stack([-vectors[:, 1], vectors[:, 0]])

    here, speeds = after(scenario, places, velocities)
    there, turned_speeds = after(scenario, turned(places) % SIDE, turned(velocities))
    assert np.abs(turned(speeds) - turned_speeds).max(initial=0.0) < CLOSE
    assert apart(turned(here), there) < CLOSE * 10


@TIES
@quick
@given(tuning=tunings(), data=st.data())
def test_mirroring_a_world_mirrors_the_result(
    name: str, with_ties: bool, tuning: dict[str, Any], data: st.DataObject
) -> None:
    places, velocities = data.draw(flocks(with_ties=with_ties), label="flock")
    scenario = square(name, tuning)
    here, speeds = after(scenario, places, velocities)
    there, mirrored_speeds = after(scenario, (places * [-1, 1]) % SIDE, velocities * [-1, 1])
    assert np.abs(speeds * [-1, 1] - mirrored_speeds).max(initial=0.0) < CLOSE
    assert apart(here * [-1, 1], there) < CLOSE * 10


@TIES
@quick
@given(tuning=tunings(), data=st.data())
def test_permuting_agents_permutes_the_result_to_the_bit(
    name: str, with_ties: bool, tuning: dict[str, Any], data: st.DataObject
) -> None:
    places, velocities = data.draw(flocks(with_ties=with_ties), label="flock")
    order = data.draw(st.permutations(range(len(places))), label="order")
    scenario = square(name, tuning)
    here, speeds = after(scenario, places, velocities, steps=10)
    there, permuted_speeds = after(scenario, places[order], velocities[order], steps=10)
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
