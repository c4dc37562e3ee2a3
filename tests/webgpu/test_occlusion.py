"""A WebGPU invocation sees what rays cast one by one see: which agents, in how many bins, which bins are covered."""

from __future__ import annotations

import pytest

from murmura.core.errors import BackendError
from tests.compute.perception.sight_scenes import check_counts, check_nearest, check_notes, flock


@pytest.mark.parametrize("scene", ["torus", "coarse", "species"])
def test_as_many_as_rays_hit(scene: str):
    check_counts(scene, "webgpu")


def test_walls_covered_bins_and_edges():
    check_notes("walls", "webgpu")


def test_the_nearest_visible_neighbours():
    check_nearest("webgpu")


def test_more_bins_than_a_thread_can_hold_are_refused():
    with pytest.raises(BackendError, match=r"perception\.bins of at most 1536, got 3600: .* backend='cpu'"):
        flock("torus", "webgpu", **{"perception.bins": 3600})
