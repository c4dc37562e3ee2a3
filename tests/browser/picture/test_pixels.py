"""Agents on the screen are at their positions (U6) and point in their direction of flight (S1-16)."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from matplotlib import image
from scipy import ndimage

from tests.browser.tab import Tab
from tests.view.live import flock

SIDE = 24  # agents in a row: each has its own square, so that no two touch


def _flock() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    cells = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE // 2)), axis=-1).reshape(-1, 2)
    places = (cells + 0.5 + rng.uniform(-0.22, 0.22, cells.shape)) * (1600 / SIDE, 900 / (SIDE // 2))
    angles = rng.uniform(0.0, 2.0 * np.pi, len(places))
    return places, np.stack([np.cos(angles), np.sin(angles)], axis=1) * 3.0


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_agents_are_where_python_says_and_point_where_they_fly(gl_tab: Tab, scheme: str) -> None:
    # S1-14: a cleared picture without remains of the previous one. S1-16: a shape at P, rotated to V.
    tab = gl_tab
    tab.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    places, velocities = _flock()
    simulation = tab.arranged(flock(len(places), **{"display.size": 2.5}), places, velocities)
    for key in "ht":  # no panels, no trails
        tab.page.keyboard.press(key)
    tab.page.mouse.wheel(0, 1)  # a still picture is drawn in full resolution
    tab.until(lambda: tab.page.evaluate("() => document.getElementById('flock').width === innerWidth"))
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    picture = image.imread(io.BytesIO(tab.page.screenshot()))[:, :, :3].astype(float)
    brightness = picture.mean(axis=2)
    ink = np.abs(
        brightness - np.median(brightness, axis=1, keepdims=True)
    )  # the sky changes from top to bottom
    blobs, count = ndimage.label(ink > 0.22)
    sizes = ndimage.sum_labels(ink > 0.22, blobs, range(1, count + 1))
    kept = np.flatnonzero(sizes >= 4) + 1
    middles = np.array(ndimage.center_of_mass(ink, blobs, kept))[:, ::-1] + 0.5
    expected = tab.screen(simulation.positions)
    headings = simulation.velocities / np.linalg.norm(simulation.velocities, axis=1, keepdims=True)
    nearest = np.argmin(np.linalg.norm(expected[:, None] - middles[None], axis=2), axis=1)
    # The centroid of a dart is slightly ahead of or behind its position, by the same distance for all.
    offsets = middles[nearest] - expected
    ahead = np.median((offsets * headings).sum(axis=1))
    errors = np.linalg.norm(offsets - ahead * headings, axis=1)
    report = {"agents": len(expected), "blobs": len(kept), "ahead": ahead, "p99": np.percentile(errors, 99)}
    assert np.mean(errors < 1.0) >= 0.99, json.dumps(report, default=float)
    assert abs(len(kept) - len(expected)) <= 0.01 * len(expected), report
    # The longer axis of each blob is its heading.
    right = 0
    for label, heading in zip(kept[nearest], headings, strict=True):
        rows, columns = np.nonzero(blobs == label)
        _, axes = np.linalg.eigh(np.cov(np.stack([columns, rows])))
        right += abs(axes[:, -1] @ heading) > 0.9
    assert right >= 0.95 * len(expected)
