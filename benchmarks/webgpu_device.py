"""The webgpu backend on a GPU: compared with the reference, then timed with `murmura bench`'s workload.

    python benchmarks/webgpu_device.py [10000 100000 1000000 10000000]

It needs the package wgpu, a driver for Vulkan, Metal or DirectX 12, and Murmura without extras. On a
machine with an NVIDIA GPU but without a Vulkan loader, bring `libvulkan.so.1` and name NVIDIA's driver:

    {"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0", "api_version": "1.3.0"}}  <- icd.json
    LD_LIBRARY_PATH=folder/of/libvulkan VK_DRIVER_FILES=$PWD/icd.json PYTHONPATH=src python benchmarks/webgpu_device.py

Times are for whole calls of `step` with 40 steps, the fastest of seven, each from the same start, because a
dense flock costs more. `encode` is the host's time to encode a step, while the device works.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import murmura as mm
from murmura.compute.webgpu.device import adapter_names, missing
from murmura.lab.bench.workload import with_all_forces, workload

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
STEPS, ROUNDS = 40, 7


def largest_error(agents: int = 2000) -> tuple[float, float]:
    """The errors of positions [u] and velocities [u/s] after one step, compared with the reference."""
    flocks = [
        mm.Simulation(workload(agents), 1, backend, announce=None) for backend in ("webgpu", "reference")
    ]
    for flock in flocks:
        flock.step()
    first, second = flocks
    side = first.scenario.world.width
    gap = np.abs(first.positions - second.positions)
    velocities = np.abs(first.velocities - second.velocities).max(axis=1)
    return float(np.minimum(gap, side - gap).max()), float(np.quantile(velocities, 0.999))


def milliseconds(agents: int, all_forces: bool) -> tuple[float, float, float, str]:
    """Per step: the fastest round, the median and the time of encoding; and the hash at the end."""
    scenario = with_all_forces(workload(agents)) if all_forces else workload(agents)
    sim = mm.Simulation(scenario, 1, "webgpu", announce=None)
    start = sim.state.copy()
    sim.step(STEPS)
    rounds = []
    for _ in range(ROUNDS):
        sim.load_state(start.copy())
        sim.step(2)
        begun = time.perf_counter()
        sim.step(STEPS)
        rounds.append((time.perf_counter() - begun) / STEPS * 1e3)
    backend = sim._backend
    begun = time.perf_counter()
    backend._device.submit(STEPS, [(*launch[:2], 1) for launch in backend._launches])  # type: ignore[attr-defined]
    encode = (time.perf_counter() - begun) / STEPS * 1e3
    return min(rounds), float(np.median(rounds)), encode, sim.state_hash()[:12]


def main() -> None:
    reason = missing()
    if reason:
        sys.exit(f"the webgpu backend cannot run: {reason}")
    print("adapters:", "; ".join(adapter_names()))
    places, velocities = largest_error()
    print(
        f"against the reference after one step: places {places:.1e} u, velocities {velocities:.1e} u/s",
        flush=True,
    )
    for agents in map(int, sys.argv[1:] or SIZES):
        for all_forces in (False, True):
            name = "all forces" if all_forces else "trio"
            best, median, encode, digest = milliseconds(agents, all_forces)
            print(
                f"{agents:>11,} agents, {name:>10}: {best:8.4f} ms a step (median {median:.4f}), encode {encode:.4f}, "
                f"hash {digest}",
                flush=True,
            )


if __name__ == "__main__":
    main()
