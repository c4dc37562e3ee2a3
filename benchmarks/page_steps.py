"""Steps a second of an exported page in Chromium and Firefox, beside one native thread with the same bits.

Run `python -m benchmarks.page_steps [SCENARIO] [AGENTS ...]` in the source tree, on an otherwise idle machine.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from tests.browser.conftest import CHROMIUMS
from tests.browser.sharing.conftest import SEED, write_page
from tests.browser.sharing.firefox import firefox_with

import murmura as mm
from murmura.lab.bench.workload import resized

WARM, ROUNDS, SECONDS, AT_ONCE = 304, 25, 0.1, 8
"""Steps before the first round; rounds, of which the fastest counts; how long each lasts [s]; steps of a call."""
READY = "globalThis.murmuraFlock?.state"
PAUSE = "(murmuraFlock.receive({type: 'pause'}), murmuraFlock.obeyed.then(() => 0))"
STEP = """(async () => {
  const begun = performance.now();
  let steps = 0;
  while (performance.now() - begun < %d) { await murmuraFlock.engine.advance(%d); steps += %d; }
  return 1000 * steps / (performance.now() - begun);
})()"""


def pace(evaluate: Callable[[str], Any]) -> float:
    """Steps a second of the page."""
    evaluate(PAUSE)
    evaluate(f"murmuraFlock.engine.advance({WARM}).then(() => 0)")
    return max(float(evaluate(STEP % (1000 * SECONDS, AT_ONCE, AT_ONCE))) for _ in range(ROUNDS))


@contextmanager
def browsers() -> Iterator[dict[str, Callable[[str], float]]]:
    path = next(filter(None, map(shutil.which, CHROMIUMS)))
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]) as chromium,
        firefox_with(Path(tempfile.mkdtemp())) as firefox,
    ):

        def in_chromium(address: str) -> float:
            page = chromium.new_page()
            page.goto(address)
            page.wait_for_function(f"() => {READY}")
            found = pace(page.evaluate)
            page.close()
            return found

        def in_firefox(address: str) -> float:
            firefox.open(address)
            firefox.until(READY)
            found = pace(firefox.evaluate)
            firefox.open("about:blank")
            return found

        yield {"Chromium": in_chromium, "Firefox": in_firefox}


def native(name: str, agents: int) -> float:
    """Steps a second of one native thread with portable arithmetic."""
    scenario = resized(mm.load_scenario(name), agents)
    simulation = mm.Simulation(scenario, SEED, "cpu", threads=1, portable=True, announce=None)
    simulation.step(WARM)
    found = 0.0
    for _ in range(ROUNDS):
        begun, steps = time.perf_counter(), 0
        while time.perf_counter() - begun < SECONDS:
            simulation.step(AT_ONCE)
            steps += AT_ONCE
        found = max(found, steps / (time.perf_counter() - begun))
    return found


def main(name: str = "classic", *sizes: str) -> None:
    folder = Path(tempfile.mkdtemp())
    print(
        f"{name}: steps a second\n| agents | Chromium | Firefox | native, one thread |\n| --- | --- | --- | --- |"
    )
    with browsers() as found:
        for agents in map(int, sizes or ("500", "1000", "2000", "5000", "10000")):
            address = write_page(folder / f"{agents}.html", {name: agents}).as_uri()
            paces = [run(address) for run in found.values()]
            own = native(name, agents)
            told = [f"{each:,.0f} ({own / each:.1f})" for each in paces]
            print(f"| {agents:,} | {' | '.join(told)} | {own:,.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
