"""How an agent tells something to items, to the list of events and to the list of young, in WGSL.

Sums are of whole numbers, so they do not depend on the order of invocations. WGSL has atomics of 32 bits only: a sum
is two words with a carry, and of the best offer first the score is found and then, in a kernel of its own, who made it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from murmura.compute.cuda.reports import FINENESS, LARGEST
from murmura.compute.shapes import Shapes
from murmura.compute.step import Outcome
from murmura.compute.webgpu.records import EVENT_WORDS, EVENTS, YOUNG, YOUNG_WORDS
from murmura.compute.webgpu.walk import WalkWgsl
from murmura.core.algebra import CONDITION, INTEGER, NUMBER, Condition, Value, as_number, code_of, to_number
from murmura.core.events import Event
from murmura.core.merging import Best, Count, Report, leaves
from murmura.core.record import Record

WORDS = 2
"""That every number takes which an item is told."""
FUNCTIONS: dict[str, str] = {
    "count_told": """
fn count_told(at: i32, said: bool) {
    if (said) { atomicAdd(&diary[a.at_told + at], 1i); }
}
""",
    "total_told": f"""
fn total_told(at: i32, value: f32) {{
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
    let old = bitcast<u32>(atomicAdd(&diary[a.at_told + at], bitcast<i32>(low)));
    high += select(0i, 1i, old + low < old);
    if (high != 0i) {{ atomicAdd(&diary[a.at_told + at + 1i], high); }}
}}
""",
    "best_told": """
fn best_told(at: i32, score: f32, place: i32) {
    if (!(score > 0.0f)) { return; }
    let bits = bitcast<i32>(score);
    atomicStore(&diary[a.at_scores + place], bits);
    if (bits > atomicLoad(&diary[a.at_told + at])) { atomicMax(&diary[a.at_told + at], bits); }
}
""",
    "name_best": f"""
fn name_best(at: i32, id: i32, place: i32) {{
    let bits = atomicExchange(&diary[a.at_scores + place], 0i);
    if (bits == 0i) {{ return; }}
    if (bits == atomicLoad(&diary[a.at_told + at])) {{ atomicMax(&diary[a.at_told + at + 1i], {LARGEST}i - id); }}
}}
""",
    "count_of": """
fn count_of(at: i32) -> f32 {
    return f32(atomicExchange(&diary[a.at_told + at], 0i));
}
""",
    "total_of": f"""
