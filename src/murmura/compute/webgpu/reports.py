"""Reports to items, events and births, in WGSL.

Sums are of integers, so they do not depend on the order of invocations. WGSL has 32-bit atomics only: a sum is two
words with a carry, and for the best report one kernel finds the score and a second one the agent that made it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from murmura.compute.cuda.reports import FINENESS, LARGEST
from murmura.compute.shapes import Shapes
from murmura.compute.step_data import Outcome
from murmura.compute.webgpu.agent_trace import AgentTraceWgsl
from murmura.compute.webgpu.records import EVENT_WORDS, EVENTS, YOUNG, YOUNG_WORDS
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Condition, Value, as_number, code_of, to_number
from murmura.core.events import Event
from murmura.core.merging import Best, Count, Report, flatten
from murmura.core.tracing.record import Record

WORDS = 2
"""Words of each report."""
FUNCTIONS: dict[str, str] = {
    "count_report": """
fn count_report(at: i32, holds: bool) {
    if (holds) { atomicAdd(&outputs[a.at_reports + at], 1i); }
}
""",
    "total_report": f"""
fn total_report(at: i32, value: f32) {{
    let whole = round(value * {FINENESS}f);
    if (whole == 0.0f) {{ return; }}
    let size = abs(whole);
    let over = floor(size * {2.0**-32!r}f);
    var low = u32(size - over * {2.0**32!r}f);
    var high = i32(over);
    if (whole < 0.0f) {{
        low = ~low + 1u;
        high = ~high + select(0i, 1i, low == 0u);
    }}
    let old = bitcast<u32>(atomicAdd(&outputs[a.at_reports + at], bitcast<i32>(low)));
    high += select(0i, 1i, old + low < old);
    if (high != 0i) {{ atomicAdd(&outputs[a.at_reports + at + 1i], high); }}
}}
""",
    "best_report": """
fn best_report(at: i32, score: f32, place: i32) {
    if (!(score > 0.0f)) { return; }
    let bits = bitcast<i32>(score);
    atomicStore(&outputs[a.at_scores + place], bits);
    if (bits > atomicLoad(&outputs[a.at_reports + at])) { atomicMax(&outputs[a.at_reports + at], bits); }
}
""",
    "name_best": f"""
fn name_best(at: i32, id: i32, place: i32) {{
    let bits = atomicExchange(&outputs[a.at_scores + place], 0i);
    if (bits == 0i) {{ return; }}
    let best = atomicLoad(&outputs[a.at_reports + at]);
    if (bits == best) {{ atomicMax(&outputs[a.at_reports + at + 1i], {LARGEST}i - id); }}
}}
""",
    "count_of": """
fn count_of(at: i32) -> f32 {
    return f32(atomicExchange(&outputs[a.at_reports + at], 0i));
}
""",
    "total_of": f"""
fn total_of(at: i32) -> f32 {{
    var low = bitcast<u32>(atomicExchange(&outputs[a.at_reports + at], 0i));
    var high = atomicExchange(&outputs[a.at_reports + at + 1i], 0i);
    let negative = high < 0i;
    if (negative) {{
        low = ~low + 1u;
        high = ~high + select(0i, 1i, low == 0u);
    }}
    let size = (f32(high) * {2.0**32!r}f + f32(low)) * {1.0 / FINENESS!r}f;
    return select(size, -size, negative);
}}
""",
    "best_score": """
fn best_score(at: i32) -> f32 {
    return bitcast<f32>(atomicExchange(&outputs[a.at_reports + at], 0i));
}
""",
    "best_id": f"""
fn best_id(at: i32, score: f32) -> f32 {{
    let id = f32({LARGEST}i - atomicExchange(&outputs[a.at_reports + at + 1i], 0i));
    return select(-1.0f, id, score > 0.0f);
}}
""",
    "write_event": f"""
fn write_event(slot: i32, kind: i32, id: i32, other: i32, x: f32, y: f32, cause: f32, amount: i32, z: f32) {{
    if (slot >= a.sizes_event_room) {{ return; }}
    let row = a.at_events + {EVENT_WORDS}i * slot;
    atomicStore(&outputs[row], a.clock_step);
    atomicStore(&outputs[row + 1i], kind);
    atomicStore(&outputs[row + 2i], id);
    atomicStore(&outputs[row + 3i], other);
    atomicStore(&outputs[row + 4i], bitcast<i32>(x));
    atomicStore(&outputs[row + 5i], bitcast<i32>(y));
    atomicStore(&outputs[row + 6i], bitcast<i32>(cause));
    atomicStore(&outputs[row + 7i], amount);
    atomicStore(&outputs[row + 8i], bitcast<i32>(z));
}}
""",
    "note_event": f"""
fn note_event(kind: f32, id: i32, other: f32, x: f32, y: f32, cause: f32, amount: f32, z: f32) {{
    let slot = atomicAdd(&outputs[{EVENTS}], 1i);
    write_event(slot, i32(kind), id, bitcast<i32>(other), x, y, cause, bitcast<i32>(amount), z);
}}
""",
    "bucket_of": """
fn bucket_of(id: i32) -> i32 {
    return a.at_buckets + bitcast<i32>(((bitcast<u32>(id) * 2654435769u) >> 8u) & bitcast<u32>(a.sizes_bucket_mask));
}
""",
    "note_young": f"""
