"""Runs users' rules on three agents, to find mistakes before anything is compiled."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import CodeType

import numpy as np

from murmura.compute.plan import Plan
from murmura.compute.reference.lifecycle import try_births, update_items
from murmura.compute.reference.moment import Moment
from murmura.core.errors import ScenarioError
from murmura.core.rule import is_built_in
from murmura.core.state import State

OURS = str(Path(__file__).parents[2])


def dry_run(plan: Plan) -> None:
    """Call every function of users' rules once."""
    if all(group.rule is None or is_built_in(group.functions) for group in plan.groups):
        return
    state = State(3, plan.state_columns)
    state["position_x"][:], state["position_y"][:] = [1.0, 2.0, 4.0], [1.0, 2.5, 3.0]
    state["velocity_x"][:] = 1.0
    try:
        with np.errstate(all="ignore"):
            moment = Moment(plan, state, 0, (0, 0))
            reports = moment.live(np.arange(3)).reports
            update_items(plan, moment, [reports])
            try_births(plan, moment, state)
    except Exception as error:
        raise ScenarioError(
            f"{_rule_of(plan, error)} failed when tried on three agents{_line_of(error)}: "
            f"{type(error).__name__}: {error}. A rule is branch-free: use where(condition, a, b) instead of `if`, and "
            "the functions of murmura.core.algebra instead of NumPy's (docs/add-a-rule.md)"
        ) from error


def _rule_of(plan: Plan, error: Exception) -> str:
    """The rule in whose function an error was raised."""
    owners: dict[CodeType, str] = {}
    for group in plan.rule_groups:
        for hook in vars(group.functions):
            code = getattr(getattr(group.functions, hook), "__code__", None)
            if code is not None:
                owners[code] = group.name
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code in owners:
            return f"rule {owners[frame.f_code]!r}"
    names = ", ".join(g.name for g in plan.rule_groups if not is_built_in(g.functions))
    return f"a rule of yours ({names})"


def _line_of(error: Exception) -> str:
    """The line of the user's rule that raised an error: the innermost one outside murmura."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(OURS) and "site-packages" not in frame.filename:
            return f" ({frame.filename}, line {frame.lineno}, in {frame.name})"
    return ""
