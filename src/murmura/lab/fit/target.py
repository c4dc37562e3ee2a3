"""What a model is fitted to: the summary of a run, of animals or simulated, and starts taken from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from murmura.core.errors import RunError, ScenarioError
from murmura.lab.fit.summaries import Scope, Values, summarize
from murmura.lab.observations import flocks_of, seconds_between, triples_of
from murmura.lab.runs.run import Run
from murmura.measure import Flock
from murmura.scenario import Scenario

MOST_INSTANTS = 400
STARTS = 16
"""Number of evenly spaced frames of the run that simulations start from."""


@dataclass(frozen=True, eq=False)
class Target:
    """The summary of a run.

    Attributes:
        scope: What is compared.
        observed: The summary of each measure.
        starts: Positions [u] and velocities [u/s] of some frames: plain lists, a row x, y, vx, vy for each agent.
        agents: The median number of agents in a frame.
        seconds: The length of the run [s].
    """

    scope: Scope
    observed: dict[str, Values]
    starts: list[list[list[float]]]
    agents: int
    seconds: float


def make_target(run: Run, measures: tuple[str, ...], time_steps: list[float], reach: float | None) -> Target:
    """Summarise a run.

    Args:
        run: The run.
        measures: Names of the measures to compare.
        time_steps: Time steps of the models [s]: the coarsest of them limits the interval of comparison.
        reach: Range of maps [u]; by default five times the median distance to the nearest neighbour.
    """
    if run.scenario.world.dimension != 2:
        raise ScenarioError(f"{run.folder} is a run in a 3-D world: models can only be fitted in the plane")
    flocks = list(flocks_of(run))
    frame = seconds_between(run)
    apart = max(1, round(max(time_steps) / frame))
    if len(flocks) < 2 * apart + 1:
        raise RunError(
            f"{run.folder} has {len(flocks)} frames, expected at least {2 * apart + 1} to fit a model"
        )
    radius, interval = flocks[0].radius, apart * frame
    triples = triples_of(flocks, apart, interval, MOST_INSTANTS)
    scope = Scope(measures, interval, reach or _reach(flocks, run.scenario), radius)
    observed = summarize(triples, scope)
    undefined = [name for name, values in observed.items() if values is None]
    if undefined:
        raise RunError(f"{', '.join(undefined)} is not defined for {run.folder}: remove it from --measure")
    full = int(np.median([flock.agent_count for flock in flocks]))
    return Target(
        scope, {name: values for name, values in observed.items() if values is not None}, _starts(flocks, full),
        full, frame * (len(flocks) - 1),
    )  # fmt: skip


def _starts(flocks: list[Flock], agents: int) -> list[list[list[float]]]:
    """Frames to start from, with the median number of agents."""
    whole = [flock for flock in flocks if flock.agent_count == agents]
    rows = np.linspace(0, len(whole) - 1, min(STARTS, len(whole))).astype(int)
    return [
        np.round(np.concatenate([whole[k].positions, whole[k].velocities], axis=1), 6).tolist() for k in rows
    ]


def _reach(flocks: list[Flock], scenario: Scenario) -> float:
    near: list[float] = []
    for flock in flocks[:: max(1, len(flocks) // 50)]:
        if flock.agent_count > 1:
            near += flock.tree.query(flock.positions, k=2)[0][:, 1].tolist()
    side = 0.5 * min(scenario.world.width, scenario.world.height)
    return min(5.0 * float(np.median(near)), side) if near else side


def world_of(run: Run) -> dict[str, Any]:
    """The values that give a model the world of a run, by path."""
    found = run.scenario.model_dump(mode="json")
    return {"world": found["world"], "obstacles": found["obstacles"]}
