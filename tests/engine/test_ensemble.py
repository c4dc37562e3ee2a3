"""Many worlds at once: each is its own simulation, bit by bit, whatever it contains."""

from __future__ import annotations

import os
import signal
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import BackendError, RunError, ScenarioError
from murmura.engine import ensemble_arguments as arguments

SEEDS = [0, 1, 5, 2**40 + 3]


def scene(name: str = "classic", agents: int = 40, **values: Any) -> mm.Scenario:
    return mm.load_scenario(name).with_values({"agents": agents, **values})


def alone(scenario: mm.Scenario, seed: int, steps: int) -> mm.Simulation:
    sim = mm.Simulation(scenario, seed, "cpu", threads=1)
    sim.step(steps)
    return sim


# Hunters and food, births and deaths, evolution, opaque bodies, obstacles, space, the open, many species
NAMES = [
    "starlings", "ecosystem", "scarcity", "falcon-stoop", "sky-and-sea", "vision", "midges", "mixed", "colony",
]  # fmt: skip


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_every_world_is_its_own_simulation(name: str, threads: int):
    scenario = scene(name)
    ensemble = mm.Ensemble(scenario, SEEDS, threads=threads)
    assert len(ensemble) == 4
    assert ensemble.seeds == tuple(SEEDS)
    for count in (0, 1, 59):
        ensemble.step(count)
    sims = [alone(scenario, seed, 60) for seed in SEEDS]
    assert ensemble.state_hashes() == [sim.state_hash() for sim in sims]
    assert ensemble.agent_counts.tolist() == [sim.agent_count for sim in sims]
    for k, sim in enumerate(sims):
        count = sim.agent_count
        for mine, theirs in (
            (ensemble.positions, sim.positions),
            (ensemble.velocities, sim.velocities),
            (ensemble.forces, sim.forces),
            (ensemble.column("heading"), sim.column("heading")),
            (ensemble.column("species"), sim.column("species")),
            (ensemble.column("gender"), sim.column("gender")),
        ):
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine[k, :count], theirs)
            assert np.ma.getmaskarray(mine)[k, count:].all()
    found = ensemble.measure()
    for k, sim in enumerate(sims):
        wanted = sim.measure()
        assert list(found) == list(wanted)
        assert np.array_equal([found[name][k] for name in found], list(wanted.values()), equal_nan=True)


def test_scenarios_may_differ_in_all_that_needs_no_other_kernel():
    base = scene("classic")
    several = [
        base,
        base.with_values({"agents": 90, "rules.cohesion.weight": 0.1}),
        base.with_values({"world.width": 300.0, "world.height": 200.0, "perception.radius": 80.0}),
        base.with_values({"motion.time_step": 0.5 * base.motion.time_step, "agents": 0}),
    ]
    ensemble = mm.Ensemble(several, 7, threads=2)
    ensemble.step(40)
    assert ensemble.scenarios == tuple(several)
    assert ensemble.state_hashes() == [alone(scenario, 7, 40).state_hash() for scenario in several]
    assert ensemble.positions.shape == (4, 90, 2)
    assert ensemble.positions.mask[:, :, 0].sum(axis=1).tolist() == [50, 0, 50, 90]
    assert np.isnan(ensemble.measure(["polarization"])["polarization"]).tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_a_world_goes_on_by_itself_and_the_ensemble_stays():
    scenario = scene("ecosystem")
    ensemble = mm.Ensemble(scenario, SEEDS)
    ensemble.step(30)
    before = ensemble.state_hash()
    world = ensemble.world(2)
    assert len(world.lineage()) == len(alone(scenario, 5, 30).lineage())
    world.step(30)
    assert world.state_hash() == alone(scenario, 5, 60).state_hash()
    assert ensemble.state_hash() == before
    ensemble.step(30)
    assert ensemble.state_hashes()[2] == world.state_hash()
    for number in (4, -1, True, "0"):
        with pytest.raises(ScenarioError, match="worlds are numbered from 0 to 3"):
            ensemble.world(number)  # type: ignore[arg-type]


