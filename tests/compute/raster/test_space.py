"""Sky, ground and bodies of films in space, against the same formulas in NumPy, pixel by pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from murmura.compute.raster.space import body_boxes, touch_bodies
from murmura.compute.raster.world import paint_world
from murmura.lab.films.space.bodies import BIRD, FISH
from murmura.lab.films.space.camera import axes

WIDTH, HEIGHT, FOCAL = 150, 60, 80.0
WORLD = np.array([400.0, 300.0, 50.0, 900.0, 180.0, 160.0])  # sides, square, haze, and where the camera looks
SUN = np.array([-0.6, 0.8, 0.0])


def smooth(low: float, high: float, value: Any) -> Any:
    t = np.clip((value - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def expected_world(camera: Any, eye: Any, colors: Any, floor: bool, endless: bool, shadows: Any) -> Any:
    """What is seen along the ray through each pixel, from 0 to 1, shape (3, height, width)."""
    u, v = np.meshgrid(np.arange(WIDTH) + 0.5 - WIDTH / 2.0, HEIGHT / 2.0 - np.arange(HEIGHT) - 0.5)
    right, up, forward = camera
    ray = forward + (u[..., None] * right + v[..., None] * up) / FOCAL
    length, flat = np.linalg.norm(ray, axis=-1), np.linalg.norm(ray[..., :2], axis=-1)
    rise = ray[..., 2] / length
    high = np.maximum(rise, 0.0) if floor else np.clip(0.25 + 0.9 * rise, 0.0, 1.0)
    ember = np.exp(-2.6 * (1.0 - ray @ SUN / flat) - 5.0 * (high if floor else np.abs(rise)))
    first, second = smooth(0.0, 0.22, high)[..., None], smooth(0.15, 0.75, high)[..., None]
    sky = colors[0] + (colors[1] - colors[0]) * first
    sky = sky + (colors[2] - sky) * second + colors[3] * ember[..., None]
    if not floor:
        return sky.transpose(2, 0, 1)
    below = rise < 0.0
    along = np.where(below, -eye[2] / np.where(below, ray[..., 2], -1.0), 1.0)
    x, y = eye[0] + along * ray[..., 0], eye[1] + along * ray[..., 1]
    haze = 1.0 - np.exp(-((along * length / WORLD[3]) ** 1.5))
    across = along * length / FOCAL
    deep = across / np.abs(rise)
    sx = (np.abs(ray[..., 0]) * deep + np.abs(ray[..., 1]) * across) / flat
    sy = (np.abs(ray[..., 1]) * deep + np.abs(ray[..., 0]) * across) / flat
    lines, dim = np.zeros_like(x), np.ones_like(x)
    for place, seen in ((x, sx), (y, sy)):
        away = np.abs(place - np.round(place / WORLD[2]) * WORLD[2])
        faint = np.clip(2.0 - 2.0 * seen / (0.4 * WORLD[2]), 0.0, 1.0)
        lines = np.maximum(lines, np.maximum(0.0, 1.0 - away / seen) * faint)
    i, j = np.floor(x / WORLD[0] * 8).astype(int), np.floor(y / WORLD[1] * 6).astype(int)
    if endless:
        off = np.maximum(np.abs(x - WORLD[4]) / WORLD[0], np.abs(y - WORLD[5]) / WORLD[1])
        dark = shadows[j % 6, i % 8] * np.clip((0.5 - off) * 14.0, 0.0, 1.0)
    else:
        beyond = np.maximum(np.maximum(-x, x - WORLD[0]) / sx, np.maximum(-y, y - WORLD[1]) / sy)
        dim = 1.0 - 0.18 * np.clip(0.5 + beyond, 0.0, 1.0)
        lines = np.maximum(lines, np.maximum(0.0, 1.0 - np.abs(beyond) / 1.2))
        inside = (x >= 0) & (x < WORLD[0]) & (y >= 0) & (y < WORLD[1])
        dark = np.where(inside, shadows[np.clip(j, 0, 5), np.clip(i, 0, 7)], 0.0)
    soil = colors[4] * dim[..., None]
    soil = (soil + (colors[5] - soil) * 0.5 * lines[..., None]) * (1.0 - dark)[..., None]
    seen = np.where(below[..., None], soil + (sky - soil) * haze[..., None], sky)
    return seen.transpose(2, 0, 1)


@pytest.mark.parametrize(("floor", "endless"), [(True, False), (True, True), (False, True)])
@pytest.mark.parametrize("angles", [(0.4, 0.15), (3.9, 0.7)])
def test_sky_and_ground_are_those_of_every_ray(
    floor: bool, endless: bool, angles: tuple[float, float]
) -> None:
    rng = np.random.default_rng(2)
    colors = rng.uniform(0.1, 0.6, (6, 3))
    camera = axes(*angles)
    eye = np.array([180.0, 160.0, 30.0]) - 300.0 * camera[2]
    shadows = np.full((6, 8), 0.3)  # constant, so that interpolation between cells does not matter
    seen, grain = np.empty((3, HEIGHT, WIDTH), np.float32), np.zeros((HEIGHT, WIDTH), np.float32)
    paint_world(
        seen, grain, np.stack([*camera, eye, SUN]).astype(np.float32), np.float32(FOCAL), colors.astype(np.float32),
        WORLD.astype(np.float32), floor, endless, np.pad(shadows, 1, "edge").astype(np.float32),
    )  # fmt: skip
    away = np.abs(seen / 255.0 - expected_world(camera, eye, colors, floor, endless, shadows))
    # One pixel may lie on either side of the world's edge, where the shadow ends.
    assert np.quantile(away, 0.999) < 1.5 / 255.0
    assert away.mean() < 0.1 / 255.0


def test_shadows_are_interpolated_between_cells_and_across_the_edge() -> None:
    """Seen from straight above, without lines and haze: between four cells, shadows are their weighted mean."""
    colors = np.zeros((6, 3), np.float32)
    colors[4:] = 1.0
    world = np.array([8.0, 6.0, 1e6, 1e9, 4.0, 3.0], np.float32)
    shadows = np.random.default_rng(3).uniform(0.0, 0.9, (6, 8))
    seen, grain = np.empty((3, HEIGHT, WIDTH), np.float32), np.zeros((HEIGHT, WIDTH), np.float32)
    camera = np.stack([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [4.0, 3.0, 10.0], SUN])
    paint_world(
        seen, grain, camera.astype(np.float32), np.float32(200.0), colors, world, True, True,
        np.pad(shadows, 1, "wrap").astype(np.float32),
    )  # fmt: skip
    x = 4.0 + (np.arange(WIDTH) + 0.5 - WIDTH / 2.0) / 20.0
    y = 3.0 + (HEIGHT / 2.0 - np.arange(HEIGHT) - 0.5) / 20.0
    found = 1.0 - seen[0] / 255.0
    for row, column in ((5, 80), (30, 75), (55, 60), (30, 30), (12, 110)):
        u, v = x[column] - 0.5, y[row] - 0.5
        i, j = int(np.floor(u)), int(np.floor(v))
        p, q = u - i, v - j
        four = shadows[np.ix_([j % 6, (j + 1) % 6], [i % 8, (i + 1) % 8])]
        mixed = np.array([1.0 - q, q]) @ four @ np.array([1.0 - p, p])
        assert found[row, column] == pytest.approx(mixed, abs=2e-3)


def far_from(triangle: Any, places: Any) -> Any:
    """Signed distances of places (n, 2) from a triangle, by its three edges."""
    sides, least = [], np.full(len(places), np.inf)
    for a, b in zip(triangle, np.roll(triangle, -1, axis=0), strict=True):
        edge, way = b - a, places - a
        part = np.clip(way @ edge / max(edge @ edge, 1e-6), 0.0, 1.0)
        least = np.minimum(least, np.linalg.norm(way - part[:, None] * edge, axis=1))
        sides.append(edge[0] * way[:, 1] - edge[1] * way[:, 0])
    inside = (np.min(sides, axis=0) > 0.0) | (np.max(sides, axis=0) < 0.0)
    return np.where(inside, -least, least)


@pytest.mark.parametrize("wall", [False, True])
@pytest.mark.parametrize("body", [BIRD, FISH])
def test_bodies_cover_what_their_faces_cover(body: Any, wall: bool) -> None:
    """Where an obstacle is nearer than a body, it covers nothing."""
    rng = np.random.default_rng(4)
    places = rng.uniform(0.0, 40.0, (8, 1, 2))
    corners = places + rng.normal(0.0, 4.0, (8, len(body.corners), 2))
    corners[7] -= 500.0  # outside the picture
    corners, shades = (
        corners.astype(np.float32),
        rng.uniform(0.5, 1.0, (8, len(body.faces))).astype(np.float32),
    )
    fades = np.array([1.0, 0.5, 1.0, 0.0, 1.0, 1.0, 0.3, 1.0], np.float32)
    around, ends = np.empty((8, 4), np.int64), np.empty(8, np.int64)
    room = body_boxes(40, 40, corners, fades, around)
    found = np.empty(room + 1, np.int32), np.empty(room + 1, np.float32), np.empty(room + 1, np.float32)
    deeps = np.array([9.0, 3.0, 8.0, 1.0, 7.0, 2.0, 6.0, 5.0], np.float32)
    near = np.full((40, 40), np.inf, np.float32) if wall else np.empty((0, 0), np.float32)
    near[:, :20] = 4.0  # in the left half of the picture
    touch_bodies(40, corners, body.faces, shades, fades, deeps, near, around, ends, *found)
    middles = np.stack(np.meshgrid(np.arange(40), np.arange(40)), axis=-1).reshape(-1, 2) + 0.5
    begin = 0
    for k, end in enumerate(ends.tolist()):
        far = np.array([far_from(corners[k, face].astype(float), middles) for face in body.faces])
        covered = np.clip(0.65 - far.min(axis=0), 0.0, 1.0) * fades[k]
        if wall and deeps[k] > 4.0:
            covered[middles[:, 0] < 20.0] = 0.0
        # Next to an edge that two faces share, either may give its light.
        nearest = np.where(far <= far.min(axis=0) + 1e-4, covered * shades[k][:, None], np.inf)
        pixels, parts, lit = (each[begin:end] for each in found)
        assert set(np.flatnonzero(covered > 1e-4)) <= set(pixels) and (np.diff(pixels) > 0).all()
        np.testing.assert_allclose(parts, covered[pixels], atol=2e-4)
        assert (np.abs(lit - nearest[:, pixels]).min(axis=0) < 2e-4).all()
        begin = end
    assert ends[3] == ends[2] and ends[7] == ends[6]
