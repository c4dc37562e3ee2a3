"""Random positions and velocities at step 0, from scenario and seed.

Every agent draws for itself, so agents of many worlds are drawn together: each with the words of its world's seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError
from murmura.core.vec import Vec, random_direction
from murmura.core.world.randomness import (
    IN_SPACE,
    STREAM_HEADING,
    STREAM_POSITION,
    STREAM_SPEED,
    seed_words,
    uniform_from,
)
from murmura.rules.environment import solids
from murmura.scenario import Scenario

TRIES = 200
Words = tuple[Any, Any]
"""The low and the high word of a seed; or arrays of them, one element for each agent."""


def words_of(seeds: Sequence[int], size: int) -> Words:
    """The words of each agent's seed, in worlds of so many agents that follow each other."""
    if len(seeds) == 1:
        return seed_words(seeds[0])
    low, high = np.array([seed_words(seed) for seed in seeds], np.uint64).reshape(-1, 2).T
    return np.repeat(low, size), np.repeat(high, size)


def drawn_places(scenario: Scenario, words: Words, ids: NDArray[np.int32]) -> list[NDArray[Any]]:
    """Random positions outside all obstacles, one array for each axis; each agent draws until one is free."""
    places = np.zeros((scenario.world.dimension, len(ids)))
    left = np.arange(len(ids))
    for attempt in range(TRIES):
        low, high = (word[left] if isinstance(word, np.ndarray) else word for word in words)
        draws = [*uniform_from(low, high, attempt, ids[left], STREAM_POSITION)]
        if scenario.world.dimension == 3:
            draws += uniform_from(low, high, attempt, ids[left], STREAM_POSITION + IN_SPACE)[:1]
        places[:, left] = _layout(scenario, *draws)
        blocked = np.zeros(len(left), bool)
        for shape in scenario.obstacles:
            hits = [solids.lies_in(scenario.world, shape, places[:, k].tolist()) for k in left]
            blocked |= np.array(hits, bool)
        left = left[blocked]
        if not len(left):
            break
    else:
        raise ScenarioError(f"{len(left)} agents found no place outside the obstacles; remove some obstacles")
    return below_edges(scenario, places)


def below_edges(scenario: Scenario, places: Any) -> list[NDArray[Any]]:
    """Positions in single precision; in a wrapping world never rounded up to the far edge."""
    found = []
    for x, size, edge in zip(places, scenario.world.sides, scenario.world.edges, strict=True):
        below = np.nextafter(np.float32(size), np.float32(0))
        found.append(np.minimum(x.astype(np.float32), below) if edge == "wrap" else x.astype(np.float32))
    return found


def drawn_velocities(scenario: Scenario, words: Words, ids: NDArray[np.int32]) -> Any:
    """A direction and the scenario's speed for each id (S2-17), one array for each axis."""
    turn, height = uniform_from(*words, 0, ids, STREAM_HEADING)
    extra, _ = uniform_from(*words, 0, ids, STREAM_SPEED)
    motion, start = scenario.motion, scenario.start
    speed = motion.speed if motion.policy == "constant" else start.speed + extra * start.speed_spread
    if start.direction is not None:
        return _directed(scenario, turn, height) * speed
    if scenario.world.dimension == 2:
        return np.stack([np.cos(2.0 * np.pi * turn) * speed, np.sin(2.0 * np.pi * turn) * speed])
    return np.stack([*random_direction(2.0 * np.pi * turn, height, speed, 3)])


def _directed(scenario: Scenario, turn: Any, height: Any) -> Any:
    """Directions within `direction_spread` of `start.direction`, all equally likely, one array for each axis."""
    assert scenario.start.direction is not None
    along, spread = np.radians([scenario.start.direction, scenario.start.direction_spread])
    if scenario.world.dimension == 2:
        angle = along + spread * (2.0 * turn - 1.0)
        return np.stack([np.cos(angle), np.sin(angle)])
    # The cap of a sphere, whose heights are uniformly distributed (Archimedes). 1 - cos(spread) from the half angle.
    lost = 2.0 * np.sin(0.5 * spread) ** 2 * height
    sideways = np.sqrt(np.maximum(0.0, lost * (2.0 - lost)))
    ahead, left, up = 1.0 - lost, sideways * np.cos(2.0 * np.pi * turn), sideways * np.sin(2.0 * np.pi * turn)
    return np.stack(
        [ahead * np.cos(along) - left * np.sin(along), ahead * np.sin(along) + left * np.cos(along), up]
    )


def _layout(scenario: Scenario, *draws: Any) -> list[Any]:
    """Positions from numbers in [0, 1), by the scenario's layout, one array for each axis."""
    world, start = scenario.world, scenario.start
    if start.layout == "uniform":
        return [
            start.margin + u * (side - 2.0 * start.margin) for u, side in zip(draws, world.sides, strict=True)
        ]
    radius = min(start.radius, 0.49 * min(world.sides))
    if world.dimension == 2:
        u, v = draws
        away = Vec(np.cos(2.0 * np.pi * v), np.sin(2.0 * np.pi * v)) * (np.sqrt(u) * radius)
    else:
        u, v, w = draws
        away = random_direction(2.0 * np.pi * v, w, np.cbrt(u) * radius, 3)
    return [side / 2.0 + x for side, x in zip(world.sides, away, strict=True)]
