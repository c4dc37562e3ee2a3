"""Batches of runs: small flocks that share a kernel are stepped together, as the worlds of one ensemble.

A row does not depend on the batch that its run was in: every world has the bits of its own simulation. If anything goes
wrong in a batch, its runs are repeated one by one, so that each error is in the row of its own run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from murmura.compute.plan import Plan
from murmura.core.errors import MurmuraError
from murmura.measure.costs import STEP
from murmura.scenario import Scenario

Row = dict[str, Any]
MOST_AGENTS = 50_000
"""Agents in a batch, whose states then fit into the cache."""
MOST_RUNS = 256
LONGEST = 5e6
"""[µs] How long a batch should take at most: its rows are written when all are done."""


@dataclass(frozen=True)
class OneOf:
    """A run of a batch: its task, and the plan of its scenario."""

    task: Row
    plan: Plan


def batch_size(agents: int, steps: float, backend: str) -> int:
    """How many runs of so many agents and steps are worth a batch; 1 where an ensemble cannot run."""
    if backend not in ("auto", "cpu"):
        return 1
    run = steps * STEP(agents)
    return max(1, min(MOST_AGENTS // max(1, agents), int(LONGEST / max(1.0, run)), MOST_RUNS))


def rows_of(
    tasks: Sequence[Row],
    backend: str,
    scenario_of: Callable[[Row], Scenario],
    alone: Callable[[Row, Scenario], Row],
    together: Callable[[list[OneOf]], list[Row]],
) -> list[Row]:
    """The rows of some tasks, in their order.

    Args:
        tasks: Plain data; those with the same values and model have the same scenario.
        backend: That of the runs.
        scenario_of: The scenario of a task.
        alone: The outcome of one run.
        together: The outcomes of runs that share a kernel and a time step.
    """
    rows: dict[int, Row] = {}
    if len(tasks) > 1 and backend in ("auto", "cpu"):
        for group in _groups(tasks, scenario_of):
            begun = time.perf_counter()
            try:
                outcomes = together([one for _, one in group])
            except Exception:  # whose fault it is comes out below
                continue
            seconds = round((time.perf_counter() - begun) / len(group), 4)
            for (place, one), outcome in zip(group, outcomes, strict=True):
                rows[place] = one.task | outcome | {"seconds": seconds}
    return [
        rows[place] if place in rows else _row_alone(task, scenario_of, alone)
        for place, task in enumerate(tasks)
    ]


def _row_alone(
    task: Row, scenario_of: Callable[[Row], Scenario], alone: Callable[[Row, Scenario], Row]
) -> Row:
    begun = time.perf_counter()
    try:
        outcome = alone(task, scenario_of(task))
    except Exception as error:  # a user's rule or measure may raise anything; other runs continue
        outcome = failure(error)
    return task | outcome | {"seconds": round(time.perf_counter() - begun, 4)}


def failure(error: Exception) -> Row:
    """What the row of a run says that failed."""
    return {"error": str(error) if isinstance(error, MurmuraError) else f"{type(error).__name__}: {error}"}


def _groups(tasks: Sequence[Row], scenario_of: Callable[[Row], Scenario]) -> list[list[tuple[int, OneOf]]]:
    """Tasks by their place that share a kernel and a time step, in groups that are neither too large nor single."""
    plans: dict[str, Plan | None] = {}
    groups: list[list[tuple[int, OneOf]]] = []
    for place, task in enumerate(tasks):
        key = json.dumps([task.get("model"), task["values"]], sort_keys=True)
        if key not in plans:
            try:
                plans[key] = Plan(scenario_of(task))
            except Exception:
                plans[key] = None  # its row will say why
        plan = plans[key]
        if plan is None or plan.capacity > MOST_AGENTS:
            continue
        for group in groups:
            other = group[0][1].plan
            agents = sum(one.plan.capacity for _, one in group) + plan.capacity
            if agents <= MOST_AGENTS and _fit(other, plan):
                group.append((place, OneOf(task, plan)))
                break
        else:
            groups.append([(place, OneOf(task, plan))])
    return [group for group in groups if len(group) > 1]


def _fit(one: Plan, other: Plan) -> bool:
    steps = [plan.scenario.motion.time_step for plan in (one, other)]
    return steps[0] == steps[1] and (one is other or one.same_code(other))
