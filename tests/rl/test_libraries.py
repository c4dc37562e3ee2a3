"""The tests of PettingZoo and Gymnasium themselves, and what their users rely on besides."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from murmura.core.errors import ScenarioError
from murmura.rl import Arena
from murmura.rl.tasks import escape, formation
from tests.optional import needs

pytestmark = needs("pettingzoo", "gymnasium")
TASKS = [escape(5, episode=60), formation(5, episode=20)]


@pytest.mark.parametrize("task", TASKS, ids=["escape", "formation"])
def test_pettingzoo_api(task, capsys: pytest.CaptureFixture[str]):
    from pettingzoo.test import parallel_api_test

    from murmura.rl import ParallelEnv

    parallel_api_test(ParallelEnv(task), num_cycles=70)
    assert "Passed" in capsys.readouterr().out


def test_pettingzoo_seeds():
    from pettingzoo.test import parallel_seed_test

    from murmura.rl import ParallelEnv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # inside the library
        parallel_seed_test(lambda: ParallelEnv(escape(4, episode=15)), num_cycles=20)


def test_a_living_agent_without_an_action_is_named():
    from murmura.rl import ParallelEnv

    env = ParallelEnv(formation(3))
    env.reset(seed=1)
    with pytest.raises(ScenarioError, match="every living agent needs an action, and agent_2 has none"):
        env.step({"agent_0": np.zeros(2), "agent_1": np.zeros(2)})


@pytest.mark.parametrize("task", TASKS, ids=["escape", "formation"])
def test_gymnasium_spaces_and_seeds(task):
    # Of what Gymnasium's check_env does, all that does not need a single environment
    from gymnasium.utils.env_checker import (
        check_reset_return_info_deprecation,
        check_reset_return_type,
        check_reset_seed_determinism,
        check_seed_deprecation,
    )
    from gymnasium.vector.utils import batch_space

    from murmura.rl import VectorEnv

    env = VectorEnv(task, 2)
    assert env.observation_space == batch_space(env.single_observation_space, 10)
    assert env.action_space.shape == (10, 2)
    for check in (
        check_reset_return_info_deprecation,
        check_reset_return_type,
        check_reset_seed_determinism,
        check_seed_deprecation,
    ):
        check(env)
    first, second = (env.step(env.action_space.sample())[0] for _ in range(2))
    assert not np.shares_memory(first, second)


def test_gymnasium_worlds_start_again_in_the_same_step():
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    from murmura.rl import VectorEnv

    task = formation(4, episode=6)
    env = RecordEpisodeStatistics(VectorEnv(task, 3))
    twin = Arena(task, 3)
    seen, _ = env.reset(seed=3)
    assert np.array_equal(seen, twin.reset(3).reshape(12, -1))
    env.action_space.seed(0)
    for k in range(1, 15):
        action = env.action_space.sample()
        seen, rewards, over, cut, info = env.step(action)
        turn = twin.step(action.reshape(3, 4, 2))
        assert np.array_equal(rewards, turn.rewards.ravel())
        assert cut.all() == (k % 6 == 0) and not over.any()
        if k % 6 == 0:
            assert np.array_equal(info["final_obs"], turn.observations.reshape(12, -1))
            assert np.array_equal(seen, twin.restart(range(3)).reshape(12, -1))
            assert (info["episode"]["l"] == 6).all()
        else:
            assert np.array_equal(seen, turn.observations.reshape(12, -1))
