"""Where these tests run: on a CUDA device if there is one, else on the host (`tests.cuda.host`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from murmura.compute.cuda import device as cuda_device
from murmura.core.rule import REGISTRY, register_rule
from tests.cuda.host import HostDevice

from .machine import ON_HOST, REASON
from .neighbor_probe import NAME, NeighborProbe


@pytest.fixture(scope="package", autouse=True)  # must not affect the tests of other folders
def _somewhere_to_run() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if ON_HOST:
            patch.setattr(cuda_device, "open_device", HostDevice)
            patch.setattr(cuda_device, "missing", lambda: "")
        yield


@pytest.fixture
def device(_somewhere_to_run: None) -> None:
    """For tests that only a real device can pass."""
    if ON_HOST:
        pytest.skip(f"needs a CUDA device: {REASON}")


@pytest.fixture
def size() -> tuple[int, int]:
    """Number of agents and steps for a comparison with the reference here."""
    return (120, 6) if ON_HOST else (400, 30)


@pytest.fixture
def handful(size: tuple[int, int]) -> tuple[int, int]:
    """Number of agents and steps for several comparisons."""
    return size


@pytest.fixture
def crowd() -> tuple[int, int]:
    """Number of agents and steps for the backend alone here."""
    return (3000, 20) if ON_HOST else (20_000, 100)


@pytest.fixture(autouse=True)
def _own_rules() -> Iterator[None]:
    """Registers rules for tests while a test runs."""
    known = dict(REGISTRY)
    register_rule(NAME)(NeighborProbe)
    yield
    REGISTRY.clear()
    REGISTRY.update(known)
