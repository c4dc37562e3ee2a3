"""The index as C: agents sorted by (row, bin), and within a bin by place. No rule changes this text.

Rows are as high as the greatest perception radius, bins a quarter as wide; in space (`SPACE`) rows form layers. Atomics
only count. Within a bin each agent computes its rank by comparison with the others, so the order depends on the state
alone and not on threads.
"""

from __future__ import annotations

from murmura.compute.gpu.grid import ACROSS, SCAN_BLOCK, SCAN_EACH, SCAN_THREADS
from murmura.compute.plan import NOISE_TIME_PERIOD

PLACE_TEXT = """
#define THREAD ((int)(blockIdx.x * blockDim.x + threadIdx.x))

/* The row or column of a place: a whole number from 0 to below the count. */
static __device__ int between(const float x, const int count) {
    const int whole = (int)x;
    return whole < 0 ? 0 : whole < count ? whole : count - 1;
}
"""
INDEX_TEXT = f"""
/* Numbers as integers that are in the same order, for atomics; and back. */
static __device__ int ordered(const float x) {{
    const int bits = __float_as_int(x);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}}

static __device__ float unordered(const int i) {{
    return __int_as_float(i < 0 ? i ^ 0x7fffffff : i);
}}

KERNEL(reset_bounds) {{
    if (a.sizes.idle || THREAD != 0) return;
    a.index.grid->low_x = a.index.grid->low_y = a.index.grid->low_z = 0x7fffffff;
    a.index.grid->high_x = a.index.grid->high_y = a.index.grid->high_z = -0x7fffffff;
}}

KERNEL(find_bounds) {{
    const int i = THREAD;
    if (a.sizes.idle || i >= a.outputs.clock->alive) return;
    if (MORTAL && a.flock.ids[i] < 0) return;
    const float4 q = a.flock.places[i];
    const int x = ordered(q.x), y = ordered(q.y);
    /* Asking first spares nearly all of the atomics. */
    if (x < a.index.grid->low_x) atomicMin(&a.index.grid->low_x, x);
    if (y < a.index.grid->low_y) atomicMin(&a.index.grid->low_y, y);
    if (x > a.index.grid->high_x) atomicMax(&a.index.grid->high_x, x);
    if (y > a.index.grid->high_y) atomicMax(&a.index.grid->high_y, y);
#if SPACE
    const int z = ordered(q.z);
    if (z < a.index.grid->low_z) atomicMin(&a.index.grid->low_z, z);
    if (z > a.index.grid->high_z) atomicMax(&a.index.grid->high_z, z);
#endif
}}

KERNEL(make_grid) {{
    if (a.sizes.idle || THREAD != 0) return;
    Grid* g = a.index.grid;
    const double left = unordered(g->low_x), low = unordered(g->low_y);
    const double width = unordered(g->high_x) - left, height = unordered(g->high_y) - low;
    const double reach = (double)a.sizes.reach * 1.00001;
#if SPACE
    const double lines = a.sizes.bins / {8 * ACROSS}, most_rows = sqrt(lines);
#if OPEN_Z
    const double bottom = unordered(g->low_z), depth = unordered(g->high_z) - bottom;
    double layers = floor(depth / reach);
    layers = layers > most_rows ? most_rows : layers;
    layers = layers >= 1.0 ? floor(layers) : 1.0;
    g->layers = (int)layers;
    g->z0 = (float)bottom;
    g->per_z = depth > 0.0 ? (float)(layers / depth) : 0.0f;
    g->layer_height = (float)(depth / layers);
#else
    const double layers = g->layers;
#endif
#else
    const double most_rows = a.sizes.bins / {8 * ACROSS}, layers = 1.0;
#endif
    double rows = floor(height / reach);
    rows = rows > most_rows ? most_rows : rows;
    rows = rows >= 1.0 ? rows : 1.0; /* even if no agent with a finite position is left */
    rows = floor(rows);
    const double most_columns = floor(a.sizes.bins / (rows * layers));
    double columns = floor(width * {ACROSS} / reach);
    columns = columns > most_columns ? most_columns : columns;
    columns = columns >= 1.0 ? columns : 1.0;
    g->rows = (int)rows;
    g->columns = (int)columns;
    g->x0 = (float)left;
    g->y0 = (float)low;
    g->per_x = width > 0.0 ? (float)(columns / width) : 0.0f;
    g->per_y = height > 0.0 ? (float)(rows / height) : 0.0f;
    g->row_height = (float)(height / rows);
}}

static __device__ void begin_step(const Arguments a) {{
    Clock* c = a.outputs.clock;
    World* w = a.rules.world;
    c->step += 1;
    const double time = (double)(c->step - 1) * c->dt;
    w->time = (float)time;
    w->noise_time = (float)(time - {NOISE_TIME_PERIOD!r} * floor(time / {NOISE_TIME_PERIOD!r}));
    /* Tracked agents are noted again when they are found; until then they count as gone. */
    for (int t = 0; t < a.sizes.tracked; t++) a.rules.items[a.rules.tracked[2 * t + 1] + (SPACE ? 6 : 4)] = 0.0f;
}}

KERNEL(count_bins) {{
    const int i = THREAD;
    if (a.sizes.idle) return;
    if (i == 0) begin_step(a);
    if (i >= a.outputs.clock->alive) return;
    if (MORTAL && a.flock.ids[i] < 0) {{
        a.index.keys[i] = -1; /* died in the step before */
        return;
    }}
    const float4 q = a.flock.places[i];
    const Grid* g = a.index.grid;
#if SPACE
    const int row = between((q.z - g->z0) * g->per_z, g->layers) * g->rows + between((q.y - g->y0) * g->per_y, g->rows);
#else
    const int row = between((q.y - g->y0) * g->per_y, g->rows);
#endif
    const int key = row * g->columns + between((q.x - g->x0) * g->per_x, g->columns);
    a.index.keys[i] = key;
    a.index.ranks[i] = atomicAdd(&a.index.counts[key], 1);
}}

KERNEL(note_places) {{
    const int i = THREAD;
    if (a.sizes.idle || i >= a.outputs.clock->alive) return;
    const int key = a.index.keys[i];
    if (key >= 0) a.index.order[a.index.start[key] + a.index.ranks[i]] = i;
}}

/* Whether agent j comes before agent i, who is at q: by place, velocity, and id as the last resort. */
static __device__ bool precedes(const Arguments a, const int j, const int i, const float4 q) {{
    const float4 p = a.flock.places[j];
    if (p.x != q.x) return p.x < q.x;
    if (p.y != q.y) return p.y < q.y;
    if (p.z != q.z) return p.z < q.z;
#if SPACE
    const float4 u = a.flock.velocities[j], v = a.flock.velocities[i];
    if (u.x != v.x) return u.x < v.x;
    if (u.y != v.y) return u.y < v.y;
    if (u.z != v.z) return u.z < v.z;
#else
    if (p.w != q.w) return p.w < q.w;
#endif
    return a.flock.ids[j] < a.flock.ids[i];
}}

KERNEL(gather) {{
    const int i = THREAD;
    if (a.sizes.idle || i >= a.outputs.clock->alive) return;
    const int key = a.index.keys[i];
    if (key < 0) return;
    const float4 q = a.flock.places[i];
    const int id = a.flock.ids[i], first = a.index.start[key], last = a.index.start[key + 1];
    int to = first;
    for (int k = first; last - first > 1 && k < last; k++) {{
        const int j = a.index.order[k];
        if (j != i) to += precedes(a, j, i, q);
    }}
    a.sorted.places[to] = q;
#if SPACE
    const float4 v = a.flock.velocities[i];
    a.sorted.velocities[to] = v;
#endif
    a.sorted.ids[to] = id;
    for (int c = 0; c < CARRIED; c++) a.sorted.extras[c * a.sizes.room + to] = a.flock.extras[c * a.sizes.room + i];
    for (int t = 0; t < a.sizes.tracked; t++) {{
        if (id == a.rules.tracked[2 * t]) {{
            float* item = a.rules.items + a.rules.tracked[2 * t + 1];
#if SPACE
            item[0] = q.x; item[1] = q.y; item[2] = q.z; item[3] = v.x; item[4] = v.y; item[5] = v.z;
            item[6] = 1.0f;
            item[7] = (float)id;
#else
            item[0] = q.x; item[1] = q.y; item[2] = q.z; item[3] = q.w;
            item[4] = 1.0f;
            item[5] = (float)id;
#endif
        }}
    }}
}}
"""

