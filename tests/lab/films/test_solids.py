"""Obstacles in films of 3-D worlds: their depth and what they hide, checked by marching along rays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.path import Path as Ring

from murmura.lab.films import picture
from murmura.lab.films.request import Look, View
from murmura.lab.films.space.picture import PainterInSpace
from murmura.lab.films.space.solids import plane_in_box, seen_solids

from .test_space import ROOM, SHAPES, SIZE, STILL, moment


def _hits(shape: dict[str, Any], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether each point is inside an obstacle, by an independent implementation."""
    x, y, z = b.T
    points = np.array(shape.get("points", []))
    match shape["kind"]:
        case "circle":
            return (
                np.linalg.norm(b - (shape["x"], shape["y"], shape.get("z", 100.0)), axis=1) < shape["radius"]
            )
        case "cylinder":
            return (
                (np.hypot(x - shape["x"], y - shape["y"]) < shape["radius"]) & (z > 0.0) & (z < shape["top"])
            )
        case "box":
            middle = (np.array(shape["high"]) + shape["low"]) / 2.0
            half = (np.array(shape["high"]) - shape["low"]) / 2.0
            turn = np.radians(-shape.get("turn", 0.0))
            c, s = np.cos(turn), np.sin(turn)
            dx, dy, dz = (b - middle).T
            return (np.abs([c * dx - s * dy, s * dx + c * dy, dz]) < half[:, None]).all(axis=0)
        case "plane":
            sides = [(place - shape["point"]) @ np.array(shape["normal"]) for place in (a, b)]
            inside = ((b > 0.0) & (b < ROOM.world.sides)).all(axis=1)
            return (sides[0] * sides[1] <= 0.0) & inside
        case "wall":
            (ax, ay), (bx, by) = points
            side = [(bx - ax) * (p[:, 1] - ay) - (by - ay) * (p[:, 0] - ax) for p in (a, b)]
            along = (x - ax) * (bx - ax) + (y - ay) * (by - ay)
            within = (along > 0.0) & (along < (bx - ax) ** 2 + (by - ay) ** 2)
            return (side[0] * side[1] <= 0.0) & within & (z > 0.0) & (z < 200.0)
        case _:
            return Ring(points).contains_points(b[:, :2]) & (z > 0.0) & (z < 200.0)


TURNED = {"kind": "box", "low": [150.0, 200.0, 0.0], "high": [250.0, 210.0, 80.0], "turn": 70.0}
DENTED = {
    "kind": "polygon",
    "points": [[60.0, 200.0], [180.0, 200.0], [180.0, 280.0], [120.0, 220.0], [60.0, 280.0]],
}


@pytest.mark.parametrize("shape", [*SHAPES, TURNED, DENTED], ids=lambda shape: f"{shape['kind']}")
def test_pixels_know_how_deep_an_obstacle_lies(shape: dict[str, Any]) -> None:
    """Compared with marching along the ray of each pixel in small steps."""
    camera = PainterInSpace(ROOM, Look(size=SIZE, view=View(elevation=35.0, turn=0.0)))._eye
    solids = seen_solids(ROOM.with_values({"obstacles": [shape]}), camera)
    assert solids is not None
    step = 0.5
    deeps = np.arange(camera.near, 1500.0, step)
    off = found = 0
    for j in range(2, SIZE[1], 6):
        for i in range(2, SIZE[0], 6):
            ray = camera.forward + (i + 0.5 - SIZE[0] / 2) / camera.focal * camera.right
            ray += (SIZE[1] / 2 - j - 0.5) / camera.focal * camera.up
            at = camera.eye + deeps[:, None] * ray
            hits = _hits(shape, at[:-1], at[1:])
            expected = deeps[1:][hits.argmax()] if hits.any() else np.inf
            found += bool(hits.any())
            same = expected == solids.near[j, i] or abs(solids.near[j, i] - expected) < 2.0 * step
            off += not (same and (solids.part[j, i] > 0.4) == bool(hits.any()))
    assert found > 10
    assert off <= 2 + found // 40  # rays that graze an edge, where a round obstacle has forty corners


def test_what_is_behind_an_obstacle_is_not_in_a_film() -> None:
    """Agents, a hunter and its label, compared with marching along rays."""
    ball = {"kind": "circle", "x": 200.0, "y": 150.0, "z": 100.0, "radius": 60.0}
    painter = PainterInSpace(ROOM.with_values({"obstacles": [ball]}), Look(size=SIZE, view=STILL))
    rng = np.random.default_rng(5)
    places = rng.uniform((100.0, 0.0, 40.0), (300.0, 300.0, 160.0), (300, 3))
    flock = moment(places, rng.normal(size=(300, 3)))
    film = painter.paint(flock, 0.1).copy()
    painter._aim(flock)
    ends = painter._marks(flock)[0]
    order = np.argsort(-((places - painter._eye.eye) @ painter._eye.forward), kind="stable")
    pixels = np.diff(ends, prepend=0)
    centre = np.array([ball["x"], ball["y"], ball["z"]])
    ways = painter._eye.eye + np.linspace(0.0, 1.0, 400)[:, None, None] * (places[order] - painter._eye.eye)
    nearest = np.linalg.norm(ways - centre, axis=2).min(axis=0)
    assert (nearest < 50.0).sum() > 40
    assert (pixels[nearest < 50.0] == 0).all()
    assert (pixels[nearest > 70.0] > 0).all()
    solid = film[:, *(int(v) for v in painter._eye.project(centre)[0][::-1])]
    assert solid.max() > 40  # it is visible and opaque


def test_a_hunter_is_hidden_by_the_agents_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    painter = PainterInSpace(ROOM, Look(size=SIZE, view=STILL, closer=6.0, labels=False, trails=0.0))
    middle, forward = np.array(ROOM.world.sides) / 2.0, painter._eye.forward
    agent = moment(middle, painter._eye.up)
    x, y = (int(v) for v in painter._eye.project(middle)[0])

    def seen(*places: np.ndarray) -> np.ndarray:
        names = ("x", "y", "z")
        flight = {
            "vx": 1.0,
            "vy": 0.0,
            "vz": 0.0,
            "heading": 0.0,
            "species": "hawk",
            "state": "hunting",
            "energy": 1.0,
        }
        around = [{"kind": "predator", **flight, **dict(zip(names, at, strict=True))} for at in places]
        monkeypatch.setattr(picture, "surroundings", lambda *_: around)
        return painter.paint(agent, 1e9)[:, y, x].astype(int)

    alone, behind, before = seen(), seen(middle + 20.0 * forward), seen(middle - 20.0 * forward)
    assert np.abs(behind - alone).max() < 0.6 * np.abs(before - alone).max()  # haze lets it shimmer through


def test_a_plane_meets_a_box_in_a_polygon_on_both() -> None:
    corners = plane_in_box((0.0, 0.0, 30.0), (0.0, 0.2, 1.0), (400.0, 300.0, 200.0))
    assert len(corners) == 4
    np.testing.assert_allclose((corners - (0, 0, 30.0)) @ np.array([0.0, 0.2, 1.0]), 0.0, atol=1e-9)
    assert len(plane_in_box((0.0, 0.0, 900.0), (0.0, 0.0, 1.0), (400.0, 300.0, 200.0))) == 0
