"""What an ensemble is made of: scenarios and seeds that belong together, their plans and starts, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from murmura.compute.machine import available_memory
from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.core.state import State
from murmura.engine.arguments import checked
from murmura.engine.initial import random_start, random_starts
from murmura.scenario import Scenario, load_scenario

Some = Scenario | str | Path
MOST_OF_MEMORY = 0.8
"""The share of the free memory that an ensemble may take."""


def is_number(value: Any) -> bool:
    return isinstance(value, int | np.integer)


def paired(scenario: Some | Sequence[Some], seeds: Iterable[int] | int) -> tuple[list[Scenario], list[int]]:
    """The scenario and the seed of each world."""
    several = not isinstance(scenario, Scenario | str | Path)
    if several and not isinstance(scenario, Iterable):
        raise ScenarioError(
            f"scenario must be a scenario, its name or path, or a list of them, got {scenario!r}"
        )
    if not is_number(seeds) and (isinstance(seeds, str) or not isinstance(seeds, Iterable)):
        raise ScenarioError(f"seeds must be a whole number, or one for each world, got {seeds!r}")
    given: Sequence[Some] = list(scenario) if several else [scenario]  # type: ignore[arg-type, list-item]
    loaded = [each if isinstance(each, Scenario) else load_scenario(each) for each in given]
    if is_number(seeds):
        numbers = [seeds] * len(loaded)
    else:
        numbers = list(seeds)  # type: ignore[arg-type]
    if not several:
        loaded *= len(numbers)
    if not loaded:
        raise ScenarioError("an ensemble has at least one world: pass scenarios and seeds, got none")
    if len(loaded) != len(numbers):
        raise ScenarioError(
            f"seeds must be one number, or one for each of the {len(loaded)} scenarios, got {len(numbers)}"
        )
    return loaded, [checked(seed, None, "auto")[0] for seed in numbers]  # type: ignore[arg-type]


def plans_of(scenarios: list[Scenario]) -> list[Plan]:
    """The plan of each scenario, made once for each; raise if they need different kernels."""
    plans: dict[int, Plan] = {}
    for number, scenario in enumerate(scenarios):
        if id(scenario) not in plans:
            plan = plans[id(scenario)] = Plan(scenario)
            check_code(plans[id(scenarios[0])], plan, number)
    return [plans[id(scenario)] for scenario in scenarios]


def check_code(first: Plan, plan: Plan, number: int) -> None:
    if not first.same_code(plan):
        reasons = ", ".join(first.code_differences(plan)) or "its rules"
        raise ScenarioError(
            f"worlds of an ensemble share one kernel, and world {number} needs another than world 0: {reasons} "
            "differ; make an ensemble of each kind"
        )


def random_states(plans: list[Plan], seeds: list[int]) -> list[State]:
    """The random start of each world; those of neighbours with the same scenario are drawn in one pass."""
    edges = [k for k in range(1, len(plans)) if plans[k] is not plans[k - 1]]
    states: list[State] = []
    for begin, end in zip([0, *edges], [*edges, len(plans)], strict=True):
        states += random_starts(plans[begin].scenario, seeds[begin:end]).split(end - begin)
    return states


def check_memory(plan: Plan, seed: int, count: int) -> None:
    """Raise if so many worlds like this one do not fit into the memory."""
    from murmura.compute.cpu.worlds import flock_size

    free = available_memory()
    state = random_start(plan.scenario.with_values({"agents": min(1, plan.scenario.agents)}), seed)
    per_agent = sum(column.itemsize for column in state.columns.values())
    each = flock_size(plan) + per_agent * plan.scenario.agents
    if free is not None and each * count > MOST_OF_MEMORY * free:
        most = max(1, int(MOST_OF_MEMORY * free / each))
        raise ScenarioError(
            f"{count:,} worlds of {plan.scenario.agents:,} agents need about {each * count / 1e9:,.1f} GB, and "
            f"{free / 1e9:,.1f} GB are free: step them in parts, at most {most:,} worlds after each other"
        )
