"""Emits reports to items, events and births from lanes.

Reports are reduced as integers, whose sum and maximum do not depend on order: counts as they are, sums in steps of
1/4096, and the best as its score's bits above the complement of its id, so that the least id wins among equal scores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from murmura.compute.cpu.frame import Array, FrameCode
from murmura.compute.cpu.perception.lanes import LaneMemory, as_lanes
from murmura.compute.cpu.threads import fetch_add
from murmura.compute.shapes import Shapes
from murmura.compute.step import Step
from murmura.compute.step_data import Outcome, Parameters
from murmura.compute.trace.llvm_target import DOUBLE, FLOAT, INT, LANES, LONG, LlvmTarget
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Value, kind_of, to_number, where
from murmura.core.events import EVENT_FIELDS, Event
from murmura.core.merging import Best, Count, flatten
from murmura.core.tracing.record import Record

FINENESS = 4096.0
LARGEST = 2**31 - 1


def report_to_items(
    step: Step, memory: LaneMemory, shapes: Shapes, p: Parameters, me: Record, alive: Value, table: Array
) -> None:
    """Reduce the reports of living agents to every stateful item into `table`, this thread's own."""
    t, frame = memory.target, memory.frame
    for k, group, _, _ in step.plan.stateful_items:
        says = step.may_report(k, p, me, alive)

        def report(k: int = k, group: Any = group, says: Any = says) -> None:
            begin, end = (frame.ranges[2 * k + side] for side in (0, 1))
            with t.for_loop(begin, end) as row:
                it = step.item(k, memory.item_numbers(row, group.known))
                reports = step.reports(k, p, me, it)
                for slot, place in enumerate(shapes.slots(k)):
                    value = flatten(reports[place.report].value)[place.component]
                    at = table.at(row * max(1, shapes.report_width) + slot)
                    _add_report(t, at, place.kind, says, value, me.id)
                if group.functions.report is not None:
                    _write_target_report(
                        t, frame, step, k, p, me, row, says & (to_number(me.id) == it.target)
                    )

        if group.functions.may_report is None:
            report()
        else:
            with t.if_then(t.any_lane(says)):
                report()


def _add_report(t: LlvmTarget, at: Any, kind: type, says: Value, value: Any, ids: Value) -> None:
    if kind is Count:
        yes = value if kind_of(value) == CONDITION else as_lanes(t, value) != 0.0
        _add(t, at, _lanes_set(t, says & yes))
        return
    lanes = as_lanes(t, where(says, value, 0.0))
    if kind is Best:
        _add_best(t, at, lanes, ids)
        return
    with t.if_then(t.any_lane(lanes != 0.0)):
        _add(t, at, _fixed_sum(t, lanes))


def _add(t: LlvmTarget, at: Any, amount: Any) -> None:
    t.builder.store(t.builder.add(t.builder.load(at, typ=LONG), amount), at)


def _lanes_set(t: LlvmTarget, mask: Value) -> Any:
    """The number of lanes under the mask."""
    packed = t.builder.bitcast(t.spread(mask.code), ir.IntType(LANES))
    return t.builder.ctpop(t.builder.zext(packed, LONG))


def _fixed_sum(t: LlvmTarget, lanes: Value) -> Any:
    """The sum of all lanes in steps of 1/FINENESS, each lane rounded separately."""
    doubles, longs = (ir.VectorType(kind, LANES) for kind in (DOUBLE, LONG))
    fineness = ir.Constant(doubles, [DOUBLE(FINENESS)] * LANES)
    scaled = t.builder.fmul(t.builder.fpext(lanes.code, doubles), fineness)
    whole = t.builder.fptosi(t.call(f"llvm.rint.v{LANES}f64", doubles, [scaled]), longs)
    return t.call(f"llvm.vector.reduce.add.v{LANES}i64", LONG, [whole])


