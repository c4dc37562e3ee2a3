"""A GPU thread sees what rays cast one by one see: which agents, in how many bins, and which bins are covered."""

from __future__ import annotations

import pytest

from tests.compute.perception.sight_scenes import check_counts, check_nearest, check_notes


@pytest.mark.parametrize("scene", ["torus", "coarse", "species"])
def test_as_many_as_rays_hit(scene: str):
    check_counts(scene, "cuda")


def test_walls_covered_bins_and_edges():
    check_notes("walls", "cuda")


def test_the_nearest_visible_neighbours():
    check_nearest("cuda")
