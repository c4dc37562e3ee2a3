"""Shepherd: a dog learns to drive the sheep of Strömbom et al. 2014 to a goal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from murmura.core.state import State
from murmura.rl.moment import Moment
from murmura.rl.task import Task
from murmura.scenario import load_scenario

SIDE = 150.0  # [u] of the field; the goal is its corner at the origin
HOME = 10.0  # [u] the sheep are home when their middle is nearer than this to the goal
PACE = 1.5  # [u per step] of the dog
SPACING = 2.0  # [u] at which sheep repel each other
EVERY = 3  # steps between two actions
DOG = {"rules.sheep.step": 0.0, "rules.action.weight": 1.0}


def shepherd(sheep: int = 20, episode: int = 300) -> Task:
    """The dog earns the way that it brings the sheep home, in tenths of a unit, and 10 when they are there."""
    flock = {"name": "sheep", "share": float(sheep), "color": "#e6e6e6", "towards": {"dog": "flee"}}
    scenario = load_scenario("sheep").with_values(
        {
            "agents": sheep + 1,
            "species": [{"name": "dog", "share": 1.0, "color": "#d55e00", "values": DOG}, flock],
            "perception.nearest": max(1, sheep - 1),
            "rules.sheepdog.enabled": False,
            "rules.action": {"enabled": True, "axes": "world", "weight": 0.0},
            "motion.max_force": PACE,
        }
    )
    return Task(
        scenario, (flock_seen,), shepherd_reward, done=are_home, start=gather, every=EVERY, episode=episode
    )


def gather(state: State, rng: np.random.Generator) -> None:
    """The sheep in the quarter of the field that is farthest from the goal, the dog in the nearest."""
    for axis in ("x", "y"):
        place = rng.uniform(0.5 * SIDE, SIDE, len(state))
        place[0] = rng.uniform(0.0, 0.5 * SIDE)
        state[f"position_{axis}"][:] = place


@dataclass(frozen=True)
class Herd:
    """Where the sheep are, as the dog sees them: vectors of shape (worlds, 2) [u]."""

    middle: NDArray[np.float32]
    farthest: NDArray[np.float32]
    nearest: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def of(cls, now: Moment) -> Herd:
        dog, sheep = now.positions[:, :1], now.positions[:, 1:]
        middle = sheep.mean(axis=1, keepdims=True)
        strays = ((sheep - middle) ** 2).sum(axis=-1)
        rows, ways = np.arange(len(sheep)), sheep - dog
        near = (ways**2).sum(axis=-1).argmin(axis=1)
        return cls(
            (middle - dog)[:, 0],
            ways[rows, strays.argmax(axis=1)],
            ways[rows, near],
            np.sqrt(strays.mean(axis=1)),
        )


def flock_seen(now: Moment) -> NDArray[np.float32]:
    """From the dog to the middle, the farthest and the nearest sheep, and the goal; how far the sheep are spread."""
    herd = Herd.of(now)
    parts = [herd.middle / 50.0, herd.farthest / 50.0, herd.nearest / 10.0, -now.positions[:, 0] / SIDE]
    parts += [(herd.middle + now.positions[:, 0]) / SIDE, herd.spread[:, None] / 20.0]
    found: NDArray[np.float32] = np.concatenate(parts, axis=-1)[:, None]
    return found


def shepherd_reward(now: Moment, before: Moment) -> NDArray[np.float32]:
    """How much nearer to the goal the sheep are on average, in tenths of a unit, and 10 when they are home."""
    left = [np.linalg.norm(moment.positions[:, 1:], axis=-1).mean(axis=1) for moment in (before, now)]
    earned: NDArray[np.float32] = ((left[0] - left[1]) * 0.1 + 10.0 * are_home(now)).astype(np.float32)
    return earned[:, None]


def are_home(now: Moment) -> NDArray[np.bool_]:
    home: NDArray[np.bool_] = np.linalg.norm(now.positions[:, 1:].mean(axis=1), axis=-1) < HOME
    return home


def shepherd_by_hand(now: Moment) -> NDArray[np.float32]:
    """Actions of the paper's dog: behind the sheep that strays, or behind all of them; it halts near a sheep."""
    herd, count = Herd.of(now), now.positions.shape[1] - 1
    stray, home = herd.farthest - herd.middle, -now.positions[:, 0] - herd.middle
    collects = np.linalg.norm(stray, axis=-1) > SPACING * count ** (2.0 / 3.0)
    behind_stray = herd.farthest + SPACING * _unit(stray)
    behind_all = herd.middle - SPACING * count**0.5 * _unit(home)
    way = np.where(collects[:, None], behind_stray, behind_all) / (PACE * EVERY)
    way /= np.maximum(1.0, np.linalg.norm(way, axis=-1, keepdims=True))
    way[np.linalg.norm(herd.nearest, axis=-1) < 3.0 * SPACING] = 0.0
    found: NDArray[np.float32] = way[:, None].astype(np.float32)
    return found


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)
    return found
