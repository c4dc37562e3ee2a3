"""Environment steps a second of learning agents with local views: an action, five steps, observations and rewards.

    python benchmarks/learning.py

The best of several rounds, by the clock and in CPU time: on a busy machine the clock measures other processes, too.
"""

from __future__ import annotations

import time

import numpy as np

from murmura import rl
from murmura.core.notices import print_notice
from murmura.rl.tasks import formation

ROUNDS, TURNS = 7, 20

print(
    f"{'worlds':>6} {'agents':>6} {'by the clock':>13} {'a core':>8}   environment steps a second of all worlds"
)
for worlds, agents in ((1, 10_000), (10, 1_000), (100, 100), (500, 20)):
    arena = rl.Arena(formation(agents, episode=10**6), worlds, announce=print_notice)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (worlds, agents, 2))
    clocks, cores = [], []
    for _ in range(ROUNDS):
        clock, core = time.perf_counter(), time.process_time()
        for _ in range(TURNS):
            arena.step(actions)
        clocks.append(TURNS / (time.perf_counter() - clock))
        cores.append(TURNS / (time.process_time() - core))
    print(f"{worlds:>6} {agents:>6} {max(clocks):>13.0f} {max(cores):>8.0f}", flush=True)
