"""A run depends on scenario, seed and step count only: not on threads, calls, order or process."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import numpy as np
import pytest

import murmura as mm
from tests.cli.terminal import PATIENCE, environment, started
from tests.sizes import size

TEAMS = (1, 2, 3, 5, 8)


def flock(name: str, agents: int, seed: int = 7, threads: int | None = None) -> mm.Simulation:
    """A shipped scenario, dense enough for all agents to interact."""
    scenario = mm.load_scenario(name)
    scale = (agents / scenario.agents) ** 0.5
    scale = scale if scale < 1.0 else 1.0
    values = {"agents": agents, "world.width": scenario.world.width * scale, "start.margin": 0.0}
    values["world.height"] = scenario.world.height * scale
    return mm.Simulation(scenario.with_values(values), seed=seed, backend="cpu", threads=threads)


# S4-10, S4-5
@pytest.mark.parametrize(
    ("name", "repeats"),
    [("starlings", 3), ("mixed", size(1, 3)), ("classic", size(1, 3)), ("roadmap", size(1, 3))],
)
def test_same_bits_for_any_number_of_threads(name: str, repeats: int):
    hashes = set()
    for _ in range(repeats):
        for team in TEAMS:
            sim = flock(name, 1000, threads=team)
            assert sim.threads == team
            sim.step(25)
            hashes.add(sim.state_hash())
    assert len(hashes) == 1


def test_more_threads_than_agents():
    alone = flock("starlings", 3, threads=1)
    crowd = flock("starlings", 3, threads=8)
    alone.step(20)
    crowd.step(20)
    assert alone.state_hash() == crowd.state_hash()


# S4-3: a step does not depend on how many steps were requested, nor on the frames of a view.
@pytest.mark.parametrize("name", ["starlings", "mixed"])
def test_many_steps_in_one_call_or_one_by_one(name: str):
    at_once, one_by_one, shown = (flock(name, 200, threads=2) for _ in range(3))
    at_once.step(600)
    for _ in range(600):
        one_by_one.step()
    assert at_once.state_hash() == one_by_one.state_hash()
    clock = mm.Clock(shown)
    rng = np.random.default_rng(1)
    while shown.step_count < 580:
        clock.advance(float(rng.uniform(0.0, 0.2)))
    shown.step(600 - shown.step_count)
    assert shown.state_hash() == at_once.state_hash()
    assert at_once.time == pytest.approx(10.0)


# S4-5, S4-10
def test_the_seed_determines_the_run():
    runs = [flock("starlings", 150, seed=seed) for seed in (1, 1, 2)]
    starts = [sim.state_hash() for sim in runs]
    for sim in runs:
        sim.step(60)
    ends = [sim.state_hash() for sim in runs]
    assert starts[0] == starts[1] != starts[2]
    assert ends[0] == ends[1] != ends[2]


@pytest.mark.parametrize("name", ["starlings", "mixed", "classic", "roadmap"])
def test_any_order_of_the_given_agents(name: str):
    """Given in another order but with their ids, agents are the same agents."""
    drawn = flock(name, 300)
    order = np.random.default_rng(2).permutation(300)
    ids = 5 + 3 * np.arange(300)
    species = drawn.column("species")
    hashes = []
    for chosen in (np.arange(300), order, order[::-1]):
        sim = mm.Simulation(
            drawn.scenario,
            seed=7,
            backend="cpu",
            threads=3,
            positions=drawn.positions[chosen],
            velocities=drawn.velocities[chosen],
            species=species[chosen],
            ids=ids[chosen],
        )
        sim.step(60)
        hashes.append(sim.state_hash())
    assert len(set(hashes)) == 1


def test_any_order_without_ids_where_no_rule_reads_them():
    """Sums run over neighbours in the order of their positions, so ids do not change any bit."""
    drawn = flock("classic", 300)
    order = np.random.default_rng(3).permutation(300)
    sims = []
    for chosen in (np.arange(300), order):
        start = {"positions": drawn.positions[chosen], "velocities": drawn.velocities[chosen]}
        sims.append(mm.Simulation(drawn.scenario, seed=7, backend="cpu", **start))
    for sim in sims:
        sim.step(200)
    for column in ("position_x", "position_y", "velocity_x", "velocity_y", "heading", "acceleration_x"):
        assert np.array_equal(sims[0].column(column)[order], sims[1].column(column)), column
    assert np.array_equal(sims[0].column("local_density")[order], sims[1].column("local_density"))


def test_a_lattice_full_of_ties_in_any_order():
    """Many at equal distances and in the same places: ties must be broken by position, never by row."""
    side = np.arange(0.0, 60.0, 4.0)
    places = np.repeat(np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2), 2, axis=0)
    turn = np.arange(len(places)) % 4 * (np.pi / 2.0)
    velocities = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    scenario = mm.load_scenario("roadmap").with_values({"world.width": 60.0, "world.height": 60.0})
    order = np.random.default_rng(4).permutation(len(places))
    sims = [
        mm.Simulation(
            scenario,
            seed=1,
            backend="cpu",
            positions=places[chosen],
            velocities=velocities[chosen],
            ids=chosen,
        )
        for chosen in (np.arange(len(places)), order)
    ]
    for sim in sims:
        sim.step(50)
    assert np.array_equal(sims[0].positions, sims[1].positions)
    assert np.array_equal(sims[0].velocities, sims[1].velocities)


@pytest.mark.parametrize("name", ["starlings", "mixed"])
def test_a_checkpoint_in_the_middle(name: str, tmp_path):
    whole = flock(name, 300, threads=1)
    whole.step(90)
    half = flock(name, 300, threads=2)
    half.step(41)
    half.save(tmp_path / "half.npz")
    rest = mm.Simulation.restore(tmp_path / "half.npz", backend="cpu", threads=3)
    assert rest.step_count == 41
    rest.step(49)
    assert rest.state_hash() == whole.state_hash()


def test_reading_and_retuning_back_change_nothing():
    """Everything that reloads the flock into the backend must preserve exactly the same flock."""
    quiet, watched = flock("mixed", 200), flock("mixed", 200)
    quiet.step(60)
    for _ in range(6):
        watched.step(10)
        watched.explain(3)
        watched.measure()
        watched.retune({"rules.alignment.weight": 3.0})
        watched.retune({"rules.alignment.weight": 1.0})
    assert watched.state_hash() == quiet.state_hash()


def test_simulations_side_by_side_in_one_process():
    """Each has its own team of threads: two that run concurrently do not affect each other's bits or barriers."""
    sims = [flock(name, 400, threads=3) for name in ("starlings", "mixed", "starlings")]
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(sim.step, 60) for sim in sims]:
            done.result(timeout=120)
    for name, sim in zip(("starlings", "mixed"), sims, strict=False):
        alone = flock(name, 400, threads=1)
        alone.step(60)
        assert sim.state_hash() == alone.state_hash()
    assert sims[0].state_hash() == sims[2].state_hash()


