"""The exported page in a real browser: it simulates from disk or any static host, without network requests.

# S1-1, S1-2: document 001's page to the letter. `classic`, exported, is boids on a canvas in a standard browser with no
# server behind it.
"""

from __future__ import annotations

import base64
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import murmura as mm
from murmura.compute.plan import Plan
from murmura.lab.bench.workload import resized
from murmura.view.session.editing.placement import with_object
from murmura.view.session.editing.tools import with_pointer
from murmura.view.session.observing.observer import inspect
from murmura.view.standalone.loop import loop_of
from murmura.view.standalone.page import run_page
from murmura.view.wire.frames import encode
from tests.browser.sharing.conftest import AGENTS, LIVES, MOMENT, SEED, static_host
from tests.browser.tab import PLAIN
from tests.view.live import PATIENCE

LARGE = 20_001
PACK = """(numbers) => {
  let text = "";
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}"""
READ = f"""async (count) => {{
  const state = await murmuraFlock.stepNow(count);
  const {{ quads, ids, items, heights }} = state;
  return [state.step, ...[quads, ids, items, heights ?? new Float32Array()].map({PACK})];
}}"""


def begin(browser: Browser, address: str, before: str = PLAIN) -> Page:
    """Open an exported page. WebGL2 would only paint it, slowly."""
    page = browser.new_page(viewport={"width": 640, "height": 480})
    page.set_default_timeout(1000.0 * PATIENCE)
    page.add_init_script("globalThis.problems = []; addEventListener('error', (e) => problems.push(e.message));"
                         "addEventListener('securitypolicyviolation', (e) => problems.push(e.violatedDirective));"
                         + before)  # fmt: skip
    page.goto(address)
    return page


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Any]:
    opened: list[Page] = []

    def open_one(*given: str) -> Page:
        opened.append(begin(browser, *given))
        return opened[-1]

    yield open_one
    for page in opened:
        page.close()


@pytest.fixture(scope="module")
def page_of_lives(lives: Path, browser: Browser) -> Iterator[Page]:
    """One page for all of these scenarios."""
    page = begin(browser, lives.as_uri())
    page.wait_for_function("() => globalThis.murmuraFlock?.state")
    yield page
    page.close()


def flock_after(page: Page, count: int) -> tuple[int, np.ndarray]:
    """Take steps in the page; return the step, and x, y, vx, vy of all agents in ascending id."""
    step, text, *_ = page.evaluate(READ, count)
    return step, np.frombuffer(base64.b64decode(text), np.float32).reshape(-1, 4)


@dataclass
class Seen:
    """The state of a page after some steps."""

    quads: np.ndarray
    ids: np.ndarray
    items: np.ndarray
    heights: np.ndarray


def all_after(page: Page, count: int) -> Seen:
    quads, ids, items, heights = (base64.b64decode(text) for text in page.evaluate(READ, count)[1:])
    number = functools.partial(np.frombuffer, dtype=np.float32)
    return Seen(number(quads).reshape(-1, 4), np.frombuffer(ids, np.int32), number(items), number(heights))


def running(page: Page) -> Page:
    page.wait_for_function("() => globalThis.murmuraFlock?.state")
    page.evaluate("murmuraFlock.receive({type: 'pause'}); murmuraFlock.receive({type: 'reset', seed: null})")
    page.evaluate("() => murmuraFlock.obeyed")
    return page


def same_bits(page: Page, scenario: mm.Scenario, steps: int) -> None:
    """Check that the page, after so many steps, has the state that `cpu` has with portable arithmetic."""
    native = mm.Simulation(scenario, SEED, "cpu", portable=True)
    native.step(steps)
    assert page.evaluate("murmuraFlock.engine.step") == steps
    assert page.evaluate("() => murmuraFlock.hashNow()") == native.state_hash()


