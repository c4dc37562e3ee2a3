"""Compares the policy of docs/learn_formation.py with the hand-written rule, and draws its learning curve.

    python docs/make_learning.py docs/learn-formation.npz docs/images/learn-formation.png

Needs the extra analysis. Episodes start from seeds that were not trained on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from murmura import rl
from murmura.rl.tasks import formation, formation_by_hand

WORLDS, SEED = 256, 1000


def policy_of(path: str) -> Callable[[rl.Arena], Any]:
    """The saved policy, in NumPy: a layer for every neighbour, one for their sum."""
    p = dict(np.load(path))

    def layer(name: str, x: Any) -> Any:
        return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    def act(arena: rl.Arena) -> Any:
        rows = arena.observations.reshape(*arena.observations.shape[:2], -1, 5)
        there = rows[..., -1:]
        met = (np.tanh(layer("each", rows)) * there).sum(axis=-2)
        mean = rows.sum(axis=-2) / np.maximum(there.sum(axis=-2), 1.0)
        return layer("out", np.tanh(layer("all", met))) + layer("straight", mean)

    return act


def earned(act: Callable[[rl.Arena], Any]) -> np.ndarray:
    """What an agent earns in each turn of an episode, by world."""
    arena = rl.Arena(formation(), WORLDS, seed=SEED)
    return np.array([arena.step(act(arena)).rewards.mean(axis=1) for _ in range(arena.task.episode)])


def main(path: str, picture: str) -> None:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    rules = {
        "learned": policy_of(path),
        "by hand": lambda arena: formation_by_hand(arena.now),
        "nothing": lambda arena: np.zeros((WORLDS, 30, 2)),
    }
    found = {name: earned(act) for name, act in rules.items()}
    for name, rewards in found.items():
        worlds = rewards.mean(axis=0)
        last = rewards[-25:].mean()
        print(f"{name:8}  {worlds.mean():.3f} +- {worlds.std() / WORLDS**0.5:.3f}  last quarter {last:.3f}")
    apart = found["learned"].mean(axis=0) - found["by hand"].mean(axis=0)
    print(f"learned - by hand, same starts: {apart.mean():.3f} +- {apart.std() / WORLDS**0.5:.3f}")
    curve = np.loadtxt(f"{path}.csv", delimiter=",", skiprows=1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    pairs = curve[: len(curve) // 2 * 2].reshape(-1, 2, 2).mean(axis=1)  # an episode is two rounds
    left.plot(*pairs.T)
    left.axhline(found["by hand"].mean(), color="grey", linestyle="--", label="by hand")
    left.set(xlabel="CPU time of training [s]", ylabel="reward of an action")
    left.legend()
    for name, rewards in found.items():
        right.plot(rewards.mean(axis=1), label=name)
    right.set(xlabel="action of the episode", ylabel="reward", title="after training, new starts")
    right.legend()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