def test_values_change_in_all_worlds_or_in_some():
    scenario = scene("falcon-stoop")
    ensemble = mm.Ensemble(scenario, SEEDS)
    sims = [mm.Simulation(scenario, seed, "cpu") for seed in SEEDS]
    for values, chosen in (
        ({"rules.cohesion.weight": 0.3}, None),
        ({"rules.separation.weight": 2.0}, 1),
        ({"perception.radius": 70.0}, [0, 3]),
        ({"world.width": 900.0}, [2]),
    ):
        ensemble.retune(values, chosen)
        for k, sim in enumerate(sims):
            if chosen is None or k == chosen or (isinstance(chosen, list) and k in chosen):
                sim.retune(values)
        ensemble.step(20)
        for sim in sims:
            sim.step(20)
        assert ensemble.state_hashes() == [sim.state_hash() for sim in sims]


@pytest.mark.parametrize("name", ["vicsek", "starlings", "midges"])
def test_measures_of_all_worlds_together_have_the_bits_of_each(name: str):
    scenario = scene(name, agents=37)
    flocks = mm.Ensemble(scenario, range(6))
    flocks.step(40)
    still = flocks._worlds_of[2].state.copy()
    still["velocity_x"][5] = still["velocity_y"][5] = 0.0
    flocks.restart([2], [2], [still])
    names = ["spread", "groups", "polarization", "mean_speed", "milling", "speed_deviation"]
    found = flocks.measure(names)
    assert list(found) == names
    for k in range(6):
        assert [found[name][k] for name in names] == list(flocks.world(k).measure(names).values())
    assert np.array_equal(flocks.measure(["milling"])["milling"], found["milling"])


STEERED = {"agents": 30, "rules.action.weight": 1.0}


def test_columns_are_written_in_all_worlds_as_in_each_alone():
    scenario = scene("starlings", **STEERED)
    flocks, rng = mm.Ensemble(scenario, SEEDS), np.random.default_rng(0)
    sims = [mm.Simulation(scenario, seed, "cpu") for seed in SEEDS]
    for _ in range(3):
        actions = rng.uniform(-1.0, 1.0, (2, 4, 30))
        flocks.assign({"action_x": actions[0], "action_y": actions[1]})
        flocks.step(7)
        for k, sim in enumerate(sims):
            sim.assign({"action_x": actions[0, k], "action_y": actions[1, k]})
            sim.step(7)
    assert flocks.state_hashes() == [sim.state_hash() for sim in sims]
    assert np.array_equal(flocks.column("action_y"), actions[1].astype(np.float32))


def test_columns_of_the_dead_are_passed_over_and_read_as_nan():
    scenario = scene("scarcity", agents=60, **{"rules.action.weight": 1.0, "rules.energy.decay": 0.4})
    flocks = mm.Ensemble(scenario, SEEDS)
    flocks.step(250)
    assert (flocks.agent_counts < 60).all()
    rows = flocks.by_id(["position_x", "action_x"], 60)
    for k in range(4):
        ids = flocks.world(k).ids
        ids = ids[ids < 60]
        assert np.array_equal(np.flatnonzero(~np.isnan(rows["position_x"][k])), ids)
        assert np.array_equal(rows["position_x"][k, ids], flocks.world(k).positions[: len(ids), 0])
    wanted = np.tile(np.linspace(-1.0, 1.0, 60, dtype=np.float32), (4, 1))
    flocks.assign({"action_x": wanted})
    found = flocks.by_id(["action_x"], 60)["action_x"]
    lives = ~np.isnan(rows["position_x"])
    assert np.array_equal(found[lives], wanted[lives])
    assert np.isnan(found[~lives]).all()
    flocks.step(1)


