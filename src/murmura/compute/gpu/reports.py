"""Reports to items, events and births, from the threads of a GPU.

Sums are of integers, so they do not depend on the order of threads.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from murmura.compute.gpu.agent_trace import AgentTrace
from murmura.compute.gpu.target import GpuTarget
from murmura.compute.shapes import Shapes
from murmura.compute.step_data import Outcome, Parameters
from murmura.core.algebra import (
    CONDITION,
    INTEGER,
    NUMBER,
    Condition,
    Value,
    as_number,
    code_of,
    to_number,
    where,
)
from murmura.core.events import Event
from murmura.core.merging import Best, Count, Report, flatten
from murmura.core.tracing.record import Record

FINENESS = 4096.0
"""Sums of numbers are sums of integers, this many to 1."""
LARGEST = 2**31 - 1


def report_place(target: GpuTarget, shapes: Shapes, row: Value, slot: int) -> Value:
    """The first word of a report to an item."""
    words = target.report_words
    if words * shapes.report_width == 1:
        return row
    place: Value = row * (words * shapes.report_width) + words * slot
    return place


def bests(shapes: Shapes, rule: int) -> list[int]:
    """The slots of a rule's `Best` reports."""
    return [number for number, slot in enumerate(shapes.slots(rule)) if issubclass(slot.kind, Best)]


def best_width(shapes: Shapes) -> int:
    """The greatest number of `Best` reports of an item."""
    return max([0, *(len(bests(shapes, rule)) for rule in shapes.reports)])


def report_to_items(trace: AgentTrace, p: Parameters, me: Record, alive: Condition) -> None:
    """Report to every stateful item."""
    for k, group, _, _ in trace.plan.stateful_items:
        if group.functions.gather is None and group.functions.report is None:
            continue
        says = trace.step.may_report(k, p, me, alive)
        with trace.target.scope(f"if ({code_of(trace.target, says, CONDITION)})"):
            begin, end = trace.memory.rows(k)
            trace.target.repeat(end - begin, partial(_report_to_item, trace, k, p, me, begin))


def _report_to_item(
    trace: AgentTrace, k: int, p: Parameters, me: Record, begin: Value, number: Value
) -> None:
    target, shapes, row = trace.target, trace.shapes, begin + number
    it = trace.step.item(k, trace.memory.item_numbers(k, row))
    slot, best = 0, 0
    for report in trace.step.reports(k, p, me, it).values():
        if isinstance(report, Best):
            at_score = target.score_place(row, best_width(shapes), best, trace.i)
            target.report_best(report_place(target, shapes, row, slot), report.value, me.id, at_score)
            slot, best = slot + 1, best + 1
            continue
        for name, value, kind in _parts(target, report):
            target.report(name, report_place(target, shapes, row, slot), value, kind)
            slot += 1
    written = trace.step.target_report(k, p, me)
    if written:
        _write_target_report(trace, k, list(written.values()), me, row)


def _parts(target: GpuTarget, report: Report) -> list[tuple[str, Any, str]]:
    """The numbers of a report, each with the function that adds it."""
    if isinstance(report, Count):
        is_condition = isinstance(report.value, Value) and report.value.kind == CONDITION
        holds = report.value if is_condition else as_number(target, report.value) != 0.0
        return [("count_report", holds, CONDITION)]
    return [("total_report", part, NUMBER) for part in flatten(report.value)]


def _write_target_report(trace: AgentTrace, k: int, values: list[Any], me: Record, row: Value) -> None:
    """If this agent is the item's target, write its report into the item's row of `target_reports`."""
    layout = trace.plan.rule_groups[k].layout
    place = trace.memory.item_place(row, layout.place["target"])
    wanted = trace.target.load("rules.items", place, NUMBER, steady=True)
    with trace.target.scope(f"if ({(to_number(me.id) == wanted).code})"):
        first = row * (1 + trace.plan.item_width)
        trace.target.store("outputs.target_reports", first, 1.0)
        for n, value in enumerate(values):
            trace.target.store("outputs.target_reports", first + (n + 1), value)


def note(trace: AgentTrace, me: Record, outcome: Outcome) -> None:
    """Write the agent's death, events and births."""
    target, who = trace.target, (me.id, INTEGER)
    x, y, z = [*((part, NUMBER) for part in me.position), (0.0, NUMBER)][:3]
    cause = as_number(target, outcome.cause)

    def write(kind: Any, other: Any, why: Any, amount: Any) -> None:
        numbers = ((other, NUMBER), x, y, (why, NUMBER), (amount, NUMBER), z)
        target.call("note_event", (kind, NUMBER), who, *numbers)

    with target.scope(f"if ({(cause > 0.0).code})"):
        write(float(Event.DEATH), outcome.by, cause, 0.0)
    for kind, other, amount in outcome.events:
        with target.scope(f"if ({(as_number(target, kind) > 0.0).code})"):
            write(kind, other, 0.0, amount)
    for k, yes, whom in outcome.births:
        with target.scope(f"if ({((as_number(target, yes) != 0.0) & (cause == 0.0)).code})"):
            target.call("note_young", (k, INTEGER), who, (whom, NUMBER), (trace.i, INTEGER))


def name_after(trace: AgentTrace, me: Record, outcome: Outcome) -> Value:
    """The agent's id; if it dies, -1 - id."""
    if not trace.plan.has_lifecycle:
        return Value(trace.target, INTEGER, code_of(trace.target, me.id, INTEGER))
    name: Value = where(as_number(trace.target, outcome.cause) > 0.0, -1 - me.id, me.id)
    return name
