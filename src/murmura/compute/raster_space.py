"""Pictures of worlds with a depth: bodies made of triangles, and the sky and the ground behind them, compiled.

The companion of `raster`, with the same canvases. Nothing here knows a scenario, a file or a film.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from murmura.compute.numba_options import INNER, JIT
from murmura.compute.raster import BYTE, HALF, ONE, PLANE, PLANES, ROW, THREE, TWO, ZERO

FAR = np.float32(1e30)
TINY = np.float32(1e-6)
GROW = np.float32(0.15)  # [px] added to each side: a wing seen edge on is a thin line and does not vanish
GRAIN, GRAIN_X, GRAIN_Y, GRAIN_SHARE = (
    np.float32(value) for value in (52.9829189, 0.06711056, 0.00583715, 1.0 / 160.0)
)
SUN_WIDTH, SUN_HEIGHT = np.float32(2.6), np.float32(5.0)
VOID_MIDDLE, VOID_SLOPE = np.float32(0.25), np.float32(0.9)
SKY_ENDS = tuple(np.float32(value) for value in (0.0, 0.22, 0.15, 0.75))
OUTSIDE = np.float32(0.82)  # brightness of the ground beyond the world's edges
SEAM = np.float32(14.0)  # one over the share of the world in which shadows fade
RIM_PIXELS = np.float32(1.2)
COARSE = np.float32(0.4)  # of a grid square: where a pixel sees more than that, lines are no longer drawn


@njit(**INNER)
def _beside(x: Any, y: Any, ax: Any, ay: Any, bx: Any, by: Any) -> Any:
    """Squared distance of a place from a segment, and on which side of its line it lies."""
    ex, ey, px, py = bx - ax, by - ay, x - ax, y - ay
    part = min(ONE, max(ZERO, (px * ex + py * ey) / max(ex * ex + ey * ey, TINY)))
    dx, dy = px - part * ex, py - part * ey
    return dx * dx + dy * dy, ex * py - ey * px


@njit(**INNER)
def _from_triangle(x: Any, y: Any, corners: Any, a: Any, b: Any, c: Any) -> Any:
    """Signed distance [px] from a triangle; negative inside."""
    ax, ay, bx, by = corners[a, 0], corners[a, 1], corners[b, 0], corners[b, 1]
    cx, cy = corners[c, 0], corners[c, 1]
    first, s = _beside(x, y, ax, ay, bx, by)
    second, t = _beside(x, y, bx, by, cx, cy)
    third, u = _beside(x, y, cx, cy, ax, ay)
    far = np.sqrt(min(first, min(second, third)))
    inside = (s > ZERO and t > ZERO and u > ZERO) or (s < ZERO and t < ZERO and u < ZERO)
    return -far if inside else far


@njit(
    f"void(int64, {PLANES}, int64[:,::1], {PLANE}, {ROW}, int64[:,::1], int64[::1], int32[::1], {ROW}, {ROW})",
    cache=True,
    **JIT,
)
def touch_bodies(
    width: Any,
    corners: Any,
    faces: Any,
    shades: Any,
    fades: Any,
    around: Any,
    ends: Any,
    pixels: Any,
    covered: Any,
    light: Any,
) -> None:
    """Which pixels each body touches, how much of each it covers, and its light there, as `raster.touch` for darts.

    Args:
        width: Of the picture [px].
        corners: Of all bodies on the screen [px], shape (bodies, corners, 2).
        faces: Three corners for each triangle; the same for all bodies.
        shades: How light each triangle is, shape (bodies, faces).
        fades: How much haze leaves of each body.
        around: The box of pixels around each body: left, top, right, bottom.
        ends: Filled with where the pixels of each body end.
        pixels: Filled with pixels, as are `covered` and `light` with what is on them.
    """
    at = 0
    for k in range(corners.shape[0]):
        mine = corners[k]
        for j in range(around[k, 1], around[k, 3]):
            for i in range(around[k, 0], around[k, 2]):
                x, y = np.float32(i) + HALF, np.float32(j) + HALF
                least, shade = FAR, ONE
                for f in range(faces.shape[0]):
                    far = _from_triangle(x, y, mine, faces[f, 0], faces[f, 1], faces[f, 2])
                    if far < least:
                        least, shade = far, shades[k, f]
                part = min(ONE, max(ZERO, HALF + GROW - least)) * fades[k]
                pixels[at], covered[at], light[at] = j * width + i, part, part * shade
                at += part > ZERO
        ends[k] = at


@njit(**INNER)
def _smooth(low: Any, high: Any, value: Any) -> Any:
    t = min(ONE, max(ZERO, (value - low) / (high - low)))
    return t * t * (THREE - TWO * t)


@njit(**INNER)
def _line(place: Any, square: Any, seen: Any) -> Any:
    """How much of a pixel that sees a stretch `seen` of the ground lies on a line of a grid."""
    share = place / square
    away = abs(share - np.floor(share + HALF)) * square
    faint = min(ONE, max(ZERO, TWO - TWO * seen / (COARSE * square)))
    return max(ZERO, ONE - away / seen) * faint


@njit(**INNER)
def _sampled(plane: Any, x: Any, y: Any, wraps: Any) -> Any:
    """A plane between its pixels; x and y from 0 to 1, outside of it nothing unless it wraps."""
    height, width = plane.shape
    if wraps:
        x, y = x - np.floor(x), y - np.floor(y)
    if not (ZERO <= x < ONE and ZERO <= y < ONE):
        return ZERO
    u, v = x * np.float32(width) - HALF, y * np.float32(height) - HALF
    i, j = int(np.floor(u)), int(np.floor(v))
    p, q = u - np.float32(i), v - np.float32(j)
    i1, j1 = i + 1, j + 1
    if wraps:
        i, j, i1, j1 = i % width, j % height, i1 % width, j1 % height
    else:
        i, j, i1, j1 = max(0, i), max(0, j), min(width - 1, i1), min(height - 1, j1)
    upper = plane[j, i] + (plane[j, i1] - plane[j, i]) * p
    lower = plane[j1, i] + (plane[j1, i1] - plane[j1, i]) * p
    return upper + (lower - upper) * q


@njit(f"void({PLANES}, {PLANE}, float32, {PLANE}, {ROW}, boolean, boolean, {PLANE})", cache=True, **JIT)
def paint_world(
    seen: Any, axes: Any, focal: Any, colors: Any, ground: Any, floor: Any, endless: Any, shadows: Any
) -> None:
    """Sky and ground for every pixel, in bytes and half a byte more.

    Args:
        seen: Filled, planes (3, height, width).
        axes: The camera's right, up, forward and eye, in units of length, the floor being z = 0; then the sun.
        focal: Of the lens [px].
        colors: low, middle and high of the sky, its ember, ground, lines on it, each from 0 to 1.
        ground: Width and height of the world, side of a square of the grid, how far haze lets see [u], how dark
            shadows are, and the place that the camera looks at.
        floor: Whether there is a ground.
        endless: Whether the world wraps under the camera, so that it has no edge and shadows repeat.
        shadows: How many fly above each part of the world, seen from above.
    """
    height, width = seen.shape[1:]
    ez = axes[3, 2]
    for j in range(height):
        v = (np.float32(height) * HALF - np.float32(j) - HALF) / focal
        for i in range(width):
            u = (np.float32(i) + HALF - np.float32(width) * HALF) / focal
            x = axes[2, 0] + u * axes[0, 0] + v * axes[1, 0]
            y = axes[2, 1] + u * axes[0, 1] + v * axes[1, 1]
            z = axes[2, 2] + u * axes[0, 2] + v * axes[1, 2]
            length = np.sqrt(x * x + y * y + z * z)
            rise = z / length
            up = max(ZERO, rise) if floor else max(ZERO, min(ONE, VOID_MIDDLE + VOID_SLOPE * rise))
            first, second = _smooth(SKY_ENDS[0], SKY_ENDS[1], up), _smooth(SKY_ENDS[2], SKY_ENDS[3], up)
            flat = np.sqrt(x * x + y * y) + TINY
            west = (x * axes[4, 0] + y * axes[4, 1]) / flat
            ember = np.exp(-SUN_WIDTH * (ONE - west) - SUN_HEIGHT * (up if floor else abs(rise)))
            grain = (
                GRAIN * ((GRAIN_X * (np.float32(i) + HALF) + GRAIN_Y * (np.float32(j) + HALF)) % ONE) % ONE
            )
            grain = (grain - HALF) * GRAIN_SHARE
            below = floor and rise < -TINY
            haze, lines, dark, dim = ONE, ZERO, ZERO, ONE
            if below:
                along = -ez / z
                far = along * length
                gx, gy = axes[3, 0] + along * x, axes[3, 1] + along * y
                haze = ONE - np.exp(-(far / ground[3]) * np.sqrt(far / ground[3]))
                across = far / focal
                deep = across / max(-rise, TINY)
                sx = (abs(x) * deep + abs(y) * across) / flat
                sy = (abs(y) * deep + abs(x) * across) / flat
                lines = max(_line(gx, ground[2], sx), _line(gy, ground[2], sy))
                if not endless:
                    beyond = max(max(-gx, gx - ground[0]) / sx, max(-gy, gy - ground[1]) / sy)
                    dim = ONE - (ONE - OUTSIDE) * min(ONE, max(ZERO, HALF + beyond))
                    lines = max(lines, max(ZERO, ONE - abs(beyond) / RIM_PIXELS))
                over = _sampled(shadows, gx / ground[0], gy / ground[1], endless)
                if endless:  # one image of each agent is shown, with one shadow, which fades at its edge
                    off = max(abs(gx - ground[5]) / ground[0], abs(gy - ground[6]) / ground[1])
                    over *= min(ONE, max(ZERO, (HALF - off) * SEAM))
                dark = ground[4] * (ONE - np.exp(-over))
            for c in range(3):
                sky = colors[0, c] + (colors[1, c] - colors[0, c]) * first
                sky = sky + (colors[2, c] - sky) * second + colors[3, c] * ember
                if below:
                    soil = colors[4, c] * dim
                    soil = (soil + (colors[5, c] - soil) * HALF * lines) * (ONE - dark)
                    sky = soil + (sky - soil) * haze
                seen[c, j, i] = (sky + grain) * BYTE + HALF
