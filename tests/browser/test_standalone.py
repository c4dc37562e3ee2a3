"""The exported page in a real browser: it simulates by itself, from a disk or any static host, and asks for nothing.

# S1-1, S1-2: document 001's page to the letter. `classic`, exported, is boids on a canvas in a standard browser with no
# server behind it.
"""

from __future__ import annotations

import base64
import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import murmura as mm
from murmura.lab.bench.workload import resized
from murmura.view.standalone import loop as loops
from murmura.view.standalone import scene as scene_files
from murmura.view.standalone.page import flock_page, run_page
from murmura.view.wire.frames import encode
from tests.view.live import PATIENCE

from .conftest import FLAGS
from .tab import PLAIN

AGENTS, SEED = 120, 7
WITH_WEBGPU = [*FLAGS, "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
NO_WEBGPU = "delete Navigator.prototype.gpu;"
READ = """async (count) => {
  const state = await murmuraFlock.stepNow(count);
  const bytes = new Uint8Array(state.quads.buffer);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return [state.step, btoa(text)];
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, built: None) -> Path:
    """A file with `classic` and one preset beside."""
    found = tmp_path_factory.mktemp("standalone")
    scenes = [resized(mm.load_scenario(name), AGENTS) for name in ("classic", "vicsek")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "LONGEST_LOOP", 1.0)
        (found / "flock.html").write_text(flock_page(scenes, SEED, "reference"), encoding="utf-8")
        patch.setattr(scene_files, "MOST_EMBEDDED", 10)
        large = flock_page([resized(mm.load_scenario("mixed"), AGENTS)], SEED, "reference")
        (found / "large.html").write_text(large, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def gpu_browser(browser: Browser) -> Iterator[Browser]:
    """A second browser, with WebGPU on a software adapter."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    found = browser.browser_type.launch(executable_path=path, args=WITH_WEBGPU)
    yield found
    found.close()


@pytest.fixture
def open_page(gpu_browser: Browser) -> Iterator[Any]:
    opened: list[Page] = []

    def begin(address: str, before: str = "") -> Page:
        page = gpu_browser.new_page(viewport={"width": 640, "height": 480})
        page.set_default_timeout(1000.0 * PATIENCE)
        opened.append(page)
        page.add_init_script("globalThis.problems = []; addEventListener('error', (e) => problems.push(e.message));"
                             "addEventListener('securitypolicyviolation', (e) => problems.push(e.violatedDirective));"
                             + before)  # fmt: skip
        page.goto(address)
        return page

    yield begin
    for page in opened:
        page.close()


def flock_after(page: Page, count: int) -> tuple[int, np.ndarray]:
    """Take steps in the page; the step, and x, y, vx, vy of everybody in ascending id."""
    step, text = page.evaluate(READ, count)
    return step, np.frombuffer(base64.b64decode(text), np.float32).reshape(-1, 4)


def running(page: Page) -> Page:
    page.wait_for_function("() => globalThis.murmuraFlock?.state")
    page.evaluate("murmuraFlock.hear({type: 'pause'}); murmuraFlock.hear({type: 'reset', seed: null})")
    page.evaluate("() => murmuraFlock.obeyed")
    return page


def test_from_a_disk_it_is_the_flock_of_the_definition(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    truth = mm.Simulation(resized(mm.load_scenario("classic"), AGENTS), SEED, "reference")
    step, found = flock_after(page, 0)
    assert step == 0
    assert np.array_equal(found[:, :2], truth.positions), "the start is the same to the bit"
    step, found = flock_after(page, 1)
    truth.step()
    side = np.array([truth.scenario.world.width, truth.scenario.world.height])
    gap = np.abs(found[:, :2] - truth.positions)
    assert step == 1
    assert np.minimum(gap, side - gap).max() < 1e-3
    assert np.abs(found[:, 2:] - truth.velocities).max() < 1e-4
    # After a hundred steps rounding has grown; what is measured of the flock is the same.
    step, found = flock_after(page, 99)
    truth.step(99)
    velocities = found[:, 2:].astype(float)
    headings = velocities / np.hypot(*velocities.T)[:, None]
    measures = truth.measure(["polarization", "mean_speed"])
    assert step == 100
    assert np.hypot(*headings.mean(axis=0)) == pytest.approx(measures["polarization"], abs=0.05)
    pace = truth.scenario.motion.stride / truth.scenario.motion.time_step
    assert np.hypot(*velocities.T).mean() * pace == pytest.approx(measures["mean_speed"], rel=0.02)
    assert page.evaluate("problems") == []
    assert page.locator("canvas#flock").is_visible()


def test_a_slider_acts_at_once_and_what_needs_a_compiler_is_refused(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    flock_after(page, 5)
    page.evaluate("murmuraFlock.hear({type: 'set', values: {'motion.max_speed': 1.0}})")
    page.evaluate("() => murmuraFlock.obeyed")
    _, found = flock_after(page, 1)
    assert np.hypot(found[:, 2], found[:, 3]).max() <= 1.0 + 1e-5
    page.evaluate("murmuraFlock.hear({type: 'set', values: {'rules.separation.falloff': 'inverse_square'}})")
    page.get_by_text("needs other kernels").first.wait_for()


def test_a_hand_attracts_and_a_preset_loads(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    _, before = flock_after(page, 0)
    x, y = (float(v) for v in before[3, :2] + 20.0)
    page.evaluate(f"murmuraFlock.hear({{type: 'pointer', x: {x}, y: {y}, mode: 'attract'}})")
    page.evaluate("() => murmuraFlock.obeyed")
    _, pulled = flock_after(page, 1)
    scenario = resized(mm.load_scenario("classic"), AGENTS)
    free = mm.Simulation(scenario, SEED, "reference")
    free.step()
    change = (pulled[3, 2:] - free.velocities[3]) @ (np.array([x, y]) - before[3, :2])
    assert change > 0.0, "towards the hand"
    page.evaluate("murmuraFlock.hear({type: 'load', scenario: 'vicsek'})")
    page.evaluate("() => murmuraFlock.obeyed")
    running(page)
    truth = mm.Simulation(resized(mm.load_scenario("vicsek"), AGENTS), SEED, "reference")
    truth.step(2)
    _, found = flock_after(page, 2)
    assert np.abs(found[:, 2:] - truth.velocities).max() < 1e-3


def test_another_seed_gives_the_flock_of_that_seed(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    page.evaluate("murmuraFlock.hear({type: 'reset', seed: 99})")
    page.evaluate("() => murmuraFlock.obeyed")
    _, found = flock_after(page, 0)
    truth = mm.Simulation(resized(mm.load_scenario("classic"), AGENTS), 99, "reference")
    assert np.array_equal(found[:, :2], truth.positions)
    np.testing.assert_allclose(found[:, 2:], truth.velocities, atol=1e-6)


def test_a_start_that_the_file_does_not_carry_is_drawn(folder: Path, open_page: Any):
    """Several species, so that every column must be right for the first step to be."""
    page = running(open_page((folder / "large.html").as_uri()))
    truth = mm.Simulation(resized(mm.load_scenario("mixed"), AGENTS), SEED, "reference")
    assert np.array_equal(flock_after(page, 0)[1][:, :2], truth.positions)
    truth.step()
    np.testing.assert_allclose(flock_after(page, 1)[1][:, 2:], truth.velocities, atol=1e-4)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


def test_from_a_static_host_it_asks_for_nothing_else(folder: Path, open_page: Any):
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        page = open_page("about:blank")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"http://127.0.0.1:{server.server_port}/flock.html")
        page.wait_for_function("() => globalThis.murmuraFlock?.engine.step > 3")
        others = [url for url in asked if not url.startswith(("data:", "blob:"))]
        assert [url.rsplit("/", 1)[1] for url in others if "favicon" not in url] == ["flock.html"]
        assert page.evaluate("problems") == []
    finally:
        server.shutdown()
        server.server_close()


def test_without_webgpu_it_plays_a_loop_and_says_so(folder: Path, open_page: Any):
    page = open_page((folder / "flock.html").as_uri(), NO_WEBGPU)
    page.get_by_text("has no WebGPU").first.wait_for()
    assert page.evaluate("typeof murmuraFlock") == "undefined"
    page.wait_for_function("() => document.body.innerText.includes('120 agents')")
    assert page.evaluate("problems") == []


def test_a_recorded_flock_in_space_is_shown_in_space(tmp_path: Path, open_page: Any, built: None):
    scenario = mm.load_scenario("murmuration").with_values({"agents": 30})
    simulation = mm.Simulation(scenario, SEED, "reference")
    frames = []
    for _ in range(4):
        frames.append(encode(simulation, 1))
        simulation.step(3)
    file = tmp_path / "space.html"
    file.write_text(run_page(scenario, SEED, "dusk", loops.loop_of(frames)), encoding="utf-8")
    page = open_page(file.as_uri(), PLAIN)
    page.wait_for_function("() => globalThis.murmura?.drawn === 30 && murmura.step > 0", timeout=60_000)
    target = page.evaluate("murmura.eye.orbit.target")
    assert (
        np.abs(np.subtract(target, simulation.positions.mean(axis=0))).max() < 60.0
    )  # it looks at the flock
    assert page.evaluate("problems") == []
