"""Pictures from arrays: darts with smooth edges, light, blur, and the sky behind them, compiled.

A canvas is an array of planes (channel, row, column), of float32 for light and of bytes for the picture, so that
every loop along a row fills vector lanes. Formulas are those of the page's shaders. Nothing here knows a scenario,
a file or a film.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.compute.raster.compiled import compiled, inner

PLANES, PLANE, ROW, BYTES = "float32[:,:,::1]", "float32[:,::1]", "float32[::1]", "uint8[:,:,::1]"


# A plain 1.0, or an integer next to a float32, would turn an expression into double precision and halve the lanes.
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
RED_LIGHT, GREEN_LIGHT, BLUE_LIGHT, BLACK = (np.int32(value) for value in (47, 157, 16, 16 * 256 + 128))
FULL, RED_BLUE, GREEN_BLUE, GREEN_RED, BLUE_RED = (np.int32(value) for value in (112, 26, 86, 102, 10))
GREY, EIGHT, TEN = np.int32(128 * 1024 + 512), np.int32(8), np.int32(10)


@inner
def _whole(value: Any) -> Any:
    """Truncate to a byte; 0.5 was added before."""
    return np.uint8(np.int32(min(BYTE, max(ZERO, value))))


@inner
def _dart(along: Any, y: Any) -> Any:
    """Signed distance from a slim dart with a notched tail, in units of its half length."""
    side = (y - SLOPE * (ONE - along)) * SIDE
    notch = (-TAIL * (along + HALF) - HALF * y) * NOTCH
    return max(side, notch)


@inner
def _hunter(along: Any, y: Any) -> Any:
    """The same for swept wings with a body between them."""
    wings = max((along + SWEEP * y - WING) * WING_SCALE, (BACK - HALF * y - along) * BACK_SCALE)
    body = max(max(y - BODY, along - BEAK), -along - WING)
    return min(wings, body)


@inner
def _narrowed(low: Any, high: Any, value: Any, slope: Any) -> Any:
    """The part of [low, high] in which value + slope x t is at most 0."""
    if slope > STEEP:
        return low, min(high, -value / slope)
    if slope < -STEEP:
        return max(low, -value / slope), high
    return (low, high) if value <= STEEP * BYTE else (ONE, ZERO)


@inner
def _span(x: Any, dy: Any, ux: Any, uy: Any, half: Any, left: Any, right: Any) -> Any:
    """Which pixels of a row can touch a dart: it is slim and fills little of the square around it."""
    rim = ONE / half
    along, across = dy * uy, dy * ux  # where dx is 0
    low, high = np.float32(left) + HALF - x, np.float32(right) - HALF - x
    low, high = _narrowed(low, high, across - SLOPE * (ONE - along) - rim, SLOPE * ux - uy)
    low, high = _narrowed(low, high, -across - SLOPE * (ONE - along) - rim, SLOPE * ux + uy)
    low, high = _narrowed(low, high, -along - ONE - rim, -ux)
    if low > high:
        return left, left
    return max(left, int(np.floor(low + x))), min(right, int(np.floor(high + x)) + 1)


@inner
def _spine(along: Any) -> Any:
    """A dart is a little darker towards its tail."""
    t = min(ONE, max(ZERO, (along + SPINE_FROM) * SPINE_SCALE))
    return SPINE + (ONE - SPINE) * t * t * (THREE - TWO * t)


@compiled("int64(int64, int64, float32[:,::1], float32[::1], boolean[::1], int64[:,::1])")
def boxes(width: Any, height: Any, places: Any, halves: Any, winged: Any, found: Any) -> Any:
    """The box of pixels around each dart (left, top, right, bottom), empty outside the picture; returns their area."""
    area = 0
    for k in range(places.shape[0]):
        x, y = places[k, 0], places[k, 1]
        reach = halves[k] * (WIDEST if winged[k] else ONE) + ONE
        found[k, :] = 0
        if -reach < x < width + reach and -reach < y < height + reach:
            found[k, 0], found[k, 2] = max(0, int(x - reach)), min(width, int(x + reach) + 1)
            found[k, 1], found[k, 3] = max(0, int(y - reach)), min(height, int(y + reach) + 1)
            area += (found[k, 2] - found[k, 0]) * (found[k, 3] - found[k, 1])
    return area


@compiled(
    f"void(int64, {PLANE}, {PLANE}, {ROW}, boolean[::1], int64[:,::1], int64[::1], int32[::1], {ROW}, {ROW})"
)
def touch(
    width: Any,
    places: Any,
    ahead: Any,
    halves: Any,
    winged: Any,
    around: Any,
    ends: Any,
    pixels: Any,
    covered: Any,
    light: Any,
) -> None:
    """Which pixels each dart touches, how much of each it covers, and its light there.

    Computed once per picture and used twice: for the trails and for the dart itself. `ends` says where the pixels
    of each dart end in the rows.
    """
    at = 0
    for k in range(places.shape[0]):
        x, y, half = places[k, 0], places[k, 1], halves[k]
        left, top, right, bottom = around[k, 0], around[k, 1], around[k, 2], around[k, 3]
        ux, uy = ahead[k, 0] / half, ahead[k, 1] / half
        dy = np.float32(top) + HALF - y
        for j in range(top, bottom):
            first, last = left, right
            if not winged[k]:
                first, last = _span(x, dy, ux, uy, half, left, right)
            dx = np.float32(first) + HALF - x
            for i in range(first, last):
                along, across = dx * ux + dy * uy, abs(dy * ux - dx * uy)
                far = _hunter(along, across) if winged[k] else _dart(along, across)
                part = min(ONE, max(ZERO, HALF - far * half))
                # Always written, and kept if it counts: without a mispredicted branch this is twice as fast.
                pixels[at], covered[at], light[at] = j * width + i, part, part * _spine(along)
                at += part > ZERO
                dx += ONE
            dy += ONE
        ends[k] = at


@compiled(f"void({PLANE}, int64[::1], int32[::1], {ROW}, {ROW}, {PLANE}, float32)")
def add_light(canvas: Any, ends: Any, pixels: Any, covered: Any, light: Any, colors: Any, gain: Any) -> None:
    """Add the light of darts to planes of pixels; a fourth plane counts how much of each was covered."""
    begin = 0
    for k in range(ends.shape[0]):
        red, green, blue = colors[k, 0] * gain, colors[k, 1] * gain, colors[k, 2] * gain
        for m in range(begin, ends[k]):
            at = np.uint32(pixels[m])
            canvas[0, at] += red * light[m]
            canvas[1, at] += green * light[m]
            canvas[2, at] += blue * light[m]
            if canvas.shape[0] == 4:
                canvas[3, at] += covered[m] * gain
        begin = ends[k]


@compiled(f"void(uint8[:,::1], int64[::1], int32[::1], {ROW}, {ROW}, {PLANE}, float32, float32)")
def lay(
    seen: Any, ends: Any, pixels: Any, covered: Any, light: Any, colors: Any, gain: Any, cover: Any
) -> None:
    """Paint darts over the picture, with opacity `cover`."""
    begin, bright, hides = 0, gain * BYTE, gain * cover
    for k in range(ends.shape[0]):
        red, green, blue = colors[k, 0] * bright, colors[k, 1] * bright, colors[k, 2] * bright
        for m in range(begin, ends[k]):
            at, keep = np.uint32(pixels[m]), ONE - covered[m] * hides
            seen[0, at] = _whole(np.float32(seen[0, at]) * keep + red * light[m] + HALF)
            seen[1, at] = _whole(np.float32(seen[1, at]) * keep + green * light[m] + HALF)
            seen[2, at] = _whole(np.float32(seen[2, at]) * keep + blue * light[m] + HALF)
        begin = ends[k]


@compiled(f"void({PLANES}, {PLANES}, int64, float32)")
def shrink(source: Any, target: Any, by: Any, gain: Any) -> None:
    """Means of squares of `by` pixels, times `gain`; incomplete squares at the edge are left out."""
    planes, height, width = target.shape
    scale = gain / np.float32(by * by)
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


@compiled(f"void({PLANES}, {PLANES}, {ROW})")
def blur(canvas: Any, swap: Any, taps: Any) -> None:
    """Blur along both axes with the same symmetric taps, the middle one first; the border is extended outwards."""
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


@inner
def _row_between(plane: Any, j: Any, by: Any, row: Any, swap: Any) -> None:
    """Row `j` of a plane upsampled `by` times, bilinearly: first down, then along, mostly in lanes."""
    height, width = plane.shape
    y = min(np.float32(height - 1), max(ZERO, (np.float32(j) + HALF) / np.float32(by) - HALF))
    j0 = int(y)
    upper, lower = plane[j0], plane[min(height - 1, j0 + 1)]
    f = y - np.float32(j0)
    for i in range(width):
        swap[i] = upper[i] + (lower[i] - upper[i]) * f
    first = by // 2  # pixels left of the first coarse centre and right of the last repeat it
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


@compiled(f"void({PLANES}, {PLANES}, int64, float32, float32)")
def add_far(near: Any, far: Any, by: Any, near_gain: Any, far_gain: Any) -> None:
    """near = near x gain + far x gain, `far` being `by` times as coarse."""
    planes, height, width = near.shape
    row, swap = np.empty(width, np.float32), np.empty(width, np.float32)
    for c in range(planes):
        for j in range(height):
            _row_between(far[c], j, by, row, swap)
            for i in range(width):
                near[c, j, i] = near[c, j, i] * near_gain + row[i] * far_gain


@inner
def _glowing(peak: Any) -> Any:
    """(1 - exp(-peak)) / peak without a call, so that it fills lanes: exp as the start of its series."""
    p = peak
    tail = SERIES[0] + p * (SERIES[1] + p * (SERIES[2] + p * (SERIES[3] + p * SERIES[4])))
    return (ONE - ONE / (ONE + p * (ONE + p * tail))) / max(p, TINY)


@compiled(f"void({PLANES}, {PLANES}, int64, {PLANES}, float32, {BYTES})")
def tone_map_night(trails: Any, glow: Any, by: Any, sky: Any, amount: Any, seen: Any) -> None:
    """Light on a dark sky, whose planes are in units of bytes plus 0.5; bright places keep their hue."""
    height, width = sky.shape[1:]
    rows = np.empty((4, width), np.float32)
    for j in range(height):
        for c in range(3):
            _row_between(glow[c], j, by, rows[c], rows[3])
        for i in range(width):
            red = rows[0, i] + trails[0, j, i] * amount
            green = rows[1, i] + trails[1, j, i] * amount
            blue = rows[2, i] + trails[2, j, i] * amount
            scale = _glowing(max(red, max(green, blue))) * BYTE
            seen[0, j, i] = _whole(sky[0, j, i] + red * scale)
            seen[1, j, i] = _whole(sky[1, j, i] + green * scale)
            seen[2, j, i] = _whole(sky[2, j, i] + blue * scale)


@compiled(f"void({PLANES}, {PLANES}, {PLANE}, int64, {PLANES}, float32, {BYTES})")
def tone_map_day(trails: Any, glow: Any, shade: Any, by: Any, sky: Any, amount: Any, seen: Any) -> None:
    """Ink on a pale sky, darker where there are many agents (`shade`)."""
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
            whole = BYTE / max(laid + near, TINY)
            for c in range(3):
                hue = (trails[c, j, i] * amount + rows[c, i]) * whole
                seen[c, j, i] = _whole((sky[c, j, i] + (hue - sky[c, j, i]) * ink) * lit)


@compiled(f"void({BYTES}, uint8[::1])")
def to_yuv(seen: Any, out: Any) -> None:
    """Convert planes of red, green and blue to one of luma and two smaller ones of chroma, as video codecs need.

    BT.709, limited range (ITU-R BT.709-6, 3.5), in steps of 1/256; a colour is the mean of four pixels.
    """
    height, width = seen.shape[1:]
    light = out[: height * width].reshape(height, width)
    blues = out[height * width : height * width * 5 // 4].reshape(height // 2, width // 2)
    reds = out[height * width * 5 // 4 :].reshape(height // 2, width // 2)
    sums = np.empty((3, width), np.int32)
    for j in range(height):
        for i in range(width):
            r, g, b = np.int32(seen[0, j, i]), np.int32(seen[1, j, i]), np.int32(seen[2, j, i])
            light[j, i] = np.uint8((r * RED_LIGHT + g * GREEN_LIGHT + b * BLUE_LIGHT + BLACK) >> EIGHT)
    for j in range(height // 2):
        for c in range(3):
            above, below = seen[c, 2 * j], seen[c, 2 * j + 1]
            for i in range(width):
                sums[c, i] = np.int32(above[i]) + np.int32(below[i])
        for i in range(width // 2):
            r, g, b = (
                sums[0, 2 * i] + sums[0, 2 * i + 1],
                sums[1, 2 * i] + sums[1, 2 * i + 1],
                sums[2, 2 * i] + sums[2, 2 * i + 1],
            )
            blues[j, i] = np.uint8((b * FULL - r * RED_BLUE - g * GREEN_BLUE + GREY) >> TEN)
            reds[j, i] = np.uint8((r * FULL - g * GREEN_RED - b * BLUE_RED + GREY) >> TEN)


@compiled(f"void({PLANE}, boolean, float32, float32, {PLANE})")
def distances(points: Any, closed: Any, left: Any, top: Any, target: Any) -> None:
    """Distance [px] of each pixel's centre from a line through `points`; negative inside a closed one."""
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


