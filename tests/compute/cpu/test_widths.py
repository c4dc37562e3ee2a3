"""The CPU kernel gives the same bits with registers of sixteen lanes and of eight."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import murmura as mm
from murmura.compute.cpu import build
from tests.sizes import size


@contextmanager
def eight_lanes() -> Iterator[None]:
    """Treat this processor as one without registers of sixteen lanes."""
    _, features = build.processor()
    few = ",".join(f for f in features.split(",") if "avx512" not in f and "avx10" not in f)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "processor", lambda: ("haswell", few))
        build._machine.cache_clear()
        yield
    build._machine.cache_clear()


def bits_of(name: str, opaque: bool) -> str:
    scenario = mm.load_scenario(name).with_values({"agents": 90, "perception.occlusion": opaque})
    sim = mm.Simulation(scenario, seed=3, backend="cpu", threads=1)
    sim.step(40)
    return sim.state_hash()


# Each compiles two kernels. The nearest, all that lives, and opaque bodies:
FEW = [("topological", False), ("ecosystem", False), ("fear-and-flocking", True)]


@pytest.mark.parametrize(
    ("name", "opaque"), size(FEW, [*FEW, ("sky-and-sea", False), ("topological", True), ("vision", True)])
)
def test_both_widths_give_the_same_bits(name: str, opaque: bool):
    if not build.has_wide_lanes():
        pytest.skip("this processor has no registers of sixteen lanes to compare with")
    wide = bits_of(name, opaque)
    with eight_lanes():
        assert not build.has_wide_lanes()
        assert bits_of(name, opaque) == wide
