"""Partners are found beyond the perception radius (see tests/rules/life/test_far_search.py)."""

from __future__ import annotations

import pytest

from tests.rules.life.test_far_search import WORLDS, check_partners


@pytest.mark.parametrize("world", WORLDS)
def test_partners_are_found_beyond_the_perception_radius(world: str):
    check_partners(world, "cuda")
