"""Where these tests run: on whatever adapter there is; Mesa's software Vulkan will do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from murmura.compute.webgpu.device import missing
from murmura.core.rule import REGISTRY, register_rule
from tests.cuda.neighbor_probe import NAME, NeighborProbe


@pytest.fixture(autouse=True)
def _adapter() -> Iterator[None]:
    """Rules that only tests know are registered while a test runs, and no longer."""
    reason = missing()
    if reason:
        pytest.skip(f"needs an adapter: {reason}")
    known = dict(REGISTRY)
    register_rule(NAME)(NeighborProbe)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)