# S2-22: one array for each column, room to grow and shrink; the run continues as if it had begun like this.
def test_births_and_deaths_on_the_cpu():
    sim = flock("classic", 300, threads=2)
    sim.step(20)
    for column in sim.state.columns.values():
        assert column.flags.c_contiguous
        assert column.shape == (300,)
    sim.remove_agents(np.arange(0, 300, 7))
    born = sim.add_agents(np.full((5, 2), 20.0) + np.arange(5)[:, None], np.full((5, 2), 1.0))
    assert list(born) == [300, 301, 302, 303, 304]
    again = mm.Simulation(
        sim.scenario,
        seed=7,
        backend="cpu",
        positions=sim.positions,
        velocities=sim.velocities,
        ids=sim.ids,
    )
    sim.step(50)
    again.step(50)
    assert sim.agent_count == 300 - 43 + 5
    assert np.array_equal(sim.positions, again.positions)
    assert np.array_equal(sim.velocities, again.velocities)


PROGRAM = """
import sys
import murmura as mm

scenario = mm.load_scenario("classic").with_values({"agents": 100, "world.width": 300.0, "world.height": 200.0})
sim = mm.Simulation(scenario, seed=9, backend="cpu", threads=2)
sim.step(50)
print(sim.state_hash())
"""


def another_process(cache: str) -> AbstractContextManager[subprocess.Popen[str]]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return started(
        sys.executable, "-W", "error", "-c", PROGRAM, env=environment(MURMURA_CACHE_DIR=cache), **pipes
    )


def test_other_processes_and_a_cold_cache(tmp_path):
    """Two processes need the same kernel simultaneously, with nothing on disk: both get the same bits."""
    here = mm.Simulation(
        mm.load_scenario("classic").with_values({"agents": 100, "world.width": 300.0, "world.height": 200.0}),
        seed=9,
        backend="cpu",
    )
    here.step(50)
    answers = []
    with another_process(str(tmp_path)) as one, another_process(str(tmp_path)) as other:
        for process in (one, other):
            out, error = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, error
            answers.append((out.strip(), error))
    assert {found for found, _ in answers} == {here.state_hash()}
    said = "murmura: compiling the kernel for these rules (once; it is kept on disk)\n"
    told = [error for _, error in answers]
    assert said in told
    assert set(told) <= {"", said}, "only a process that compiles announces it"
    with another_process(str(tmp_path)) as late:
        out, error = late.communicate(timeout=PATIENCE)
    assert (out.strip(), error) == (here.state_hash(), "")
