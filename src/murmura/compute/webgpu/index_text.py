"""The index as WGSL: agents sorted by (row, bin), and within a bin by place, as `cuda.index_text` describes it.

This text does not depend on rules. In each kernel's body, `i` is the global thread and `t` the thread in the workgroup.
Lines that begin with [plane], [space] or [open z] are kept only there (`for_world`). In space velocities follow places.
"""

from __future__ import annotations

from murmura.compute.gpu.grid import ACROSS, SCAN_BLOCK, SCAN_EACH, SCAN_THREADS
from murmura.compute.webgpu.records import BOUNDS


def for_world(text: str, holds: dict[str, bool]) -> str:
    """The text with only the lines for this kind of world."""
    kept = []
    for line in text.split("\n"):
        mark = next((name for name in holds if line.lstrip().startswith(f"[{name}]")), None)
        if mark is None or holds[mark]:
            kept.append(line if mark is None else line.replace(f"[{mark}] ", "", 1))
    return "\n".join(kept)


FUNCTIONS: dict[str, str] = {
    "between": """
/* The row or column of a place: a whole number from 0 to below the count. */
fn between(x: f32, count: i32) -> i32 {
    return clamp(i32(x), 0i, count - 1i);
}
""",
    "ordered": """
/* Numbers as integers that are in the same order, for atomics. */
fn ordered(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return select(bits, bits ^ 0x7fffffff, bits < 0i);
}
""",
    "unordered": """
fn unordered(i: i32) -> f32 {
    return bitcast<f32>(select(i, i ^ 0x7fffffff, i < 0i));
}
""",
    "begin_step": """
fn begin_step() {
    let now = times[a.clock_step - a.clock_first_step];
    a.clock_step += 1i;
    a.world_time = now.x;
    a.world_noise_time = now.y;
    /* Tracked agents are noted again when they are found; until then they count as gone. */
    for (var k = 0i; k < a.sizes_tracked; k++) {
        [plane] tables[a.at_items + tables[a.at_tracked + 2i * k + 1i] + 4i] = 0i;
        [space] tables[a.at_items + tables[a.at_tracked + 2i * k + 1i] + 6i] = 0i;
    }
}
""",
    "precedes": """
/* Whether agent j comes before agent i, who is at q: by place, velocity, and id as the last resort. */
fn precedes(j: i32, i: i32, q: vec4f) -> bool {
    let p = places[j];
    if (p.x != q.x) { return p.x < q.x; }
    if (p.y != q.y) { return p.y < q.y; }
    if (p.z != q.z) { return p.z < q.z; }
    [plane] if (p.w != q.w) { return p.w < q.w; }
    [space] let u = places[a.sizes_room + j];
    [space] let v = places[a.sizes_room + i];
    [space] if (u.x != v.x) { return u.x < v.x; }
    [space] if (u.y != v.y) { return u.y < v.y; }
    [space] if (u.z != v.z) { return u.z < v.z; }
    return columns[j] < columns[i];
}
""",
    "prefix": f"""
var<workgroup> sums: array<i32, {SCAN_THREADS}>;
/* What the threads of the workgroup before this one have, together. */
fn prefix(t: i32, own: i32) -> i32 {{
    var sum = own;
    workgroupBarrier();
    sums[t] = sum;
    for (var gap = 1i; gap < {SCAN_THREADS}i; gap *= 2i) {{
        workgroupBarrier();
        var other = 0i;
        if (t >= gap) {{ other = sums[t - gap]; }}
        workgroupBarrier();
        sum += other;
        sums[t] = sum;
    }}
    return sum - own;
}}
""",
}

