"""What models of particles need from the engine, on this backend."""

from __future__ import annotations

import pytest

from murmura.core.rule import register_rule
from tests.compute.step import test_building_blocks as blocks
from tests.compute.step.building_blocks import NAME, Particles


@pytest.fixture(autouse=True)
def _known(_adapter: None) -> None:
    register_rule(NAME)(Particles)


@pytest.mark.parametrize("depth", [None, 30.0])
def test_both_members_of_a_pair_draw_the_same_number(depth: float | None) -> None:
    blocks.test_both_members_of_a_pair_draw_the_same_number(depth, "webgpu")


def test_a_vector_of_a_rule_relaxes_as_the_exact_solution_says() -> None:
    blocks.test_a_vector_of_a_rule_relaxes_as_the_exact_solution_says("webgpu")


def test_newborns_inherit_a_vector() -> None:
    blocks.test_newborns_inherit_a_vector("webgpu")


@pytest.mark.parametrize("nearest", [100])
def test_many_nearest_neighbours_are_counted_exactly(nearest: int) -> None:
    blocks.test_many_nearest_neighbours_are_counted_exactly(nearest, "webgpu")


def test_overdamped_agents_move_as_forces_say() -> None:
    blocks.test_overdamped_agents_move_as_forces_say("overdamped", "webgpu")


@pytest.mark.parametrize(("along", "across", "depth"), blocks.CHANNELS)
def test_a_channel_wraps_along_one_axis_alone(along: str, across: str, depth: float | None) -> None:
    blocks.test_a_channel_wraps_along_one_axis_alone(along, across, depth, "webgpu")
