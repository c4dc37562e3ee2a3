"""Exported pages in Firefox, from disk and from a static host: the bits of `cpu`, whether or not it has WebGPU."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.lab.bench.workload import resized
from tests.browser.sharing.conftest import AGENTS, LIVES, SEED, static_host, write_page
from tests.browser.sharing.firefox import Firefox, firefox_with
from tests.sizes import IS_LONG

TEN = (
    "boids",
    "couzin",
    "vicsek",
    "mixed",
    "roadmap",
    "starlings",
    "ecosystem",
    "murmuration",
    "shark-and-herring",
)
LONG = dict.fromkeys((*TEN, "emergent"), 200)


@pytest.fixture(scope="module", params=[True, False] if IS_LONG else [True])
def firefox(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Firefox]:
    """With WebGPU's switch on, and in the long tests off; on a machine without a GPU neither finds one."""
    with firefox_with(tmp_path_factory.mktemp("firefox"), webgpu=request.param) as found:
        yield found


def do(firefox: Firefox, **message: Any) -> None:
    """Send the flock a message as its page does, and wait until it is obeyed."""
    firefox.evaluate(f"(murmuraFlock.receive({json.dumps(message)}), murmuraFlock.obeyed)")


def hash_after(firefox: Firefox, steps: int) -> str:
    do(firefox, type="pause")
    do(firefox, type="reset", seed=None)
    found: str = firefox.evaluate(f"murmuraFlock.stepNow({steps}).then(() => murmuraFlock.hashNow())")
    return found


def native(name: str, agents: int, steps: int, **values: Any) -> str:
    scenario = resized(mm.load_scenario(name), agents).with_values(values)
    simulation = mm.Simulation(scenario, SEED, "cpu", portable=True)
    simulation.step(steps)
    return simulation.state_hash()


def test_from_disk_it_has_the_bits_and_obeys(folder: Path, firefox: Firefox):
    firefox.open((folder / "flock.html").as_uri())
    firefox.until("globalThis.murmuraFlock?.state?.step > 3")
    firefox.until("document.querySelector('.hud .line').textContent === 'WebAssembly'")
    assert hash_after(firefox, 150) == native("classic", AGENTS, 150)
    firefox.evaluate("murmuraFlock.show().then(() => murmuraFlock.report())")
    shown = "[...document.querySelectorAll('.hud dd')].slice(0, 3).map((it) => it.textContent)"
    assert firefox.evaluate(shown) == [str(SEED), "150", native("classic", AGENTS, 150)[:8]]
    do(firefox, type="set", values={"motion.max_speed": 1.5, "perception.radius": 30.0})
    slower = native("classic", AGENTS, 50, **{"motion.max_speed": 1.5, "perception.radius": 30.0})
    assert hash_after(firefox, 50) == slower
    do(firefox, type="select", id=7)
    firefox.until("[...document.querySelectorAll('h2')].some((it) => it.textContent === 'Agent 7')")
    do(firefox, type="play")
    do(firefox, type="set", values={"agents": 20_001})  # so many that WebGPU would be asked
    firefox.until("murmuraFlock.state?.count === 20001 && murmuraFlock.state.step > 0")


def test_from_a_static_host_all_kinds_of_flocks_have_the_bits(lives: Path, firefox: Firefox, tmp_path: Path):
    file = write_page(tmp_path / "long.html", LONG) if IS_LONG else lives
    steps = 1000 if IS_LONG else 60
    with static_host(file.parent) as host:
        firefox.open(f"{host}/{file.name}")
        firefox.until("globalThis.murmuraFlock?.state")
        for name, agents in (LONG if IS_LONG else LIVES).items():
            do(firefox, type="load", scenario=name)
            assert hash_after(firefox, steps) == native(name, agents, steps), name