fn total_of(at: i32) -> f32 {{
    var low = bitcast<u32>(atomicExchange(&diary[a.at_told + at], 0i));
    var high = atomicExchange(&diary[a.at_told + at + 1i], 0i);
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
    return bitcast<f32>(atomicExchange(&diary[a.at_told + at], 0i));
}
""",
    "best_id": f"""
fn best_id(at: i32, score: f32) -> f32 {{
    let id = f32({LARGEST}i - atomicExchange(&diary[a.at_told + at + 1i], 0i));
    return select(-1.0f, id, score > 0.0f);
}}
""",
    "write_event": f"""
fn write_event(slot: i32, kind: i32, id: i32, other: i32, x: f32, y: f32, cause: f32, amount: i32, z: f32) {{
    if (slot >= a.sizes_event_room) {{ return; }}
    let row = a.at_events + {EVENT_WORDS}i * slot;
    atomicStore(&diary[row], a.clock_step);
    atomicStore(&diary[row + 1i], kind);
    atomicStore(&diary[row + 2i], id);
    atomicStore(&diary[row + 3i], other);
    atomicStore(&diary[row + 4i], bitcast<i32>(x));
    atomicStore(&diary[row + 5i], bitcast<i32>(y));
    atomicStore(&diary[row + 6i], bitcast<i32>(cause));
    atomicStore(&diary[row + 7i], amount);
    atomicStore(&diary[row + 8i], bitcast<i32>(z));
}}
""",
    "note_event": f"""
fn note_event(kind: f32, id: i32, other: f32, x: f32, y: f32, cause: f32, amount: f32, z: f32) {{
    let slot = atomicAdd(&diary[{EVENTS}], 1i);
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
    let slot = atomicAdd(&diary[{YOUNG}], 1i);
    if (slot >= a.sizes_young_room) {{ return; }}
    let young = a.at_young + {YOUNG_WORDS}i * slot;
    let father = i32(whom);
    var next = -1i;
    if (father >= 0i) {{ next = atomicExchange(&diary[bucket_of(father)], slot + 1i) - 1i; }}
    atomicStore(&diary[young], mother);
    atomicStore(&diary[young + 1i], rule);
    atomicStore(&diary[young + 2i], father);
    atomicStore(&diary[young + 3i], row);
    atomicStore(&diary[young + 4i], -1i);
    atomicStore(&diary[young + 5i], next);
}}
""",
}


def best_width(shapes: Shapes) -> int:
    """How many best offers an item is told of, at most."""
    return max([0, *(len(_bests(shapes, rule)) for rule in shapes.told)])


def _bests(shapes: Shapes, rule: int) -> list[int]:
    """The slots of a rule's best offers."""
    return [slot for slot, told in enumerate(shapes.slots(rule)) if issubclass(told.kind, Best)]


def told_place(shapes: Shapes, row: Any, slot: int) -> Any:
    """The first word of a number that an item is told."""
    return row * (WORDS * shapes.told_width) + WORDS * slot


def tell(walk: WalkWgsl, p: list[Record], me: Record, alive: Condition) -> None:
    """The agent tells every item that listens what the rules say."""
    for k, group, _, _ in walk.plan.lasting:
        if group.kind.gather is None and group.kind.report is None:
            continue
        says = walk.step.speaks(k, p, me, alive)
        with walk.target.scope(f"if ({code_of(walk.target, says, CONDITION)})"):
            begin, end = walk.memory.rows(k)
            walk.target.repeat(end - begin, partial(_tell_item, walk, k, p, me, begin))


def _tell_item(walk: WalkWgsl, k: int, p: list[Record], me: Record, begin: Value, number: Value) -> None:
    row = begin + number
    it = walk.step.item(k, walk.memory.item_numbers(k, row))
    slot, best = 0, 0
    for report in walk.step.told(k, p, me, it).values():
        if isinstance(report, Best):
            score_place = (row * best_width(walk.shapes) + best) * walk.room + walk.i
            place = told_place(walk.shapes, row, slot)
            walk.target.call("best_told", [(place, INTEGER), (report.value, NUMBER), (score_place, INTEGER)])
            slot, best = slot + 1, best + 1
            continue
        for name, value, kind in _parts(walk, report):
            walk.target.call(name, [(told_place(walk.shapes, row, slot), INTEGER), (value, kind)])
            slot += 1
    written = walk.step.reported(k, p, me)
    if written:
        _write_news(walk, k, list(written.values()), me, row)


def _parts(walk: WalkWgsl, report: Report) -> list[tuple[str, Any, str]]:
    """The numbers of a report, each with the function that tells it."""
    if isinstance(report, Count):
        is_condition = isinstance(report.value, Value) and report.value.kind == CONDITION
        said = report.value if is_condition else as_number(walk.target, report.value) != 0.0
        return [("count_told", said, CONDITION)]
    return [("total_told", part, NUMBER) for part in leaves(report.value)]


def _write_news(walk: WalkWgsl, k: int, values: list[Any], me: Record, row: Value) -> None:
    """The agent that an item has as its target writes into the item's news, if it is this one."""
    layout = walk.plan.rule_groups[k].layout
    place = walk.memory.item_place(row, layout.place["target"])
    wanted = walk.target.load("a.rules.items", place, NUMBER, steady=True)
    with walk.target.scope(f"if ({(to_number(me.id) == wanted).code})"):
        first = row * (1 + walk.plan.item_width)
        walk.target.store("a.diary.news", first, 1.0)
        for n, value in enumerate(values):
            walk.target.store("a.diary.news", first + (n + 1), value)


def naming_text(walk: WalkWgsl) -> str:
    """The body that finds out who made the best offers."""
    target, shapes = walk.target, walk.shapes
    name = Value(target, INTEGER, "columns[i]")
    for k, _, _, _ in walk.plan.lasting:
        bests = _bests(shapes, k)
        if not bests:
            continue
        begin, end = walk.memory.rows(k)

        def visit(number: Value, begin: Value = begin, bests: list[int] = bests) -> None:
            row = begin + number
            for best, slot in enumerate(bests):
                place = (row * best_width(shapes) + best) * walk.room + walk.i
                told = told_place(shapes, row, slot)
                target.call("name_best", [(told, INTEGER), (name, INTEGER), (place, INTEGER)])

        target.repeat(end - begin, visit)
    return target.text


def note(walk: WalkWgsl, me: Record, outcome: Outcome) -> None:
    """Write down what happens to the agent: its death, events, young."""
    target = walk.target
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
            target.call("note_young", [(k, INTEGER), (me.id, INTEGER), (whom, NUMBER), (walk.i, INTEGER)])
