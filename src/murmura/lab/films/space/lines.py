"""Lines and flat shapes of a 3-D world in perspective: clipped in front of the camera, fainter with distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.patches import Rgb
from murmura.lab.films.space.camera import Floats, SpaceCamera

PIECES = 24  # pieces of a straight line, each fading with its distance
HAZE_FROM, HAZE_TO = 0.55, 2.2  # distances from the camera to its target: full and least strength
LEAST = 0.25
PALE = 0.3  # remaining opacity of a line behind an obstacle
Hides = Callable[[Any, Any], Any]
"""Whether obstacles are in front of points on the screen [px] at these depths [u]."""


def strength(deep: Any, camera: SpaceCamera) -> Any:
    """The visibility through haze at this depth [u], from 1 to LEAST; 0 if it is too near to be drawn."""
    share = np.asarray(deep, np.float64) / camera.distance
    faded = 1.0 - (1.0 - LEAST) * np.clip((share - HAZE_FROM) / (HAZE_TO - HAZE_FROM), 0.0, 1.0)
    near = np.clip((np.asarray(deep) - camera.near) / camera.near, 0.0, 1.0)
    return faded * near


@dataclass(frozen=True)
class Lines:
    """Straight lines in the world.

    Attributes:
        starts: Shape (n, 3) [u].
        ends: Shape (n, 3) [u].
        rgb: Colour in bytes.
        opacity: From 0 to 1.
        width: In pixels of a picture of 1280 x 720.
        dashed: Whether every second piece is omitted.
    """

    starts: Any
    ends: Any
    rgb: Rgb
    opacity: float
    width: float = 1.0
    dashed: bool = False


def draw(
    pixels: NDArray[np.uint8],
    lines: Lines,
    camera: SpaceCamera,
    pieces: int = PIECES,
    hides: Hides | None = None,
) -> None:
    """Draw lines on a picture, faint where an obstacle hides them."""
    from murmura.compute.raster.plane import strokes

    starts, ends = np.asarray(lines.starts, np.float64), np.asarray(lines.ends, np.float64)
    if not len(starts):
        return
    cuts = np.linspace(0.0, 1.0, pieces + 1)[None, :, None]
    at, deep = camera.project(starts[:, None] + (ends - starts)[:, None] * cuts)
    a, b = at[:, :-1].reshape(-1, 2), at[:, 1:].reshape(-1, 2)
    least = np.minimum(deep[:, :-1], deep[:, 1:]).ravel()
    size = np.array([camera.width, camera.height])
    shown = (
        (least > camera.near)
        & (np.maximum(a, b) > -2.0).all(axis=1)
        & (np.minimum(a, b) < size + 2.0).all(axis=1)
    )
    if lines.dashed:
        shown &= np.arange(len(shown)) % 2 == 0
    faint = (lines.opacity * strength(least, camera))[shown].astype(np.float32)
    if hides is not None:
        faint[hides((a + b)[shown] / 2.0, least[shown])] *= PALE
    ends_ = np.concatenate([a, b], axis=1)[shown].astype(np.float32)
    strokes(pixels, ends_, faint, np.array(lines.rgb, np.float32), np.float32(lines.width * camera.scale))


def chain(points: Any, closed: bool = True) -> tuple[Floats, Floats]:
    """The lines from each point to the next, shape (n, 3) each."""
    at = np.asarray(points, np.float64)
    return (at, np.roll(at, -1, axis=0)) if closed else (at[:-1], at[1:])


def ring(centre: Any, radius: float, one: Any, other: Any, count: int = 72) -> Floats:
    """Points on a circle, in the plane of two unit vectors."""
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)[:, None]
    found: Floats = np.asarray(centre) + radius * (
        np.cos(angle) * np.asarray(one) + np.sin(angle) * np.asarray(other)
    )
    return found


def box_edges(low: Any, high: Any) -> tuple[Floats, Floats]:
    """The twelve edges of a box."""
    sides = np.asarray(high, np.float64) - low
    starts, ends = [], []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for p in (0.0, 1.0):
            for q in (0.0, 1.0):
                corner = np.zeros(3)
                corner[others] = p, q
                starts.append(low + corner * sides)
                ends.append(low + (corner + np.eye(3)[axis]) * sides)
    return np.array(starts), np.array(ends)


def seen_face(points: Any, camera: SpaceCamera) -> Floats | None:
    """A flat shape on the screen [px], clipped in front of the camera; None if nothing is left."""
    at = np.asarray(points, np.float64)
    deep = (at - camera.eye) @ camera.forward - camera.near
    kept: list[Floats] = []
    for k in range(len(at)):
        j = (k + 1) % len(at)
        if deep[k] > 0.0:
            kept.append(at[k])
        if (deep[k] > 0.0) != (deep[j] > 0.0):
            kept.append(at[k] + (at[j] - at[k]) * deep[k] / (deep[k] - deep[j]))
    return camera.project(np.array(kept))[0] if len(kept) >= 3 else None


def hull(points: Any) -> Floats | None:
    """The convex hull of points on the screen, in order; None if it has no area."""
    from scipy.spatial import ConvexHull, QhullError

    at = np.asarray(points, np.float64)
    try:
        corners = ConvexHull(at).vertices
    except QhullError:
        return None
    return np.asarray(at[corners])
