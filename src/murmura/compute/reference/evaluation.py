"""The flock at one instant, evaluated by brute force with NumPy in double precision.

All agents meet all others. The step runs on whole arrays: one row for each agent and, for pairs, one column for each
other agent. Slow, and short enough to be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.compute.reference.sight import Sight, eyes, look
from murmura.compute.shapes import Shapes, shapes_of
from murmura.compute.step import Step, UnscaledStep, initial_contributions
from murmura.compute.step_data import Contributions, Decision, Outcome, Parameters
from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import INTEGER, NUMBER, Value
from murmura.core.layout import TRACKED_FIELDS, Layout
from murmura.core.merging import FAR, Best, Count, Greatest, Least, Merge, Report, Sum, flatten, unflatten
from murmura.core.state import State
from murmura.core.tracing.record import Record
from murmura.core.world.perception import TIE, in_view
from murmura.core.world.space import offset

Columns = dict[str, NDArray[Any]]
ItemReports = tuple[dict[str, Any], dict[str, float]]
"""What an item receives: the agents' reports by name, and what its target writes into it by column."""
PAIRS_AT_ONCE = 2_000_000


@dataclass
class AgentResults:
    """Some agents after a step: their columns, what happened to them, and their reports to each item."""

    columns: Columns
    me: Record
    outcome: Outcome
    reports: dict[tuple[int, int], ItemReports]


