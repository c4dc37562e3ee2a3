"""Runs users' rules on three agents, to find mistakes before anything is compiled."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from murmura import rules
from murmura.compute.plan import Plan
from murmura.compute.reference.evaluation import Evaluation
from murmura.compute.reference.lifecycle import try_births, update_items
from murmura.core.errors import ScenarioError
from murmura.core.rule import is_built_in
from murmura.core.rule_parts import BasicRule
from murmura.core.state import State

OURS = str(Path(__file__).parents[2])


ADVICE = (
    ". A rule is branch-free: use where(condition, a, b) instead of `if`, and the functions of murmura.rules instead "
    "of NumPy's and Python's (docs/add-a-rule.md)"
)
SAME = {
    "acos": "arccos", "asin": "arcsin", "atan2": "arctan2", "pow": "power", "fabs": "absolute", "abs": "absolute",
    "max": "maximum", "min": "minimum", "fmax": "maximum", "fmin": "minimum", "float_power": "power",
}  # fmt: skip
"""Functions of NumPy and `math` that have another name in rules."""


def dry_run(plan: Plan) -> None:
    """Call every function of users' rules once."""
    if all(group.rule is None or is_built_in(group.functions) for group in plan.groups):
        return
    state = State(3, plan.state_columns)
    state["position_x"][:], state["position_y"][:] = [1.0, 2.0, 4.0], [1.0, 2.5, 3.0]
    state["velocity_x"][:] = 1.0
    owners = _owners(plan)
    with _watched(owners) as returned:
        try:
            with np.errstate(all="ignore"):
                evaluation = Evaluation(plan, state, 0, (0, 0))
                reports = evaluation.live(np.arange(3)).reports
                update_items(plan, evaluation, [reports])
                try_births(plan, evaluation, state)
        except Exception as error:
            raise ScenarioError(_message(plan, owners, error, returned)) from error


def _owners(plan: Plan) -> dict[CodeType, str]:
    """The functions of users' rules, and the names of their rules."""
    return {
        code: group.name
        for group in plan.rule_groups
        if not is_built_in(group.functions)
        for kind in group.functions.__mro__
        if issubclass(kind, BasicRule) and not kind.__module__.startswith("murmura.")
        for name in vars(kind)
        if (code := getattr(getattr(group.functions, name), "__code__", None)) is not None
    }


@contextmanager
def _watched(owners: dict[CodeType, str]) -> Iterator[list[CodeType]]:
    """Keeps, as its last entry, the function of a user's rule that returned last: its result may be wrong."""
    returned: list[CodeType] = []

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code in owners:
            returned[:] = [frame.f_code]

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield returned
    finally:
        sys.setprofile(before)


def _message(plan: Plan, owners: dict[CodeType, str], error: Exception, returned: list[CodeType]) -> str:
    """What went wrong, and in which function of which rule, file and line."""
    what = str(error) if isinstance(error, ScenarioError) else f"{type(error).__name__}: {error}"
    advice = "" if isinstance(error, ScenarioError | AttributeError) else ADVICE
    inside = [code for frame, _ in traceback.walk_tb(error.__traceback__) if (code := frame.f_code) in owners]
    if inside:
        line = _line_of(error)
        where = f" ({line.filename}, line {line.lineno}, in {line.name})"
        advice = _instead(line.line) + advice
        return f"rule {owners[inside[0]]!r} failed when tried on three agents{where}: {what}{advice}"
    if returned:
        code = returned[-1]
        where = f" (after {code.co_name} of {code.co_filename}, line {code.co_firstlineno}, had returned)"
        return f"rule {owners[code]!r} failed when tried on three agents{where}: {what}{advice}"
    names = ", ".join(group.name for group in plan.rule_groups if not is_built_in(group.functions))
    return f"a rule of yours ({names}) failed when tried on three agents: {what}{advice}"


def _line_of(error: Exception) -> traceback.FrameSummary:
    """Where in the rule an error was raised: the innermost line outside murmura."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [f for f in frames if not f.filename.startswith(OURS) and "site-packages" not in f.filename]
    return (theirs or frames)[-1]


def _instead(line: str | None) -> str:
    """What to use instead of the functions of NumPy and `math` in a line."""
    names = dict.fromkeys(re.findall(r"\b(?:np|numpy|math)\.(\w+)\(", line or ""))
    known = {name: SAME.get(name, name) for name in names if SAME.get(name, name) in rules.__all__}
    return "".join(f"; use `{ours}` of murmura.rules for {name}" for name, ours in known.items())
