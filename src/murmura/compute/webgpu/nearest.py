"""Functions of WGSL that the trace of an agent calls."""

from __future__ import annotations

FUNCTIONS: dict[str, str] = {
    "note_nearest": """
struct Nearest {
    squares: array<f32, MOST_NEAREST>,
    count: i32,
}
/* Keep the least squares, in ascending order. */
fn note_nearest(n: ptr<function, Nearest>, most: i32, square: f32) {
    if ((*n).count == most) {
        if (!(square < (*n).squares[most - 1i])) { return; }
    }
    var k = min((*n).count, most - 1i);
    while (k > 0i) {
        if (!((*n).squares[k - 1i] > square)) { break; }
        (*n).squares[k] = (*n).squares[k - 1i];
        k -= 1i;
    }
    (*n).squares[k] = square;
    (*n).count = min((*n).count + 1i, most);
}
""",
    # By bits: a compiler may assume that there are no infinities or NaN.
    "sound": """
fn sound(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) < bitcast<u32>(1e30f);
}
""",
}
