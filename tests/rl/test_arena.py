"""Many worlds with learning agents: every episode is a simulation of its own, and bad input changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.rl import Arena, Columns, Nearest, Task, record
from murmura.rl.tasks import escape, escape_by_hand, formation


def actions(arena: Arena, rng: np.random.Generator) -> Any:
    return rng.uniform(-1.0, 1.0, (len(arena), len(arena.learners), arena.action_size))


def test_an_episode_is_a_simulation_of_its_own():
    task = escape(6, episode=9)
    arena, rng, done = Arena(task, 3, seed=5), np.random.default_rng(1), []
    arena.restart([1])
    for _ in range(4):
        done.append(actions(arena, rng))
        arena.step(done[-1])
    for k in range(3):
        sim = mm.Simulation(task.scenario, arena.ensemble.seeds[k], "cpu")
        for action in done:
            alive = action[k][sim.ids]
            sim.assign({"action_x": alive[:, 0], "action_y": alive[:, 1]})
            sim.step(task.every)
        assert sim.state_hash() == arena.ensemble.state_hashes()[k]


@pytest.mark.parametrize(
    "task", [escape(8, episode=30), formation(10, episode=12)], ids=["escape", "formation"]
)
def test_the_same_seed_and_actions_give_the_same_turns(task: Task):
    seen = []
    for threads in (1, 2):
        arena, rng = Arena(task, 4, seed=0, threads=threads), np.random.default_rng(2)
        found = [arena.reset(seed=9)]
        for _ in range(35):
            turn = arena.step(actions(arena, rng))
            found += [turn.observations, turn.rewards, turn.ended]
            if turn.ended.any():
                found.append(arena.restart(np.flatnonzero(turn.ended)))
        seen.append(found)
    assert all(np.array_equal(a, b) for a, b in zip(*seen, strict=True))
    assert not np.array_equal(Arena(task, 4).reset(seed=10), seen[0][0])


def test_the_dead_earn_once_and_then_nothing():
    arena = Arena(escape(12), 6, seed=1)
    died, earned = np.zeros((6, 12), int), np.zeros((6, 12))
    for _ in range(150):
        before = arena.now.alive
        turn = arena.step(np.zeros((6, 12, 2)))
        died += turn.died
        earned = turn.rewards
        assert (earned[turn.died] == -1.0).all()
        assert (earned[~before] == 0.0).all()
        assert (turn.observations[~arena.now.alive] == 0.0).all()
        assert np.isfinite(turn.observations).all()
    assert died.sum() > 3 and died.max() == 1
    assert np.array_equal(died == 1, ~arena.now.alive)


def test_worlds_end_after_their_actions_or_when_the_task_says_so():
    task = formation(6, episode=5)
    arena = Arena(task, 2)
    ends = [arena.step(np.zeros((2, 6, 2))).truncated.tolist() for _ in range(5)]
    assert ends == [[False, False]] * 4 + [[True, True]]
    done = replace(task, done=lambda now: now.actions * np.arange(2) >= 3)
    arena = Arena(done, 2)
    for _ in range(3):
        turn = arena.step(np.zeros((2, 6, 2)))
    assert turn.terminated.tolist() == [False, True]
    arena.restart([1])
    assert arena.now.actions.tolist() == [3, 0]
    assert arena.ensemble.step_counts.tolist() == [15, 0]


def test_a_start_is_arranged_with_the_seed_of_its_world():
    def start(state: Any, rng: np.random.Generator) -> None:
        state["position_x"][:] = rng.uniform(0.0, 5.0)

    task = replace(formation(6), start=start)
    places = Arena(task, 3, seed=4).now.positions[..., 0]
    assert (places == places[:, :1]).all() and (places < 5.0).all()
    assert len(np.unique(places)) == 3
    assert np.array_equal(places, Arena(task, 3, seed=4).now.positions[..., 0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros((2, 6)), r"actions must have shape \(2, 6, 2\): worlds, learners, axes; got \(2, 6\)"),
        (np.zeros((2, 5, 2)), r"got \(2, 5, 2\)"),
        (np.full((2, 6, 2), np.nan), r"actions must be finite, got .* for learner 0 of world 0"),
    ],
)
def test_bad_actions_are_refused_and_nothing_happens(given: Any, words: str):
    arena = Arena(formation(6), 2)
    before = arena.ensemble.state_hash()
    with pytest.raises(ScenarioError, match=words):
        arena.step(given)
    assert arena.ensemble.state_hash() == before


LIFE = {"rules.mating.search_radius": 40.0, "rules.mating.fight_radius": 20.0, "rules.breeding.enabled": True}


def test_tasks_that_cannot_be_learned_are_refused():
    task = formation(6)
    for change, words in [
        ({"rules.action.weight": 0.0}, "nobody learns: rules.action.weight must be > 0"),
        ({"rules.action.enabled": False}, "set rules.action.enabled = true"),
        (LIFE, "rules.breeding adds others: set rules.breeding.enabled = false"),
    ]:
        with pytest.raises(ScenarioError, match=words):
            replace(task, scenario=task.scenario.with_values(change))
    with pytest.raises(ScenarioError, match="every must be a whole number, 1 or more, got 0"):
        replace(task, every=0)
    with pytest.raises(ScenarioError, match="at least one observation"):
        replace(task, observe=())
    with pytest.raises(ScenarioError, match="worlds must be a whole number"):
        Arena(task, 0)
    with pytest.raises(
        ScenarioError, match=r"the observation lonely must have shape \(1, 6, 'numbers'\), got \(1, 6\)"
    ):
        Arena(replace(task, observe=(lonely,)))
    with pytest.raises(ScenarioError, match="no step changes 'gender'"):
        Arena(replace(task, observe=(Columns(["gender"]),)))
    with pytest.raises(ScenarioError, match="Nearest takes a count of 1 or more"):
        Nearest(0, 5.0)


def lonely(now: Any) -> Any:
    return np.zeros((1, 6))


def test_an_episode_is_recorded_as_a_run(tmp_path: Path):
    task = escape(6, episode=12)
    seen = []

    def policy(arena: Arena) -> Any:
        seen.append(arena.now.positions[0].copy())
        return np.nan_to_num(escape_by_hand(arena.now))

    run = record(task, policy, tmp_path / "run", seed=4)
    twin = Arena(task, 1, seed=4)
    for _ in range(12):
        twin.step(np.nan_to_num(escape_by_hand(twin.now)))
    assert run.manifest["final_hash"] == twin.ensemble.state_hashes()[0]
    frames = run.frames
    assert len(seen) == 12 and len(frames) == 13
    for k in range(12):
        alive = ~np.isnan(seen[k][:, 0])
        assert frames[k].positions == pytest.approx(
            seen[k][alive], abs=1e-4
        )  # files keep them about the middle
    with pytest.raises(
        ScenarioError,
        match=r"is not empty: choose a new folder, or continue that run|it contains this run, finished",
    ):
        record(task, policy, tmp_path / "run")