def test_from_a_disk_it_is_the_flock_of_the_definition(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri(), ""))  # painted with WebGL2
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
    # After a hundred steps rounding errors have grown, but the measures are the same.
    step, found = flock_after(page, 99)
    truth.step(99)
    velocities = found[:, 2:].astype(float)
    headings = velocities / np.hypot(*velocities.T)[:, None]
    measures = truth.measure(["polarization", "mean_speed"])
    assert step == 100
    assert np.hypot(*headings.mean(axis=0)) == pytest.approx(measures["polarization"], abs=0.05)
    pace = truth.scenario.motion.stride / truth.scenario.motion.time_step
    assert np.hypot(*velocities.T).mean() * pace == pytest.approx(measures["mean_speed"], rel=0.02)
    same_bits(page, truth.scenario, 100)
    assert page.evaluate("problems") == []
    assert page.locator("canvas#flock").is_visible()


def test_it_begins_at_its_good_moment_and_again_at_the_start(folder: Path, open_page: Any):
    page = open_page((folder / "flock.html").as_uri())
    page.wait_for_function("() => globalThis.murmuraFlock?.state")
    say(page, type="pause")
    step = page.evaluate("murmuraFlock.engine.step")
    assert step >= MOMENT
    same_bits(page, resized(mm.load_scenario("classic"), AGENTS), step)
    say(page, type="reset", seed=None)
    same_bits(page, resized(mm.load_scenario("classic"), AGENTS), 0)