fn note_young(rule: i32, mother: i32, whom: f32, row: i32) {{
    let slot = atomicAdd(&outputs[{YOUNG}], 1i);
    if (slot >= a.sizes_young_room) {{ return; }}
    let young = a.at_young + {YOUNG_WORDS}i * slot;
    let father = i32(whom);
    var next = -1i;
    if (father >= 0i) {{ next = atomicExchange(&outputs[bucket_of(father)], slot + 1i) - 1i; }}
    atomicStore(&outputs[young], mother);
    atomicStore(&outputs[young + 1i], rule);
    atomicStore(&outputs[young + 2i], father);
    atomicStore(&outputs[young + 3i], row);
    atomicStore(&outputs[young + 4i], -1i);
    atomicStore(&outputs[young + 5i], next);
}}
""",
}


def best_width(shapes: Shapes) -> int:
    """The greatest number of `Best` reports of an item."""
    return max([0, *(len(_bests(shapes, rule)) for rule in shapes.reports)])


def _bests(shapes: Shapes, rule: int) -> list[int]:
    """The slots of a rule's `Best` reports."""
    return [number for number, slot in enumerate(shapes.slots(rule)) if issubclass(slot.kind, Best)]


def report_place(shapes: Shapes, row: Any, slot: int) -> Any:
    """The first word of a report to an item."""
    return row * (WORDS * shapes.report_width) + WORDS * slot


def report_to_items(trace: AgentTraceWgsl, p: list[Record], me: Record, alive: Condition) -> None:
    """Report to every stateful item."""
    for k, group, _, _ in trace.plan.stateful_items:
        if group.functions.gather is None and group.functions.report is None:
            continue
        says = trace.step.speaks(k, p, me, alive)
        with trace.target.scope(f"if ({code_of(trace.target, says, CONDITION)})"):
            begin, end = trace.memory.rows(k)
            trace.target.repeat(end - begin, partial(_report_to_item, trace, k, p, me, begin))


def _report_to_item(
    trace: AgentTraceWgsl, k: int, p: list[Record], me: Record, begin: Value, number: Value
) -> None:
    row = begin + number
    it = trace.step.item(k, trace.memory.item_numbers(k, row))
    slot, best = 0, 0
    for report in trace.step.reports(k, p, me, it).values():
        if isinstance(report, Best):
            score_place = (row * best_width(trace.shapes) + best) * trace.room + trace.i
            place = report_place(trace.shapes, row, slot)
            trace.target.call(
                "best_report", [(place, INTEGER), (report.value, NUMBER), (score_place, INTEGER)]
            )
            slot, best = slot + 1, best + 1
            continue
        for name, value, kind in _parts(trace, report):
            trace.target.call(name, [(report_place(trace.shapes, row, slot), INTEGER), (value, kind)])
            slot += 1
    written = trace.step.target_report(k, p, me)
    if written:
        _write_target_report(trace, k, list(written.values()), me, row)


def _parts(trace: AgentTraceWgsl, report: Report) -> list[tuple[str, Any, str]]:
    """The numbers of a report, each with the function that adds it."""
    if isinstance(report, Count):
        is_condition = isinstance(report.value, Value) and report.value.kind == CONDITION
        holds = report.value if is_condition else as_number(trace.target, report.value) != 0.0
        return [("count_report", holds, CONDITION)]
    return [("total_report", part, NUMBER) for part in flatten(report.value)]


def _write_target_report(trace: AgentTraceWgsl, k: int, values: list[Any], me: Record, row: Value) -> None:
    """If this agent is the item's target, write its report into the item's row of `target_reports`."""
    layout = trace.plan.rule_groups[k].layout
    place = trace.memory.item_place(row, layout.place["target"])
    wanted = trace.target.load("a.rules.items", place, NUMBER, steady=True)
    with trace.target.scope(f"if ({(to_number(me.id) == wanted).code})"):
        first = row * (1 + trace.plan.item_width)
        trace.target.store("a.outputs.target_reports", first, 1.0)
        for n, value in enumerate(values):
            trace.target.store("a.outputs.target_reports", first + (n + 1), value)


def naming_text(trace: AgentTraceWgsl) -> str:
    """The body of the kernel that finds which agents made the best reports."""
    target, shapes = trace.target, trace.shapes
    name = Value(target, INTEGER, "columns[i]")
    for k, _, _, _ in trace.plan.stateful_items:
        bests = _bests(shapes, k)
        if not bests:
            continue
        begin, end = trace.memory.rows(k)

        def visit(number: Value, begin: Value = begin, bests: list[int] = bests) -> None:
            row = begin + number
            for best, slot in enumerate(bests):
                place = (row * best_width(shapes) + best) * trace.room + trace.i
                at = report_place(shapes, row, slot)
                target.call("name_best", [(at, INTEGER), (name, INTEGER), (place, INTEGER)])

        target.repeat(end - begin, visit)
    return target.text


def note(trace: AgentTraceWgsl, me: Record, outcome: Outcome) -> None:
    """Write the agent's death, events and births."""
    target = trace.target
    x, y, z = [*((part, NUMBER) for part in me.position), (0.0, NUMBER)][:3]
    cause = as_number(target, outcome.cause)
    with target.scope(f"if ({(cause > 0.0).code})"):
        death = float(Event.DEATH)
        target.call(
            "note_event",
            [
                (death, NUMBER),
                (me.id, INTEGER),
                (outcome.by, NUMBER),
                x,
                y,
                (cause, NUMBER),
                (0.0, NUMBER),
                z,
            ],
        )
    for kind, other, amount in outcome.events:
        with target.scope(f"if ({(as_number(target, kind) > 0.0).code})"):
            target.call(
                "note_event",
                [(kind, NUMBER), (me.id, INTEGER), (other, NUMBER), x, y, (0.0, NUMBER), (amount, NUMBER), z],
            )
    for k, yes, whom in outcome.young:
        with target.scope(f"if ({((as_number(target, yes) != 0.0) & (cause == 0.0)).code})"):
            target.call("note_young", [(k, INTEGER), (me.id, INTEGER), (whom, NUMBER), (trace.i, INTEGER)])
