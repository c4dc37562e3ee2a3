"""Food, carcasses and hunters in a picture, drawn as in the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.camera import Camera
from murmura.lab.films.font import text_mask
from murmura.lab.films.looks import looks
from murmura.lab.films.patches import (
    Patch,
    Rgb,
    centred,
    cover,
    dashed,
    gauge,
    inked,
    outline,
    stroke,
    text_patch,
    window_around,
    window_of,
)
from murmura.lab.films.plane.scenery import INK

FOOD: dict[str, Rgb] = {"dark": (126, 226, 168), "light": (22, 110, 74)}
CARCASS: dict[str, tuple[Rgb, float]] = {"dark": ((226, 170, 150), 0.85), "light": ((120, 60, 40), 0.9)}
ANGRY: dict[str, Rgb] = {"dark": (255, 122, 92), "light": (156, 31, 16)}
CALM: dict[str, Rgb] = {"dark": (255, 217, 168), "light": (74, 43, 18)}
RING: dict[str, Rgb] = {"dark": (255, 140, 110), "light": (156, 31, 16)}
TROUGH: dict[str, Rgb] = {"dark": (220, 230, 255), "light": (20, 30, 50)}
FRESH: dict[str, Rgb] = {"dark": (126, 226, 168), "light": (27, 110, 72)}
AFTER_PREY = re.compile("hunt|chas|dive|diving|attack|stoop|pursu|strik")
BUSY = re.compile("feed|eat|mat|fight")
SEEDS, SUNFLOWER = 12, 2.39996
SHARES = 120  # levels of fullness of a food source, so that most of its patches can be reused
WorldObject = Mapping[str, Any]


def wildlife(objects: Iterable[WorldObject], camera: Camera, theme: str, labels: bool) -> list[Patch]:
    """Patches of the objects of one frame, bottom first."""
    found: list[Patch | None] = []
    hunters: list[Patch | None] = []
    for thing in objects:
        x, y = camera.on_screen([[thing["x"], thing["y"]]])[0].tolist() if "x" in thing else (0.0, 0.0)
        if thing["kind"] == "food":
            share = round(SHARES * _share(thing)) / SHARES
            found.append(
                _food(camera, x, y, max(7.0 * camera.scale, thing["radius"] * camera.zoom), share, theme)
            )
        elif thing["kind"] == "carcass":
            found.append(_carcass(camera, x, y, round(SHARES * _share(thing)) / SHARES, theme))
        elif thing["kind"] == "predator":
            hunters += _hunter(camera, x, y, thing, theme, labels)
    return [patch for patch in (*found, *hunters) if patch is not None]


def _share(thing: WorldObject) -> float:
    return float(min(1.0, thing["amount"] / thing["capacity"])) if thing["capacity"] > 0.0 else 0.0


@lru_cache(maxsize=1024)
def _food(camera: Camera, x: float, y: float, size: float, share: float, theme: str) -> Patch | None:
    """Seeds in a disc, and a ring that shows how much is left."""
    window = window_around(camera, x, y, size + 2.0 * camera.scale)
    if window is None:
        return None
    dx, dy = centred(window, x, y)
    away, rgb = np.hypot(dx, dy) - size, FOOD[theme]
    ring = stroke(away, 2.0 * camera.scale)
    grain, seeds = max(camera.scale, 0.06 * size), np.zeros_like(away)
    for k in range(round(SEEDS * share)):
        angle, far = k * SUNFLOWER, 0.78 * size * ((k + 0.5) / SEEDS) ** 0.5
        away_from_seed = np.hypot(dx - far * np.cos(angle), dy - far * np.sin(angle))
        seeds = np.maximum(seeds, cover(away_from_seed - grain))
    inks = [(cover(away), rgb, 0.08 + 0.2 * share), (ring, rgb, 0.28)]
    inks += [(ring * gauge(dx, dy, share), rgb, 0.95), (seeds, rgb, 0.9)]
    return inked(window[0], window[1], inks)


@lru_cache(maxsize=256)
def _carcass(camera: Camera, x: float, y: float, share: float, theme: str) -> Patch | None:
    """A cross, and a ring that shows how much is left."""
    unit = camera.scale
    window = window_around(camera, x, y, 11.0 * unit)
    if window is None:
        return None
    dx, dy = centred(window, x, y)
    away = np.hypot(dx, dy)
    arms = np.minimum(np.abs(dx - dy), np.abs(dx + dy)) * np.sqrt(0.5)
    cross = cover(np.maximum(arms - unit, away - 5.0 * unit))
    ring = stroke(away - 9.0 * unit, 1.5 * unit) * gauge(dx, dy, share)
    rgb, opacity = CARCASS[theme]
    return inked(window[0], window[1], [(cross, rgb, opacity), (ring, rgb, opacity)])


def _hunter(
    camera: Camera, x: float, y: float, hunter: WorldObject, theme: str, labels: bool
) -> Iterable[Patch | None]:
    """Shape by kind, shadow by height, state as a ring and as text, energy as a bar."""
    size = min(34.0, max(11.0, 12.0 * camera.zoom / camera.scale)) * camera.scale
    high = min(1.0, max(0.0, hunter["altitude"]))
    drop = (x + 0.6 * size * high, y + 1.2 * size * high)
    window = window_around(camera, x, y, 3.2 * size)
    if window is None:
        return
    body = outline_of(hunter["species"]) @ _turn(hunter["heading"]).T * (size * (1.0 + 0.35 * high))
    angry = AFTER_PREY.search(hunter["state"]) is not None
    inks = []
    if high > 0.02:
        inks.append((cover(outline(body + np.array(drop), True, window)), (0.0, 0.0, 0.0), 0.28))
    color = ANGRY[theme] if angry else CALM[theme]
    inks.append((cover(outline(body + np.array([x, y]), True, window)), color, 1.0))
    dx, dy = centred(window, x, y)
    ring = stroke(np.hypot(dx, dy) - 1.7 * size, (2.0 if angry else 1.2) * camera.scale)
    if BUSY.search(hunter["state"]):
        ring = ring * dashed(dx, dy, 1.7 * size, 2.0 * camera.scale, 4.0 * camera.scale)
    elif not angry:
        ring = ring * dashed(dx, dy, 1.7 * size, 6.0 * camera.scale, 6.0 * camera.scale)
    inks.append((ring, RING[theme], 0.9 if angry else 0.35))
    yield inked(window[0], window[1], inks)
    yield bar(camera, x, y + 1.9 * size, 2.2 * size, hunter["energy"], theme)
    if labels:
        text, height = f"{hunter['species']} · {hunter['state']}".replace("_", " "), 12.0 * camera.scale
        across = text_mask(text, max(7.0, height)).shape[1]
        top = y + 1.9 * size + 5.0 * camera.scale
        yield text_patch(text, x - across / 2.0, top, height, INK[theme], 0.95, camera)


def bar(camera: Camera, x: float, top: float, width: float, share: float, theme: str) -> Patch | None:
    height, share = 3.0 * camera.scale, min(1.0, max(0.0, share))
    window = window_of(camera, (x - width / 2.0, top), (x + width / 2.0, top + height))
    if window is None:
        return None
    dx, dy = centred(window, x - width / 2.0, top)
    inside = cover(-dy) * cover(dy - height)
    color = ANGRY[theme] if share < 0.25 else FRESH[theme]
    inks = [(inside * cover(-dx) * cover(dx - width), TROUGH[theme], 0.25)]
    return inked(window[0], window[1], [*inks, (inside * cover(-dx) * cover(dx - width * share), color, 1.0)])


@lru_cache(maxsize=32)
def outline_of(species: str) -> NDArray[np.float64]:
    """Corners of a kind of hunter, nose towards +x, shape (n, 2), from the page's paths, which have only corners."""
    path = next(it["outline"] for it in looks()["hunters"] if re.search(it["names"], species.lower()))
    numbers = [float(text) for text in re.findall(r"-?\d*\.?\d+", path)]
    return np.array(numbers).reshape(-1, 2)


def _turn(angle: float) -> NDArray[np.float64]:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
