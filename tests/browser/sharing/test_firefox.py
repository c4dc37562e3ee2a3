"""Exported pages in Firefox, from disk and from a static host: the bits of `cpu`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.lab.bench.workload import resized
from tests.browser.sharing.conftest import AGENTS, LIVES, SEED, static_host
from tests.browser.sharing.firefox import Firefox, firefox_with


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox_with(tmp_path_factory.mktemp("firefox")) as found:
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
    do(firefox, type="set", values={"agents": 20_001})
    firefox.until("murmuraFlock.state?.count === 20001 && murmuraFlock.state.step > 0")


def test_from_a_static_host_all_kinds_of_flocks_have_the_bits(lives: Path, firefox: Firefox):
    with static_host(lives.parent) as host:
        firefox.open(f"{host}/{lives.name}")
        firefox.until("globalThis.murmuraFlock?.state")
        for name, agents in LIVES.items():
            do(firefox, type="load", scenario=name)
            assert hash_after(firefox, 60) == native(name, agents, 60), name