def _add_best(t: LlvmTarget, at: Any, scores: Value, ids: Value) -> None:
    b = t.builder
    before = b.load(at, typ=LONG)
    best_so_far = Value(t, NUMBER, b.bitcast(b.trunc(b.lshr(before, LONG(32)), INT), FLOAT))
    with t.if_then(t.any_lane((scores >= best_so_far) & (scores > 0.0))), t.for_loop(0, LANES) as k:
        score, name = t.lane(scores, k), t.lane(ids, k)
        high = b.shl(b.zext(b.bitcast(score.code, INT), LONG), LONG(32))
        key = b.or_(high, b.sub(LONG(LARGEST), b.sext(name.code, LONG)))
        best = b.load(at, typ=LONG)
        better = b.and_((score > 0.0).code, b.icmp_signed(">", key, best))
        b.store(b.select(better, key, best), at)


def _write_target_report(
    t: LlvmTarget, frame: FrameCode, step: Step, k: int, p: Parameters, me: Record, row: Value, mine: Value
) -> None:
    """Write the report of the item's target into the item's row of `target_reports`, after a flag."""
    with t.if_then(t.any_lane(mine)):
        written = [as_lanes(t, value) for value in step.target_report(k, p, me).values()]
        base = row * (1 + step.plan.item_width)
        with t.for_loop(0, LANES) as lane, t.if_then(t.lane(mine, lane)):
            frame.target_reports[base] = 1.0
            for n, value in enumerate(written):
                frame.target_reports[base + (n + 1)] = t.lane(value, lane)


def each_lane(t: LlvmTarget, mask: Value, write: Callable[[Value], None]) -> None:
    """Do something for each lane of a mask."""
    mask = Value(t, CONDITION, t.spread(mask.code))
    with t.if_then(t.any_lane(mask)), t.for_loop(0, LANES) as k, t.if_then(t.lane(mask, k)):
        write(k)


def write_event(t: LlvmTarget, frame: FrameCode, step_number: Any, values: list[Any]) -> None:
    """Write one event, if there is room. `values` are EVENT_FIELDS after the step, which is a long integer."""
    slot = fetch_add(t, frame.status("events"), 1)
    with t.if_then(slot < frame.event_room):
        b = t.builder
        for column, value in enumerate([step_number, *values]):
            code = value.code if isinstance(value, Value) else value
            if isinstance(code, float | int):
                code = DOUBLE(float(code))
            elif code.type in (INT, LONG):
                code = b.sitofp(code, DOUBLE)
            else:
                code = b.fpext(code, DOUBLE)
            b.store(code, frame.events.at(slot * len(EVENT_FIELDS) + column))


def note_outcome(
    t: LlvmTarget, frame: FrameCode, me: Record, outcome: Outcome, here: Value, step_number: Any
) -> None:
    """Write deaths, events and births."""
    x, y, *z = me.position
    cause, by = as_lanes(t, outcome.cause), as_lanes(t, outcome.by)

    def note(mask: Value, kind: Any, other: Any, cause: Any, amount: Any) -> None:
        lanes = [as_lanes(t, value) for value in (kind, other, x, y, cause, amount, *z)]

        def write(k: Value) -> None:
            what, *rest = (t.lane(values, k) for values in lanes)
            write_event(t, frame, step_number, [what, t.lane(me.id, k), *rest, *([] if z else [0.0])])

        each_lane(t, mask, write)

    note(here & (cause > 0.0), float(Event.DEATH), by, cause, 0.0)
    for kind, other, amount in outcome.events:
        note(here & (as_lanes(t, kind) > 0.0), kind, other, 0.0, amount)
    for rule, yes, whom in outcome.births:
        born = yes if kind_of(yes) == CONDITION else as_lanes(t, yes) > 0.0
        fathers = as_lanes(t, whom)

        def write(k: Value, rule: int = rule, fathers: Value = fathers) -> None:
            slot = fetch_add(t, frame.status("young"), 1)
            with t.if_then(slot < frame.young_room):
                frame.young[slot * 3] = t.lane(me.id, k)
                frame.young[slot * 3 + 1] = rule
                father = t.builder.fptosi(t.lane(fathers, k).code, INT)
                frame.young[slot * 3 + 2] = Value(t, INTEGER, father)

        each_lane(t, here & born & (cause == 0.0), write)