@compiled(f"void({BYTES}, {PLANE}, {ROW}, {ROW}, float32)")
def strokes(seen: Any, ends: Any, opacity: Any, color: Any, width: Any) -> None:
    """Paint straight lines with round ends over the picture, each from its first place to its second [px]."""
    height, across = seen.shape[1:]
    reach = HALF * width + ONE
    for k in range(ends.shape[0]):
        ax, ay, bx, by = ends[k, 0], ends[k, 1], ends[k, 2], ends[k, 3]
        length2 = max((bx - ax) * (bx - ax) + (by - ay) * (by - ay), STEEP)
        for j in range(max(0, int(min(ay, by) - reach)), min(height, int(max(ay, by) + reach) + 1)):
            for i in range(max(0, int(min(ax, bx) - reach)), min(across, int(max(ax, bx) + reach) + 1)):
                x, y = np.float32(i) + HALF - ax, np.float32(j) + HALF - ay
                part = min(ONE, max(ZERO, (x * (bx - ax) + y * (by - ay)) / length2))
                dx, dy = x - part * (bx - ax), y - part * (by - ay)
                covered = min(ONE, max(ZERO, HALF + HALF * width - np.sqrt(dx * dx + dy * dy))) * opacity[k]
                if covered > ZERO:
                    for c in range(3):
                        below = np.float32(seen[c, j, i])
                        seen[c, j, i] = _whole(below + (color[c] - below) * covered + HALF)