def test_a_restarted_world_is_a_new_simulation_and_the_others_go_on(tmp_path: Path):
    scenario = scene("falcon-stoop")
    flocks = mm.Ensemble(scenario, SEEDS)
    flocks.step(20)
    flocks.restart([1, 3], [77, 78])
    flocks.step(30)
    assert flocks.step_counts.tolist() == [50, 30, 50, 30]
    assert flocks.seeds == (0, 77, 5, 78)
    sims = [alone(scenario, 0, 50), alone(scenario, 77, 30), alone(scenario, 5, 50), alone(scenario, 78, 30)]
    assert flocks.state_hashes() == [sim.state_hash() for sim in sims]
    flocks.save(tmp_path / "flocks")
    again = mm.Ensemble.restore(tmp_path / "flocks")
    for ensemble in (flocks, again):
        ensemble.step(5)
    assert again.state_hash() == flocks.state_hash()
    assert again.step_counts.tolist() == [55, 35, 55, 35]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"action_x": np.zeros((4, 31))}, r"action_x must be numbers of shape \(4, 30\), got \(4, 31\)"),
        ({"action_x": "left"}, "action_x must be numbers"),
        (
            {"action_x": 0.0, "action_y": np.full((4, 30), np.nan)},
            r"action_y must be finite, got nan at \[0, 0\]",
        ),
        ({"position_x": 1.0}, "'position_x' is not a column that can be written"),
        ({"action_z": 1.0}, "'action_z' is not a column that can be written"),
    ],
)
def test_values_that_cannot_be_written_are_refused_and_nothing_changes(values: dict[str, Any], words: str):
    flocks = mm.Ensemble(scene("starlings", **STEERED), SEEDS)
    before = flocks.state_hash()
    with pytest.raises(ScenarioError, match=words):
        flocks.assign(values)
    assert flocks.state_hash() == before


def test_a_refused_change_changes_nothing():
    ensemble = mm.Ensemble(scene(), SEEDS)
    before = ensemble.scenarios
    for values, said in (
        ({"rules.cohesion.enabled": False}, r"world 0 needs another than world 0: rules\.cohesion differ"),
        ({"agents": 7}, "agents says how many agents start"),
        ({"rules.cohesion.weight": -1.0}, "rules.cohesion.weight"),
    ):
        with pytest.raises(ScenarioError, match=said):
            ensemble.retune(values)
    assert ensemble.scenarios == before


@pytest.mark.parametrize("name", ["ecosystem", "starlings"])
def test_save_and_restore(name: str, tmp_path: Path):
    ensemble = mm.Ensemble(scene(name), SEEDS)
    ensemble.step(25)
    ensemble.save(tmp_path / "e.zip")
    again = mm.Ensemble.restore(tmp_path / "e.zip", threads=2)
    assert again.step_count == 25
    assert again.seeds == ensemble.seeds
    for one in (ensemble, again):
        one.step(25)
    assert again.state_hash() == ensemble.state_hash()


