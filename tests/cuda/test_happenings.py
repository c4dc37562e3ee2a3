"""Deaths, births, events and items with turns of their own on the device, step by step as the definition has them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import murmura as mm
from murmura.backends.cuda_build import simulated
from murmura.core.rule import REGISTRY
from tests.backends.listeners import Posts

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    REGISTRY["posts"] = Posts
    yield
    del REGISTRY["posts"]


def world(agents: int, boundary: str = "wrap") -> mm.Scenario:
    return mm.load_scenario("classic").with_values(
        {
            "agents": agents,
            "world.width": 600.0,
            "world.height": 400.0,
            "world.boundary": boundary,
            "rules.energy.enabled": True,
            "rules.posts": {"every": 3.0},
        }
    )


@pytest.mark.parametrize("boundary", ["wrap", "open"])
def test_step_by_step_as_the_definition(boundary: str):
    agents, steps = (24, 24) if simulated() else (400, 60)
    sim = mm.Simulation(world(agents, boundary), seed=5, backend="cuda")
    kinds: set[str] = set()
    for _ in range(steps):
        truth = mm.Simulation(sim.scenario, seed=5, backend="reference")
        truth._step_count = sim.step_count
        truth.load_state(sim.state.copy())
        truth.step()
        sim.step()
        np.testing.assert_array_equal(sim.ids, truth.ids)
        for name in ("position_x", "velocity_x", "velocity_y", "energy", "crowding"):
            np.testing.assert_allclose(
                sim.column(name), truth.column(name), rtol=5e-4, atol=5e-3, err_msg=name
            )
        np.testing.assert_allclose(sim.state.items["posts"], truth.state.items["posts"], rtol=1e-3, atol=0.05)
        ours, theirs = sim.events(), truth.events()
        kinds |= {event["kind"] for event in ours}
        assert [(e["kind"], e["id"], e["other"]) for e in ours] == [
            (e["kind"], e["id"], e["other"]) for e in theirs
        ]
    assert kinds == {"birth", "death", "meal"}


def test_batches_and_single_steps_give_the_same_bits():
    agents, steps = (24, 9) if simulated() else (5000, 60)
    whole = mm.Simulation(world(agents), seed=1, backend="cuda")
    whole.step(steps)
    pieces = mm.Simulation(world(agents), seed=1, backend="cuda")
    for _ in range(steps):
        pieces.step(1)
    assert whole.state_hash() == pieces.state_hash()
    assert whole.events() == pieces.events() != []
    assert whole.agent_count == pieces.agent_count
