"""Food, carcasses and hunters in a picture, drawn as in the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.camera import Camera
from murmura.lab.films.font import text_mask
from murmura.lab.films.looks import corners_of, looks, themed
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
from murmura.lab.films.plane.food import food_patch
from murmura.lab.films.plane.scenery import INK
from murmura.rules.predators.kind import KINDS
from murmura.rules.predators.looks import PLAIN

CARCASS: dict[str, Rgb] = themed("carcass", "rgb")
CARCASS_OPACITY: dict[str, float] = themed("carcass", "alpha")
ATTACKING: dict[str, Rgb] = themed("hunter", "attacking")
CALM: dict[str, Rgb] = themed("hunter", "calm")
RING: dict[str, Rgb] = themed("hunter", "ring")
RIM: dict[str, Rgb] = themed("hunter", "rim")
TROUGH: dict[str, Rgb] = themed("energy", "trough")
LOW: dict[str, Rgb] = themed("energy", "low")
FULL: dict[str, Rgb] = themed("energy", "full")
HUNTER, BONES = looks()["things"]["hunter"], looks()["things"]["carcass"]
SHARES = 120  # levels of fullness of a food source, so that most of its patches can be reused
WorldObject = Mapping[str, Any]


def wildlife(
    objects: Iterable[WorldObject], camera: Camera, theme: str, labels: bool, time: float = 0.0
) -> list[Patch]:
    """Patches of the objects of one frame at a simulated time [s], bottom first."""
    found: list[Patch | None] = []
    hunters: list[Patch | None] = []
    for thing in objects:
        x, y = camera.on_screen([[thing["x"], thing["y"]]])[0].tolist() if "x" in thing else (0.0, 0.0)
        if thing["kind"] == "food":
            share = round(SHARES * _share(thing)) / SHARES
            found.append(food_patch(camera, (x, y), thing["radius"] * camera.zoom, share, theme))
        elif thing["kind"] == "carcass":
            found.append(_carcass(camera, x, y, round(SHARES * _share(thing)) / SHARES, theme))
        elif thing["kind"] == "predator":
            hunters += _hunter(camera, x, y, thing, theme, labels, time)
    return [patch for patch in (*found, *hunters) if patch is not None]


def _share(thing: WorldObject) -> float:
    return float(min(1.0, thing["amount"] / thing["capacity"])) if thing["capacity"] > 0.0 else 0.0


@lru_cache(maxsize=256)
def _carcass(camera: Camera, x: float, y: float, share: float, theme: str) -> Patch | None:
    """Ribs along a spine, and a ring that shows how much is left."""
    unit = camera.scale
    window = window_around(camera, x, y, (BONES["gauge"] + 2.0) * unit)
    if window is None:
        return None
    dx, dy = centred(window, x, y)
    across, along = dx / unit, dy / unit
    spine = np.hypot(np.maximum(0.0, np.abs(across) - BONES["spine"]), along)
    bones = cover((np.minimum(spine, _ribs(across, along)) - 0.5 * BONES["width"]) * unit)
    ring = stroke(np.hypot(dx, dy) - BONES["gauge"] * unit, 1.5 * unit) * gauge(dx, dy, share)
    rgb, opacity = CARCASS[theme], CARCASS_OPACITY[theme]
    return inked(window[0], window[1], [(bones, rgb, opacity), (ring, rgb, opacity)])


def _ribs(dx: NDArray[np.float64], dy: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far the pixels are from the nearest rib, a shallow curve."""
    long = float(BONES["rib"])
    bulge = 1.25 * (1.0 - (dy / long) ** 2) - 1.0
    sideways = np.min([np.abs(dx - at - bulge) for at in BONES["ribs"]], axis=0)
    found: NDArray[np.float64] = np.hypot(sideways, np.maximum(0.0, np.abs(dy) - long))
    return found


