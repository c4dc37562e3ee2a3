"""These tests run on any adapter; Mesa's software Vulkan is enough."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from murmura.compute.webgpu.device import missing
from murmura.core.rule import REGISTRY, register_rule
from tests.cuda.neighbor_probe import NAME, NeighborProbe


@pytest.fixture(autouse=True)
def _adapter() -> Iterator[None]:
    """Registers rules for tests while a test runs."""
    reason = missing()
    if reason:
        pytest.skip(f"needs an adapter: {reason}")
    known = dict(REGISTRY)
    register_rule(NAME)(NeighborProbe)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)
