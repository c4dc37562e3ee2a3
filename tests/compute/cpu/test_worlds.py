"""Many worlds in turn on a few threads: each has the bits of a flock that steps alone."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.compute.cpu.build import kernel
from murmura.compute.cpu.flock import FlockCpu
from murmura.compute.cpu.worlds import Worlds
from murmura.compute.plan import Plan
from murmura.compute.shapes import shapes_of
from murmura.core.errors import RunError
from murmura.core.state import State
from murmura.core.world.randomness import seed_words
from murmura.engine.initial import given_start, random_starts, set_items
from murmura.scenario import Scenario

SEEDS = (0, 1, 5, 2**40 + 3, 8)


def scene(name: str) -> Scenario:
    return mm.load_scenario(name).with_values({"agents": 60})


def flocks_of(scenario: Scenario, states: list[State]) -> list[FlockCpu]:
    plan = Plan(scenario)
    shapes = shapes_of(plan)
    first = FlockCpu(plan, shapes, kernel(plan, shapes), (0, 0))
    flocks = []
    for seed, state in zip(SEEDS, states, strict=True):
        set_items(scenario, state, seed)
        flocks.append(first.twin(plan, seed_words(seed)))
        flocks[-1].load(state)
    return flocks


def stored(flocks: list[FlockCpu], states: list[State], step: int) -> list[str]:
    for flock, state in zip(flocks, states, strict=True):
        flock.store(state)
    return [state.digest(step) for state in states]


def alone(scenario: Scenario, steps: int) -> list[str]:
    found = []
    for seed in SEEDS:
        sim = mm.Simulation(scenario, seed, "cpu", threads=1)
        sim.step(steps)
        found.append(sim.state_hash())
    return found


# In the plane and in space; bodies that hide each other; hunters, births and deaths; open and closed worlds
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "name", ["starlings", "couzin-space", "vision", "falcon-stoop", "ecosystem", "midges"]
)
def test_every_world_has_the_bits_of_its_own_flock(name: str, threads: int):
    scenario = scene(name)
    states = random_starts(scenario, SEEDS).split(len(SEEDS))
    flocks = flocks_of(scenario, states)
    worlds = Worlds(flocks, threads)
    for step, count in ((0, 30), (30, 1), (31, 69)):
        worlds.advance([count] * len(SEEDS), [step] * len(SEEDS))
    assert stored(flocks, states, 100) == alone(scenario, 100)


@pytest.mark.parametrize("name", ["starlings", "couzin-space", "vision", "roadmap"])
def test_nothing_in_the_shared_memory_outlives_a_step(name: str):
    scenario = scene(name)
    states = random_starts(scenario, SEEDS).split(len(SEEDS))
    flocks = flocks_of(scenario, states)
    worlds = Worlds(flocks, 1)
    for step in range(10):
        for array in worlds._work[0].values():
            array[...] = 77 if array.dtype.kind == "i" else -1e18  # finite, as whatever a step leaves there
        worlds.advance([1] * len(SEEDS), [step] * len(SEEDS))
    assert stored(flocks, states, 10) == alone(scenario, 10)


def test_the_shared_memory_grows_for_a_blob_in_a_corner():
    """Every agent has three ghosts: the call stops early in two worlds, which must not lose or repeat a step."""
    scenario = mm.load_scenario("vicsek").with_values(
        {"agents": 600, "world.width": 400.0, "world.height": 400.0, "perception.radius": 10.0}
    )
    rng = np.random.default_rng(3)
    places = [rng.uniform(0.0, 8.0 if k in (1, 3) else 400.0, (600, 2)) for k in range(len(SEEDS))]
    states = [
        given_start(scenario, seed, place, None, None, None)
        for seed, place in zip(SEEDS, places, strict=True)
    ]
    flocks = flocks_of(scenario, states)
    worlds = Worlds(flocks, 2)
    room, told = worlds._room, []
    worlds.advance([20] * len(SEEDS), [0] * len(SEEDS), lambda done, count: told.append((done, count)))
    assert worlds._room > room
    assert told[-1] == (20, 20)
    found = stored(flocks, states, 20)
    for seed, place, hashed in zip(SEEDS, places, found, strict=True):
        sim = mm.Simulation(scenario, seed, "cpu", positions=place)
        sim.step(20)
        assert sim.state_hash() == hashed


def test_a_world_that_breaks_is_named_and_the_others_finish():
    scenario = scene("classic")
    states = random_starts(scenario, SEEDS).split(len(SEEDS))
    states[2]["velocity_x"][7] = np.nan
    flocks = flocks_of(scenario, states)
    worlds = Worlds(flocks, 2)
    for _ in range(2):  # it stays broken: a kernel must not run on it again
        with pytest.raises(RunError, match=r"world 2: step 1: 1 agents .* \(ids 7\)"):
            worlds.advance([5] * len(SEEDS), [0] * len(SEEDS))
    assert [flock.completed for flock in flocks] == [1] * len(SEEDS)


def test_columns_of_all_worlds_at_once():
    scenario = scene("starlings")
    states = random_starts(scenario, SEEDS).split(len(SEEDS))
    flocks = flocks_of(scenario, states)
    worlds = Worlds(flocks, 2)
    worlds.advance([7] * len(SEEDS), [0] * len(SEEDS))
    names = flocks[0].row_names
    found = worlds.collect(range(len(names)), 60)
    stored(flocks, states, 7)
    for row, name in enumerate(names):
        assert np.array_equal(found[row], np.stack([state[name] for state in states])), name
