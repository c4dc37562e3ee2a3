"""The shipped scenarios of life show what their titles say, with any number of threads and after a checkpoint."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.state import FeedingState, MatingState
from murmura.engine.reading.surroundings import FOOD_COLUMNS
from murmura.rules.life import feeding, mating

FEEDERS, PRESENT = (FOOD_COLUMNS.index(name) for name in ("feeders", "present"))
TABLES = {
    name: {(int(change.before), int(change.after)) for change in changes}
    for name, changes in (("feeding_state", feeding.CHANGES), ("mating_state", mating.CHANGES))
}
FEEDING = FeedingState.FEEDING
MATING, FIGHTING = MatingState.MATING, MatingState.FIGHTING


def begin(name: str, seed: int = 3, threads: int = 1, **values: Any) -> mm.Simulation:
    scenario = mm.load_scenario(name).with_values({path.replace("__", "."): v for path, v in values.items()})
    return mm.Simulation(scenario, seed=seed, backend="cpu", threads=threads)


def sources(sim: mm.Simulation) -> Any:
    return sim.state.items["feeding"]


# S2-7, S2-57
def test_hungry_birds_find_food_and_recover() -> None:
    fed, unfed = (
        begin("feeding-grounds", agents=200),
        begin("feeding-grounds", agents=200, rules__feeding__energy_restore=0.0),
    )
    hungry, meals = np.zeros(200, bool), Counter()
    for _ in range(100):
        fed.step(120)
        hungry |= fed.column("energy") < 0.62  # a bird sets out at 0.6
        meals.update(event["id"] for event in fed.events() if event["kind"] == "meal")
    unfed.step(fed.step_count)
    assert hungry.mean() > 0.9
    assert np.mean([meals[k] > 0 for k in np.flatnonzero(hungry)]) > 0.9
    assert fed.column("energy").mean() > 0.5
    assert unfed.column("energy").max() < 0.05
    assert np.hypot(*fed.velocities.T).max() > 1.8 * np.hypot(*unfed.velocities.T).max(), (
        "starved birds are slow"
    )


def test_no_source_ever_exceeds_its_capacity() -> None:
    sim = begin("feeding-grounds", rules__feeding__capacity=4, rules__feeding__amount=20.0)
    full = emptied = 0
    for _ in range(800):
        sim.step(9)
        here = sim.column("target_food_id")[sim.column("feeding_state") == FEEDING]
        counted = np.bincount(here, minlength=len(sources(sim)))
        assert (counted <= 4).all()
        assert (sources(sim)[:, FEEDERS] == counted).all()
        full += int((counted == 4).sum())
        emptied += int((sources(sim)[:, PRESENT] == 0.0).sum())
    assert full > 20
    assert emptied > 20


# S0-29, S2-5
def test_panic_ends_feeding() -> None:
    sim = begin("feeding-grounds", agents=300)
    while (sim.column("feeding_state") >= 2).sum() < 20:
        sim.step(60)
        assert sim.step_count < 12_000
    scene = sources(sim)
    threats = [{"x": float(x), "y": float(y), "radius": 150.0} for x, y in scene[:, 1:3]]
    at_food = sim.ids[sim.column("feeding_state") >= 2]
    sim.retune({"rules.fear.threats": threats})
    sim.step(3)
    assert (sim.column("feeding_state")[at_food] > 0).mean() < 0.1
    assert (sources(sim)[:, :3] == scene[:, :3]).all(), "retuning moves no food"


def arrows(before: Any, after: Any) -> set[tuple[int, int]]:
    moved = before != after
    return set(zip(before[moved].tolist(), after[moved].tolist(), strict=True))


# S2-2, S2-3, S2-11, S2-12
def test_courtship_is_mutual_and_fights_have_one_winner() -> None:
    sim = begin("courtship", agents=240)
    sexes, kinds = sim.column("gender"), sim.column("species")
    seen: dict[str, set[tuple[int, int]]] = {"feeding_state": set(), "mating_state": set()}
    told: Counter[str] = Counter()
    couples = set()
    for _ in range(3600):
        before = {name: sim.column(name) for name in (*seen, "target_mate_id", "rival_id", "display")}
        sim.step()
        for name, found in seen.items():
            found |= arrows(before[name], sim.column(name))
        stage, target, rival = (sim.column(c) for c in ("mating_state", "target_mate_id", "rival_id"))
        pairs = np.flatnonzero(stage == MATING)
        assert (stage[target[pairs]] == MATING).all()
        assert (target[target[pairs]] == pairs).all()
        assert (sexes[pairs] != sexes[target[pairs]]).all()
        assert (kinds[pairs] == kinds[target[pairs]]).all()
        fighters = np.flatnonzero(stage == FIGHTING)
        assert (stage[rival[fighters]] == FIGHTING).all()
        assert (rival[rival[fighters]] == fighters).all()
        assert (sexes[fighters] == 1).all()
        for event in sim.events():
            told[event["kind"]] += 1
            a, b = event["id"], event["other"]
            if event["kind"] == "mating":
                couples.add((a, b))
                assert (sexes[a], sexes[b], kinds[a] == kinds[b]) == (0, 1, True)
                assert before["target_mate_id"][a] == b and before["target_mate_id"][b] == a
                assert stage[a] == stage[b] == MatingState.COOLDOWN
            elif event["kind"] == "fight":
                assert before["rival_id"][a] == b and before["rival_id"][b] == a
                assert before["display"][a] >= before["display"][b]
                assert (stage[a], stage[b]) == (MatingState.APPROACHING, MatingState.COOLDOWN)
    assert told["mating"] > 50
    assert told["fight"] > 20
    assert len(couples) > 40
    assert set(kinds[[a for a, _ in couples]]) == {0, 1}
    for name, found in seen.items():
        assert found <= TABLES[name], f"{name}: {sorted(found - TABLES[name])} are in no table"


# S2-8, S2-11, S2-28, S2-29
def test_exactly_the_changes_in_the_tables_happen() -> None:
    """Food is short, and from time to time some birds are frightened, starved or carried away."""
    sim = begin(
        "courtship",
        agents=300,
        rules__feeding__amount=4.0,
        rules__feeding__capacity=3,
        rules__mating__patience=4.0,
    )
    rng = np.random.default_rng(1)
    seen: dict[str, set[tuple[int, int]]] = {name: set() for name in TABLES}
    for turn in range(150):
        state = sim.state.copy()
        n = len(state)
        state["panic"][:] = np.where(rng.random(n) < 0.04, 0.9, 0.0)
        state["energy"][:] = np.where(rng.random(n) < 0.03, rng.random(n), state["energy"])
        carried = rng.random(n) < 0.03
        state["position_x"][carried] = (state["position_x"][carried] + (120.0 if turn % 2 else 55.0)) % 1400.0
        if turn % 3:
            state["panic"][:] = 0.0
        sim.load_state(state)
        for _ in range(8):
            before = {name: sim.column(name) for name in TABLES}
            sim.step()
            for name, found in seen.items():
                found |= arrows(before[name], sim.column(name))
            sim.step(5)
    for name, table in TABLES.items():
        assert seen[name] <= table, f"{name}: {sorted(seen[name] - table)} are in no table"
        assert seen[name] >= table, f"{name}: {sorted(table - seen[name])} never happened"


# S2-1, S2-7
def test_a_colony_grows_until_its_food_limits_it() -> None:
    counts: dict[int, list[int]] = {}
    for food in (8, 16):
        sim = begin("colony", rules__feeding__count=food)
        counts[food] = [sim.agent_count]
        told: Counter[str] = Counter()
        for _ in range(90):
            sim.step(400)
            told.update(event["kind"] for event in sim.events())
            counts[food].append(sim.agent_count)
            assert sim.agent_count == counts[food][0] + told["birth"] - told["death"]
        assert told["birth"] == told["mating"]
        assert told["death"] > 50
        assert sim.ids[-1] < counts[food][0] + told["birth"]
    late = {food: np.mean(counts[food][45:]) for food in counts}
    assert max(counts[16]) > 1.5 * counts[16][0], "it grows"
    assert max(counts[16]) < 0.8 * mm.load_scenario("colony").rules.breeding.most, (
        "the cap must not be what limits it"
    )
    assert 1.4 * late[8] < late[16] < 4.0 * late[8], "more food supports more birds"


def test_bits_do_not_depend_on_threads_batches_or_checkpoints(tmp_path: Path) -> None:
    whole = begin("colony", threads=1)
    whole.step(1200)
    expected = whole.state_hash(), str(whole.events())
    assert whole.agent_count != 120
    for threads in (2, 3):
        first = begin("colony", threads=threads)
        first.step(500)
        told = first.events()
        first.save(tmp_path / "half.npz")
        sim = mm.Simulation.restore(tmp_path / "half.npz", backend="cpu", threads=threads)
        for _ in range(10):
            sim.step(70)
        assert (sim.state_hash(), str(told + sim.events())) == expected


@pytest.mark.parametrize("name", ["feeding-grounds", "courtship", "colony"])
def test_another_seed_gives_another_run(name: str) -> None:
    a, b = begin(name, seed=1, agents=100), begin(name, seed=2, agents=100)
    assert not np.array_equal(sources(a)[:, 1:3], sources(b)[:, 1:3])
    a.step(200)
    b.step(200)
    assert a.state_hash() != b.state_hash()
