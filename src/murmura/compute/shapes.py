"""The shapes of contributions and reports, found by running the rules of a plan once for one agent on NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from murmura.compute.plan import Plan
from murmura.compute.step import Step
from murmura.compute.step_data import Contributions
from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import Value
from murmura.core.errors import ScenarioError
from murmura.core.merging import Best, Count, Report, flatten, named
from murmura.core.vec import Vec
from murmura.core.world.visual_field import Eye, word_count


@dataclass(frozen=True)
class Slot:
    """One integer that an item receives: a count, a component of a sum, or the best."""

    report: str
    kind: type[Report]
    component: int


@dataclass(frozen=True)
class Shapes:
    """Shapes of contributions of pairs and items, of reports to items, and of reports of their targets."""

    pairs: Contributions
    items: Contributions
    reports: dict[int, dict[str, Report]]
    target_reports: dict[int, tuple[str, ...]]

    def slots(self, rule: int) -> list[Slot]:
        """The integers that an item of this rule receives, in order."""
        return [
            Slot(name, type(report), k)
            for name, report in self.reports.get(rule, {}).items()
            for k in range(1 if isinstance(report, Count | Best) else len(flatten(report.value)))
        ]

    @property
    def report_width(self) -> int:
        return max([0, *(len(self.slots(rule)) for rule in self.reports)])


class _Sample:
    """Memory with a plan's own numbers and one sample item for each rule."""

    def __init__(self, plan: Plan, target: NumpyTarget) -> None:
        self._plan, self._target = plan, target

    def number(self, place: int, species: Any) -> Value:
        return self._target.value(self._plan.numbers[0, place])

    def affinity(self, field: int, mine: Any, other: Any) -> Value:
        return self._target.value(1.0)

    def each_item(self, rule: int, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        return values

    def each_shape(self, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        return values


def shapes_of(plan: Plan) -> Shapes:
    """Run every rule of a plan for one agent with one neighbour."""
    target = NumpyTarget()
    step = Step(plan, target, _Sample(plan, target), plan.world_at(1, (1, 1)))
    one = target.value(1.0)
    columns = plan.known([one] * (2 * plan.dimension + len(plan.carried)))
    with np.errstate(all="ignore"):
        p, me = step.sense(columns, target.integer(0))
        seen = step.neighbor(p, me, columns, target.value(1.0), me.velocity)
        seen = seen.updated({"visible": one > 0.0} | ({"bins": one} if plan.occludes else {}))
        pairs = step.contribute(p, me, seen)
        if plan.uses_eye:
            words = [one] * word_count(plan.bins)
            me = me.updated({"eye": Eye(plan.bins, words, one, Vec(one, one), Vec(one, one), one)})
        items: Contributions = []
        reports, target_reports = {}, {}
        for k, group in enumerate(plan.rule_groups):
            it = step.item(k, [one] * len(group.known))
            contribution = (
                group.functions.item(p.rules[k], me, it, step.world) if group.functions.item else None
            )
            items.append(named(contribution))
            both = {**pairs[k + 1], **items[k]}
            if len(both) < len(pairs[k + 1]) + len(items[k]) or ("" in both and len(both) > 1):
                raise ScenarioError(
                    f"rule {group.name!r} has both `pair` and `item`: both must return contributions by name, "
                    'such as {"away": Sum(...)}, and no name twice'
                )
            if group.functions.turn is not None:
                reports[k] = step.reports(k, p, me, it)
                target_reports[k] = tuple(step.target_report(k, p, me))
    return Shapes(pairs, items, reports, target_reports)
