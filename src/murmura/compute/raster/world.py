"""Sky and ground of 3-D worlds, seen by a camera that is level from left to right, compiled.

Along a row, the ground has a constant depth, and the colours of the sky, haze and the widths of lines change slowly:
they are computed at knots, a few pixels apart, and interpolated. Nothing here knows a scenario.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.compute.raster.compiled import compiled, inner
from murmura.compute.raster.plane import BYTE, HALF, ONE, PLANE, PLANES, ROW, THREE, TWO, ZERO

KNOTS = np.float32(30.0)  # per focal length: two degrees apart
TINY = np.float32(1e-6)
SUN_WIDTH, SUN_HEIGHT = np.float32(2.6), np.float32(5.0)
VOID_MIDDLE, VOID_SLOPE = np.float32(0.25), np.float32(0.9)
SKY_ENDS = tuple(np.float32(value) for value in (0.0, 0.22, 0.15, 0.75))
OUTSIDE = np.float32(0.82)  # brightness of the ground beyond the world's edges
SEAM = np.float32(14.0)  # one over the share of the world in which shadows fade
PER_RIM = np.float32(1.0 / 1.2)  # one over the width of the line along the edges [px]
COARSE = np.float32(0.4)  # of a grid square: where a pixel covers more than that, lines are not drawn
HAZE, PER_X, PER_Y, FAINT_X, FAINT_Y = 3, 4, 5, 6, 7
"""Rows of the knots after three colours of the sky: haze, one over the ground that a pixel covers along x and y, and
how faint lines across them are."""


@inner
def _smooth(low: Any, high: Any, value: Any) -> Any:
    t = min(ONE, max(ZERO, (value - low) / (high - low)))
    return t * t * (THREE - TWO * t)


@inner
def _faint(seen: Any, square: Any) -> Any:
    return min(ONE, max(ZERO, TWO - TWO * seen / (COARSE * square)))


@inner
def _knot(
    x: Any, y: Any, z: Any, axes: Any, focal: Any, colors: Any, ground: Any, floor: Any, row: Any
) -> None:
    """What is seen along a ray: the sky and, where it hits the ground, haze and lines; fills a column of knots."""
    length = np.sqrt(x * x + y * y + z * z)
    rise = z / length
    flat = np.sqrt(x * x + y * y) + TINY
    up = max(ZERO, rise) if floor else max(ZERO, min(ONE, VOID_MIDDLE + VOID_SLOPE * rise))
    first, second = _smooth(SKY_ENDS[0], SKY_ENDS[1], up), _smooth(SKY_ENDS[2], SKY_ENDS[3], up)
    west = (x * axes[4, 0] + y * axes[4, 1]) / flat
    ember = np.exp(-SUN_WIDTH * (ONE - west) - SUN_HEIGHT * (up if floor else abs(rise)))
    for c in range(3):
        sky = colors[0, c] + (colors[1, c] - colors[0, c]) * first
        row[c] = sky + (colors[2, c] - sky) * second + colors[3, c] * ember
    row[HAZE] = ONE
    if floor and z < -TINY:
        far = -axes[3, 2] / z * length
        share = far / ground[3]
        row[HAZE] = ONE - np.exp(-share * np.sqrt(share))
        across = far / focal
        deep = across / max(-rise, TINY)
        sx, sy = (abs(x) * deep + abs(y) * across) / flat, (abs(y) * deep + abs(x) * across) / flat
        row[PER_X], row[PER_Y] = ONE / sx, ONE / sy
        row[FAINT_X], row[FAINT_Y] = _faint(sx, ground[2]), _faint(sy, ground[2])


@inner
def _line(place: Any, square: Any, per_square: Any, per_seen: Any, faint: Any) -> Any:
    """How much of a pixel lies on a line of a grid."""
    away = abs(place - np.floor(place * per_square + HALF) * square)
    return max(ZERO, ONE - away * per_seen) * faint


@inner
def _sampled(plane: Any, x: Any, y: Any, wraps: Any) -> Any:
    """A plane with a border of one, interpolated between pixels; x and y from 0 to 1, 0 outside unless it wraps."""
    if wraps:
        x, y = x - np.floor(x), y - np.floor(y)
    if not (ZERO <= x < ONE and ZERO <= y < ONE):
        return ZERO
    u, v = x * np.float32(plane.shape[1] - 2) + HALF, y * np.float32(plane.shape[0] - 2) + HALF
    i, j = int(u), int(v)
    p, q = u - np.float32(i), v - np.float32(j)
    upper = plane[j, i] + (plane[j, i + 1] - plane[j, i]) * p
    lower = plane[j + 1, i] + (plane[j + 1, i + 1] - plane[j + 1, i]) * p
    return upper + (lower - upper) * q


@inner
def _ground(
    gx: Any, gy: Any, dx: Any, dy: Any, knots: Any, size: Any, ground: Any, endless: Any, soil: Any, grid: Any
) -> None:
    """How much of the soil's and of the grid's colour each pixel of a row has.

    Args:
        gx: Where the row's first pixel hits the ground, along x; `gy` along y.
        dx: How much farther each pixel hits it; `dy` along y.
        knots: Of this row.
        size: Pixels from knot to knot.
        ground: As `paint_world` has it.
        endless: As `paint_world` has it.
        soil: Filled.
        grid: Filled.
    """
    square, per_square, step = ground[2], ONE / ground[2], ONE / np.float32(size)
    for k in range(len(knots) - 1):
        one, two, first = knots[k], knots[k + 1], k * size
        more_x, more_y = (two[PER_X] - one[PER_X]) * step, (two[PER_Y] - one[PER_Y]) * step
        fainter_x, fainter_y = (two[FAINT_X] - one[FAINT_X]) * step, (two[FAINT_Y] - one[FAINT_Y]) * step
        bare, lined = soil[first : first + size], grid[first : first + size]
        x0, y0 = gx + dx * np.float32(first), gy + dy * np.float32(first)
        for i in range(len(bare)):
            t = np.float32(i)
            per_x, per_y = one[PER_X] + more_x * t, one[PER_Y] + more_y * t
            x, y = x0 + dx * t, y0 + dy * t
            across = _line(x, square, per_square, per_x, one[FAINT_X] + fainter_x * t)
            lines = max(across, _line(y, square, per_square, per_y, one[FAINT_Y] + fainter_y * t))
            dim = ONE
            if not endless:
                beyond = max(max(-x, x - ground[0]) * per_x, max(-y, y - ground[1]) * per_y)
                dim = ONE - (ONE - OUTSIDE) * min(ONE, max(ZERO, HALF + beyond))
                lines = max(lines, max(ZERO, ONE - abs(beyond) * PER_RIM))
            bare[i], lined[i] = dim * (ONE - HALF * lines), HALF * lines


@inner
def _darken(
    gx: Any, gy: Any, dx: Any, dy: Any, ground: Any, endless: Any, shadows: Any, soil: Any, grid: Any
) -> None:
    """Put shadows on a row of ground, in the one image of the world that has any."""
    per_width, per_height = ONE / ground[0], ONE / ground[1]
    cx, cy = (ground[4], ground[5]) if endless else (HALF * ground[0], HALF * ground[1])
    first, last = _within(gx - cx, dx, HALF * ground[0], len(soil))
    begin, end = _within(gy - cy, dy, HALF * ground[1], len(soil))
    for i in range(max(first, begin), min(last, end)):
        x, y = gx + dx * np.float32(i), gy + dy * np.float32(i)
        dark = _sampled(shadows, x * per_width, y * per_height, endless)
        if (
            endless
        ):  # only one image of each agent is shown, and so only one shadow, which fades where that image ends
            off = max(abs(x - cx) * per_width, abs(y - cy) * per_height)
            dark *= min(ONE, max(ZERO, (HALF - off) * SEAM))
        soil[i] *= ONE - dark
        grid[i] *= ONE - dark


@inner
def _within(start: Any, step: Any, half: Any, count: Any) -> Any:
    """For which i of `count` start + step i lies between -half and half."""
    if abs(step) * np.float32(count) < TINY * half:
        return (0, count) if abs(start) <= half else (0, 0)
    a, b = (-half - start) / step, (half - start) / step
    most = np.float32(count)
    low, high = min(most, max(ZERO, min(a, b))), min(most, max(ZERO, max(a, b) + ONE))
    return int(low), int(high)


@inner
def _mixed(
    seen: Any,
    grain: Any,
    knots: Any,
    size: Any,
    c: Any,
    below: Any,
    soil: Any,
    grid: Any,
    earth: Any,
    line: Any,
) -> None:
    """One colour of a row: the sky, or the ground that fades into it."""
    step = ONE / np.float32(size)
    for k in range(len(knots) - 1):
        sky, haze = knots[k, c], knots[k, HAZE]
        more_sky, more_haze = (knots[k + 1, c] - sky) * step, (knots[k + 1, HAZE] - haze) * step
        # Slices begin at 0: only then does the compiler know that no index is negative, and vectorises.
        part, noise = seen[k * size : (k + 1) * size], grain[k * size : (k + 1) * size]
        if below:
            bare, lined = soil[k * size : (k + 1) * size], grid[k * size : (k + 1) * size]
            for t in range(len(part)):
                land, above = earth * bare[t] + line * lined[t], sky + more_sky * np.float32(t)
                part[t] = (land + (above - land) * (haze + more_haze * np.float32(t))) * BYTE + noise[t]
        else:
            for t in range(len(part)):
                part[t] = (sky + more_sky * np.float32(t)) * BYTE + noise[t]


@compiled(f"void({PLANES}, {PLANE}, {PLANE}, float32, {PLANE}, {ROW}, boolean, boolean, {PLANE})")
def paint_world(
    seen: Any,
    grain: Any,
    axes: Any,
    focal: Any,
    colors: Any,
    ground: Any,
    floor: Any,
    endless: Any,
    shadows: Any,
) -> None:
    """Sky and ground for every pixel, in units of bytes plus 0.5.

    Args:
        seen: Filled, planes (3, height, width).
        grain: Added to each pixel at the end, including the 0.5: it hides the quantisation to bytes.
        axes: The camera's right (level), up, forward and eye, with the floor at z = 0; then the sun.
        focal: Of the lens [px].
        colors: low, middle and high of the sky, its ember, ground, lines on it, each from 0 to 1.
        ground: Width and height of the world, side of a square of the grid, range of visibility in haze [u], and the
        place that the camera looks at.
        floor: Whether there is a ground.
        endless: Whether the world wraps under the camera, so that it has no edge and shadows repeat.
        shadows: How dark each part of the world is, seen from above, with a border of one around.
    """
    height, width = grain.shape
    size = max(4, int(focal / KNOTS))  # pixels from knot to knot
    count = (width + size - 1) // size
    knots = np.zeros((count + 1, 8), np.float32)
    soil, grid = np.empty(width, np.float32), np.empty(width, np.float32)
    pixel, middle = ONE / focal, np.float32(width) * HALF
    for j in range(height):
        v = (np.float32(height) * HALF - np.float32(j) - HALF) * pixel
        x0, y0, z = axes[2, 0] + v * axes[1, 0], axes[2, 1] + v * axes[1, 1], axes[2, 2] + v * axes[1, 2]
        for k in range(count + 1):
            u = (np.float32(k * size) + HALF - middle) * pixel
            x, y = x0 + u * axes[0, 0], y0 + u * axes[0, 1]
            _knot(x, y, z, axes, focal, colors, ground, floor, knots[k])
        below = floor and z < -TINY
        if below:
            along, u = -axes[3, 2] / z, (HALF - middle) * pixel
            gx = axes[3, 0] + along * (x0 + u * axes[0, 0])
            gy = axes[3, 1] + along * (y0 + u * axes[0, 1])
            dx, dy = along * axes[0, 0] * pixel, along * axes[0, 1] * pixel
            _ground(gx, gy, dx, dy, knots, size, ground, endless, soil, grid)
            _darken(gx, gy, dx, dy, ground, endless, shadows, soil, grid)
        for c in range(3):
            _mixed(seen[c, j], grain[j], knots, size, c, below, soil, grid, colors[4, c], colors[5, c])
