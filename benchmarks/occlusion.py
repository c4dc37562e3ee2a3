"""The cost of occlusion: a step with `perception.occlusion`, compared with the same step without it.

    python benchmarks/occlusion.py [AGENTS]

One thread, the common workload of `murmura bench` (20 neighbours on average within the radius), with Reynolds' trio
alone and with every force of `starlings`. Rounds alternate between the two, both begin with the same flock, and the
best round of each counts, in CPU time of the thread: on a busy machine the wall clock would measure other processes.
"""

from __future__ import annotations

import sys
import time

import murmura as mm
from murmura.lab.bench.workload import with_all_forces, workload

ROUNDS, STEPS = 60, 2
agents = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000


def seconds(sim: mm.Simulation, start: object) -> float:
    """The time of a step from this state [s]."""
    sim.load_state(start)
    sim.step()
    begun = time.thread_time()
    sim.step(STEPS)
    return (time.thread_time() - begun) / STEPS


for name, scenario in (("trio", workload(agents)), ("all forces", with_all_forces(workload(agents)))):
    sims = [
        mm.Simulation(scenario.with_values({"perception.occlusion": opaque}), 1, "cpu", threads=1)
        for opaque in (False, True)
    ]
    sims[0].step()
    start = sims[0].state
    best = [1e9, 1e9]
    for _ in range(ROUNDS):
        best = [min(b, seconds(sim, start.copy())) for b, sim in zip(best, sims, strict=True)]
    clear, opaque = (1e9 * b / agents for b in best)
    print(
        f"{name:12s} {clear:6.1f} ns an agent and step, with occlusion {opaque:6.1f}: {opaque / clear:.2f} times"
    )
