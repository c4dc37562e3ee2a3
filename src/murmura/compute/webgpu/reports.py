"""Reports to items, events and births, in WGSL.

Sums are of integers, so they do not depend on the order of invocations. WGSL has 32-bit atomics only: a sum is two
words with a carry, and for the best report one kernel finds the score and a second one the agent that made it.
"""

from __future__ import annotations

from murmura.compute.gpu.agent_trace import AgentTrace
from murmura.compute.gpu.reports import FINENESS, LARGEST, best_width, bests, report_place
from murmura.compute.webgpu.records import EVENT_WORDS, EVENTS, YOUNG, YOUNG_WORDS
from murmura.core.algebra import INTEGER, Value

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


def naming_text(trace: AgentTrace) -> str:
    """The body of the kernel that finds which agents made the best reports."""
    target, shapes = trace.target, trace.shapes
    name = Value(target, INTEGER, "columns[i]")
    for k, _, _, _ in trace.plan.stateful_items:
        slots = bests(shapes, k)
        if not slots:
            continue
        begin, end = trace.memory.rows(k)

        def visit(number: Value, begin: Value = begin, slots: list[int] = slots) -> None:
            row = begin + number
            for best, slot in enumerate(slots):
                place = target.score_place(row, best_width(shapes), best, trace.i)
                at = report_place(target, shapes, row, slot)
                target.call("name_best", (at, INTEGER), (name, INTEGER), (place, INTEGER))

        target.repeat(end - begin, visit)
    return target.text