def test_damaged_files_are_refused(tmp_path: Path):
    path, bad = tmp_path / "e.zip", tmp_path / "bad.zip"
    mm.Ensemble(scene(), [1, 2]).save(path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    swapped = parts | {"0.npz": parts["1.npz"], "1.npz": parts["0.npz"]}
    missing = {name: part for name, part in parts.items() if name != "1.npz"}
    for wrong, said in ((swapped, "do not match its hash"), (missing, "expected 2 worlds, found 1")):
        with zipfile.ZipFile(bad, "w") as archive:
            for name, part in wrong.items():
                archive.writestr(name, part)
        with pytest.raises(RunError, match=said):
            mm.Ensemble.restore(bad)
    bad.write_bytes(content[: len(content) // 2])
    with pytest.raises(RunError, match="is damaged"):
        mm.Ensemble.restore(bad)
    mm.Simulation(scene(), 1, "cpu").save(bad)
    with pytest.raises(RunError, match=r"read by Simulation\.restore"):
        mm.Ensemble.restore(bad)
    with pytest.raises(RunError, match="there is no ensemble"):
        mm.Ensemble.restore(tmp_path / "nothing.zip")


def test_a_world_that_dies_out_lets_the_others_go_on():
    scenario = scene("scarcity", agents=12)
    doomed = scenario.with_values({"rules.energy.decay": 0.9})
    ensemble = mm.Ensemble([scenario, doomed, scenario], [1, 2, 3])
    ensemble.step(300)
    assert ensemble.agent_counts[1] == 0
    assert ensemble.agent_counts[0] > 0
    assert np.isnan(ensemble.measure(["mean_speed"])["mean_speed"][1])
    assert ensemble.positions.mask[1].all()
    for k, (each, seed) in enumerate(((scenario, 1), (doomed, 2), (scenario, 3))):
        assert ensemble.state_hashes()[k] == alone(each, seed, 300).state_hash()


def test_bad_arguments_are_refused_by_name(monkeypatch: pytest.MonkeyPatch):
    base = scene()
    other = base.with_values({"world.boundary": "wrap" if base.world.boundary != "wrap" else "soft"})
    with pytest.raises(ScenarioError, match=r"world 1 needs another than world 0: .*world\.boundary"):
        mm.Ensemble([base, other], [1, 2])
    with pytest.raises(ScenarioError, match="one for each of the 2 scenarios, got 3"):
        mm.Ensemble([base, base], [1, 2, 3])
    with pytest.raises(ScenarioError, match="at least one world"):
        mm.Ensemble(base, [])
    with pytest.raises(ScenarioError, match="seed must be a whole number"):
        mm.Ensemble(base, [1, -2])
    for seeds in (None, "123", 1.5):
        with pytest.raises(ScenarioError, match="seeds must be a whole number, or one for each world, got"):
            mm.Ensemble(base, seeds)  # type: ignore[arg-type]
    with pytest.raises(ScenarioError, match="scenario must be a scenario, its name or path, or a list"):
        mm.Ensemble(3, [1])  # type: ignore[arg-type]
    with pytest.raises(
        BackendError,
        match=r"ensembles run on cpu, cuda, webgpu, got 'reference', which steps one world",
    ):
        mm.Ensemble(base, [1], backend="reference")
    with pytest.raises(BackendError, match="no backend is called 'cpuu'"):
        mm.Ensemble(base, [1], backend="cpuu")
    ensemble = mm.Ensemble(base, [1])
    for count in (-1, 1.5, True):
        with pytest.raises(ScenarioError, match="step takes a whole number"):
            ensemble.step(count)  # type: ignore[arg-type]
    monkeypatch.setattr(arguments, "available_memory", lambda: 10_000_000)
    with pytest.raises(
        ScenarioError, match=r"5,000 worlds of 40 agents need about 0\.\d GB, .* at most \d+ worlds"
    ):
        mm.Ensemble(base, range(5000))


# The estimate must be neither too low, which would swap, nor so high that it refuses what fits
@pytest.mark.parametrize(("name", "agents"), [("starlings", 20), ("starlings", 2000), ("ecosystem", 100)])
def test_the_estimated_memory_is_right(name: str, agents: int):
    from murmura.compute.cpu.worlds import flock_size

    ensemble = mm.Ensemble(scene(name, agents), [1])
    ensemble.step(1)
    flock = ensemble._native.flocks[0]
    assert flock.bytes <= flock_size(flock.plan) <= 3 * flock.bytes + 20_000


def test_ctrl_c_leaves_all_worlds_at_the_same_step():
    ensemble = mm.Ensemble(scene("starlings", 100), range(200), threads=2)
    ensemble.step(1)
    begun = threading.Event()

    def report(done: int, count: int) -> None:
        if done > 10 and not begun.is_set():
            begun.set()
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        ensemble.step(1_000_000, progress=report)
    done = ensemble.step_count
    assert 10 < done < 1_000_000
    assert ensemble.state_hashes()[3] == alone(scene("starlings", 100), 3, done).state_hash()
    ensemble.step(5)
    assert ensemble.state_hashes()[199] == alone(scene("starlings", 100), 199, done + 5).state_hash()


def test_progress_ends_at_the_whole():
    told: list[tuple[int, int]] = []
    mm.Ensemble(scene(), SEEDS).step(50, lambda done, count: told.append((done, count)))
    assert told[-1] == (50, 50)
    assert told == sorted(told)


def test_the_representation_says_what_it_is():
    ensemble = mm.Ensemble(scene(), SEEDS, threads=2)
    assert repr(ensemble) == "<Ensemble 'classic': 4 worlds, 160 agents, step 0, cpu x 2>"