def _hunter(
    camera: Camera, x: float, y: float, hunter: WorldObject, theme: str, labels: bool, time: float
) -> Iterable[Patch | None]:
    """Shape by kind, shadow by height, an attack as a ring, state as text, energy as a bar."""
    bounds = HUNTER["size"]
    size = (
        min(bounds["most"], max(bounds["least"], bounds["share"] * camera.zoom / camera.scale)) * camera.scale
    )
    high = min(1.0, max(0.0, hunter["altitude"]))
    drop = (x + 0.6 * size * high, y + 1.2 * size * high)
    window = window_around(camera, x, y, 3.2 * size)
    if window is None:
        return
    yield from _intent(camera, x, y, hunter, theme)
    body = posed(hunter, time) @ _turn(hunter["heading"]).T * (size * (1.0 + 0.35 * high))
    angry = hunter["state"] in HUNTER["attacks_in"]
    inks = []
    if high > 0.02:
        inks.append((cover(outline(body + np.array(drop), True, window)), (0.0, 0.0, 0.0), 0.28))
    edge = outline(body + np.array([x, y]), True, window)
    inks.append((cover(edge), ATTACKING[theme] if angry else CALM[theme], 1.0))
    inks.append((stroke(edge, camera.scale), RIM[theme], 0.5))
    if angry:
        dx, dy = centred(window, x, y)
        inks.append((stroke(np.hypot(dx, dy) - 1.7 * size, 1.5 * camera.scale), RING[theme], 0.7))
    yield inked(window[0], window[1], inks)
    yield bar(camera, x, y + 1.9 * size, 2.2 * size, hunter["energy"], theme)
    if labels:
        text, height = f"{hunter['species']} · {hunter['state']}".replace("_", " "), 12.0 * camera.scale
        across = text_mask(text, max(7.0, height)).shape[1]
        top = y + 1.9 * size + 5.0 * camera.scale
        yield text_patch(text, x - across / 2.0, top, height, INK[theme], 0.95, camera)


def posed(hunter: WorldObject, time: float) -> NDArray[np.float64]:
    """The outline of a hunter at a moment [s]: wings beat, fins swim, in a stoop wings stay folded."""
    corners, state = outline_of(hunter["species"]), hunter["state"]
    if state in HUNTER["rests_in"]:
        return corners
    x, y = corners.T
    is_fish = hunter["species"] in KINDS and KINDS[hunter["species"]].looks.body == "fish"
    facts = HUNTER["fins" if is_fish else "wings"]
    deep = facts["attacking" if state in HUNTER["attacks_in"] else "calm"]
    turn = 2.0 * np.pi * facts["hertz"] * time + hunter["id"]
    if is_fish:
        back = np.maximum(0.0, facts["from"] - x) / 2.0
        return np.column_stack((x, y + deep * back**2 * np.sin(turn - facts["wave"] * x)))
    fold = facts["diving"] if state in HUNTER["dives_in"] else deep * (0.5 - 0.5 * np.cos(turn))
    out = np.maximum(0.0, np.abs(y) - facts["root"])
    return np.column_stack((x - facts["sweep"] * fold * out, y - np.sign(y) * fold * out))


def _intent(camera: Camera, x: float, y: float, hunter: WorldObject, theme: str) -> Iterable[Patch | None]:
    """How far it frightens now."""
    radius, unit = hunter["fright"] * camera.zoom, camera.scale
    window = window_around(camera, x, y, radius + 2.0 * unit) if radius > 0.0 else None
    if window is not None:
        dx, dy = centred(window, x, y)
        away = np.hypot(dx, dy) - radius
        rim = stroke(away, unit) * dashed(
            dx, dy, radius, *(unit * length for length in HUNTER["dash"]["fright"])
        )
        yield inked(window[0], window[1], [(cover(away), RING[theme], 0.05), (rim, RING[theme], 0.4)])


def bar(camera: Camera, x: float, top: float, width: float, share: float, theme: str) -> Patch | None:
    height, share = 3.0 * camera.scale, min(1.0, max(0.0, share))
    window = window_of(camera, (x - width / 2.0, top), (x + width / 2.0, top + height))
    if window is None:
        return None
    dx, dy = centred(window, x - width / 2.0, top)
    inside = cover(-dy) * cover(dy - height)
    color = LOW[theme] if share < 0.25 else FULL[theme]
    inks = [(inside * cover(-dx) * cover(dx - width), TROUGH[theme], 0.25)]
    return inked(window[0], window[1], [*inks, (inside * cover(-dx) * cover(dx - width * share), color, 1.0)])


@lru_cache(maxsize=32)
def outline_of(species: str) -> NDArray[np.float64]:
    """Corners of a kind of hunter, nose towards +x, shape (n, 2)."""
    shown = KINDS[species].looks if species in KINDS else PLAIN
    return corners_of(shown.outline)


def _turn(angle: float) -> NDArray[np.float64]:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
