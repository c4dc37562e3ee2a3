"""Recording a run from the page, saving the state, and copying the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import murmura as mm
from murmura.lab.runs.live_recording import LiveRunRecorder
from murmura.view.standalone import scene as scenes
from murmura.view.standalone.live_values import vector_of
from tests.browser.tab import Tab
from tests.view.live import flock


@pytest.fixture
def recorder(tab: Tab, tmp_path: Path) -> Iterator[Path]:
    """A folder for runs, which the server of these tests lacks."""
    tab.live.recorder.recorder = LiveRunRecorder(tmp_path)
    yield tmp_path
    tab.live.recorder.recorder = None


def test_a_run_is_recorded_and_the_state_saved(tab: Tab, recorder: Path) -> None:
    tab.still(flock(20))
    tab.page.get_by_text("Runs and files").click()
    tab.page.get_by_role("button", name="Record a run").click()
    stop = tab.page.get_by_role("button", name="Stop recording the run")
    tab.until(stop.is_visible)
    for _ in range(3):
        tab.send("step", count=6)
        tab.until(lambda: tab.session.pacing.left == 0)
    tab.until(lambda: tab.see("step") == 18)
    stop.click()
    told = tab.page.locator(".files .told")
    tab.until(lambda: "murmura replay" in str(told.text_content()))
    run = mm.open_run(recorder / "classic-seed7-1")
    assert run.frames.steps.tolist()[0] == 0 and run.final_hash == tab.simulation.state_hash()
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Save the state").click()
    assert waiting.value.suggested_filename == "murmura-classic-seed7-step18.npz"
    restored = mm.Simulation.restore(Path(str(waiting.value.path())), "reference")
    assert restored.state_hash() == tab.simulation.state_hash()
    with pytest.MonkeyPatch.context() as patch, tab.page.expect_download() as waiting:
        patch.setattr(
            scenes,
            "live_values",
            lambda s: {"ranges": {}, "expressions": {}, "vector": vector_of(s).tolist()},
        )
        tab.page.get_by_role("button", name="Save as a page").click()
        page = Path(str(waiting.value.path())).read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "classic.html"
    assert "murmura-data" in page and "Content-Security-Policy" in page


def test_a_recording_that_was_begun_elsewhere_is_shown_and_can_be_ended(tab: Tab, recorder: Path) -> None:
    tab.still(flock(20))
    body = "JSON.stringify({ on: true })"
    tab.page.evaluate(f"async () => {{ await fetch('./api/record', {{ method: 'POST', body: {body} }}); }}")
    tab.page.get_by_text("Runs and files").click()
    tab.page.get_by_role("button", name="Stop recording the run").click()
    tab.until(tab.page.get_by_role("button", name="Record a run", exact=True).is_visible)
    assert mm.open_run(recorder / "classic-seed7-1").frames.steps.tolist() == [0]


def _command(tab: Tab) -> str:
    """The command that is shown, once the clipboard has it too."""
    told = str(tab.page.locator(".files .told").text_content())
    tab.until(lambda: tab.page.evaluate("() => navigator.clipboard.readText()") == told)
    return told


def test_the_command_makes_the_same_run(tab: Tab) -> None:
    tab.send("load", scenario="vicsek")
    tab.shows_now()
    tab.page.get_by_text("Runs and files").click()
    copy = tab.page.get_by_role("button", name="Copy the command")
    copy.click()
    assert _command(tab) == "murmura run vicsek --seed 7 --steps 600 --out vicsek-run"
    # Not the shipped one of that name: changed since, or loaded with another number of agents.
    few = mm.load_scenario("vicsek").with_values({"agents": 20})
    for loaded, values in ((mm.load_scenario("vicsek"), {"rules.vicsek.noise": 0.5}), (few, {})):
        tab.still(loaded)
        tab.send("set", values=values)
        scenario = loaded.with_values(values)
        tab.until(lambda was=scenario: tab.see("scenario") == was.model_dump(mode="json"))
        with tab.page.expect_download() as waiting:
            copy.click()
        assert waiting.value.suggested_filename == "vicsek.json"
        data = json.loads(Path(str(waiting.value.path())).read_text())
        assert mm.Scenario.from_data(data) == scenario == tab.session.scenario
        assert _command(tab) == "murmura run vicsek.json --seed 7 --steps 600 --out vicsek-run"
    tab.send("step", count=610)  # a longer run
    tab.until(lambda: tab.page.evaluate("() => heard.status.step") == 610)
    copy.click()
    assert _command(tab) == "murmura run vicsek.json --seed 7 --steps 610 --out vicsek-run"
