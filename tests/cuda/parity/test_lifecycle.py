"""Deaths, births, events and stateful items on the device, step by step against the reference."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.rule import register_rule
from tests.compute.step.every_hook import Posts
from tests.cuda.flocks import cut_down, scene_of
from tests.cuda.machine import ON_HOST
from tests.parity.side_by_side import twin_of
from tests.rules.evolution.test_heredity import births, lone_mother


@pytest.fixture(autouse=True)
def _known(_own_rules: None) -> None:
    register_rule("posts")(Posts)


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
def test_each_step_agrees_with_the_reference(boundary: str):
    agents, steps = (150, 40) if ON_HOST else (400, 60)
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
    agents, steps = (500, 40) if ON_HOST else (5000, 60)
    whole = mm.Simulation(world(agents), seed=1, backend="cuda")
    whole.step(steps)
    pieces = mm.Simulation(world(agents), seed=1, backend="cuda")
    for _ in range(steps):
        pieces.step(1)
    assert whole.state_hash() == pieces.state_hash()
    assert whole.events() == pieces.events() != []
    assert whole.agent_count == pieces.agent_count


def test_newcomers_are_those_of_the_reference():
    scenario = scene_of("scored", 60 if ON_HOST else 400).with_values({"rules.immigration.rate": 600.0})
    sim = mm.Simulation(scenario, seed=8, backend="cuda")
    for _ in range(2):
        twin = twin_of(sim)
        twin.step()
        sim.step()
        ours, theirs = ([e for e in s.events() if e["kind"] == "arrival"] for s in (sim, twin))
        assert [(e["id"], e["species"], e["step"]) for e in ours] == [
            (e["id"], e["species"], e["step"]) for e in theirs
        ]
        assert {e["species"] for e in ours} == {0, 1}
        new = np.isin(sim.ids, [e["id"] for e in ours])
        for column in sim.state.columns:
            np.testing.assert_allclose(
                sim.state[column][new], twin.state[column][new], rtol=1e-5, atol=2e-4, err_msg=column
            )


# Trap 10: no father is not agent 0
def test_a_missing_father_is_not_agent_0():
    sim = lone_mother("cuda")
    sim.step(3)
    assert births(sim) == [(2, 1, None)]
    assert sim.column("gene_speed")[2] == pytest.approx(0.3)


def test_the_young_have_their_mothers_columns_by_default():
    sims = [mm.Simulation(cut_down("ecosystem", 150), seed=3, backend=name) for name in ("cuda", "reference")]
    for sim in sims:
        sim.step(5)
    device, truth = (sim.state for sim in sims)
    assert np.array_equal(device.ids, truth.ids)
    young = device.ids >= 150
    assert young.sum() >= 3
    assert np.array_equal(device["gender"][young], truth["gender"][young])
    assert device["gender"][young].any(), "newborns are female by default"
