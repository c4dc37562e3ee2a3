"""Compares the definition with an earlier commit: the same state after 200 steps of every shipped scenario.

python benchmarks/same_as_before.py record FOLDER      # with the earlier commit on PYTHONPATH
python benchmarks/same_as_before.py compare FOLDER     # with this one
"""

import sys
from pathlib import Path

import numpy as np

import murmura as mm

AGENTS, SEED = 150, 3
CHECKPOINTS = (1, 10, 50, 200)


def states(name: str):
    """The flock after some steps, by column, and the items of its rules."""
    scenario = mm.load_scenario(name)
    scenario = scenario.with_values({"agents": min(AGENTS, scenario.agents)})
    sim = mm.Simulation(scenario, seed=SEED, backend="reference")
    for until in CHECKPOINTS:
        sim.step(until - sim.step_count)
        state = sim.state
        yield (
            until,
            {f"column:{k}": v.copy() for k, v in state.columns.items()}
            | {f"item:{k}": v.copy() for k, v in state.items.items()},
        )


def main() -> int:
    verb, folder, *only = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in only or mm.scenario_names():
        path = Path(folder) / f"{name}.npz"
        if verb == "record":
            np.savez(path, **{f"{until}:{k}": v for until, found in states(name) for k, v in found.items()})
            print(name, "recorded", flush=True)
            continue
        before = np.load(path)
        worst, where = 0.0, ""
        try:
            for until, found in states(name):
                for key, now in found.items():
                    old = before[f"{until}:{key}"]
                    if old.shape != now.shape:
                        worst, where = np.inf, f"step {until} {key}: shapes {old.shape} {now.shape}"
                        break
                    gap = np.abs(old.astype(float) - now.astype(float)) / np.maximum(
                        1.0, np.abs(old.astype(float))
                    )
                    if gap.size and not (gap.max() <= worst):
                        worst, where = gap.max(), f"step {until} {key}"
                if worst > 1e-9:
                    break
        except Exception as error:  # the next scenario shall be compared all the same
            worst, where = np.inf, f"{type(error).__name__}: {error}"
        failed += worst > 1e-9
        print(f"{name}: {worst:.1e} {where if worst > 1e-9 else ''}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