RESET_BOUNDS = f"""
    if (i < 6i) {{ atomicStore(&outputs[{BOUNDS}i + i], select(-0x7fffffff, 0x7fffffff, i < 3i)); }}
"""
FIND_BOUNDS = f"""
    if (i >= a.clock_alive || columns[i] < 0i) {{ return; }}
    let q = places[i];
    let x = ordered(q.x);
    let y = ordered(q.y);
    /* Asking first spares nearly all of the atomics. */
    if (x < atomicLoad(&outputs[{BOUNDS}])) {{ atomicMin(&outputs[{BOUNDS}], x); }}
    if (y < atomicLoad(&outputs[{BOUNDS + 1}])) {{ atomicMin(&outputs[{BOUNDS + 1}], y); }}
    if (x > atomicLoad(&outputs[{BOUNDS + 3}])) {{ atomicMax(&outputs[{BOUNDS + 3}], x); }}
    if (y > atomicLoad(&outputs[{BOUNDS + 4}])) {{ atomicMax(&outputs[{BOUNDS + 4}], y); }}
    [space] let z = ordered(q.z);
    [space] if (z < atomicLoad(&outputs[{BOUNDS + 2}])) {{ atomicMin(&outputs[{BOUNDS + 2}], z); }}
    [space] if (z > atomicLoad(&outputs[{BOUNDS + 5}])) {{ atomicMax(&outputs[{BOUNDS + 5}], z); }}
"""
MAKE_GRID = f"""
    if (i != 0i) {{ return; }}
    let left = unordered(atomicLoad(&outputs[{BOUNDS}]));
    let low = unordered(atomicLoad(&outputs[{BOUNDS + 1}]));
    let width = max(unordered(atomicLoad(&outputs[{BOUNDS + 3}])) - left, 0.0f);
    let height = max(unordered(atomicLoad(&outputs[{BOUNDS + 4}])) - low, 0.0f);
    let reach = a.sizes_reach * 1.00001f;
    /* At least one of each, even if no agent with a finite position is left. */
    let lines = f32(a.sizes_bins / {8 * ACROSS}i);
    [plane] let most_rows = lines;
    [plane] let layers = 1.0f;
    [space] let most_rows = floor(sqrt(lines));
    [open z] let bottom = unordered(atomicLoad(&outputs[{BOUNDS + 2}]));
    [open z] let depth = max(unordered(atomicLoad(&outputs[{BOUNDS + 5}])) - bottom, 0.0f);
    [open z] let layers = clamp(floor(depth / reach), 1.0f, most_rows);
    [open z] a.grid_layers = i32(layers);
    [open z] a.grid_z0 = bottom;
    [open z] a.grid_per_z = select(0.0f, layers / max(depth, 1e-30f), depth > 0.0f);
    [open z] a.grid_layer_height = depth / layers;
    [closed z] let layers = f32(a.grid_layers);
    let rows = clamp(floor(height / reach), 1.0f, most_rows);
    let columns_here = clamp(floor(width * {ACROSS}.0f / reach), 1.0f, floor(f32(a.sizes_bins) / (rows * layers)));
    a.grid_rows = i32(rows);
    a.grid_columns = i32(columns_here);
    a.grid_x0 = left;
    a.grid_y0 = low;
    a.grid_per_x = select(0.0f, columns_here / max(width, 1e-30f), width > 0.0f);
    a.grid_per_y = select(0.0f, rows / max(height, 1e-30f), height > 0.0f);
    a.grid_row_height = height / rows;
"""
COUNT_BINS = """
    if (i == 0i) { begin_step(); }
    if (i >= a.clock_alive) { return; }
    if (columns[i] < 0i) {
        spots[i] = vec2i(-1i, 0i); /* died in the step before */
        return;
    }
    let q = places[i];
    [plane] let row = between((q.y - a.grid_y0) * a.grid_per_y, a.grid_rows);
    [space] let layer = between((q.z - a.grid_z0) * a.grid_per_z, a.grid_layers);
    [space] let row = layer * a.grid_rows + between((q.y - a.grid_y0) * a.grid_per_y, a.grid_rows);
    let key = row * a.grid_columns + between((q.x - a.grid_x0) * a.grid_per_x, a.grid_columns);
    spots[i] = vec2i(key, atomicAdd(&counts[key], 1i));
"""
ADD_UP = f"""
    let first = i * {SCAN_EACH // 4}i;
    var held: array<vec4i, {SCAN_EACH // 4}>;
    var total = 0i;
    for (var k = 0i; k < {SCAN_EACH // 4}i; k++) {{
        let c = counts[first + k];
        counts[first + k] = vec4i(0i);
        held[k] = vec4i(total, total + c.x, total + c.x + c.y, total + c.x + c.y + c.z);
        total = held[k].w + c.w;
    }}
    let before = prefix(t, total);
    for (var k = 0i; k < {SCAN_EACH // 4}i; k++) {{ start[first + k] = held[k] + vec4i(before); }}
    if (t == {SCAN_THREADS - 1}i) {{
        let block = i / {SCAN_THREADS}i;
        start[a.sizes_scan_blocks * {SCAN_BLOCK // 4}i + block] = vec4i(before + total, 0i, 0i, 0i);
    }}
"""
SHIFT_BLOCKS = f"""
    let block = i / {SCAN_BLOCK // 4}i;
    var own = 0i;
    for (var k = t; k < block; k += {SCAN_THREADS}i) {{ own += start[a.sizes_scan_blocks * {SCAN_BLOCK // 4}i + k].x; }}
    let others = prefix(t, own);
    if (t == {SCAN_THREADS - 1}i) {{ all_before = others + own; }}
    workgroupBarrier();
    start[i] += vec4i(all_before);
"""
NOTE_PLACES = """
    if (i >= a.clock_alive) { return; }
    let spot = spots[i];
    if (spot.x >= 0i) { order[start[spot.x] + spot.y] = i; }
"""
GATHER = """
    if (i >= a.clock_alive) { return; }
    let key = spots[i].x;
    if (key < 0i) { return; }
    let q = places[i];
    let id = columns[i];
    let first = start[key];
    let last = start[key + 1i];
    var to = first;
    if (last - first > 1i) {
        for (var k = first; k < last; k++) {
            let j = order[k];
            if (j != i) { to += select(0i, 1i, precedes(j, i, q)); }
        }
    }
    sorted_places[to] = q;
    [space] let v = places[a.sizes_room + i];
    [space] sorted_places[a.sizes_room + to] = v;
    sorted_columns[to] = id;
    for (var c = 1i; c <= CARRIED; c++) { sorted_columns[c * a.sizes_room + to] = columns[c * a.sizes_room + i]; }
    for (var k = 0i; k < a.sizes_tracked; k++) {
        if (id == tables[a.at_tracked + 2i * k]) {
            let item = a.at_items + tables[a.at_tracked + 2i * k + 1i];
            tables[item] = bitcast<i32>(q.x);
            tables[item + 1i] = bitcast<i32>(q.y);
            tables[item + 2i] = bitcast<i32>(q.z);
            [plane] tables[item + 3i] = bitcast<i32>(q.w);
            [plane] tables[item + 4i] = bitcast<i32>(1.0f);
            [plane] tables[item + 5i] = bitcast<i32>(f32(id));
            [space] tables[item + 3i] = bitcast<i32>(v.x);
            [space] tables[item + 4i] = bitcast<i32>(v.y);
            [space] tables[item + 5i] = bitcast<i32>(v.z);
            [space] tables[item + 6i] = bitcast<i32>(1.0f);
            [space] tables[item + 7i] = bitcast<i32>(f32(id));
        }
    }
"""