def test_a_slider_acts_at_once_and_what_needs_a_compiler_is_refused(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    flock_after(page, 5)
    page.evaluate("murmuraFlock.receive({type: 'set', values: {'motion.max_speed': 1.0}})")
    page.evaluate("() => murmuraFlock.obeyed")
    _, found = flock_after(page, 1)
    assert np.hypot(found[:, 2], found[:, 3]).max() <= 1.0 + 1e-5
    page.evaluate(
        "murmuraFlock.receive({type: 'set', values: {'rules.separation.falloff': 'inverse_square'}})"
    )
    page.get_by_text("needs another kernel").first.wait_for()


def test_the_pointer_attracts_and_a_preset_loads(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    _, before = flock_after(page, 0)
    x, y = (float(v) for v in before[3, :2] + 20.0)
    page.evaluate(f"murmuraFlock.receive({{type: 'pointer', x: {x}, y: {y}, mode: 'attract'}})")
    page.evaluate("() => murmuraFlock.obeyed")
    _, pulled = flock_after(page, 1)
    scenario = resized(mm.load_scenario("classic"), AGENTS)
    free = mm.Simulation(scenario, SEED, "reference")
    free.step()
    change = (pulled[3, 2:] - free.velocities[3]) @ (np.array([x, y]) - before[3, :2])
    assert change > 0.0, "towards the hand"
    page.evaluate("murmuraFlock.receive({type: 'load', scenario: 'vicsek'})")
    page.evaluate("() => murmuraFlock.obeyed")
    running(page)
    truth = mm.Simulation(resized(mm.load_scenario("vicsek"), AGENTS), SEED, "reference")
    truth.step(2)
    _, found = flock_after(page, 2)
    assert np.abs(found[:, 2:] - truth.velocities).max() < 1e-3


def test_another_seed_gives_the_flock_of_that_seed(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    page.evaluate("murmuraFlock.receive({type: 'reset', seed: 99})")
    page.evaluate("() => murmuraFlock.obeyed")
    _, found = flock_after(page, 0)
    truth = mm.Simulation(resized(mm.load_scenario("classic"), AGENTS), 99, "reference")
    assert np.array_equal(found[:, :2], truth.positions)
    np.testing.assert_allclose(found[:, 2:], truth.velocities, atol=1e-6)


def test_a_start_that_the_file_does_not_carry_is_drawn(folder: Path, open_page: Any):
    """Several species, so that the first step is right only if every column is."""
    page = running(open_page((folder / "large.html").as_uri()))
    truth = mm.Simulation(resized(mm.load_scenario("mixed"), AGENTS), SEED, "reference")
    assert np.array_equal(flock_after(page, 0)[1][:, :2], truth.positions)
    truth.step()
    np.testing.assert_allclose(flock_after(page, 1)[1][:, 2:], truth.velocities, atol=1e-4)


@pytest.fixture(scope="module")
def shown(page_of_lives: Page, request: pytest.FixtureRequest) -> tuple[Page, str]:
    """The page with one of its presets loaded: compiled once for all tests of it."""
    page_of_lives.evaluate(f"murmuraFlock.receive({{type: 'load', scenario: {request.param!r}}})")
    page_of_lives.evaluate("() => murmuraFlock.obeyed")
    return page_of_lives, request.param


def definition(name: str) -> mm.Simulation:
    return mm.Simulation(resized(mm.load_scenario(name), LIVES[name]), SEED, "reference")


def rows_of(seen: Seen, sim: mm.Simulation, rule: str) -> np.ndarray:
    """The items of a rule in the page."""
    plan = Plan(with_pointer(sim.scenario, None))
    [(begin, end, width)] = [(b, e, len(g.layout)) for _, g, b, e in plan.stateful_items if g.name == rule]
    return seen.items.reshape(-1, plan.item_width)[begin:end, :width]


def same_picture(page: Page, truth: mm.Simulation) -> None:
    """Check that the page draws the frame that a server would send."""
    page.wait_for_function(
        "() => new DataView(murmuraFlock.frame).getUint32(32, true) === murmuraFlock.epoch"
    )
    frame = base64.b64decode(page.evaluate(f"() => ({PACK})(new Uint8Array(murmuraFlock.frame))"))
    flags, epoch = frame[39], int.from_bytes(frame[32:36], "little")
    wanted = np.frombuffer(encode(truth, epoch, "density", flags >> 1), np.uint8).astype(int)
    found = np.frombuffer(frame, np.uint8).astype(int)
    assert found.shape == wanted.shape
    size = 64 if truth.scenario.world.depth else 48
    assert np.array_equal(found[:size], wanted[:size]), "the header"
    assert (np.abs(found - wanted) % 255 > 1).mean() < 0.01, "a byte may be rounded the other way"


@pytest.mark.parametrize("shown", LIVES, indirect=True)
def test_hunters_births_and_depths_are_those_of_the_definition(shown: tuple[Page, str]):
    page, name = shown
    truth = definition(name)
    running(page)
    same_picture(page, truth)
    seen = all_after(page, 1)
    truth.step()
    assert np.array_equal(seen.ids, truth.ids)
    np.testing.assert_allclose(seen.quads[:, :2], truth.positions[:, :2], atol=2e-3)
    np.testing.assert_allclose(seen.quads[:, 2:], truth.velocities[:, :2], atol=2e-4)
    for rule, rows in truth.state.items.items():
        np.testing.assert_allclose(rows_of(seen, truth, rule), rows, rtol=2e-4, atol=2e-3)
    # Within a hundred steps hunters strike and offspring are born; the same agents are alive.
    seen = all_after(page, 99)
    truth.step(99)
    same_bits(page, truth.scenario, 100)
    told = page.evaluate("() => murmuraFlock.chronicle.report()")
    assert seen.quads.shape[0] == pytest.approx(truth.agent_count, abs=3)
    speeds = [np.hypot(*v[:, :2].astype(float).T).mean() for v in (seen.quads[:, 2:], truth.velocities)]
    assert speeds[0] == pytest.approx(speeds[1], rel=0.03)
    if name == "emergent":
        tree = truth.lineage()
        assert told["births"] == pytest.approx(int(tree.births([100])[0]), abs=3)
        assert told["births"] > 10
        assert len(seen.ids) == LIVES[name] + told["births"] - told["deaths"]
    if name == "couzin-space":
        np.testing.assert_allclose(seen.heights, truth.positions[:, 2], atol=0.2)
        report = (
            "() => murmuraFlock.show().then(() => murmuraFlock.report()).then(() => answers.status.measures)"
        )
        say(page, type="pause")
        measures = page.evaluate(report)
        for measure, value in truth.measure(list(measures)).items():
            assert measures[measure] == pytest.approx(value, abs=0.05), measure
        assert measures["mean_speed"] == pytest.approx(3.0, abs=1e-4)  # constant, also upwards
        # A close-up shows those between two heights.
        low, high = (float(z) for z in np.sort(seen.heights)[[9, 49]])
        box = {"left": -1e9, "top": -1e9, "right": 1e9, "bottom": 1e9}
        for heights, inside in (({}, 60), ({"low": low, "high": high}, 41)):
            answers = say(page, type="look", **box, **heights)
            assert len(answers["bodies"]["agents"]) == inside
    assert page.evaluate("problems") == []


SEND = """(message) => {
  const page = murmuraFlock.page;
  globalThis.answers ??= {};
  if (!page.isRecorded) {
    const send = page.message;
    page.isRecorded = true;
    page.message = (answer) => { answers[answer.type] = answer; send(answer); };
  }
  delete answers[message.type === 'pick' ? 'inspect' : 'scenario'];
  delete answers.error;
  murmuraFlock.receive(message);
  return murmuraFlock.obeyed;
}"""


def say(page: Page, **message: Any) -> dict[str, Any]:
    """Send the flock a message as its page does; return the newest answer of each kind."""
    page.evaluate(SEND, message)
    answers: dict[str, Any] = page.evaluate("() => answers")
    return answers


def same_next_step(page: Page, truth: mm.Simulation) -> None:
    truth.step()
    seen = all_after(page, 1)
    np.testing.assert_allclose(seen.quads[:, 2:], truth.velocities[:, :2], atol=5e-4)
    for rule, rows in truth.state.items.items():
        np.testing.assert_allclose(rows_of(seen, truth, rule), rows, rtol=2e-4, atol=2e-3)


PLACED = {"shark-and-herring": {"kind": "predator", "species": "shark"}, "emergent": {"kind": "food"}}


@pytest.mark.parametrize("shown", PLACED, indirect=True)
def test_objects_are_placed_and_removed_and_an_animal_is_inspected(shown: tuple[Page, str]):
    page, name = shown
    truth, kind = definition(name), PLACED[name]
    running(page)
    scenario = truth.scenario
    all_after(page, 3)
    truth.step(3)
    middle = {"x": truth.scenario.world.width / 2, "y": truth.scenario.world.height / 3}
    for placed in (kind | middle, {"kind": "attractor", "strength": 3.0, "x": 100.0, "y": 80.0}):
        answers = say(page, type="place", **placed)
        assert "error" not in answers, answers
        scenario = with_object(scenario, placed)
        truth.adopt(with_pointer(scenario, None))
    same_next_step(page, truth)
    answers = say(page, type="erase", kind=kind["kind"], **middle)
    assert "error" not in answers, answers
    left = mm.Scenario.from_data(answers["scenario"]["scenario"])
    assert len(left.rules.predators.hunters) + len(left.rules.feeding.sources) == (kind["kind"] == "predator")
    truth.adopt(with_pointer(left, None))
    same_next_step(page, truth)
    chosen = int(truth.ids[5])
    x, y = (float(part) for part in truth.positions[5])
    page.wait_for_function("() => murmuraFlock.state?.step === murmuraFlock.engine.step")
    told = say(page, type="pick", x=x, y=y)["inspect"]
    meant = inspect(truth, chosen)
    assert told["id"] == chosen
    np.testing.assert_allclose(told["position"], meant["position"], atol=0.01)
    assert {it["id"] for it in told["neighbors"]} == {it["id"] for it in meant["neighbors"]}
    assert told["target"] == meant["target"]
    assert told["perception"] == pytest.approx(meant["perception"])
    assert told["state"]["species"] == meant["state"]["species"]
    assert told["state"]["energy"] == pytest.approx(meant["state"]["energy"], abs=0.02)
    page.get_by_role("heading", name=f"Agent {chosen}").wait_for()
    answers = say(page, type="place", kind="circle", x=10.0, y=10.0, radius=5.0)
    assert "needs another kernel" in answers["error"]["message"]
    answers = say(page, type="set", values={"agents": 500})
    assert "cannot draw another start" in answers["error"]["message"]


def test_another_number_of_agents(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    assert "error" not in say(page, type="set", values={"agents": 300})
    truth = mm.Simulation(
        resized(mm.load_scenario("classic"), AGENTS).with_values({"agents": 300}), SEED, "reference"
    )
    assert np.array_equal(flock_after(page, 0)[1][:, :2], truth.positions)
    truth.step()
    np.testing.assert_allclose(flock_after(page, 1)[1][:, 2:], truth.velocities, atol=1e-4)


def test_from_a_static_host_it_asks_for_nothing_else(folder: Path, open_page: Any):
    with static_host(folder) as host:
        page = open_page("about:blank")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{host}/flock.html")
        page.wait_for_function("() => globalThis.murmuraFlock?.engine.step > 3")
        others = [url for url in asked if not url.startswith(("data:", "blob:"))]
        assert [url.rsplit("/", 1)[1] for url in others if "favicon" not in url] == ["flock.html"]
        assert page.evaluate("problems") == []


def test_a_link_a_phone_and_both_themes(folder: Path, open_page: Any):
    """A link restores a changed scene; the page fits a phone, in the dark and the light theme."""
    page = running(open_page((folder / "flock.html").as_uri()))
    page.set_viewport_size({"width": 375, "height": 720})
    red = "() => Number(getComputedStyle(document.body).color.match(/[0-9]+/)[0])"
    assert page.evaluate(red) < 128, "dark letters on a light page"
    page.emulate_media(color_scheme="dark")
    page.reload()
    running(page)
    assert page.evaluate(red) > 127
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert "error" not in say(page, type="set", values={"agents": 150, "rules.cohesion.weight": 2.5})
    assert "error" not in say(page, type="place", kind="attractor", x=60.0, y=40.0, strength=3.0)
    page.evaluate("""() => {
      globalThis.copied = new Promise((done) => {
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { done(text); } } });
      });
    }""")
    page.locator("body").press("l")
    address = page.evaluate("() => copied")
    assert address.startswith(page.url.partition("#")[0] + "#c=")
    again = open_page(address)
    again.wait_for_function("() => globalThis.murmuraFlock?.scenario?.agents === 150")
    rules = again.evaluate("() => murmuraFlock.scenario.rules")
    assert rules["cohesion"]["weight"] == 2.5
    assert [point["x"] for point in rules["attractors"]["points"]] == [60.0]
    again.wait_for_function("() => murmuraFlock.state?.count === 150")
    assert page.evaluate("problems") == again.evaluate("problems") == []


def test_a_large_flock_is_simulated_as_well(folder: Path, open_page: Any):
    page = running(open_page((folder / "flock.html").as_uri()))
    page.get_by_role("status").get_by_text("WebAssembly").wait_for()
    assert "error" not in say(page, type="set", values={"agents": LARGE})
    page.get_by_text(f"{LARGE:,} agents").first.wait_for(state="attached")
    running(page)
    flock_after(page, 2)
    same_bits(page, resized(mm.load_scenario("classic"), AGENTS).with_values({"agents": LARGE}), 2)
    assert page.evaluate("problems") == []


def test_a_recorded_flock_in_space_is_shown_in_space(tmp_path: Path, open_page: Any, built: None):
    scenario = mm.load_scenario("murmuration").with_values({"agents": 30})
    simulation = mm.Simulation(scenario, SEED, "reference")
    frames = []
    for _ in range(4):
        frames.append(encode(simulation, 1))
        simulation.step(3)
    file = tmp_path / "space.html"
    file.write_text(run_page(scenario, SEED, "dusk", loop_of(frames)), encoding="utf-8")
    page = open_page(file.as_uri())
    page.wait_for_function("() => globalThis.murmura?.drawn === 30 && murmura.step > 0")
    assert page.locator("[data-group=play] button:not([hidden])").count() == 0
    page.get_by_text("drag the time line").wait_for()
    target = page.evaluate("murmura.eye.orbit.target")
    assert (
        np.abs(np.subtract(target, simulation.positions.mean(axis=0))).max() < 60.0
    )  # it looks at the flock
    assert page.evaluate("problems") == []


def test_what_cannot_act_is_not_offered(folder: Path, open_page: Any):
    """Obstacles need another kernel, a page without hunters cannot have any, and nobody serves other times."""
    page = running(open_page((folder / "flock.html").as_uri()))
    page.wait_for_function("() => murmura?.drawn")
    shown = "all => all.map((it) => it.getAttribute('aria-label'))"
    for group, labels in {
        "play": ["Hand", "Scare", "Food"],
        "place": ["Attract", "Repel"],
        "share": ["Share"],
    }.items():
        assert page.eval_on_selector_all(f"[data-group={group}] button:not([hidden])", shown) == labels
