"""Registers rules for tests while the tests of this folder run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from murmura.core.rule import REGISTRY, register_rule
from tests.compute.perception.neighbor_probe import NAME, NeighborProbe


@pytest.fixture(autouse=True)
def own_rules() -> Iterator[None]:
    known = dict(REGISTRY)
    register_rule(NAME)(NeighborProbe)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)
