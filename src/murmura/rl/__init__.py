"""Flocks that learn: an ensemble whose agents are steered by a policy, for libraries of reinforcement learning.

A `Task` says who learns, what they observe and what is rewarded. `Arena` runs it in many worlds at once, in plain
arrays; `ParallelEnv` adapts one world to PettingZoo and `VectorEnv` many to Gymnasium, which the extra `rl` installs.
Nothing here takes part in a step: actions are columns of the rule `action`, written between steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from murmura.rl.arena import Arena, Turn
    from murmura.rl.moment import Moment
    from murmura.rl.observations import Columns, Nearest, VisualField
    from murmura.rl.parallel_env import ParallelEnv
    from murmura.rl.recording import record
    from murmura.rl.task import Task
    from murmura.rl.vector_env import VectorEnv

_HOMES = {
    "Arena": "arena",
    "Columns": "observations",
    "Moment": "moment",
    "Nearest": "observations",
    "ParallelEnv": "parallel_env",
    "Task": "task",
    "Turn": "arena",
    "VectorEnv": "vector_env",
    "VisualField": "observations",
    "record": "recording",
}
__all__ = [
    "Arena",
    "Columns",
    "Moment",
    "Nearest",
    "ParallelEnv",
    "Task",
    "Turn",
    "VectorEnv",
    "VisualField",
    "record",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        from murmura.core.extras import needs

        with needs("rl"):
            return getattr(import_module(f"murmura.rl.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'murmura.rl' has no attribute {name!r}")
