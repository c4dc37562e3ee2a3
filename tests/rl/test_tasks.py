"""The tasks can be solved: their hand-written rules earn much more than doing nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from murmura.rl import Arena, Task
from murmura.rl.tasks import escape, escape_by_hand, formation, formation_by_hand, shepherd, shepherd_by_hand


def played(task: Task, act: Callable[[Any], Any], worlds: int, turns: int) -> tuple[Any, Any, Arena]:
    """What was earned until each world's first end, shape (turns, worlds), and whether it came to one."""
    arena = Arena(task, worlds, seed=3)
    ended, earned = np.zeros(worlds, bool), []
    for _ in range(turns):
        turn = arena.step(act(arena.now))
        earned.append(turn.rewards.mean(axis=1) * ~ended)
        ended |= turn.terminated
    return np.array(earned), ended, arena


def nothing(now: Any) -> Any:
    return np.zeros(now.own_positions.shape)


def test_the_dog_of_the_paper_brings_the_sheep_home():
    earned, home, _ = played(shepherd(10), shepherd_by_hand, 12, 300)
    assert home.mean() > 0.9
    # The sheep were 159 u away on average: a tenth of it is earned on the way, and 10 at home
    assert earned.sum(axis=0)[home] == pytest.approx(10.0 + 14.9, abs=2.5)
    earned, home, arena = played(shepherd(10), nothing, 12, 100)
    assert not home.any()
    assert abs(earned.sum(axis=0)).max() < 5.0
    assert arena.learners.tolist() == [0]


def test_flying_as_neighbours_do_is_a_formation():
    task = formation(30)
    earned, _, _ = played(task, formation_by_hand, 8, 100)
    idle, _, _ = played(task, nothing, 8, 100)
    assert earned[50:].mean() > 0.85
    assert abs(idle.mean()) < 0.1


def test_who_flees_lives_longer():
    task = escape(20)
    deaths = []
    for act in (nothing, escape_by_hand):
        _, _, arena = played(task, lambda now, act=act: np.nan_to_num(act(now)), 16, 150)
        deaths.append(int((~arena.now.alive).sum()))
    assert deaths[1] < 0.6 * deaths[0] and deaths[0] > 15
