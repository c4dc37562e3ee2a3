"""Pictures of 3-D worlds: bodies made of triangles, compiled.

The companion of `raster`, with the same canvases. Nothing here knows a scenario, a file or a film.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.compute.raster.compiled import compiled, inner
from murmura.compute.raster.plane import HALF, ONE, PLANE, PLANES, ROW, ZERO

FAR, FAR_PIXEL = np.float32(1e30), np.float32(1e9)
TINY = np.float32(1e-6)
GROW = np.float32(0.15)  # [px] added to each side: a wing seen edge-on is a thin line and does not vanish
EDGE = np.float32(0.5) + GROW  # [px] distance up to which a face covers part of a pixel


@compiled(
    "void(float64[:,::1], int64[:,::1], float64[::1], float64[::1], float64[::1], float64[:,::1], float64[:,:,::1], "
    "float64[::1], float64[::1], float64[:,:,::1], float64[:,::1])"
)
def pose(
    mesh: Any,
    faces: Any,
    hinges: Any,
    wags: Any,
    sun: Any,
    places: Any,
    frames: Any,
    halves: Any,
    angles: Any,
    corners: Any,
    shades: Any,
) -> None:
    """Corners of all bodies in the world, and how much each of their faces is turned to the sun.

    Args:
        mesh: Corners of a body along its own axes, in half lengths.
        faces: Three corners for each triangle.
        hinges: How far out on a wing each corner lies.
        wags: How far each corner swings sideways with the tail.
        sun: Unit vector to it.
        places: Of bodies, shape (bodies, 3).
        frames: Their axes ahead, left and up, shape (bodies, 3, 3).
        halves: Their half lengths.
        angles: How far the beat of each has turned its wings or tail [rad].
        corners: Filled, shape (bodies, corners, 3).
        shades: Filled with 0 (sunlight along the face) to 1 (straight on it), shape (bodies, faces).
    """
    own = np.empty_like(mesh)
    for k in range(len(places)):
        sine, cosine = np.sin(angles[k]), np.cos(angles[k])
        for c in range(len(mesh)):
            own[c, 0] = mesh[c, 0]
            own[c, 1] = mesh[c, 1] * (cosine if hinges[c] != 0.0 else 1.0) + wags[c] * angles[k]
            own[c, 2] = mesh[c, 2] + abs(hinges[c]) * sine
            for axis in range(3):
                away = 0.0
                for d in range(3):
                    away += own[c, d] * frames[k, d, axis]
                corners[k, c, axis] = places[k, axis] + halves[k] * away
        # The sun in the body's coordinates, so that no face has to be rotated.
        sx, sy, sz = 0.0, 0.0, 0.0
        for axis in range(3):
            sx += sun[axis] * frames[k, 0, axis]
            sy += sun[axis] * frames[k, 1, axis]
            sz += sun[axis] * frames[k, 2, axis]
        for f in range(len(faces)):
            a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
            ux, uy, uz = own[b, 0] - own[a, 0], own[b, 1] - own[a, 1], own[b, 2] - own[a, 2]
            vx, vy, vz = own[c, 0] - own[a, 0], own[c, 1] - own[a, 1], own[c, 2] - own[a, 2]
            x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            shades[k, f] = abs(x * sx + y * sy + z * sz) / max(np.sqrt(x * x + y * y + z * z), 1e-12)


@compiled(f"void(float64[:,:,::1], float64[:,::1], float64, float64, float64, float64, {PLANES})")
def project(
    corners: Any, axes: Any, focal: Any, near: Any, middle_x: Any, middle_y: Any, pixels: Any
) -> None:
    """Where a camera sees corners: axes are its right, up, forward and eye; nothing is nearer to it than `near`."""
    for k in range(corners.shape[0]):
        for c in range(corners.shape[1]):
            x, y, z = (
                corners[k, c, 0] - axes[3, 0], corners[k, c, 1] - axes[3, 1], corners[k, c, 2] - axes[3, 2]
            )  # fmt: skip
            zoom = focal / max(near, x * axes[2, 0] + y * axes[2, 1] + z * axes[2, 2])
            pixels[k, c, 0] = middle_x + (x * axes[0, 0] + y * axes[0, 1] + z * axes[0, 2]) * zoom
            pixels[k, c, 1] = middle_y - (x * axes[1, 0] + y * axes[1, 1] + z * axes[1, 2]) * zoom


@inner
def _ends(low: Any, high: Any, size: Any) -> Any:
    """The pixels from low to high that a picture has."""
    most = np.float32(size)
    return int(np.floor(min(most, max(ZERO, low)))), int(np.ceil(min(most, max(ZERO, high))))


@compiled(f"int64(int64, int64, {PLANES}, {ROW}, int64[:,::1])")
def body_boxes(width: Any, height: Any, corners: Any, fades: Any, around: Any) -> Any:
    """Fill in the box of pixels around each body (left, top, right, bottom), empty if hidden; return their area."""
    area = 0
    for k in range(len(corners)):
        low_x, low_y, high_x, high_y = FAR, FAR, -FAR, -FAR
        for c in range(corners.shape[1]):
            x, y = corners[k, c, 0], corners[k, c, 1]
            low_x, high_x = min(low_x, x), max(high_x, x)
            low_y, high_y = min(low_y, y), max(high_y, y)
        left, right = _ends(low_x - ONE, high_x + ONE, width)
        top, bottom = _ends(low_y - ONE, high_y + ONE, height)
        if fades[k] <= ZERO or right <= left or bottom <= top:
            left, top, right, bottom = 0, 0, 0, 0
        around[k, 0], around[k, 1], around[k, 2], around[k, 3] = left, top, right, bottom
        area += (right - left) * (bottom - top)
    return area


@inner
def _centres(low: Any, high: Any, first: Any, last: Any) -> Any:
    """The pixels from first to last whose middles are at most EDGE outside low to high: a face covers no others."""
    begin, end = np.ceil(low - EDGE - HALF), np.floor(high + EDGE + HALF)
    return max(first, int(max(begin, -FAR_PIXEL))), min(last, int(min(end, FAR_PIXEL)))


@inner
def _edge(ax: Any, ay: Any, bx: Any, by: Any, side: Any) -> Any:
    """An edge of a triangle: its start, its vector, one over its squared length, and the outward unit normal."""
    ex, ey = bx - ax, by - ay
    inverse = ONE / max(ex * ex + ey * ey, TINY)
    outwards = side * np.sqrt(inverse)
    return ax, ay, ex, ey, inverse, ey * outwards, -ex * outwards


@inner
def _outside(x: Any, y: Any, edge: Any) -> Any:
    """How far a place lies outside an edge's line; negative inside."""
    return (x - edge[0]) * edge[5] + (y - edge[1]) * edge[6]


