"""Deaths, births, events and stateful items, on every backend against the reference and by hand."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.rule import REGISTRY, register_rule
from murmura.core.world.space import shortest

from .every_hook import PLACE, Posts


@pytest.fixture(autouse=True)
def _known():
    register_rule("posts")(Posts)
    yield
    del REGISTRY["posts"]


COUNT, SCORE, TARGET = PLACE["count"], PLACE["score"], PLACE["target"]
SUM, SEEN = [PLACE["sum_x"], PLACE["sum_y"]], [PLACE["seen_x"], PLACE["seen_y"]]


def world(agents: int = 300, **values: object) -> mm.Scenario:
    return mm.load_scenario("classic").with_values(
        {
            "agents": agents,
            "world.width": 600.0,
            "world.height": 400.0,
            "rules.energy.enabled": True,
            "rules.posts": {},
            **values,
        }
    )


def test_a_post_receives_the_agents_reports():
    sim = mm.Simulation(world(), seed=3, backend="cpu")
    sim.step(1)
    posts = sim.state.items["posts"]
    dx = shortest(sim.positions[:, 0].astype(float) - 150.0, 600.0)
    dy = shortest(sim.positions[:, 1].astype(float) - 200.0, 400.0)
    d = np.hypot(dx, dy)
    near = d < 150.0
    assert posts[0, COUNT] == near.sum() > 20
    np.testing.assert_allclose(posts[0, SUM], [dx[near].sum(), dy[near].sum()], atol=0.02)
    assert posts[0, TARGET] == sim.ids[d.argmin()]
    np.testing.assert_allclose(posts[0, SCORE], 1.0 - d.min() / 150.0, atol=1e-5)
    sim.step(1)
    row = list(sim.ids).index(int(posts[0, TARGET]))
    np.testing.assert_array_equal(sim.state.items["posts"][0, SEEN], sim.positions[row])


def test_births_and_deaths_balance_and_are_reported():
    sim = mm.Simulation(world(), seed=3, backend="cpu")
    before = sim.agent_count
    seen = set(sim.ids)
    events = []
    for _ in range(12):
        sim.step(10)
        events += sim.events()
        seen |= set(sim.ids)
    born = [e for e in events if e["kind"] == "birth"]
    died = [e for e in events if e["kind"] == "death"]
    assert 5 < len(born) <= 20 + len(died) and len(died) > 5
    assert sim.agent_count == before + len(born) - len(died)
    assert {e["id"] for e in born} == set(range(300, 300 + len(born)))
    assert {e["cause"] for e in died} == {"predation"} and {e["other"] for e in died} == {7}
    assert not {e["id"] for e in died} & set(sim.ids)
    meals = [e["id"] for e in events if e["kind"] == "meal"]
    assert len(meals) == len(set(meals)) > 50
    assert [e["step"] for e in events] == sorted(e["step"] for e in events)


@pytest.mark.parametrize("boundary", ["wrap", "soft"])
def test_each_step_agrees_with_the_reference(boundary: str):
    sim = mm.Simulation(world(120, **{"world.boundary": boundary}), seed=5, backend="cpu")
    for _ in range(14):
        truth = mm.Simulation(sim.scenario, seed=5, backend="reference")
        truth._step_count = sim.step_count
        truth.load_state(sim.state.copy())
        truth.events(), sim.events()
        truth.step()
        sim.step()
        np.testing.assert_array_equal(sim.ids, truth.ids)
        for name in ("position_x", "velocity_x", "velocity_y", "energy", "crowding"):
            np.testing.assert_allclose(
                sim.column(name), truth.column(name), rtol=2e-4, atol=2e-3, err_msg=name
            )
        np.testing.assert_allclose(sim.state.items["posts"], truth.state.items["posts"], rtol=1e-4, atol=0.05)
        ours, theirs = sim.events(), truth.events()
        assert [(e["kind"], e["id"], e["other"]) for e in ours] == [
            (e["kind"], e["id"], e["other"]) for e in theirs
        ]


def test_bits_do_not_depend_on_threads_or_batches(tmp_path):
    hashes = set()
    told = set()
    for threads in (1, 2, 3, 5):
        sim = mm.Simulation(world(5000), seed=1, backend="cpu", threads=threads)
        sim.step(30)
        sim.save(tmp_path / "half.npz")
        sim = mm.Simulation.restore(tmp_path / "half.npz", backend="cpu", threads=threads)
        for _ in range(30):
            sim.step(1)
        hashes.add(sim.state_hash())
        told.add(str(sim.events()))
    whole = mm.Simulation(world(5000), seed=1, backend="cpu", threads=2)
    whole.step(60)
    assert hashes == {whole.state_hash()} and len(told) == 1


def test_a_flock_may_die_out():
    sim = mm.Simulation(
        world(6, **{"rules.posts.every": 1.0, "rules.posts.fertile": 0.0, "rules.posts.reach": 400.0}),
        seed=2,
        backend="cpu",
    )
    sim.step(60)
    assert sim.agent_count == 0
    sim.step(10)
    assert len(sim.events()) >= 6
