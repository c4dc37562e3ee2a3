"""Every shipped scenario as a page, in Chromium and Firefox: after 1,000 steps the state of `cpu`, bit for bit.

Long: MURMURA_LONG=1, perhaps with `-k emergent`. tests/compute/wasm compares Node with `cpu`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import murmura as mm
from murmura.lab.bench.workload import resized
from murmura.scenario import scenario_names
from tests.browser.sharing.conftest import SEED, write_page
from tests.browser.sharing.firefox import Firefox, firefox_with
from tests.sizes import IS_LONG
from tests.view.live import PATIENCE

pytestmark = pytest.mark.skipif(
    not IS_LONG, reason="two browsers, 1,000 steps of every scenario: MURMURA_LONG=1"
)
AGENTS, STEPS = 200, 1000
READY = "globalThis.murmuraFlock?.state"
HASH = """(murmuraFlock.receive({type: 'pause'}), murmuraFlock.receive({type: 'reset', seed: null}),
  murmuraFlock.obeyed).then(() => murmuraFlock.stepNow(%d)).then(() => murmuraFlock.hashNow())"""


@pytest.fixture(scope="module")
def chromium(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 320, "height": 240})
    page.set_default_timeout(1000.0 * PATIENCE)
    yield page
    page.close()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox_with(tmp_path_factory.mktemp("firefox")) as found:
        yield found


@pytest.mark.parametrize("name", scenario_names())
def test_the_state_is_that_of_cpu(name: str, tmp_path: Path, built: None, chromium: Page, firefox: Firefox):
    agents = min(AGENTS, mm.load_scenario(name).agents)
    address = write_page(tmp_path / f"{name}.html", {name: agents}).as_uri()
    native = mm.Simulation(resized(mm.load_scenario(name), agents), SEED, "cpu", portable=True)
    native.step(STEPS)
    chromium.goto(address)
    chromium.wait_for_function(f"() => {READY}")
    firefox.open(address)
    firefox.until(READY)
    found: dict[str, Any] = {
        "Chromium": chromium.evaluate(HASH % STEPS),
        "Firefox": firefox.evaluate(HASH % STEPS),
    }
    print(f"{name}, {agents} agents, {STEPS} steps: {native.state_hash()[:12]}, {native.agent_count} alive")
    assert found == dict.fromkeys(found, native.state_hash())