@dataclass
class ReferenceMemory:
    """The memory of a step, from NumPy arrays."""

    target: Any
    plan: Plan
    items: NDArray[Any]

    def number(self, place: int, species: Any) -> Value:
        rows = 0 if species is None else species.code
        return self.target.value(self.plan.numbers[rows, place])

    def affinity(self, field: int, mine: Any, other: Any) -> Value:
        return self.target.value(self.plan.affinities[mine.code, other.code, field])

    def each_item(self, rule: int, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        begin, end = self.plan.ranges[rule]
        for row in self.items[begin:end]:
            values = body([Value(self.target, NUMBER, x) for x in row], values)
        return values

    def each_shape(self, values: list[Any], body: Callable[..., list[Any]]) -> list[Any]:
        for row in self.plan.shapes:
            values = body([self.target.value(x) for x in row], values)
        return values


class Evaluation:
    """The flock at one instant: perception, decisions and moves."""

    def __init__(
        self, plan: Plan, state: State, step: int, seed: tuple[int, int], shapes: Shapes | None = None
    ) -> None:
        self.plan = plan
        self.target: Any = NumpyTarget()
        self.ids = state.ids.astype(np.int64)
        self.columns: Columns = {
            name: state[name].astype(np.float64) for name in (*plan.moving_columns, *plan.carried)
        }
        self.items = self._item_table(state)
        self.shapes = shapes or shapes_of(plan)
        self.sight: Sight | None = None
        """The visual fields of the agents that met others last, where bodies hide each other."""
        self.world = plan.world_at(step, seed)
        self.step = Step(plan, self.target, ReferenceMemory(self.target, plan, self.items), self.world)

    def _item_table(self, state: State) -> NDArray[Any]:
        """All items, tracked agents at their places."""
        items = self.plan.item_table(state).astype(np.float64)
        width = len(Layout(TRACKED_FIELDS, self.plan.dimension))
        for agent, row in self.plan.tracked:
            where = np.flatnonzero(self.ids == agent)
            items[row, :width] = 0.0
            if len(where):
                place = [float(self.columns[name][where[0]]) for name in self.plan.moving_columns]
                items[row, :width] = [*place, 1.0, float(agent)]
        return items

    def known(self, rows: Any, shape: tuple[int, ...]) -> dict[str, Any]:
        """The columns of these agents as values of a shape."""
        names = (*self.plan.moving_columns, *self.plan.carried)
        return self.plan.known([self.target.value(self.columns[name][rows].reshape(shape)) for name in names])

    def sense(self, rows: NDArray[Any], shape: tuple[int, ...]) -> tuple[Parameters, Record]:
        """The numbers of these agents, and the agents as their rules see them."""
        ids = Value(self.target, INTEGER, self.ids[rows].astype(np.int32).reshape(shape))
        return self.step.sense(self.known(rows, shape), ids)

    def meet(self, rows: NDArray[Any]) -> tuple[Parameters, Record, Record, NDArray[np.bool_]]:
        """These agents (rows), all others as they see them (columns), and which pairs are within reach."""
        p, me = self.sense(rows, (len(rows), 1))
        everyone = self.known(slice(None), (len(self.ids),))
        way = offset(self.world, me.position, everyone["position"])
        seen = self.step.neighbor(p, me, everyone, self.target.value(self.ids), way)
        near = np.broadcast_to(
            (seen.square <= p.perception.radius * p.perception.radius).code, (len(rows), len(self.ids))
        ).copy()
        near[np.arange(len(rows)), rows] = False
        view = self.step.view(p, me)
        visible = near & in_view(view, me.heading, way, seen.distance).code
        if self.plan.occludes:
            half = self.step.half_width(everyone)
            self.sight = look(self.plan, self.world, me, seen, view, p.perception.radius, half, visible)
            seen = seen.updated({"bins": self.target.value(self.sight.shown)})
            visible = self.sight.shown > 0.0
        if self.plan.topological:
            reach = self._reach_of_nearest(visible, seen.square.code)
            near, visible = near & (seen.square.code <= reach), visible & (seen.square.code <= reach)
        return p, me, seen.updated({"visible": self.target.value(visible, "condition")}), near

    def visible(self, rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Which agents (columns) these agents (rows) perceive."""
        found: NDArray[np.bool_] = self.meet(rows)[2].visible.code
        return found

    def _reach_of_nearest(self, visible: NDArray[np.bool_], square: NDArray[Any]) -> NDArray[Any]:
        nearest = self.plan.scenario.perception.nearest or 1
        if nearest > square.shape[1]:
            return np.full((len(square), 1), np.inf)
        far = np.where(visible, square, np.inf)
        kth = np.partition(far, nearest - 1, axis=1)[:, nearest - 1 : nearest]
        return kth * (1.0 + TIE)

    def contributions(self, rows: NDArray[Any]) -> tuple[Contributions, list[NDArray[np.bool_]]]:
        """What every neighbour contributes to every rule, and the mask of each rule."""
        p, me, seen, near = self.meet(rows)
        contribution = self.step.contribute(p, me, seen)
        return contribution, self.step.masks(near, seen.visible.code, self._far(rows, p, me, seen))

    def _far(
        self, rows: NDArray[Any], p: Parameters, me: Record, seen: Record
    ) -> dict[int, NDArray[np.bool_]]:
        """The masks of rules that look beyond the perception radius."""
        if not self.plan.far_rules:
            return {}
        ahead = in_view(self.step.view(p, me), me.heading, seen.offset, seen.distance)
        others = np.ones((len(rows), len(self.ids)), bool)
        others[np.arange(len(rows)), rows] = False
        far = self.step.far(p, seen.square, self.target.value(others, "condition"), ahead)
        return {k: mask.code for k, mask in far.items()}

    def decide(self, rows: NDArray[Any]) -> tuple[Parameters, Decision]:
        """The decisions of these agents."""
        contribution, masks = self.contributions(rows)
        contributions = [
            {name: self._reduced(merge, mask) for name, merge in entry.items()}
            for entry, mask in zip(contribution, masks, strict=True)
        ]
        eye = eyes(self.sight) if self.plan.uses_eye and self.sight else None
        p, me = self.sense(rows, (len(rows),))
        return p, self.step.decide(
            p, me, contributions, initial_contributions(self.target, self.shapes.items), eye
        )

    def _reduced(self, merge: Merge, mask: NDArray[np.bool_]) -> Merge:
        """Contributions (rows: agents, columns: neighbours) merged over those that the mask lets through."""
        arrays = [np.broadcast_to(getattr(leaf, "code", leaf), mask.shape) for leaf in flatten(merge)]
        if isinstance(merge, Sum):
            merged = [np.where(mask, array, 0.0).sum(axis=1) for array in arrays]
        elif isinstance(merge, Greatest):
            merged = [np.where(mask, array, 0.0).max(axis=1, initial=0.0) for array in arrays]
        else:
            assert isinstance(merge, Least)
            merged = _nearest(arrays, mask)
        result: Merge = unflatten(merge, [self.target.value(array) for array in merged])
        return result

    def live(self, rows: NDArray[Any]) -> AgentResults:
        """These agents after the step."""
        p, decision = self.decide(rows)
        outcome = self.step.outcome(p, decision)
        me = self.step.live(p, decision.me, decision.force)
        numbers = [*me.position, *me.velocity, *self.step.carried(me), *decision.force, decision.me.neighbors]
        names = [*self.plan.moving_columns, *self.plan.carried, *self.plan.force_columns]
        columns = {name: self._array(x, len(rows)) for name, x in zip(names, numbers, strict=True)}
        return AgentResults(columns, me, outcome, self._reports(rows, p, me, outcome))

    def _array(self, x: Any, count: int) -> NDArray[Any]:
        return np.broadcast_to(x.code if isinstance(x, Value) else x, (count,))

    def _reports(
        self, rows: NDArray[Any], p: Parameters, me: Record, outcome: Outcome
    ) -> dict[tuple[int, int], ItemReports]:
        """The reports of these agents to each item, and what its target writes into it."""
        found: dict[tuple[int, int], ItemReports] = {}
        n = len(rows)
        for k, group, begin, end in self.plan.stateful_items:
            says = self._array(self.step.may_report(k, p, me, outcome.cause == 0.0), n)
            written = {name: self._array(x, n) for name, x in self.step.target_report(k, p, me).items()}
            for row in range(begin, end):
                numbers = [self.target.value(x) for x in self.items[row]]
                it = self.step.item(k, numbers)
                reports = {
                    name: self._collected(report, says, self.ids[rows])
                    for name, report in self.step.reports(k, p, me, it).items()
                }
                target_reports: dict[str, float] = {}
                if written:
                    mine = np.flatnonzero(
                        says & (self.ids[rows] == numbers[group.layout.place["target"]].code)
                    )
                    target_reports = (
                        {name: float(x[mine[0]]) for name, x in written.items()} if len(mine) else {}
                    )
                found[k, row] = reports, target_reports
        return found

    def _collected(self, report: Report, says: NDArray[np.bool_], ids: NDArray[Any]) -> Any:
        """The reduced reports of many agents: a count, sums, or (score, id) of the best."""
        terms = [np.where(says, self._array(x, len(ids)), 0.0) for x in flatten(report.value)]
        if isinstance(report, Count):
            return float(np.count_nonzero(terms[0]))
        if not isinstance(report, Best):
            return [float(term.sum()) for term in terms]
        [score] = terms
        if not len(score) or score.max() <= 0.0:
            return 0.0, -1.0
        return float(score.max()), float(ids[score == score.max()].min())

    def agent_after(self, state: State, agent: int) -> Record:
        """One agent of the flock after the move, as rules see it."""
        row = state.rows_of(agent)[0]
        names = (*self.plan.moving_columns, *self.plan.carried)
        columns = self.plan.known([self.target.value(float(state[name][row])) for name in names])
        crowd = self.target.value(float(state["local_density"][row]))
        plain = UnscaledStep(self.plan, self.target, self.step.memory, self.world)
        _, me = plain.sense(columns, self.target.integer(agent))
        return me.updated({"neighbors": crowd})


def _nearest(arrays: list[NDArray[Any]], mask: NDArray[np.bool_]) -> list[NDArray[Any]]:
    """The least score where the mask is set, with its payload; FAR and zeros if there is none."""
    count, others = mask.shape
    if others == 0:
        return [np.full(count, FAR), *(np.zeros(count) for _ in arrays[1:])]
    ranked = np.where(mask, arrays[0], FAR)
    pick = ranked.argmin(axis=1)
    score = ranked.min(axis=1)
    contribution = [np.take_along_axis(array, pick[:, None], axis=1)[:, 0] for array in arrays[1:]]
    return [score, *(np.where(score >= FAR, 0.0, array) for array in contribution)]
