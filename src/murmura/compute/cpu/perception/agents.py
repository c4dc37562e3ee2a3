"""Emits the agents' part of a step for sixteen lanes: four agents meet four candidates at a time, then sixteen move."""

from __future__ import annotations

from typing import Any

from murmura.compute.cpu.frame import Array, FrameCode
from murmura.compute.cpu.index.tiles import Tiles
from murmura.compute.cpu.items.lane_reports import note_outcome, report_to_items
from murmura.compute.cpu.perception.lanes import (
    GROUP,
    SUMS_PITCH,
    Flock,
    LaneMemory,
    agents_of,
    bits_of,
    candidates_of,
    first_lanes,
    fold_groups,
    fold_lanes,
    fold_nearest,
    fold_nearest_lane,
    numbers_with_bits,
)
from murmura.compute.cpu.perception.sight import EYE_SUMS, eye_rows
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.step import Step, initial_contributions
from murmura.compute.step_data import Contributions, Parameters
from murmura.compute.trace.llvm_target import LANES, LlvmTarget
from murmura.core.algebra import INTEGER, NUMBER, Value, absolute, as_number, to_number, where
from murmura.core.merging import FAR, Least, Merge, Sum, flatten, unflatten
from murmura.core.rule_arguments import World
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.perception import in_view
from murmura.core.world.visual_field import Eye

AHEAD = 2 * LANES
"""How many agents ahead columns are fetched into the cache."""
WIDEST = 1e30
"""Positions and velocities beyond this count as not finite."""


