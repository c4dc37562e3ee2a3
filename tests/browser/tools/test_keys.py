"""Every key does what the shortcut sheet says (U4, the table of ux 3.3), unless the user is typing or disabled it."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Download

import murmura as mm
from murmura.view.playback.replay import read_record, replay
from tests.browser.tab import Tab
from tests.view.live import flock

# What a key changes: (key, action in the batch, what to observe, its value afterwards as a function of the one before)
Watched = Callable[[Tab], Any]
SEES: list[tuple[str, str, str, Callable[[Any], Any]]] = [
    ("t", "trails", "looks.trails", lambda was: not was),
    ("v", "vision", "looks.vision", lambda was: not was),
    ("n", "neighbors", "looks.neighbors", lambda was: not was),
    ("g", "density", "looks.density", lambda was: not was),
    ("#", "guides", "looks.guides", lambda was: not was),
    ("h", "hide", "looks.hidden", lambda was: not was),
    ("m", "charts", "looks.charts", lambda was: not was),
    ("b", "panel", "looks.panel", lambda was: not was),
    ("j", "feed", "looks.feed", lambda was: not was),
    ("q", "theme", "looks.theme", lambda was: {"system": "light"}[was]),
    ("p", "palette", "looks.palette", lambda was: {"dusk": "aurora"}[was]),
    ("c", "mode", "looks.mode", lambda was: {"heading": "species"}[was]),
    ("i", "attractorTool", "looks.tool", lambda was: "attractor"),
    ("u", "repulsorTool", "looks.tool", lambda was: "repulsor"),
    ("!", "scareTool", "looks.tool", lambda was: "scare"),
    ("Shift+D", "predatorTool", "looks.tool", lambda was: "predator"),
    ("o", "foodTool", "looks.tool", lambda was: "food"),
    ("k", "circleTool", "looks.tool", lambda was: "circle"),
    ("Shift+W", "wallTool", "looks.tool", lambda was: "wall"),
]
DOES: list[tuple[str, str, Watched, Callable[[Any], Any]]] = [
    (".", "step", lambda tab: tab.simulation.step_count, lambda was: was + 1),
    ("+", "more", lambda tab: tab.simulation.agent_count, lambda was: round(was * 1.25)),
    ("-", "fewer", lambda tab: tab.simulation.agent_count, lambda was: round(was * 0.8)),
    ("[", "slower", lambda tab: tab.session.speed, lambda was: was / 2),
    ("]", "faster", lambda tab: tab.session.speed, lambda was: was * 2),
    ("Space", "toggle", lambda tab: tab.session.running, lambda was: not was),
]
ELSEWHERE = {
    "reset",
    "newSeed",
    "screenshot",
    "screenshotLarge",
    "record",
    "link",
    "export",
    "actions",
    "fit",
    "fullScreen",
    "gallery",
    "lessons",
    "panLeft",
    "panRight",
    "panUp",
    "panDown",
    "ride",  # test_space
    "nextBird",  # test_access
    "describe",  # test_page
    "share",  # test_share
    "compare",  # test_recordings
    "rewind",  # test_past
    "forward",
}


BEST = [
    "roosts", "murmuration", "ecosystem", "murmuration-hawk", "shark-and-herring", "fireflies", "mixed", "vicsek",
    "classic",
]  # fmt: skip


def test_keys_change_how_it_looks(tab: Tab) -> None:
    tab.still()
    for key, _, name, expected in SEES:
        was = tab.see(name)
        tab.page.keyboard.press(key)
        assert tab.see(name) == expected(was), key
    assert tab.page.locator('.dock [aria-label="Wall"]').get_attribute("aria-pressed") == "true"
    assert not tab.page.locator(".dock").is_visible()  # H
    tab.page.keyboard.press("h")
    for hidden in (".charts", ".panel"):  # M and B
        assert not tab.page.locator(hidden).is_visible()
    assert tab.page.get_by_label("Colour by", exact=True).input_value() == "species"


def test_keys_act_on_the_simulation(tab: Tab) -> None:
    tab.still()
    for key, _, watch, expected in DOES:
        tab.knows_all()
        goal = expected(watch(tab))
        tab.page.keyboard.press(key)
        tab.until(lambda watch=watch, goal=goal: watch(tab) == goal)
    tab.knows_all()
    tab.page.keyboard.press(".")
    tab.until(lambda: not tab.session.running)  # a single step pauses


def test_r_begins_anew_and_shift_r_with_another_seed(tab: Tab) -> None:
    simulation = tab.still()
    tab.send("step", count=2)
    first = simulation.state_hash()
    tab.page.keyboard.press("r")
    tab.until(lambda: tab.simulation is not simulation)
    assert (tab.simulation.seed, tab.simulation.step_count) == (simulation.seed, 0)
    tab.send("step", count=2)
    assert tab.simulation.state_hash() == first
    again = tab.simulation
    tab.page.keyboard.press("Shift+R")
    tab.until(lambda: tab.simulation is not again)
    assert tab.simulation.seed != again.seed
    tab.until(lambda: str(tab.simulation.seed) in str(tab.page.locator(".hud").text_content()))


def test_digits_load_presets(tab: Tab) -> None:
    tab.send("pause")
    for number, name in enumerate(BEST, start=1):
        tab.page.keyboard.press(str(number))
        tab.until(lambda name=name: tab.session.scenario.name == name)
    tab.until(lambda: tab.page.locator("#preset").input_value() == BEST[8])


def _download(tab: Tab, press: Callable[[], Any]) -> Download:
    with tab.page.expect_download() as waiting:
        press()
    return waiting.value


def _content(download: Download) -> bytes:
    return Path(str(download.path())).read_bytes()


def test_keys_that_save_something(tab: Tab, tmp_path: Path) -> None:
    tab.still(flock(30))
    tab.send("step", count=4)
    tab.until(lambda: tab.see("step") == 4)
    for key, size in (("Shift+S", (960, 540)), ("y", (3840, 2160))):
        picture = _download(tab, lambda key=key: tab.page.keyboard.press(key))
        assert picture.suggested_filename == "murmura-classic-seed7-step4.png"
        assert _content(picture)[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", _content(picture)[16:24]) == size
    scenario = _download(tab, lambda: tab.page.keyboard.press("e"))
    assert mm.Scenario.from_data(json.loads(_content(scenario))) == tab.session.scenario
    actions = _content(_download(tab, lambda: tab.page.keyboard.press("Shift+A")))
    assert json.loads(actions) == tab.session.scene.record()
    # S4-71: with the start, the seed and the step, it repeats what was seen in a bug report.
    (tmp_path / "actions.json").write_bytes(actions)
    seen = replay(read_record(tmp_path / "actions.json")).simulation
    assert (seen.seed, seen.step_count, seen.state_hash()) == (7, 4, tab.simulation.state_hash())


def test_x_records_a_film(tab: Tab) -> None:
    tab.page.keyboard.press("Space")
    tab.page.keyboard.press("x")
    tab.until(tab.page.get_by_role("group", name="Clip").is_visible)
    tab.until(lambda: tab.see("recorded") > 0)
    tab.page.get_by_role("group", name="Clip").get_by_text("0:0").wait_for()
    film = _download(tab, lambda: tab.page.keyboard.press("x"))
    if film.suggested_filename.endswith(".mp4"):  # where the browser can
        assert _content(film)[4:8] == b"ftyp"
    else:
        assert film.suggested_filename.endswith(".webm")
        assert _content(film)[:4] == b"\x1a\x45\xdf\xa3"  # EBML, the container of WebM
    tab.page.get_by_text(f"{film.suggested_filename} was saved").wait_for()


def test_f_fits_and_shift_f_fills_the_screen(tab: Tab) -> None:
    fitted = tab.see("camera")
    tab.page.mouse.move(400, 300)
    tab.page.mouse.wheel(0, -600)
    tab.until(lambda: tab.see("camera.zoom") > 1.5 * fitted["zoom"])
    tab.page.keyboard.press("f")
    tab.until(lambda: tab.see("camera") == fitted)
    tab.page.keyboard.press("Shift+F")
    tab.until(lambda: tab.page.evaluate("() => document.fullscreenElement !== null"))
    tab.page.keyboard.press("Shift+F")
    tab.until(lambda: tab.page.evaluate("() => document.fullscreenElement === null"))


def test_letters_and_arrows_move_the_view(tab: Tab) -> None:
    whole = tab.see("camera")
    step = 0.12 / whole["zoom"]
    for keys, axis, side in (("aA", "x", -960), ("dD", "x", 960), ("wW", "y", -540), ("sS", "y", 540)):
        letter, arrow = keys[0], {"A": "Left", "D": "Right", "W": "Up", "S": "Down"}[keys[1]]
        tab.page.keyboard.press(letter)
        tab.page.keyboard.press(f"Arrow{arrow}")
        goal = whole[axis] + 2 * side * step
        tab.until(lambda axis=axis, goal=goal: abs(tab.see("camera")[axis] - goal) < 1)
        tab.page.keyboard.press("f")
        tab.until(lambda: tab.see("camera") == whole)


def test_escape_lets_everything_go(tab: Tab) -> None:
    tab.still()
    tab.send("select", id=3)
    tab.until(lambda: tab.see("chosen") == 3)
    tab.page.keyboard.press("Shift+W")
    tab.page.keyboard.press("Escape")
    tab.until(lambda: tab.see("chosen") is None and tab.session.watch.selected is None)
    assert tab.see("looks.tool") == "hand"


def _everything(tab: Tab) -> Any:
    return (
        tab.see("looks"),
        tab.session.source.epoch,
        tab.session.running,
        tab.session.speed,
        tab.simulation.step_count,
    )


@pytest.mark.parametrize("where", ["Search settings", "Agents"])
def test_no_key_acts_while_somebody_types(tab: Tab, where: str) -> None:
    tab.still()
    tab.page.get_by_label(where, exact=True).focus()
    before = _everything(tab)
    for key in [*"rRvngthmbcpDokWSxleAjqyadsw.[]13", "Space", "ArrowRight"]:
        tab.page.keyboard.press(key)
    tab.send("pointer", x=0, y=0, mode="none")  # carried out after all that the page may have sent
    assert _everything(tab) == before


def test_the_sheet_names_every_key_and_each_is_tested(tab: Tab) -> None:
    tab.page.keyboard.press("?")
    sheet = tab.page.get_by_role("dialog")
    assert sheet.is_visible()
    listed = set(
        sheet.locator("[data-action]").evaluate_all("(all) => all.map((each) => each.dataset.action)")
    )
    assert listed == {row[1] for row in SEES} | {row[1] for row in DOES} | ELSEWHERE
    assert "show this help" in str(sheet.text_content()) and "deselect" in str(sheet.text_content())
    tab.page.keyboard.press("Escape")
    assert not sheet.is_visible()


def test_keys_can_be_switched_off(tab: Tab) -> None:
    tab.page.keyboard.press("?")
    tab.page.get_by_label("Single-key shortcuts").uncheck()
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("g")
    assert tab.see("looks.density") is False
    tab.page.keyboard.press("?")
    assert tab.page.get_by_role("dialog").is_visible()


def test_keys_can_be_changed_and_stay_so(tab: Tab) -> None:
    def rebind(action: str, key: str) -> None:
        tab.page.keyboard.press("?")
        tab.page.locator(f'[data-action="{action}"]').click()
        tab.page.keyboard.press(key)
        tab.page.get_by_role("button", name="Close").click()

    rebind("density", "y")
    tab.page.keyboard.press("g")
    assert tab.see("looks.density") is False
    tab.page.keyboard.press("y")
    assert tab.see("looks.density") is True
    rebind("trails", "v")  # V loses it
    rebind("toggle", "Backspace")  # no key at all
    tab.reload()
    trails = tab.see("looks.trails")
    tab.page.keyboard.press("v")
    assert (tab.see("looks.trails"), tab.see("looks.vision")) == (not trails, False)
    tab.page.keyboard.press("Space")
    tab.send("pointer", x=0, y=0, mode="none")
    assert not tab.session.running
    tab.page.keyboard.press("?")
    tab.page.get_by_role("button", name="Reset keys").click()
    tab.page.get_by_role("button", name="Close").click()
    tab.page.keyboard.press("Space")
    tab.until(lambda: tab.session.running)
