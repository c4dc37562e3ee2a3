"""How a thread tells something to the world outside: to items, to the list of events, to the list of young.

Sums are of whole numbers, so they do not depend on the order of threads. Threads of a warp put together what they say
to the same item before one of them says it: hundreds of thousands of agents tell the same few items.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from murmura.compute.cuda.walk import Walk
from murmura.compute.step import Outcome
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
from murmura.core.events import EVENT_FIELDS, Event
from murmura.core.merging import Best, Count, Report, leaves
from murmura.core.record import Record

FINENESS = 4096.0
LARGEST = 2**31 - 1

TELLING_TEXT = f"""
typedef struct {{
    float squares[64];
    int count;
}} Nearest;

/* Keep the least squares, in ascending order. */
static __device__ void note_nearest(Nearest* n, const int most, const float square) {{
    if (n->count == most && !(square < n->squares[most - 1])) return;
    int k = n->count < most ? n->count : most - 1;
    for (; k > 0 && n->squares[k - 1] > square; k--) n->squares[k] = n->squares[k - 1];
    n->squares[k] = square;
    if (n->count < most) n->count++;
}}

static __device__ void note_trouble(const Arguments a, const float x, const float y, const float u, const float v) {{
    const bool sound = fabsf(x) < 1e30f && fabsf(y) < 1e30f && fabsf(u) < 1e30f && fabsf(v) < 1e30f;
    /* The first bad step is the one to name. */
    if (!sound && *a.diary.trouble == 0) *a.diary.trouble = a.diary.clock->step;
}}

#ifdef WARPS
/* Threads that do the same here put together what they say. */
static __device__ void add_told(unsigned long long* told, const long long whole) {{
    const unsigned mask = __activemask();
    const int low = __reduce_add_sync(mask, (int)(whole & 0x3ffffff));
    const int high = __reduce_add_sync(mask, (int)(whole >> 26));
    const long long sum = ((long long)high << 26) + (long long)(unsigned)low;
    if ((int)(threadIdx.x & 31) == __ffs(mask) - 1 && sum != 0) atomicAdd(told, (unsigned long long)sum);
}}

static __device__ void count_told(unsigned long long* told, const bool said) {{
    const unsigned mask = __activemask();
    const int sum = __popc(__ballot_sync(mask, said));
    if ((int)(threadIdx.x & 31) == __ffs(mask) - 1 && sum != 0) atomicAdd(told, (unsigned long long)sum);
}}

static __device__ void best_told(unsigned long long* told, const float score, const int id) {{
    const unsigned mask = __activemask();
    const unsigned bits = score > 0.0f ? (unsigned)__float_as_int(score) : 0u;
    const unsigned best = __reduce_max_sync(mask, bits);
    if (best == 0u) return;
    const unsigned mine = bits == best ? (unsigned)({LARGEST} - id) + 1u : 0u;
    const unsigned first = __reduce_max_sync(mask, mine);
    if (mine == first) {{
        const unsigned long long key = ((unsigned long long)best << 32) | (first - 1u);
        if (key > *told) atomicMax(told, key);
    }}
}}
#else
static __device__ void add_told(unsigned long long* told, const long long whole) {{
    if (whole != 0) atomicAdd(told, (unsigned long long)whole);
}}

static __device__ void count_told(unsigned long long* told, const bool said) {{
    if (said) atomicAdd(told, 1ull);
}}

static __device__ void best_told(unsigned long long* told, const float score, const int id) {{
    if (!(score > 0.0f)) return;
    const unsigned long long key =
        ((unsigned long long)(unsigned)__float_as_int(score) << 32) | (unsigned)({LARGEST} - id);
    if (key > *told) atomicMax(told, key);
}}
#endif

static __device__ void total_told(unsigned long long* told, const float value) {{
    add_told(told, (long long)rint((double)value * {FINENESS!r}));
}}

static __device__ float total_of(const unsigned long long told) {{
    return (float)((double)(long long)told / {FINENESS!r});
}}

static __device__ float best_score(const unsigned long long told) {{
    return __int_as_float((int)(told >> 32));
}}

static __device__ float best_id(const unsigned long long told) {{
    return told == 0ull ? -1.0f : (float)({LARGEST} - (int)(told & 0x7fffffffull));
}}

static __device__ void write_event(
    const Arguments a, const long long slot, const double kind, const double id, const double other, const float x,
    const float y, const double cause, const double amount, const float z
) {{
    if (slot >= a.sizes.event_room) return;
    double* row = a.diary.events + {len(EVENT_FIELDS)} * slot;
    row[0] = (double)a.diary.clock->step;
    row[1] = kind; row[2] = id; row[3] = other; row[4] = x; row[5] = y; row[6] = cause; row[7] = amount; row[8] = z;
}}

static __device__ void note_event(
    const Arguments a, const float kind, const int id, const float other, const float x, const float y,
    const float cause, const float amount, const float z
) {{
    const long long slot = (long long)atomicAdd((unsigned long long*)&a.diary.clock->events, 1ull);
    write_event(a, slot, kind, id, other, x, y, cause, amount, z);
}}

