"""Space on the device: against the reference, the brute-force oracle and SciPy's tree."""

from __future__ import annotations

import pytest

from tests.compute.step import test_space as space
from tests.parity.scenes import lively
from tests.parity.side_by_side import Comparison, compare_step
from tests.parity.test_space import scene_in_space
from tests.sizes import size

from .test_definition import check

SCENES = ("wrapped", "hunted", "scored", "flying")


@pytest.mark.parametrize("scene", size(SCENES, (*SCENES, "soft", "life", "classics")))
def test_all_rules_together_in_space(scene: str) -> None:
    sim = lively(scene_in_space(scene), backend="cuda")
    found = Comparison()
    for _ in range(2):
        compare_step(sim, found)
        sim.step(6)
    check(found)


@pytest.mark.parametrize("edges", ["torus", "open", "sky"])
def test_a_step_agrees_with_the_oracle(edges: str) -> None:
    space.test_a_step_agrees_with_the_oracle(edges, "cuda")


def test_the_nearest_are_counted_exactly() -> None:
    space.test_neighbour_counts_are_exact((300.0, 6), "cuda")


def test_neighbours_are_those_of_a_periodic_tree() -> None:
    space.test_neighbours_are_those_of_a_periodic_tree("cuda")
