"""Rules that only tests know are registered while the tests of this room run, and no longer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from murmura.core.rule import REGISTRY, register_rule

from .roll_call import NAME, RollCall


@pytest.fixture(autouse=True)
def own_rules() -> Iterator[None]:
    known = dict(REGISTRY)
    register_rule(NAME)(RollCall)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)