class Agents:
    """Emits perception and motion for one plan."""

    def __init__(
        self, plan: Plan, shapes: Shapes, target: LlvmTarget, frame: FrameCode, world: World
    ) -> None:
        self.plan, self.shapes, self.target, self.frame = plan, shapes, target, frame
        self.memory = LaneMemory(plan, target, frame)
        self.step = Step(plan, target, self.memory, world)
        self.flock = Flock(plan, target, frame)
        self.kept = _all_kept(plan, shapes)
        self.pair_rows = len(flatten(self.kept))

    @staticmethod
    def rows_of(plan: Plan, shapes: Shapes) -> int:
        """The number of values that each agent keeps between perceiving and moving."""
        return len(flatten(_all_kept(plan, shapes))) + eye_rows(plan)

    # Meeting

    def perceive(
        self, i: Value, runs: list[tuple[Value, Value, bool]], reaches: Array, sums: Array, k: Value,
        around: Tiles | None = None,
    ) -> None:  # fmt: skip
        """Let four agents from row i on meet the candidates of some runs; write the result to columns k to k + 3.

        In space, `runs` is the one in which they are themselves, and `around` has the tiles of the eight around it.
        """
        t = self.target
        if t.wide:
            self.fold(self._contributions_to(i, runs, reaches, around), sums, k)
            return
        # With registers of eight lanes, two agents at a time, and with four one: more would not fit into the registers.
        count = 1 if t.compact else 2
        with t.narrowed(count * GROUP):
            parts = [
                flatten(self._contributions_to(i + first, runs, reaches, around))
                for first in range(0, GROUP, count)
            ]
        whole = [
            Value(t, NUMBER, t.joined([value.code for value in values]))
            for values in zip(*parts, strict=True)
        ]
        self.fold(unflatten(self.kept, whole), sums, k)

    def _contributions_to(
        self, i: Value, runs: list[tuple[Value, Value, bool]], reaches: Array, around: Tiles | None
    ) -> Contributions:
        """What the candidates contribute to agents from row i on, four lanes for each agent."""
        t, step = self.target, self.step
        columns, ids = self.flock.repeated(i)
        p, me = step.sense(columns, ids)
        view = step.view(p, me)
        reach = p.perception.radius * p.perception.radius
        if self.plan.topological:
            reach = Value(t, NUMBER, t.picked(reaches.load(i, GROUP), agents_of(t)))
        start = initial_contributions(t, self.kept)
        values: list[Any] = flatten(start)
        mine = t.numbered(agents_of(t)) + i

        def meet_run(begin: Value, end: Value, own: bool, values: list[Any]) -> list[Any]:
            numbers = t.numbered(candidates_of(t)) + begin

            def meet(j: Value, held: list[Value]) -> list[Any]:
                number, *rest = held
                met = self._met(p, me, view, reach, j, number, mine if own else None, unflatten(start, rest))
                return [number + GROUP, *flatten(met)]

            _, *met = t.loop(begin, end, GROUP, [numbers, *values], meet)
            return met

        for begin, end, own in runs:
            values = meet_run(begin, end, own, values)
        if around is not None:

            def meet_tile(j: Value, held: list[Value]) -> list[Any]:
                number = t.numbered(candidates_of(t)) + j
                return flatten(self._met(p, me, view, reach, j, number, None, unflatten(start, held)))

            values = around.meet(me.position, step.farthest(p, reach), values, meet_tile)
        contributions: Contributions = unflatten(start, values)
        return contributions

    def _met(
        self, p: Parameters, me: Record, view: Any, reach: Any, j: Value, number: Value, mine: Value | None,
        before: Contributions,
    ) -> Contributions:  # fmt: skip
        """The contributions after four more candidates."""
        columns, ids = self.flock.tile(j)
        way = columns["position"] - me.position
        self.target.finite |= {id(part.code) for part in (*way, *columns["velocity"])}
        seen = self.step.neighbor(p, me, columns, to_number(ids), way)
        near, ahead = seen.square <= reach, in_view(view, me.heading, way, seen.distance)
        visible = near & ahead
        far = {}
        if self.plan.far_rules:
            far = self.step.far(p, seen.square, True if mine is None else number != mine, ahead)
        if mine is not None:
            visible = visible & (number != mine)
            near = near & (number != mine) if self.step.needs_unseen else near
        contribution = self.step.contribute(p, me, seen.updated({"visible": visible}))
        short = [
            {name: self._shortened(merge, number) for name, merge in entry.items()} for entry in contribution
        ]
        return self.step.merge(before, short, near, visible, far)

    def _shortened(self, merge: Merge, number: Value) -> Merge:
        """Reduce a long contribution to the row of its neighbour, which takes fewer registers."""
        if not _is_long(merge):
            return merge
        return Least(merge.parts["score"], who=numbers_with_bits(self.target, number))

    def fold(self, acc: Contributions, sums: Array, k: Value, one: bool = False) -> None:
        """Reduce the four lanes of each agent, or all lanes of `one` agent, and store the result."""
        fold_least, fold_rest = (fold_nearest_lane, fold_lanes) if one else (fold_nearest, fold_groups)
        row = 0
        added: list[tuple[int, Value]] = []
        greatest: list[tuple[int, Value]] = []
        for merge in (merge for entry in acc for merge in entry.values()):
            values = flatten(merge)
            if isinstance(merge, Least):
                fold_least(self.target, sums, SUMS_PITCH, k, row, values)
            else:
                kept = added if isinstance(merge, Sum) else greatest
                kept += [(row + n, value) for n, value in enumerate(values)]
            row += len(values)
        fold_rest(self.target, sums, SUMS_PITCH, k, added, "sum")
        fold_rest(self.target, sums, SUMS_PITCH, k, greatest, "greatest")

    # Moving

    def move(
        self, i: Value, sums: Array, k: Value, left: Value, to: Value, step_number: Any, reports: Any
    ) -> Value:
        """Sixteen agents from row i on, or the `left` ones, decide, move and report. Returns whether all are finite."""
        t, step = self.target, self.step
        self._prefetch(i + AHEAD, to + AHEAD)
        columns, ids = self.flock.sixteen(i)
        p, me = step.sense(columns, ids)
        contributions = self._whole_contributions(p, me, i, sums, k)
        eye = self._eye(sums, k) if self.plan.uses_eye else None
        decision = step.decide(p, me, contributions, initial_contributions(t, self.shapes.items), eye)
        outcome = step.outcome(p, decision)
        me = step.live(p, decision.me, decision.force)
        here = first_lanes(t, left)
        new = [*me.position, *me.velocity, *step.carried(me), *decision.force, decision.me.neighbors]
        for row, value in enumerate(new):
            self.frame.state.row(row).store_first(to, value, here)
        dead = as_number(t, outcome.cause) > 0.0
        self.frame.ids.store_first(to, where(dead, -1 - ids, ids) if self.plan.has_lifecycle else ids, here)
        if self.plan.stateful_items:
            report_to_items(self.step, self.memory, self.shapes, p, me, here & ~dead, reports)
        if self.plan.eventful:
            note_outcome(t, self.frame, me, outcome, here, step_number)
        total, *others = Vec(*new[: 2 * self.plan.dimension]).map(absolute)
        for other in others:
            total = total + other
        return ~t.any_lane(~(total < WIDEST) & here)

    def _prefetch(self, i: Value, to: Value) -> None:
        """Prefetch columns from row i on and the destinations of results: too many streams for the processor's own."""
        width = 2 * self.plan.dimension + len(self.plan.carried)
        for row in range(2 * self.plan.dimension, width):
            self.frame.table.row(row).prefetch(i)
        for row in range(width + len(self.plan.force_columns)):
            self.frame.state.row(row).prefetch(to, to_write=True)

    def _whole_contributions(
        self, p: Parameters, me: Record, i: Value, sums: Array, k: Value
    ) -> Contributions:
        """The contributions to sixteen agents; computed again where the scan kept only the row of the nearest."""
        t = self.target
        contributions: Contributions = unflatten(self.kept, self._carried(sums, k, range(self.pair_rows)))
        mine = t.numbered(range(LANES)) + i
        return [
            {name: self._recomputed(p, me, mine, rule, name, merge) for name, merge in entry.items()}
            for rule, entry in enumerate(contributions)
        ]

    def _carried(self, sums: Array, k: Value, rows: range) -> list[Any]:
        """The values of sixteen agents in some rows of the table."""
        t = self.target
        return [Value(t, NUMBER, sums.load(k + row * SUMS_PITCH, LANES)) for row in rows]

    def _eye(self, sums: Array, k: Value) -> Eye:
        """The visual fields of sixteen agents."""
        first = self.pair_rows
        covered, *rest = self._carried(sums, k, range(first, first + EYE_SUMS))
        words = self._carried(sums, k, range(first + EYE_SUMS, first + eye_rows(self.plan)))
        return Eye(self.plan.bins, words, covered, Vec(*rest[:2]), Vec(*rest[2:4]), rest[4])

    def _recomputed(
        self, p: Parameters, me: Record, mine: Value, rule: int, name: str, merge: Merge
    ) -> Merge:
        """The nearest neighbour's whole contribution."""
        if self.plan.occludes or not _is_long(self.shapes.pairs[rule][name]):
            return merge
        exists = merge.parts["score"] < FAR
        who = where(exists, bits_of(self.target, merge.parts["who"]), mine)

        def parts() -> list[Any]:
            columns, ids = self.flock.at(Value(self.target, INTEGER, who.code))
            seen = self.step.neighbor(p, me, columns, to_number(ids), columns["position"] - me.position)
            _, *payload = flatten(self.step.contribution_to(rule - 1, p, me, seen)[name])
            return [where(exists, value, 0.0) for value in payload]

        whole = self.shapes.pairs[rule][name]
        nothing = flatten(whole.initial(self.target))[1:]
        payload = self.target.branch(exists, nothing, lambda _: parts())
        again: Merge = unflatten(whole, [merge.parts["score"], *payload])
        return again


def _is_long(merge: Merge) -> bool:
    """Whether the nearest contributes more than one number."""
    return isinstance(merge, Least) and len(flatten(merge)) > 2


def _kept(merge: Merge) -> Merge:
    """The part of a contribution that the scan carries along."""
    return Least(0.0, who=0.0) if _is_long(merge) else merge


def _all_kept(plan: Plan, shapes: Shapes) -> Contributions:
    if plan.occludes:
        # Recomputing the nearest contribution would not know in how many bins it was seen.
        return shapes.pairs
    return [{name: _kept(merge) for name, merge in entry.items()} for entry in shapes.pairs]
