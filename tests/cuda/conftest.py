"""Where these tests run: on a CUDA device, or on Numba's simulator of one, which is plain Python and slow.

Without a device: NUMBA_ENABLE_CUDASIM=1 python -m pytest -m cuda tests/cuda
With one: python -m pytest -m cuda tests/cuda
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from murmura.backends.cuda_build import missing, simulated
from murmura.core.rule import REGISTRY, register_rule

from .roll_call import NAME, RollCall


@pytest.fixture(scope="session", autouse=True)
def _somewhere_to_run() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the packages say of each other while they are imported
        reason = missing()
    if reason:
        pytest.skip(f"neither a CUDA device nor its simulator (NUMBA_ENABLE_CUDASIM=1): {reason}")


@pytest.fixture
def device(_somewhere_to_run: None) -> None:
    """For tests that only a real device can pass."""
    if simulated():
        pytest.skip("needs a CUDA device: the simulator is too slow, and has no memory of its own")


@pytest.fixture
def size() -> tuple[int, int]:
    """How many agents and steps a comparison with the definition can afford here."""
    return (32, 3) if simulated() else (400, 30)


@pytest.fixture
def handful(size: tuple[int, int]) -> tuple[int, int]:
    """As many as the simulator can afford several times over; on a device as many as in `size`."""
    return (20, 3) if simulated() else size


@pytest.fixture
def crowd() -> tuple[int, int]:
    """How many agents and steps the backend alone can afford here."""
    return (40, 5) if simulated() else (20_000, 100)


@pytest.fixture(autouse=True)
def _own_rules() -> Iterator[None]:
    """Rules that only tests know are registered while a test runs, and no longer."""
    known = dict(REGISTRY)
    register_rule(NAME)(RollCall)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)
