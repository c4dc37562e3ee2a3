"""Pictures are correct: position, direction and fading trail of every agent."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

import murmura as mm
from murmura.compute.raster.plane import blur
from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.engine.reading.frame import Frame
from murmura.lab.films.camera import fitted, scale_of, world_box
from murmura.lab.films.font import text_mask
from murmura.lab.films.light import taps
from murmura.lab.films.picture import FAR, Look, Painter
from murmura.scenario import Scenario, load_scenario
from tests.lab.film_scenes import FIELD, moment

SOURCES = Path(mm.__file__).parent
DART = np.array([(1.0, 0.0), (-1.0, 0.52), (-0.5, 0.0), (-1.0, -0.52)])
"""Corners of an agent in half lengths, as in the page's shader."""
BARE = Look(size=(1280, 720), trails=0.0, labels=False)
HALF = 5.0 * 2.0 * (1600 + 1.6 * 900) / 3200 * (1280 / 1600) * 0.98  # [px] of an agent of size 2 in FIELD


def centroid(corners: np.ndarray) -> np.ndarray:
    """Of a polygon, by the shoelace formula."""
    x, y = corners.T
    x1, y1 = np.roll(corners, -1, axis=0).T
    cross = x * y1 - x1 * y
    return np.array([((x + x1) * cross).sum(), ((y + y1) * cross).sum()]) / (3.0 * cross.sum())


def luminance(pixels: np.ndarray) -> np.ndarray:
    return pixels.astype(float).mean(axis=0)


def blobs(painter: Painter, one: Frame) -> list[tuple[np.ndarray, np.ndarray]]:
    """Spots that are not in an empty picture: the centre of light [px] of each, and its second moments."""
    empty = Painter(painter.scenario, replace(painter.look, follow=None))
    sky = luminance(empty.paint(moment(np.empty((0, 2)), [0.0, 0.0]), 1 / 30))
    light = np.abs(luminance(painter.paint(one, 1 / 30)) - sky)
    light = np.maximum(light - 0.3 * light.max(), 0.0)
    # Thin tips may come apart from their dart by a pixel.
    labels, count = ndimage.label(ndimage.binary_dilation(light > 0.0, np.ones((5, 5))))
    found = []
    for k in range(1, count + 1):
        y, x = np.nonzero(labels == k)
        weights = light[y, x]
        points = np.stack([x, y], axis=1) + 0.5
        centre = np.average(points, axis=0, weights=weights)
        found.append((centre, np.cov((points - centre).T, aweights=weights)))
    return found


def scattered(seed: int = 4, count: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Positions at least 150 u apart, and directions all around."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.arange(6) * 250.0 + 170.0, np.arange(4) * 210.0 + 130.0), axis=-1).reshape(
        -1, 2
    )
    angle = rng.random(count) * 2.0 * np.pi
    return grid[:count] + rng.uniform(-30.0, 30.0, (count, 2)), np.stack(
        [np.cos(angle), np.sin(angle)], 1
    ) * 9.0


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_everybody_is_where_the_moment_says_and_points_where_it_flies(theme: str):
    places, velocities = scattered()
    look = Look(size=(1280, 720), trails=0.0, labels=False, theme=theme, color="speed")  # type: ignore[arg-type]
    painter = Painter(FIELD, look)
    found = blobs(painter, moment(places, velocities))
    assert len(found) == len(places)
    zoom = 1280 / 1600 * 0.98
    for place, velocity in zip(places, velocities, strict=True):
        ahead = velocity / np.hypot(*velocity)
        turn = np.array([[ahead[0], -ahead[1]], [ahead[1], ahead[0]]])
        nose = (place - (800, 450)) * zoom + (640, 360)
        middle = nose + HALF * (turn @ centroid(DART))
        centre, spread = min(found, key=lambda blob: np.hypot(*(blob[0] - middle)))
        # Light falls off by a quarter towards the tail, which shifts the centre slightly towards the nose.
        assert np.hypot(*(centre - middle)) < 0.1 * HALF
        back = nose - centre
        assert back @ ahead / np.hypot(*back) > np.cos(np.radians(12))
        axis = np.linalg.eigh(spread)[1][:, 1]
        assert abs(axis @ ahead) > np.cos(np.radians(5))


