"""Presets: a gallery with pictures and groups, and the user's own presets in the browser."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
from matplotlib import image

import murmura as mm
from tests.browser.tab import Tab
from tests.view.live import flock

PICTURES = Path(__file__).parents[3] / "docs" / "images" / "gallery"
PAINTED = (
    "(all) => all.filter((each) => getComputedStyle(each).backgroundImage.includes('data:image/webp')).length"
)


def _small(pixels: np.ndarray) -> np.ndarray:
    """Mean colours of 16 by 9 parts of a picture."""
    rows = (np.array_split(row, 16, axis=1) for row in np.array_split(pixels[:, :, :3], 9))
    return np.array([[part.mean(axis=(0, 1)) for part in row] for row in rows])


def test_the_gallery_has_a_picture_of_every_preset_and_loads_them(tab: Tab) -> None:
    tab.send("pause")
    tab.page.keyboard.press("0")
    gallery = tab.page.get_by_role("dialog", name="Scenes")
    assert gallery.is_visible()
    names = gallery.locator("[data-preset]").evaluate_all("(all) => all.map((each) => each.dataset.preset)")
    assert sorted(names) == sorted(mm.scenario_names())
    painted = [name for name in names if (PICTURES / f"{name}.webp").exists()]
    assert gallery.locator("[data-preset] .picture").evaluate_all(PAINTED) == len(painted) > 30
    groups = gallery.get_by_role("heading", level=3).all_inner_texts()
    assert (
        groups[0] == "Begin here" and "Published models" in groups and "More" not in groups
    )  # each has a position in the sprite sheet
    pictures = {each: _small(image.imread(PICTURES / f"{each}.webp") / 255) for each in painted}
    for name in ("ants", "jellyfish", "vicsek"):
        shown = gallery.locator(f'[data-preset="{name}"] .picture').screenshot()
        colors = _small(image.imread(io.BytesIO(shown)))
        apart = {each: np.abs(colors - picture).mean() for each, picture in pictures.items()}
        assert min(apart, key=apart.__getitem__) == name
    gallery.locator('[data-preset="roadmap"] button').click()
    tab.until(lambda: tab.session.scenario.name == "roadmap")
    assert not gallery.is_visible()


def test_a_scene_is_kept_renamed_taken_as_a_file_and_deleted(tab: Tab) -> None:
    tab.still(flock(21))
    wanted = tab.session.scenario
    tab.page.get_by_role("button", name="Scenes").click()
    tab.page.get_by_label("Save the current scene as").fill("twenty-one")
    tab.page.get_by_role("button", name="Keep", exact=True).click()
    tab.until(lambda: tab.page.locator('[data-own="twenty-one"]').count() == 1)
    assert "twenty-one" in tab.page.evaluate("() => localStorage.getItem('murmura.presets')")
    picture = tab.page.get_by_role("button", name="Load twenty-one").locator(".picture")
    assert "data:image/jpeg" in picture.evaluate("(each) => each.style.backgroundImage")
    name = tab.page.get_by_label("Name of twenty-one")
    name.fill("three weeks")
    name.press("Enter")
    tab.until(lambda: tab.page.locator('[data-own="three weeks"]').count() == 1)
    tab.send("load", scenario="roadmap")
    tab.reload()
    tab.page.keyboard.press("0")
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Save three weeks as a file").click()
    data = json.loads(Path(str(waiting.value.path())).read_text())
    assert mm.Scenario.from_data(data) == wanted
    tab.page.get_by_role("button", name="Load three weeks").click()
    tab.until(lambda: tab.session.scenario == wanted)
    tab.page.keyboard.press("0")
    tab.page.get_by_role("button", name="Delete three weeks").click()
    assert tab.page.locator("[data-own]").count() == 0
    tab.reload()
    assert tab.page.locator("[data-own]").count() == 0


def test_no_two_presets_have_the_same_name(tab: Tab) -> None:
    tab.still(flock(21))
    tab.page.get_by_role("button", name="Scenes").click()
    own, told = tab.page.locator("[data-own]"), tab.page.locator("#notes")
    for count, given in enumerate(("one", "two"), start=1):
        tab.page.get_by_label("Save the current scene as").fill(given)
        tab.page.get_by_role("button", name="Keep", exact=True).click()
        tab.until(lambda count=count: own.count() == count)
    tab.page.get_by_role("button", name="Keep", exact=True).click()
    tab.until(lambda: "A preset needs a name." in str(told.text_content()))
    for taken in ("two", ""):
        name = tab.page.get_by_label("Name of one", exact=True)
        name.fill(taken)
        name.press("Enter")
        tab.until(lambda name=name: name.input_value() == "one")
    assert "A preset called two already exists." in str(told.text_content())
    assert own.evaluate_all("(all) => all.map((each) => each.dataset.own)") == ["one", "two"]
