"""Pictures from arrays: darts with smooth edges, fading light, blur, and the sky behind them, compiled.

A canvas is an array of planes (channel, row, column) of float32, so that every loop along a row fills vector
lanes. Formulas are those of the page's shaders. Nothing here knows a scenario, a file or a film.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from murmura.backends.primitives import INNER, JIT

PLANES, PLANE, ROW = "float32[:,:,::1]", "float32[:,::1]", "float32[::1]"


# A bare 1.0, and a whole number beside a float32, would turn an expression into double and halve the lanes.
ZERO, HALF, ONE, TWO, THREE = (np.float32(value) for value in (0.0, 0.5, 1.0, 2.0, 3.0))
SLOPE, SIDE, TAIL, NOTCH = (np.float32(value) for value in (0.26, 1.0 / 1.033, 0.52, 1.0 / 0.721))
SPINE, SPINE_FROM, SPINE_SCALE = np.float32(0.75), np.float32(1.0), np.float32(1.0 / 1.8)
SWEEP, WING, WING_SCALE, BACK, BACK_SCALE, BODY, BEAK = (
    np.float32(value) for value in (1.2, 0.85, 1.0 / 1.562, 0.1, 1.0 / 1.118, 0.13, 0.6)
)
TINY, MOST_INK, NEAR_INK, SHADE = (np.float32(value) for value in (1e-4, 0.9, 0.35, 0.16))
SERIES = tuple(np.float32(1.0 / k) for k in (2, 6, 24, 120, 720))
WIDEST = np.float32(1.75)  # half lengths from a hunter's middle to the tips of its wings
BYTE, STEEP = np.float32(255.0), np.float32(1e-6)


@njit(**INNER)
def _dart(along: Any, y: Any) -> Any:
    """Signed distance from a slim dart with a notched tail; lengths in half lengths of it."""
    side = (y - SLOPE * (ONE - along)) * SIDE
    notch = (-TAIL * (along + HALF) - HALF * y) * NOTCH
    return max(side, notch)


@njit(**INNER)
def _hunter(along: Any, y: Any) -> Any:
    """The same for swept wings with a body between them."""
    wings = max((along + SWEEP * y - WING) * WING_SCALE, (BACK - HALF * y - along) * BACK_SCALE)
    body = max(max(y - BODY, along - BEAK), -along - WING)
    return min(wings, body)


@njit(**INNER)
def _narrowed(low: Any, high: Any, value: Any, slope: Any) -> Any:
    """The part of [low, high] in which value + slope x t is at most 0."""
    if slope > STEEP:
        return low, min(high, -value / slope)
    if slope < -STEEP:
        return max(low, -value / slope), high
    return (low, high) if value <= STEEP * BYTE else (ONE, ZERO)


@njit(**INNER)
def _span(x: Any, dy: Any, ux: Any, uy: Any, half: Any, left: Any, right: Any) -> Any:
    """Which pixels of a row can touch a dart: it is slim, and most of the square around it is not."""
    rim = ONE / half
    along, across = dy * uy, dy * ux  # where dx is 0
    low, high = np.float32(left) + HALF - x, np.float32(right) - HALF - x
    low, high = _narrowed(low, high, across - SLOPE * (ONE - along) - rim, SLOPE * ux - uy)
    low, high = _narrowed(low, high, -across - SLOPE * (ONE - along) - rim, SLOPE * ux + uy)
    low, high = _narrowed(low, high, -along - ONE - rim, -ux)
    if low > high:
        return left, left
    return max(left, int(np.floor(low + x))), min(right, int(np.floor(high + x)) + 1)


@njit(**INNER)
def _spine(along: Any) -> Any:
    """A dart is a little darker towards its tail."""
    t = min(ONE, max(ZERO, (along + SPINE_FROM) * SPINE_SCALE))
    return SPINE + (ONE - SPINE) * t * t * (THREE - TWO * t)


@njit(
    f"void({PLANES}, {PLANE}, {PLANE}, {ROW}, boolean[::1], {PLANE}, float32, float32, boolean)",
    cache=True,
    **JIT,
)
def splat(
    canvas: Any,
    places: Any,
    ahead: Any,
    halves: Any,
    winged: Any,
    colors: Any,
    gain: Any,
    cover: Any,
    over: Any,
) -> None:
    """Draw a dart, or wings, for each row of `places` [px], pointing along `ahead`.

    `over` lays it on what is there, covering it by `cover`; otherwise its light is added, and a fourth plane
    counts how much was.
    """
    planes, height, width = canvas.shape
    for k in range(places.shape[0]):
        x, y, half = places[k, 0], places[k, 1], halves[k]
        reach = half * (WIDEST if winged[k] else ONE) + ONE
        if not (-reach < x < width + reach and -reach < y < height + reach):
            continue
        left, right = max(0, int(x - reach)), min(width, int(x + reach) + 1)
        top, bottom = max(0, int(y - reach)), min(height, int(y + reach) + 1)
        ux, uy = ahead[k, 0] / half, ahead[k, 1] / half
        red, green, blue = colors[k, 0], colors[k, 1], colors[k, 2]
        dy = np.float32(top) + HALF - y
        for j in range(top, bottom):
            first, last = left, right
            if not winged[k]:
                first, last = _span(x, dy, ux, uy, half, left, right)
            dx = np.float32(first) + HALF - x
            # Slices begin at 0: an index that might be negative would be checked at every pixel.
            reds, greens, blues = canvas[0, j, first:last], canvas[1, j, first:last], canvas[2, j, first:last]
            for i in range(last - first):
                along, across = dx * ux + dy * uy, abs(dy * ux - dx * uy)
                far = _hunter(along, across) if winged[k] else _dart(along, across)
                covered = min(ONE, max(ZERO, HALF - far * half)) * gain
                dx += ONE
                if covered > ZERO:
                    light = covered * _spine(along)
                    keep = ONE - covered * cover if over else ONE
                    reds[i] = reds[i] * keep + red * light
                    greens[i] = greens[i] * keep + green * light
                    blues[i] = blues[i] * keep + blue * light
                    if planes == 4:
                        canvas[3, j, first + i] += covered * cover
            dy += ONE


@njit(f"void({PLANES}, float32)", cache=True, **JIT)
def fade(canvas: Any, keep: Any) -> None:
    """Make everything fainter."""
    for plane in canvas:
        for row in plane:
            for i in range(row.shape[0]):
                row[i] *= keep


@njit(f"void({PLANES}, {PLANES}, int64)", cache=True, **JIT)
def shrink(source: Any, target: Any, by: Any) -> None:
    """Means of squares of `by` pixels; what does not fill a square at the edge is left out."""
    planes, height, width = target.shape
    scale = ONE / np.float32(by * by)
    sums = np.empty(width * by, np.float32)
    for c in range(planes):
        for j in range(height):
            sums[:] = source[c, j * by, : width * by]
            for dj in range(1, by):
                row = source[c, j * by + dj]
                for i in range(width * by):
                    sums[i] += row[i]
            for i in range(width):
                total = ZERO
                for di in range(by):
                    total += sums[i * by + di]
                target[c, j, i] = total * scale


@njit(f"void({PLANES}, {PLANES}, {ROW})", cache=True, **JIT)
def blur(canvas: Any, swap: Any, taps: Any) -> None:
    """Blur both ways with the same symmetric taps, the middle one first; the border is continued outwards."""
    planes, height, width = canvas.shape
    reach = taps.shape[0] - 1
    wide = np.empty(width + 2 * reach, np.float32)
    for c in range(planes):
        for j in range(height):
            wide[:reach] = canvas[c, j, 0]
            wide[reach : reach + width] = canvas[c, j]
            wide[reach + width :] = canvas[c, j, width - 1]
            row = swap[c, j]
            for i in range(width):
                row[i] = canvas[c, j, i] * taps[0]
            for t in range(1, reach + 1):
                before, after = wide[reach - t :], wide[reach + t :]
                for i in range(width):
                    row[i] += taps[t] * (before[i] + after[i])
        for j in range(height):
            row = canvas[c, j]
            for i in range(width):
                row[i] = swap[c, j, i] * taps[0]
            for t in range(1, reach + 1):
                above, below = swap[c, max(0, j - t)], swap[c, min(height - 1, j + t)]
                for i in range(width):
                    row[i] += taps[t] * (above[i] + below[i])


@njit(**INNER)
def _row_between(plane: Any, j: Any, by: Any, row: Any, swap: Any) -> None:
    """Row `j` of a plane made `by` times as fine, bilinear: first down, then along, mostly in lanes."""
    height, width = plane.shape
    y = min(np.float32(height - 1), max(ZERO, (np.float32(j) + HALF) / np.float32(by) - HALF))
    j0 = int(y)
    upper, lower = plane[j0], plane[min(height - 1, j0 + 1)]
    f = y - np.float32(j0)
    for i in range(width):
        swap[i] = upper[i] + (lower[i] - upper[i]) * f
    first = by // 2  # pixels left of the first coarse centre, and right of the last, continue it
    step = ONE / np.float32(by)
    start = (np.float32(first) + HALF) * step - HALF
    for i in range(min(first, row.shape[0])):
        row[i] = swap[0]
    for t in range(by):
        part = start + np.float32(t) * step
        for k in range(width - 1):
            row[first + k * by + t] = swap[k] + (swap[k + 1] - swap[k]) * part
    for i in range(first + (width - 1) * by, row.shape[0]):
        row[i] = swap[width - 1]


@njit(f"void({PLANES}, {PLANES}, int64, float32, float32)", cache=True, **JIT)
def add_far(near: Any, far: Any, by: Any, near_gain: Any, far_gain: Any) -> None:
    """near = near x gain + far x gain, `far` being `by` times as coarse."""
    planes, height, width = near.shape
    row, swap = np.empty(width, np.float32), np.empty(width, np.float32)
    for c in range(planes):
        for j in range(height):
            _row_between(far[c], j, by, row, swap)
            for i in range(width):
                near[c, j, i] = near[c, j, i] * near_gain + row[i] * far_gain


@njit(**INNER)
def _glowing(peak: Any) -> Any:
    """(1 - exp(-peak)) / peak without a call, so that it fills lanes: exp as the start of its series."""
    p = peak
    tail = SERIES[0] + p * (SERIES[1] + p * (SERIES[2] + p * (SERIES[3] + p * SERIES[4])))
    return (ONE - ONE / (ONE + p * (ONE + p * tail))) / max(p, TINY)


@njit(f"void({PLANES}, {PLANES}, int64, {PLANES}, float32, {PLANES})", cache=True, **JIT)
def develop_night(trails: Any, glow: Any, by: Any, sky: Any, amount: Any, picture: Any) -> None:
    """Light on a dark sky; bright places keep their hue."""
    height, width = sky.shape[1:]
    rows = np.empty((4, width), np.float32)
    for j in range(height):
        for c in range(3):
            _row_between(glow[c], j, by, rows[c], rows[3])
        for i in range(width):
            red = rows[0, i] + trails[0, j, i] * amount
            green = rows[1, i] + trails[1, j, i] * amount
            blue = rows[2, i] + trails[2, j, i] * amount
            scale = _glowing(max(red, max(green, blue)))
            picture[0, j, i] = sky[0, j, i] + red * scale
            picture[1, j, i] = sky[1, j, i] + green * scale
            picture[2, j, i] = sky[2, j, i] + blue * scale


@njit(f"void({PLANES}, {PLANES}, {PLANE}, int64, {PLANES}, float32, {PLANES})", cache=True, **JIT)
def develop_day(trails: Any, glow: Any, shade: Any, by: Any, sky: Any, amount: Any, picture: Any) -> None:
    """Ink on a pale sky, which is darker where many are (`shade`)."""
    height, width = sky.shape[1:]
    rows = np.empty((6, width), np.float32)
    for j in range(height):
        for c in range(4):
            _row_between(glow[c], j, by, rows[c], rows[5])
        _row_between(shade, j, by, rows[4], rows[5])
        for i in range(width):
            laid, near, dark = trails[3, j, i] * amount, rows[3, i], rows[4, i]
            depth = laid + NEAR_INK * near
            ink = min(MOST_INK, depth * _glowing(depth))
            lit = ONE - SHADE * dark * _glowing(dark)
            whole = ONE / max(laid + near, TINY)
            for c in range(3):
                hue = (trails[c, j, i] * amount + rows[c, i]) * whole
                picture[c, j, i] = (sky[c, j, i] + (hue - sky[c, j, i]) * ink) * lit


@njit(f"void({PLANES}, {PLANE}, uint8[:,:,::1])", cache=True, **JIT)
def to_bytes(picture: Any, noise: Any, pixels: Any) -> None:
    """Planes from 0 to 1 as planes of bytes; a little noise hides the bands of a gradient."""
    planes, height, width = picture.shape
    for c in range(planes):
        for j in range(height):
            for i in range(width):
                value = (picture[c, j, i] + noise[j, i]) * BYTE + HALF
                pixels[c, j, i] = np.uint8(np.int32(min(BYTE, max(ZERO, value))))


@njit(f"void({PLANE}, boolean, float32, float32, {PLANE})", cache=True, **JIT)
def distances(points: Any, closed: Any, left: Any, top: Any, target: Any) -> None:
    """Distance [px] of each pixel's centre from a line through `points`; inside of a closed one it is negative."""
    height, width = target.shape
    count = points.shape[0]
    for j in range(height):
        for i in range(width):
            x, y = left + i + 0.5, top + j + 0.5
            least = 1e30
            inside = False
            for k in range(count if closed else count - 1):
                ax, ay = points[k, 0], points[k, 1]
                bx, by = points[(k + 1) % count, 0], points[(k + 1) % count, 1]
                length2 = (bx - ax) ** 2 + (by - ay) ** 2
                along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / max(length2, 1e-12)
                part = min(1.0, max(0.0, along))
                dx, dy = x - ax - part * (bx - ax), y - ay - part * (by - ay)
                least = min(least, dx * dx + dy * dy)
                if closed and (ay > y) != (by > y) and x < ax + (bx - ax) * (y - ay) / (by - ay):
                    inside = not inside
            target[j, i] = -(least**0.5) if inside else least**0.5
