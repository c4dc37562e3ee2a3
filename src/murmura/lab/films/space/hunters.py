"""Hunters in space: bodies along their flight, a line down to their shadow, their state and energy beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.font import text_mask
from murmura.lab.films.patches import Patch, cover, inked, outline, text_patch, window_of
from murmura.lab.films.scenery import INK
from murmura.lab.films.space.bodies import wings
from murmura.lab.films.space.camera import Floats, SpaceCamera
from murmura.lab.films.space.lines import Lines, draw, ring
from murmura.lab.films.wildlife import AFTER_PREY, ANGRY, CALM, RING, bar, outline_of, wildlife

SHADOW = {"dark": 0.55, "light": 0.30}
LEAST, MOST = 9.0, 34.0  # half a hunter's length [px] in a picture of 1280 x 720
SIZE = 12.0  # half its length in the world [u], where worlds are about a thousand wide
RAISED = 0.35  # how steeply wings rise, so that a hunter is seen from the side, too
DROP = {"dark": 0.30, "light": 0.35}


def draw_shadows(
    pixels: NDArray[np.uint8], hunters: Iterable[dict[str, Any]], camera: SpaceCamera, theme: str
) -> None:
    """A hunter's shadow on the floor and the line from it: what tells how high it is."""
    for it in hunters:
        place = np.array([it["x"], it["y"], it["z"]])
        foot = place * (1.0, 1.0, 0.0)
        half = _half(place, camera)[1]
        draw(pixels, Lines(place[None], foot[None], RING[theme], DROP[theme], 1.0, True), camera)
        rim, deep = camera.project(ring(foot, 0.8 * half, (1.0, 0, 0), (0, 1.0, 0), 20))
        if (deep > camera.near).all():
            window = window_of(camera, rim.min(axis=0) - 2.0, rim.max(axis=0) + 2.0)
            if window is not None:
                soft = np.clip(0.5 - outline(rim, True, window) / 4.0, 0.0, 1.0)
                inked(window[0], window[1], [(soft, (0.0, 0.0, 0.0), SHADOW[theme])]).lay(pixels)


def hunters(things: Iterable[dict[str, Any]], camera: SpaceCamera, theme: str, labels: bool) -> list[Patch]:
    """Patches of hunters, the farthest first."""
    found: list[Patch] = []
    for it in sorted(things, key=lambda it: -float(camera.project([it["x"], it["y"], it["z"]])[1])):
        found += [patch for patch in _hunter(it, camera, theme, labels) if patch is not None]
    return found


def food(things: Iterable[dict[str, Any]], camera: SpaceCamera, theme: str) -> list[Patch]:
    """Food and carcasses, drawn flat where they are."""
    found: list[Patch] = []
    for it in things:
        place = (it["x"], it["y"], it["z"])
        if float(camera.project(place)[1]) > camera.near:
            found += wildlife([it], camera.beside(place, it["x"], it["y"]), theme, False)
    return found


def _half(place: Floats, camera: SpaceCamera) -> tuple[float, float]:
    """Half a hunter's length, [px] and [u]."""
    zoom = camera.focal / max(float(camera.project(place)[1]), camera.near)
    pixels = min(MOST * camera.scale, max(LEAST * camera.scale, SIZE * zoom))
    return pixels, pixels / zoom


def _hunter(it: dict[str, Any], camera: SpaceCamera, theme: str, labels: bool) -> Iterable[Patch | None]:
    place = np.array([it["x"], it["y"], it["z"]])
    (x, y), deep = camera.project(place)
    if float(deep) < 2.0 * camera.near:
        return
    size, half = _half(place, camera)
    angry = AFTER_PREY.search(it["state"]) is not None
    body, _ = camera.project(place + half * outline_in_space(it))
    window = window_of(camera, body.min(axis=0) - 2.0, body.max(axis=0) + 2.0)
    if window is not None:
        color = ANGRY[theme] if angry else CALM[theme]
        # Seen edge on it is a line, not nothing.
        yield inked(
            window[0], window[1], [(cover(outline(body, True, window) - 0.7 * camera.scale), color, 1.0)]
        )
    screen = camera.beside(place, 0.0, 0.0)
    yield bar(screen, float(x), float(y) + 1.7 * size, 2.0 * size, it["energy"], theme)
    if labels:
        text, height = f"{it['species']} · {it['state']}".replace("_", " "), 12.0 * camera.scale
        across = text_mask(text, max(7.0, height)).shape[1]
        if 0.0 <= x < camera.width and 0.0 <= y < camera.height:
            top = y + 1.7 * size + 5.0 * camera.scale
            yield text_patch(text, x - across / 2.0, top, height, INK[theme], 0.9, screen)


def outline_in_space(it: dict[str, Any]) -> Floats:
    """A hunter's corners in half lengths: its outline, which lies along its flight, with raised wings."""
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
