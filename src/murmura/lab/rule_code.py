"""The record of the code that a task's rules were traced from: a task is continued with the same code, or refused.

The hash of a rule file says nothing of what the file imports, and a rule of a notebook has no file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.scenario import Scenario

RuleCode = dict[str, str]
"""Hashes of murmura's own code ("murmura") and of what was traced from a user's ("rules"); empty if not recorded."""


def rule_code(scenarios: Iterable[Scenario]) -> RuleCode:
    """The record for these scenarios, of which those with one signature count once."""
    from murmura.compute.cpu.traced_code import traced_code

    plans: dict[str, Plan] = {}
    for scenario in scenarios:
        plan = Plan(scenario)
        plans.setdefault(repr(plan.signature), plan)
    return traced_code(*plans.values())


def check_rule_code(
    before: Mapping[str, str], now: Mapping[str, str], folder: Path, announce: Callable[[str], None]
) -> None:
    """Refuse to continue with rules that compute something else; say so if nobody can tell."""
    from murmura.compute.cpu.traced_code import is_other_code

    if before and is_other_code(before, now):
        raise ScenarioError(
            f"{folder} was made with other rules: what a rule of yours calls or reads (a function in another file, a "
            "global, a default) was changed, so the result would be of neither. Restore it, or start again in another "
            "folder"
        )
    if "rules" in {*before, *now} and before.get("murmura") != now["murmura"]:
        announce(
            f"{folder} was made by another version of murmura, so nobody can tell whether your rules are the same"
        )


_known: set[str] = set()
"""Codes of rules that this process has found to be its own."""


def refuse_other_rules(expected: Mapping[str, str], scenarios: Iterable[Scenario]) -> None:
    """Raise, in a worker, if rules are not those of the task: a helper of theirs may have been edited in the meantime.

    Compared once in a process, which does not load a file again."""
    if not expected.get("rules") or expected["rules"] in _known:
        return
    from murmura.compute.cpu.traced_code import is_other_code

    if is_other_code(expected, rule_code(scenarios)):
        raise ScenarioError(
            "this process has other rules than the one that started the task: what a rule of yours calls or reads was "
            "changed, or is another one on this machine"
        )
    _known.add(expected["rules"])