static __device__ int bucket_of(const Arguments a, const int id) {{
    return (int)(((unsigned)id * 2654435769u >> 8) & (unsigned)a.sizes.bucket_mask);
}}

static __device__ void note_young(
    const Arguments a, const int rule, const int mother, const float whom, const int row
) {{
    const int slot = (int)atomicAdd((unsigned long long*)&a.diary.clock->young, 1ull);
    if (slot >= a.sizes.young_room) return;
    Young* young = a.diary.young + slot;
    young->mother = mother;
    young->rule = rule;
    young->father = (int)whom;
    young->mother_row = row;
    young->father_row = -1;
    young->next = young->father < 0 ? -1 : atomicExch(&a.diary.buckets[bucket_of(a, young->father)], slot + 1) - 1;
}}
"""


def tell(walk: Walk, p: list[Record], me: Record, alive: Condition) -> None:
    """The agent tells every item that listens what the rules say."""
    for k, group, _, _ in walk.plan.lasting:
        if group.kind.gather is None and group.kind.report is None:
            continue
        says = walk.step.speaks(k, p, me, alive)
        with walk.target.scope(f"if ({code_of(walk.target, says, CONDITION)})"):
            begin, end = walk.memory.rows(k)
            walk.target.repeat(end - begin, partial(_tell_item, walk, k, p, me, begin))


def _tell_item(walk: Walk, k: int, p: list[Record], me: Record, begin: Value, number: Value) -> None:
    row = begin + number
    it = walk.step.item(k, walk.memory.item_numbers(k, row))
    slot = 0
    for report in walk.step.told(k, p, me, it).values():
        for call in _calls(walk, report, me):
            place = (
                (row * walk.shapes.told_width + slot).code if slot or walk.shapes.told_width > 1 else row.code
            )
            walk.target.write(call.replace("TOLD", f"a.diary.told + {place}"))
            slot += 1
    written = walk.step.reported(k, p, me)
    if written:
        _write_news(walk, k, list(written.values()), me, row)


def _calls(walk: Walk, report: Report, me: Record) -> list[str]:
    """The calls that tell a report, one for each whole number that it takes."""
    target = walk.target
    if isinstance(report, Count):
        is_condition = isinstance(report.value, Value) and report.value.kind == CONDITION
        said = report.value if is_condition else as_number(target, report.value) != 0.0
        return [f"count_told(TOLD, {code_of(target, said, CONDITION)});"]
    if isinstance(report, Best):
        return [f"best_told(TOLD, {code_of(target, report.value, NUMBER)}, {me.id.code});"]
    return [f"total_told(TOLD, {code_of(target, part, NUMBER)});" for part in leaves(report.value)]


def _write_news(walk: Walk, k: int, values: list[Any], me: Record, row: Value) -> None:
    """The agent that an item has as its target writes into the item's news, if it is this one."""
    layout = walk.plan.rule_groups[k].layout
    place = walk.memory.item_place(row, layout.place["target"])
    wanted = walk.target.load("a.rules.items", place, NUMBER, steady=True)
    with walk.target.scope(f"if ({(to_number(me.id) == wanted).code})"):
        first = row * (1 + walk.plan.item_width)
        walk.target.store("a.diary.news", first, 1.0)
        for n, value in enumerate(values):
            walk.target.store("a.diary.news", first + (n + 1), value)


def note(walk: Walk, me: Record, outcome: Outcome) -> None:
    """Write down what happens to the agent: its death, events, young."""
    target = walk.target
    x, y, z = [*(part.code for part in me.position), "0.0f"][:3]

    def number(value: Any) -> str:
        return str(code_of(target, value, NUMBER))

    cause = as_number(target, outcome.cause)
    with target.scope(f"if ({(cause > 0.0).code})"):
        target.write(
            f"note_event(a, {float(Event.DEATH)}f, {me.id.code}, {number(outcome.by)}, {x}, {y}, {cause.code}, 0.0f, "
            f"{z});"
        )
    for kind, other, amount in outcome.events:
        with target.scope(f"if ({(as_number(target, kind) > 0.0).code})"):
            told = f"{me.id.code}, {number(other)}, {x}, {y}, 0.0f, {number(amount)}, {z}"
            target.write(f"note_event(a, {number(kind)}, {told});")
    for k, yes, whom in outcome.young:
        with target.scope(f"if ({((as_number(target, yes) != 0.0) & (cause == 0.0)).code})"):
            target.write(f"note_young(a, {k}, {me.id.code}, {number(whom)}, {walk.i.code});")


def name_after(walk: Walk, me: Record, outcome: Outcome) -> Value:
    """The agent's id; if it dies, -1 - id."""
    if not walk.plan.has_lifecycle:
        return Value(walk.target, INTEGER, code_of(walk.target, me.id, INTEGER))
    name: Value = where(as_number(walk.target, outcome.cause) > 0.0, -1 - me.id, me.id)
    return name