def test_a_picture_covers_what_the_shape_covers():
    """The area of the darts, from an independent polygon filler with 16 samples per pixel."""
    places, velocities = scattered()
    from murmura.compute.raster.plane import add_light, boxes, touch

    camera = fitted(world_box(FIELD.world), 1280, 720, 1.0)
    at = camera.on_screen(places)
    ahead = velocities / np.hypot(*velocities.T)[:, None]
    canvas = np.zeros((4, 720, 1280), np.float32)
    f = np.float32
    darts = at.astype(f), ahead.astype(f), np.full(len(at), 11.0, f), np.zeros(len(at), bool)
    around, ends = np.empty((len(at), 4), np.int64), np.empty(len(at), np.int64)
    room = boxes(1280, 720, darts[0], darts[2], darts[3], around) + 1
    marks = ends, np.empty(room, np.int32), np.empty(room, f), np.empty(room, f)
    touch(1280, *darts, around, *marks)
    add_light(canvas.reshape(4, -1), *marks, np.ones((len(at), 3), f), f(1))
    samples = (np.arange(4) + 0.5) / 4
    x, y = np.meshgrid(*(np.add.outer(np.arange(n), samples).ravel() for n in (1280, 720)))
    inside = np.zeros_like(x, bool)
    for (cx, cy), (ux, uy) in zip(at, ahead, strict=True):
        box = np.s_[int(4 * (cy - 13)) : int(4 * (cy + 13)), int(4 * (cx - 13)) : int(4 * (cx + 13))]
        along = ((x[box] - cx) * ux + (y[box] - cy) * uy) / 11.0
        across = np.abs((y[box] - cy) * ux - (x[box] - cx) * uy) / 11.0
        inside[box] |= (across <= 0.26 * (1.0 - along)) & (along >= -0.5 - across * 0.5 / 0.52)
    covered = inside.reshape(720, 4, 1280, 4).mean(axis=(1, 3))
    # Tips are a little too sharp, as in the live view: the distance from a corner is not that from its sides.
    assert np.abs(canvas[3] - covered)[covered > 0.0].mean() < 0.06
    assert np.abs(canvas[3].sum() / covered.sum() - 1.0) < 0.02


def test_a_recorded_heading_turns_who_stands_still():
    still = moment([[800.0, 450.0]], [0.0, 0.0], heading=np.array([np.pi / 2], np.float32))
    ((centre, spread),) = blobs(Painter(FIELD, BARE), still)
    axis = np.linalg.eigh(spread)[1][:, 1]
    assert abs(axis[1]) > 0.99
    assert centre[1] < 360.0  # the tail is heavier, and is opposite to the heading: above


def trail(trails: float) -> np.ndarray:
    """Light behind an agent that flies right, at its positions 4, 8, 12, 16 and 20 pictures ago."""
    look = Look(size=(640, 360), trails=trails, labels=False)
    painter = Painter(FIELD, look)
    sky = luminance(Painter(FIELD, look).paint(moment(np.empty((0, 2)), [0.0, 0.0]), 1 / 30))
    for k in range(24, 60):
        pixels = painter.paint(moment([[200.0 + 16.0 * k, 450.0]], [16.0, 0.0], k), 1 / 30)
    zoom = 640 / 1600 * 0.98
    columns = [int((200.0 + 16.0 * (59 - k) - 800) * zoom + 320) for k in (4, 8, 12, 16, 20)]
    return np.array([(luminance(pixels) - sky)[176:184, c - 2 : c + 3].max() for c in columns])


def test_trails_fade_the_farther_back_the_fainter():
    light = trail(0.9)
    assert (np.diff(light) < 0.0).all()
    assert light[0] > 6.0 and light[-1] > 2.0
    assert light[-1] < 0.75 * light[0]


def test_longer_trails_last_longer_and_none_leave_none():
    long, short = trail(2.5), trail(0.5)
    assert long[-1] / long[0] > 1.2 * short[-1] / short[0]
    assert trail(0.0).max() < 3.0


def test_the_glow_of_a_dense_flock_does_not_fill_the_sky():
    """Two thousand birds in one place are bright, but the sky around them stays dark."""
    middle = np.tile([[800.0, 450.0]], (2000, 1))
    crowd = moment(middle, np.tile([3.0, 0.0], (2000, 1)))
    sky = luminance(Painter(FIELD, BARE).paint(moment(np.empty((0, 2)), [0.0, 0.0]), 1 / 30))
    light = luminance(Painter(FIELD, BARE).paint(crowd, 1 / 30)) - sky
    assert light[355:365, 635:645].max() > 120
    far = np.hypot(*np.meshgrid(np.arange(1280) - 640.0, np.arange(720) - 360.0))
    assert light[(far > 100) & (far < 110)].max() < 40