@inner
def _from_edge(x: Any, y: Any, edge: Any) -> Any:
    """Squared distance of a place from an edge."""
    ax, ay, ex, ey, inverse, _, _ = edge
    px, py = x - ax, y - ay
    part = min(ONE, max(ZERO, (px * ex + py * ey) * inverse))
    dx, dy = px - part * ex, py - part * ey
    return dx * dx + dy * dy


@inner
def _touch_face(
    mine: Any, face: Any, lit: Any, left: Any, top: Any, right: Any, bottom: Any, least: Any, shade: Any
) -> None:
    """Lower the signed distances of pixels from a body to those from one of its triangles, where it is nearer."""
    ax, ay, bx, by = mine[face[0], 0], mine[face[0], 1], mine[face[1], 0], mine[face[1], 1]
    cx, cy = mine[face[2], 0], mine[face[2], 1]
    side = ONE if (bx - ax) * (cy - ay) >= (by - ay) * (cx - ax) else -ONE
    one, two, three = _edge(ax, ay, bx, by, side), _edge(bx, by, cx, cy, side), _edge(cx, cy, ax, ay, side)
    first, last = _centres(min(ax, min(bx, cx)), max(ax, max(bx, cx)), left, right)
    upper, lower = _centres(min(ay, min(by, cy)), max(ay, max(by, cy)), top, bottom)
    for j in range(upper, lower):
        y = np.float32(j) + HALF
        row = (j - top) * (right - left) - left
        for i in range(first, last):
            x = np.float32(i) + HALF
            far = max(_outside(x, y, one), max(_outside(x, y, two), _outside(x, y, three)))
            if far >= EDGE:
                continue
            if far > ZERO:  # next to a corner the distance is greater than from any line
                far = np.sqrt(min(_from_edge(x, y, one), min(_from_edge(x, y, two), _from_edge(x, y, three))))
            n = row + i
            if far < least[n]:
                least[n], shade[n] = far, lit


@compiled(
    f"void(int64, {PLANES}, int64[:,::1], {PLANE}, {ROW}, {ROW}, {PLANE}, int64[:,::1], int64[::1], int32[::1], "
    f"{ROW}, {ROW})"
)
def touch_bodies(
    width: Any,
    corners: Any,
    faces: Any,
    shades: Any,
    fades: Any,
    deeps: Any,
    near: Any,
    around: Any,
    ends: Any,
    pixels: Any,
    covered: Any,
    light: Any,
) -> None:
    """Which pixels each body touches, how much of each it covers, and its light there, like `plane.touch` for darts.

    Of the faces near a pixel, the one it lies deepest in counts.

    Args:
        width: Of the picture [px].
        corners: Of all bodies on the screen [px], shape (bodies, corners, 2).
        faces: Three corners for each triangle; the same for all bodies.
        shades: How light each triangle is, shape (bodies, faces).
        fades: How much of each body remains visible in haze.
        deeps: Distance of each body from the camera [u].
        near: Distance of the obstacle at each pixel, which hides what is behind it; no rows if there is none.
        around: The box of pixels around each body: left, top, right, bottom.
        ends: Filled with where the pixels of each body end.
        pixels: Filled with pixels, as are `covered` and `light` with what is on them.
    """
    at = 0
    for k in range(corners.shape[0]):
        left, top, right, bottom = around[k, 0], around[k, 1], around[k, 2], around[k, 3]
        across = right - left
        # The memory for the pixels of this body also serves to compare its faces: no other body uses it yet.
        least, shade = covered[at : at + across * (bottom - top)], light[at : at + across * (bottom - top)]
        least[:] = FAR
        for f in range(faces.shape[0]):
            _touch_face(corners[k], faces[f], shades[k, f], left, top, right, bottom, least, shade)
        before = at
        for j in range(top, bottom):
            for i in range(left, right):
                n = (j - top) * across + i - left
                part = min(ONE, max(ZERO, EDGE - covered[before + n])) * fades[k]
                if len(near) and near[j, i] < deeps[k]:
                    part = ZERO
                lit = part * light[before + n] if part > ZERO else ZERO
                pixels[at], covered[at], light[at] = j * width + i, part, lit
                at += part > ZERO
        ends[k] = at
