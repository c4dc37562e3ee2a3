"""What one sees after minutes is still a flock, not a box along the axes of the world."""

from __future__ import annotations

import inspect
import io

import numpy as np
import pytest
from matplotlib import image
from numpy.typing import NDArray
from scipy import ndimage

import murmura as mm
from murmura.cli.live import live
from tests.browser.tab import Tab
from tests.sizes import size
from tests.validate.outline import share_along_axes

DEFAULT = inspect.signature(live).parameters["scenario"].default
MINUTE = 3600  # steps


# tests/validate/test_boxes.py measures all of them without a browser; here what is drawn is measured.
@pytest.mark.parametrize("name", size([DEFAULT], [DEFAULT, "starling-bowl", "fish-bowl"]))
def test_a_flock_is_not_seen_to_become_a_box(tab: Tab, name: str) -> None:
    scenario = mm.load_scenario(name).with_values({"agents": 300})
    sim = mm.Simulation(scenario, seed=2, backend="cpu", threads=1)
    for key in "ht":  # no panels, no trails
        tab.page.keyboard.press(key)
    found = []
    sim.step(MINUTE)  # by then groups have formed
    for _ in range(size(6, 10)):
        sim.step(MINUTE // 2)
        tab.arranged(scenario, sim.positions, sim.velocities)
        found.append(share_along_axes(_seen(tab)))
    assert np.mean(found) < 0.33


def _seen(tab: Tab) -> NDArray[np.float64]:
    """Where the picture differs from the sky, in world units."""
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    picture = image.imread(io.BytesIO(tab.page.locator("#flock").screenshot()))[:, :, :3].astype(float)
    brightness = picture.mean(axis=2)
    ink = np.abs(brightness - np.median(brightness, axis=1, keepdims=True)) > 0.22
    blobs, count = ndimage.label(ink)
    assert count > 20
    middles = np.array(ndimage.center_of_mass(ink, blobs, range(1, count + 1)))[:, ::-1]
    camera, view = tab.see("camera"), tab.see("view")
    return np.asarray((middles - (view["width"] / 2, view["height"] / 2)) / camera["zoom"])