@pytest.mark.parametrize("glow", [0.0, 1.0])
def test_the_glow_has_its_strength(glow: float):
    """Blurring keeps the sum of the light, so the near and the far glow add 1.5 and 2.1 gains of it."""
    painter = Painter(FIELD.with_values({"display.glow": glow}), BARE)
    painter.paint(moment([[800.0, 450.0]], [3.0, 0.0]), 1 / 30)
    by, (height, width) = painter._near_by, painter._near.shape[1:]
    squares = painter._trails[:, : height * by, : width * by].reshape(-1, height, by, width, by)
    light = squares.mean(axis=(2, 4), dtype=np.float64) * painter._faded
    light /= np.sqrt(1.0 + light.max(axis=0) ** 2)
    gain = 0.8 + 2.5 * glow
    assert light.sum() > 0.0
    assert painter._near.sum(dtype=np.float64) / light.sum() == pytest.approx(3.6 * gain, rel=0.01)


@pytest.mark.parametrize("reach", [1.0, 1.6])
def test_the_blur_is_that_of_the_page(reach: float):
    """The shader's thirteen taps: the same weights, at the same distances."""
    text = (SOURCES / "view/web/src/render/gl/shaders.ts").read_text()
    centre = float(re.findall(r"texture\(u_image, v_uv\) \* ([0-9.]+)", text)[0])
    both = re.findall(r"v_uv \+ u_axis \* ([0-9.]+)\).*\)\) \* ([0-9.]+)", text)
    weights = taps(reach).astype(np.float64)
    assert len(both) == 3 and weights[0] == pytest.approx(centre)
    assert weights[0] + 2.0 * weights[1:].sum() == pytest.approx(1.0, abs=1e-3)
    places = np.arange(len(weights))
    assert (weights * places).sum() == pytest.approx(reach * sum(float(at) * float(w) for at, w in both))
    light = np.zeros((1, 41, 41), np.float32)
    light[0, 20, 20] = 1.0
    expected = light[0].astype(np.float64)
    for axis in (0, 1):
        expected = ndimage.correlate1d(expected, [*weights[:0:-1], *weights], axis=axis, mode="nearest")
    blur(light, np.empty_like(light), taps(reach))
    np.testing.assert_allclose(light[0], expected, atol=1e-6)


def spread(weights: np.ndarray) -> float:
    """The variance of weights around the first, on both sides of it [px^2]."""
    return float(2.0 * (weights * np.arange(len(weights)) ** 2).sum())


def test_the_far_glow_is_as_wide_as_the_pages():
    """It is the blurred near one, reduced and blurred once more."""
    text = (SOURCES / "view/web/src/render/gl/renderer.ts").read_text()
    near, far = (float(reach) for reach in re.findall(r"this\.smooth\(\w+, \w+, ([0-9.]+)\)", text))
    painter = Painter(FIELD, BARE)
    painter.paint(moment([[800.0, 450.0]], [3.0, 0.0]), 1 / 30)
    light = painter._far.sum(axis=(0, 1), dtype=np.float64)
    light, x = light / light.sum(), np.arange(len(light))
    found = (light * x**2).sum() - (light * x).sum() ** 2
    assert found == pytest.approx(spread(taps(far)) + spread(taps(near)) / FAR**2, rel=0.1)


def test_the_same_moments_give_the_same_pixels():
    places, velocities = scattered()
    both = []
    for _ in range(2):
        painter = Painter(FIELD, Look(size=(640, 360)))
        for k in range(3):
            pixels = painter.paint(moment(places + k, velocities, k), 1 / 30)
        both.append(pixels.copy())
    assert np.array_equal(*both)


def test_a_picture_says_its_time_and_step():
    painter = Painter(FIELD, Look(size=(1280, 720)))
    nobody = np.empty((0, 2))
    pixels = luminance(painter.paint(moment(nobody, [0.0, 0.0], 1200), 1 / 30)).copy()
    other = luminance(painter.paint(moment(nobody, [0.0, 0.0], 1300), 1 / 30))
    changed = np.nonzero(np.abs(pixels - other) > 30)
    assert changed[0].min() > 680 and changed[1].min() > 1000
    mask = text_mask("20.00 s · step 1,200", 15.0)
    corner = pixels[-14 - mask.shape[0] : -14, -14 - mask.shape[1] : -14]
    assert np.corrcoef(mask.ravel(), corner.ravel())[0, 1] > 0.99


