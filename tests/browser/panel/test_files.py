"""Recording a run from the page, saving the state, and copying the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import murmura as mm
from murmura.lab.runs.live_recording import LiveRunRecorder
from murmura.view.standalone import loop as loops
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
        tab.until(lambda: tab.session._left == 0)
    tab.until(lambda: tab.see("step") == 18)
    stop.click()
    told = tab.page.locator(".files .told")
    tab.until(lambda: "murmura replay" in str(told.text_content()))
    run = mm.open_run(recorder / "classic-seed7-1")
    assert run.frames.steps.tolist()[0] == 0 and run.final_hash == tab.simulation.state_hash()
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Save the state").click()
    restored = mm.Simulation.restore(Path(str(waiting.value.path())), "reference")
    assert restored.state_hash() == tab.simulation.state_hash()
    with pytest.MonkeyPatch.context() as patch, tab.page.expect_download() as waiting:
        patch.setattr(loops, "LONGEST_LOOP", 0.2)
        patch.setattr(
            scenes, "live_values", lambda s: {"ranges": {}, "recipes": {}, "vector": vector_of(s).tolist()}
        )
        tab.page.get_by_role("button", name="Save as a page").click()
        page = Path(str(waiting.value.path())).read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "classic.html"
    assert "murmura-data" in page and "Content-Security-Policy" in page
    tab.page.get_by_role("button", name="Copy the command").click()
    tab.until(lambda: "murmura run classic --seed 7 --steps" in str(told.text_content()))
