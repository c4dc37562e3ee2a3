"""A million steps: all values stay finite, no agent exceeds the maximum speed, memory stays constant (R10).

    python benchmarks/million_steps.py [SCENARIO] [STEPS]

Checks a hundred times during the run and prints the slope of the process's memory after the first quarter.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

import murmura as mm

LOOKS = 100
LIMIT = 1.0  # [MB/h of simulating]


def memory() -> float:
    """The memory of this process [MB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main(name: str, steps: int) -> int:
    scenario = mm.load_scenario(name)
    sim = mm.Simulation(scenario, seed=1, backend="cpu")
    seen: list[tuple[float, float]] = []
    fastest, begun = 0.0, time.perf_counter()
    for look in range(LOOKS):
        sim.step(steps // LOOKS)
        sim.events()  # otherwise the newest million events would be kept
        if not (np.isfinite(sim.positions).all() and np.isfinite(sim.velocities).all()):
            print(f"not finite after {sim.step_count} steps")
            return 1
        if sim.agent_count:
            fastest = max(fastest, float(np.linalg.norm(sim.velocities, axis=1).max()))
        seen.append(((time.perf_counter() - begun) / 3600.0, memory()))
        if look % 10 == 9:
            print(
                f"{sim.step_count:>9,} steps  {sim.agent_count:>6} agents  {seen[-1][1]:8.2f} MB", flush=True
            )
    hours, megabytes = np.array(seen[LOOKS // 4 :]).T
    slope = float(np.polyfit(hours, megabytes, 1)[0])
    growth = megabytes[-1] - megabytes[0]
    print(
        f"{name}: {sim.step_count:,} steps in {seen[-1][0] * 3600:.0f} s, fastest {fastest:.6g}, "
        f"memory {growth:+.2f} MB after the first quarter ({slope:+.2f} MB an hour)"
    )
    return 0 if growth < LIMIT else 1


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(given[0] if given else "starlings", int(given[1]) if len(given) > 1 else 1_000_000))
