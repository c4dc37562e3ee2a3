"""Hunters in space: bodies along their direction of flight, a line down to their shadow, state and energy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.font import text_mask
from murmura.lab.films.patches import Patch, cover, inked, outline, text_patch, window_of
from murmura.lab.films.plane.scenery import INK
from murmura.lab.films.plane.wildlife import ATTACKING, CALM, HUNTER, RING, bar, outline_of, wildlife
from murmura.lab.films.space.bodies import wings
from murmura.lab.films.space.camera import Floats, SpaceCamera
from murmura.lab.films.space.lines import Hides, Lines, draw, ring

SHADOW = {"dark": 0.55, "light": 0.30}
LEAST, MOST = 9.0, 34.0  # half the length of a hunter [px] in a picture of 1280 x 720
SIZE = 12.0  # half its length in the world [u]; worlds are about a thousand wide
RAISED = 0.35  # slope of the wings, so that a hunter is visible from the side too
DROP = {"dark": 0.30, "light": 0.35}


Placed = tuple[float, Patch]
"""The depth of an object in the picture [u], and its image."""


def draw_shadows(
    pixels: NDArray[np.uint8],
    hunters: Iterable[dict[str, Any]],
    camera: SpaceCamera,
    theme: str,
    hides: Hides | None,
) -> None:
    """The shadow of a hunter on the floor and a line up to it, which show its height."""
    for it in hunters:
        place = np.array([it["x"], it["y"], it["z"]])
        foot = place * (1.0, 1.0, 0.0)
        half = _half(place, camera)[1]
        draw(pixels, Lines(place[None], foot[None], RING[theme], DROP[theme], 1.0, True), camera, hides=hides)
        rim, deep = camera.project(ring(foot, 0.8 * half, (1.0, 0, 0), (0, 1.0, 0), 20))
        if (deep > camera.near).all() and not (hides and hides(*camera.project(foot))):
            window = window_of(camera, rim.min(axis=0) - 2.0, rim.max(axis=0) + 2.0)
            if window is not None:
                soft = np.clip(0.5 - outline(rim, True, window) / 4.0, 0.0, 1.0)
                inked(window[0], window[1], [(soft, (0.0, 0.0, 0.0), SHADOW[theme])]).lay(pixels)


def food(things: Iterable[dict[str, Any]], camera: SpaceCamera, theme: str) -> Iterable[Placed]:
    """Food and carcasses, drawn flat at their positions."""
    for it in things:
        place = (it["x"], it["y"], it["z"])
        deep = float(camera.project(place)[1])
        if deep > camera.near:
            for patch in wildlife([it], camera.beside(place, it["x"], it["y"]), theme, False):
                yield deep, patch


def _half(place: Floats, camera: SpaceCamera) -> tuple[float, float]:
    """Half the length of a hunter, [px] and [u]."""
    zoom = camera.focal / max(float(camera.project(place)[1]), camera.near)
    pixels = min(MOST * camera.scale, max(LEAST * camera.scale, SIZE * zoom))
    return pixels, pixels / zoom


def hunters(things: Iterable[dict[str, Any]], camera: SpaceCamera, theme: str) -> Iterable[Placed]:
    """The bodies of hunters."""
    for it in things:
        place = np.array([it["x"], it["y"], it["z"]])
        deep = float(camera.project(place)[1])
        if deep < 2.0 * camera.near:
            continue
        body, _ = camera.project(place + _half(place, camera)[1] * outline_in_space(it))
        window = window_of(camera, body.min(axis=0) - 2.0, body.max(axis=0) + 2.0)
        if window is not None:
            color = (ATTACKING if it["state"] in HUNTER["attacks_in"] else CALM)[theme]
            # Seen edge-on, it must still be a visible line.
            soft = cover(outline(body, True, window) - 0.7 * camera.scale)
            yield deep, inked(window[0], window[1], [(soft, color, 1.0)])


def words(
    things: Iterable[dict[str, Any]], camera: SpaceCamera, theme: str, labels: bool, hides: Hides | None
) -> Iterable[Patch]:
    """Energy, kind and state of hunters that are not behind an obstacle."""
    for it in things:
        place = np.array([it["x"], it["y"], it["z"]])
        (x, y), deep = camera.project(place)
        if float(deep) < 2.0 * camera.near or (hides and hides((x, y), deep)):
            continue
        size, screen = _half(place, camera)[0], camera.beside(place, 0.0, 0.0)
        gauge = bar(screen, float(x), float(y) + 1.7 * size, 2.0 * size, it["energy"], theme)
        if gauge is not None:
            yield gauge
        if labels and 0.0 <= x < camera.width and 0.0 <= y < camera.height:
            text, height = f"{it['species']} · {it['state']}".replace("_", " "), 12.0 * camera.scale
            across = text_mask(text, max(7.0, height)).shape[1]
            top = y + 1.7 * size + 5.0 * camera.scale
            yield text_patch(text, x - across / 2.0, top, height, INK[theme], 0.9, screen)


def outline_in_space(it: dict[str, Any]) -> Floats:
    """The corners of a hunter in half lengths: its outline along the direction of flight, with raised wings."""
    velocity = np.array([it["vx"], it["vy"], it["vz"]])
    speed = float(np.linalg.norm(velocity))
    if speed > 1e-9:
        heading = velocity / speed
    else:
        heading = np.array([np.cos(it["heading"]), np.sin(it["heading"]), 0.0])
    left, up = wings(heading[None], np.zeros(1))
    flat = outline_of(it["species"])
    found: Floats = flat[:, :1] * heading + flat[:, 1:] * left[0] + RAISED * np.abs(flat[:, 1:]) * up[0]
    return found
