"""Every shipped scenario must give the bits recorded in `golden.json`.

A change of these hashes means a change of the model, of a scenario, or of the order of roundings: never an accident.
If it is intended, rewrite the file and say so in the changelog:

    MURMURA_WRITE_GOLDEN=1 python -m pytest tests/golden/test_hashes.py

The hashes hold on x86-64 with and without AVX-512 and on ARM64 (scripts/compare_processors.py). Processors that cannot
fuse a product and a sum into one rounding, such as x86-64 before 2013, are untested: these tests are skipped there.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from llvmlite import binding

import murmura as mm
from murmura.scenario import Scenario

FILE = Path(__file__).with_name("golden.json")
WRITING = os.environ.get("MURMURA_WRITE_GOLDEN") == "1"
STEPS = (1, 10, 100, 1000)
SEED = 1
AGENTS = 200


def fuses() -> bool:
    """Whether this processor has fused multiply-add."""
    features = binding.get_host_cpu_features()
    return bool(features.get("fma") or features.get("neon"))


def few(name: str) -> Scenario:
    """A shipped scenario with fewer agents in the same world, so that a thousand steps are quick."""
    return mm.load_scenario(name).with_values({"agents": AGENTS})


def hashes(name: str, threads: int | None = None) -> dict[str, str]:
    sim = mm.Simulation(few(name), seed=SEED, backend="cpu", threads=threads)
    found = {}
    for steps in STEPS:
        sim.step(steps - sim.step_count)
        found[str(steps)] = sim.state_hash()
    return found


def written() -> dict[str, Any]:
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


# S4-10
@pytest.mark.skipif(not fuses(), reason="this processor has no fused multiply-add, which is untested")
@pytest.mark.parametrize("name", mm.scenario_names())
def test_golden_hash(name: str):
    found = hashes(name)
    if WRITING:
        kept = {known: entry for known, entry in written().items() if known in mm.scenario_names()}
        FILE.write_text(json.dumps(kept | {name: found}, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    assert name in written(), f"{name} is new: see the head of this file for how to write its hashes"
    assert found == written()[name]


def test_no_hash_is_left_over_and_none_is_shared():
    """A scenario that is gone leaves no hash behind; two scenarios never give the same run."""
    golden = written()
    assert sorted(golden) == mm.scenario_names()
    everything = [value for entry in golden.values() for value in entry.values()]
    assert len(set(everything)) == len(STEPS) * len(golden)
    assert all(sorted(entry) == sorted(map(str, STEPS)) for entry in golden.values())


@pytest.mark.skipif(not fuses(), reason="this processor has no fused multiply-add, which is untested")
def test_golden_hash_after_a_checkpoint_and_on_more_threads(tmp_path):
    name = "starlings"
    sim = mm.Simulation(few(name), seed=SEED, backend="cpu", threads=2)
    sim.step(37)
    sim.save(tmp_path / "run.npz")
    rest = mm.Simulation.restore(tmp_path / "run.npz", backend="cpu", threads=3)
    rest.step(63)
    assert rest.state_hash() == written()[name]["100"]
