"""A recorded run, and two flocks side by side, in a real browser."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route

import murmura as mm
from murmura.lab.runs.branching import BranchableRun
from murmura.lab.runs.reading.bare_trajectory import BareTrajectory
from murmura.lab.runs.recording import record
from murmura.view.compare import Pair, SyncedSession
from murmura.view.playback.playback import Playback
from tests.browser.tab import PLAIN, VISITED, WATCH, Tab
from tests.cli.terminal import MURMURA, environment, started
from tests.view.live import PATIENCE, Live, flock

STEPS, EVERY = 60, 6


def opened(browser: Browser, live: Live, *scripts: str) -> Page:
    context = browser.new_context(viewport={"width": 960, "height": 640})
    context.set_default_timeout(1000.0 * PATIENCE)
    name, _, value = live.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": live.origin}])
    for script in (WATCH, PLAIN, *scripts):
        context.add_init_script(script)
    page = context.new_page()
    page.goto(live.origin)
    return page


@pytest.mark.parametrize("bare", [False, True])
def test_a_replay_waits_for_a_watcher_says_so_and_has_its_charts(
    tmp_path: Path, browser: Browser, built: None, bare: bool
) -> None:
    folder = tmp_path / "evening"
    record(mm.Simulation(flock(20), 5, "reference"), STEPS, folder, EVERY)
    run = BareTrajectory(folder / "run.gsd") if bare else BranchableRun(mm.open_run(folder))
    with Live(Playback(run)) as live:
        assert live.session.simulation.step_count == 0 and not live.session.running
        page = opened(browser, live, VISITED)
        try:
            page.get_by_text("A recorded run, from its beginning.").wait_for()
            page.locator(".big-play").get_by_role("button", name="Play").click()
            page.wait_for_function("(last) => globalThis.murmura?.step === last", arg=STEPS)
            page.locator(".line").get_by_text("replay").wait_for()
            assert page.get_by_role("slider", name="Time line of the recorded run").is_visible()
            if not bare:
                with page.expect_download() as waiting:
                    page.get_by_role("button", name="Save as CSV").click()
                table = csv.DictReader(io.StringIO(Path(str(waiting.value.path())).read_text()))
                told = [(float(row["time"]), float(row["polarization"])) for row in table]
                measured = [
                    (row["step"] / 60.0, row["polarization"]) for row in mm.open_run(folder).metrics()
                ]
                assert np.array(told) == pytest.approx(np.array(measured), abs=1e-3)
        finally:
            page.context.close()


def test_a_trajectory_alone_is_replayed_from_the_command_line(
    tmp_path: Path, browser: Browser, built: None
) -> None:
    record(mm.Simulation(flock(20), 5, "reference"), STEPS, tmp_path / "evening", EVERY)
    (tmp_path / "evening" / "run.gsd").rename(tmp_path / "run.gsd")
    words = [*MURMURA, "replay", "run.gsd", "--no-open"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(*words, cwd=tmp_path, env=environment(), **pipes) as process:
        assert process.stdout is not None
        printed = "".join(process.stdout.readline() for _ in range(2))
        found = re.search(r"murmura: (http://\S+)\n", printed)
        assert found is not None, printed
        context = browser.new_context()
        context.set_default_timeout(1000.0 * PATIENCE)
        context.add_init_script(PLAIN)
        page = context.new_page()
        try:
            page.goto(found[1])
            page.locator(".big-play").get_by_role("button", name="Play").click()
            page.wait_for_function("(last) => globalThis.murmura?.step === last", arg=STEPS)
            assert page.evaluate("() => murmura.drawn") == 20
            page.locator(".line").get_by_text("replay").wait_for()
        finally:
            context.close()


# Nothing but the canvas covers these positions.
UNCOVERED = """(places) => {
  const { camera, view } = murmura;
  const at = (value, middle, side) => (value - middle) * camera.zoom + side / 2;
  return places.every(([x, y]) => document.elementFromPoint(at(x, camera.x, view.width), at(y, camera.y, view.height))?.id === 'flock');
}"""  # noqa: E501


def test_two_flocks_side_by_side_are_complete_and_in_sync(browser: Browser, built: None) -> None:
    walled = {"world.boundary": "reflect"}  # a world that wraps fills the window, and part of it lies outside
    sides = [SyncedSession(flock(agents, **walled), 5, "reference") for agents in (12, 15)]
    with Live(Pair(*sides)) as live:  # type: ignore[arg-type]
        page = opened(browser, live, VISITED)  # whose panels were open in a wide window
        try:
            frames = [page.frame_locator(f"iframe[title='The {side} flock']") for side in ("left", "right")]
            halves = [frame for frame in page.frames if frame is not page.main_frame]
            assert len(frames) == len(halves) == 2
            for half, agents in zip(halves, (12, 15), strict=True):
                half.wait_for_function("(all) => globalThis.murmura?.drawn === all", arg=agents)
                # The whole world is visible and clear of the controls.
                half.wait_for_function("""() => {
                  const { camera, view } = murmura;
                  const [x, y] = [camera.x * camera.zoom, camera.y * camera.zoom];
                  return x <= view.width / 2 && y <= view.height / 2 && 1600 * camera.zoom <= view.width;
                }""")
            frames[0].get_by_role("button", name="Pause").click()
            for half in halves:
                half.wait_for_function("() => murmura.running === false")
            halves[1].wait_for_function("(step) => murmura.step >= step", arg=sides[0].position)
            for half, side in zip(halves, sides, strict=True):
                half.wait_for_function(UNCOVERED, arg=side.simulation.positions.tolist())
        finally:
            page.context.close()


def test_a_changed_copy_is_two_clicks_away_and_captioned(tab: Tab) -> None:
    tab.still(flock(40))
    tab.send("step", count=5)
    tab.page.locator("#flock").focus()
    tab.page.keyboard.press("C")
    held: list[Route] = []
    tab.page.route("**/assets/compare-*.js", lambda route: held.append(route))
    tab.page.get_by_role("button", name="No alignment").click()
    tab.page.wait_for_url("**/compare/", wait_until="commit")
    tab.until(lambda: held)
    tab.until(lambda: tab.page.locator("iframe").count() == 2)
    # No half can speak before the page listens: its caption would stay empty.
    assert [half.url for half in tab.page.frames[1:]] == ["about:blank"] * 2
    held[0].continue_()
    place = tab.page.locator("#captions")
    tab.until(lambda: "alignment 0" in place.inner_text())
    before = tab.simulation.scenario.rules.alignment.weight
    assert f"alignment {before:g}" in place.inner_text()
    halves = [frame for frame in tab.page.frames if frame is not tab.page.main_frame]
    for half in halves:
        half.wait_for_function("() => globalThis.murmura?.drawn === 40")
    halves[1].locator("#flock").focus()
    halves[1].locator("body").press("C")  # a copy of a copy is not offered
    halves[1].get_by_text("A copy needs the live view").wait_for()
    tab.page.get_by_role("link", name="Back to one flock").click()
    tab.shows_now()
