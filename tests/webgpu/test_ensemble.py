"""Many worlds in the launches of one (tests.parity.ensembles)."""

from __future__ import annotations

import pytest

from tests.parity import ensembles
from tests.sizes import size


@pytest.mark.parametrize("name", size(["ecosystem", "midges"], ensembles.NAMES))
def test_every_world_is_its_own_simulation(name: str):
    ensembles.check_scenario(name, "webgpu")


def test_worlds_may_differ_in_all_that_needs_no_other_kernel():
    ensembles.check_differing_worlds("webgpu")


def test_numbers_change_and_worlds_start_again():
    ensembles.check_changes("webgpu")


def test_columns_are_written():
    ensembles.check_columns("webgpu")


def test_a_broken_world_is_named_and_the_others_are_not_lost():
    ensembles.check_a_broken_world("webgpu")


@pytest.mark.parametrize("seed", range(size(1, 10)))
def test_worlds_of_a_random_scenario(seed: int):
    ensembles.check_a_random_scenario("webgpu", seed)