MARKS_TEXT = """
/* A word of marks for each 32 agents: a warp votes, or one thread asks them all. */
KERNEL(mark_contributors) {
    if (a.sizes.idle) return;
    const int i = THREAD, alive = a.index.start[a.sizes.bins];
#ifdef WARPS
    const unsigned marks = __ballot_sync(0xffffffffu, i < alive && contributes(a, i));
#else
    unsigned marks = 0;
    for (int k = 0; i % 32 == 0 && k < 32 && i + k < alive; k++) marks |= (unsigned)contributes(a, i + k) << k;
#endif
    if (i % 32 == 0 && i < alive) a.index.marks[i / 32] = marks;
}

/* Whether some agent of a run may be marked: words are tested whole. */
static __device__ bool any_marked(const Arguments a, const int begin, const int end) {
    unsigned found = 0;
    for (int word = begin >> 5; word << 5 < end; word++) found |= a.index.marks[word];
    return found != 0;
}
"""
"""Marks of agents that contribute to rules with a filter; `contributes` is traced."""

SCAN_KERNELS = ("add_up", "shift_blocks")
SCAN_TEXT = f"""
/* start = sums of all counts before; counts = 0. */
static __device__ int prefix(const int own) {{
    __shared__ int sums[{SCAN_THREADS}];
    const int t = threadIdx.x;
    int sum = own;
    __syncthreads();
    sums[t] = sum;
    for (int gap = 1; gap < {SCAN_THREADS}; gap *= 2) {{
        __syncthreads();
        const int other = t >= gap ? sums[t - gap] : 0;
        __syncthreads();
        sums[t] = sum += other;
    }}
    return sum - own;
}}

KERNEL(add_up, __launch_bounds__({SCAN_THREADS})) {{
    if (a.sizes.idle) return;
    const int i = THREAD;
    int4* counts = (int4*)a.index.counts + i * {SCAN_EACH // 4};
    int4* start = (int4*)a.index.start + i * {SCAN_EACH // 4};
    int4 held[{SCAN_EACH // 4}];
    int total = 0;
    for (int k = 0; k < {SCAN_EACH // 4}; k++) {{
        const int4 c = counts[k];
        counts[k] = make_int4(0, 0, 0, 0);
        held[k] = make_int4(total, total + c.x, total + c.x + c.y, total + c.x + c.y + c.z);
        total = held[k].w + c.w;
    }}
    const int before = prefix(total);
    for (int k = 0; k < {SCAN_EACH // 4}; k++)
        start[k] = make_int4(held[k].x + before, held[k].y + before, held[k].z + before, held[k].w + before);
    if (threadIdx.x == {SCAN_THREADS - 1}) a.index.sums[blockIdx.x] = before + total;
}}

KERNEL(shift_blocks, __launch_bounds__({SCAN_THREADS})) {{
    if (a.sizes.idle) return;
    __shared__ int before;
    const int t = threadIdx.x;
    int own = 0;
    for (int k = t; k < blockIdx.x; k += {SCAN_THREADS}) own += a.index.sums[k];
    const int others = prefix(own);
    if (t == {SCAN_THREADS - 1}) before = others + own;
    __syncthreads();
    int4* start = (int4*)a.index.start + blockIdx.x * {SCAN_BLOCK // 4};
    for (int k = t; k < {SCAN_BLOCK // 4}; k += {SCAN_THREADS}) {{
        const int4 s = start[k];
        start[k] = make_int4(s.x + before, s.y + before, s.z + before, s.w + before);
    }}
}}
"""
"""Uses block-wide synchronisation, so only a GPU runs it; on the host of tests NumPy does the sum."""