def test_hunters_are_larger_and_have_wings():
    scenario = load_scenario("mixed")
    hunter = [kind.name for kind in scenario.species].index("hunter")
    one = moment([[1000.0, 625.0]], [5.0, 0.0])
    sizes = []
    for species in (0, hunter):
        painter = Painter(scenario, Look(size=(1280, 720), trails=0.0, labels=False))
        ((_, spread),) = blobs(painter, replace(one, species=np.array([species])))
        sizes.append(np.sqrt(np.linalg.eigvalsh(spread)))
    assert (sizes[1] > 1.5 * sizes[0]).all()


def test_obstacles_and_points_are_drawn_where_they_are():
    scenario = Scenario.from_data(
        {
            "world": {"width": 1600.0, "height": 900.0},
            "obstacles": [
                {"kind": "circle", "x": 400.0, "y": 300.0, "radius": 100.0},
                {
                    "kind": "polygon",
                    "points": [[900.0, 200.0], [1100.0, 200.0], [1100.0, 400.0], [900.0, 400.0]],
                },
                {"kind": "wall", "points": [[300.0, 700.0], [700.0, 700.0]]},
            ],
            "rules": {"attractors": {"points": [{"x": 1200.0, "y": 700.0, "strength": 2.0, "radius": 90.0}]}},
        }
    )
    nobody = moment(np.empty((0, 2)), [0.0, 0.0])
    with_things = luminance(Painter(scenario, BARE).paint(nobody, 1 / 30))
    without = luminance(Painter(FIELD, BARE).paint(nobody, 1 / 30))
    more = with_things - without
    zoom = 1280 / 1600 * 0.98

    def at(x: float, y: float) -> float:
        row, column = int((y - 450) * zoom + 360), int((x - 800) * zoom + 640)
        return float(more[row - 1 : row + 2, column - 1 : column + 2].max())

    inside, outside, edges = (
        [(400, 300), (1000, 300)],
        [(400, 460), (1000, 460), (500, 730)],
        [(500, 300), (1100, 300)],
    )
    assert all(15 < at(*place) < 60 for place in inside)
    assert all(abs(at(*place)) < 3 for place in outside)
    assert all(at(*place) > 80 for place in [*edges, (500, 700)])
    assert 15 < at(1200, 700) < 120  # the glow of an attractor


def test_the_camera_stays_with_an_agent_across_the_seam():
    painter = Painter(FIELD, Look(size=(640, 360), trails=0.0, labels=False, follow=1))
    for x in (1580.0, 1598.0, 6.0, 30.0):
        others = [(x + 1600.0 - 60.0) % 1600.0, x, (x + 60.0) % 1600.0]
        found = blobs(painter, moment([[o, 450.0] for o in others], [9.0, 0.0]))
        assert len(found) == 3
        columns = sorted(centre[0] for centre, _ in found)
        assert abs(columns[1] - 320.0) < 6.0
        assert np.diff(columns) == pytest.approx([60.0 * 4 * 0.4 * 0.98] * 2, abs=0.5)


def test_following_somebody_who_is_not_there_is_refused():
    painter = Painter(FIELD, Look(size=(640, 360), follow=99))
    with pytest.raises(UnknownNameError, match="no agent has the id 99 at step 0; ids: 0 to 2"):
        painter.paint(moment([[1.0, 1.0]] * 3, [1.0, 0.0]), 1 / 30)


def test_colours_need_their_column():
    painter = Painter(FIELD, Look(size=(640, 360), color="energy"))
    with pytest.raises(ScenarioError, match="needs the column 'energy', which was not recorded"):
        painter.paint(moment([[1.0, 1.0]], [1.0, 0.0]), 1 / 30)


@pytest.mark.parametrize("size", [(64, 64), (641, 359), (70, 2000)])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_any_size_can_be_painted(size: tuple[int, int], theme: str):
    painter = Painter(FIELD, Look(size=size, theme=theme))  # type: ignore[arg-type]
    pixels = painter.paint(moment(scattered()[0], [3.0, 4.0]), 1 / 30)
    assert pixels.shape == (3, size[1], size[0])
    assert scale_of(*size) > 0.0 and pixels.std() > 2.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": (10, 720)}, "64 to 8192 pixels wide and high, got 10x720"),
        ({"theme": "blue"}, "theme must be dark or light, got 'blue'"),
        ({"trails": -1.0}, "trails must last from 0 to 60 seconds"),
        ({"color": "spead"}, "did you mean 'speed'"),
        ({"color": "heading", "palette": "viridis"}, "palettes for heading: dusk, aurora"),
        ({"follow": "leader"}, "id of an agent or .flock., got 'leader'"),
    ],
)
def test_wrong_looks_are_refused(wrong: dict[str, object], message: str):
    with pytest.raises(ScenarioError, match=message):
        Look(**wrong)  # type: ignore[arg-type]
