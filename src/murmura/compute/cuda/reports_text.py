"""Reports to items, events and births, as C: the functions that traced code calls.

A warp reduces its reports before one thread adds them
atomically, because hundreds of thousands of agents report to the same few items.
"""

from __future__ import annotations

from murmura.compute.gpu.reports import FINENESS, LARGEST
from murmura.core.events import EVENT_FIELDS

REPORTS_TEXT = f"""
typedef struct {{
    float squares[NEAREST];
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

static __device__ void note_failed_step(const Arguments a, float x, float y, float u, float v) {{
    const bool sound = fabsf(x) < 1e30f && fabsf(y) < 1e30f && fabsf(u) < 1e30f && fabsf(v) < 1e30f;
    /* The first bad step is the one to name. */
    if (!sound && *a.outputs.failed_step == 0) *a.outputs.failed_step = a.outputs.clock->step;
}}

#ifdef WARPS
/* Threads of a warp that report here reduce their reports first. */
static __device__ void add_report(unsigned long long* report, const long long whole) {{
    const unsigned mask = __activemask();
    const int low = __reduce_add_sync(mask, (int)(whole & 0x3ffffff));
    const int high = __reduce_add_sync(mask, (int)(whole >> 26));
    const long long sum = ((long long)high << 26) + (long long)(unsigned)low;
    if ((int)(threadIdx.x & 31) == __ffs(mask) - 1 && sum != 0) atomicAdd(report, (unsigned long long)sum);
}}

static __device__ void count_report(unsigned long long* report, const bool holds) {{
    const unsigned mask = __activemask();
    const int sum = __popc(__ballot_sync(mask, holds));
    if ((int)(threadIdx.x & 31) == __ffs(mask) - 1 && sum != 0) atomicAdd(report, (unsigned long long)sum);
}}

static __device__ void best_report(unsigned long long* report, const float score, const int id) {{
    const unsigned mask = __activemask();
    const unsigned bits = score > 0.0f ? (unsigned)__float_as_int(score) : 0u;
    const unsigned best = __reduce_max_sync(mask, bits);
    if (best == 0u) return;
    const unsigned mine = bits == best ? (unsigned)({LARGEST} - id) + 1u : 0u;
    const unsigned first = __reduce_max_sync(mask, mine);
    if (mine == first) {{
        const unsigned long long key = ((unsigned long long)best << 32) | (first - 1u);
        if (key > *report) atomicMax(report, key);
    }}
}}
#else
static __device__ void add_report(unsigned long long* report, const long long whole) {{
    if (whole != 0) atomicAdd(report, (unsigned long long)whole);
}}

static __device__ void count_report(unsigned long long* report, const bool holds) {{
    if (holds) atomicAdd(report, 1ull);
}}

static __device__ void best_report(unsigned long long* report, const float score, const int id) {{
    if (!(score > 0.0f)) return;
    const unsigned long long key =
        ((unsigned long long)(unsigned)__float_as_int(score) << 32) | (unsigned)({LARGEST} - id);
    if (key > *report) atomicMax(report, key);
}}
#endif

static __device__ void total_report(unsigned long long* report, const float value) {{
    add_report(report, (long long)rint((double)value * {FINENESS!r}));
}}

static __device__ float count_of(const unsigned long long report) {{
    return (float)report;
}}

static __device__ float total_of(const unsigned long long report) {{
    return (float)((double)(long long)report / {FINENESS!r});
}}

static __device__ float best_score(const unsigned long long report) {{
    return __int_as_float((int)(report >> 32));
}}

static __device__ float best_id(const unsigned long long report) {{
    return report == 0ull ? -1.0f : (float)({LARGEST} - (int)(report & 0x7fffffffull));
}}

static __device__ void write_event(
    const Arguments a, const long long slot, const double kind, const double id, const double other, const float x,
    const float y, const double cause, const double amount, const float z
) {{
    if (slot >= a.sizes.event_room) return;
    double* row = a.outputs.events + {len(EVENT_FIELDS)} * slot;
    row[0] = (double)a.outputs.clock->step;
    row[1] = kind; row[2] = id; row[3] = other; row[4] = x; row[5] = y; row[6] = cause; row[7] = amount; row[8] = z;
}}

static __device__ void note_event(
    const Arguments a, const float kind, const int id, const float other, const float x, const float y,
    const float cause, const float amount, const float z
) {{
    const long long slot = (long long)atomicAdd((unsigned long long*)&a.outputs.clock->events, 1ull);
    write_event(a, slot, kind, id, other, x, y, cause, amount, z);
}}

static __device__ int bucket_of(const Arguments a, const int id) {{
    return (int)(((unsigned)id * 2654435769u >> 8) & (unsigned)a.sizes.bucket_mask);
}}

static __device__ void note_young(
    const Arguments a, const int rule, const int mother, const float whom, const int row
) {{
    const int slot = (int)atomicAdd((unsigned long long*)&a.outputs.clock->young, 1ull);
    if (slot >= a.sizes.young_room) return;
    Young* young = a.outputs.young + slot;
    young->mother = mother;
    young->rule = rule;
    young->father = (int)whom;
    young->mother_row = row;
    young->father_row = -1;
    young->next = young->father < 0 ? -1 : atomicExch(&a.outputs.buckets[bucket_of(a, young->father)], slot + 1) - 1;
}}
"""
