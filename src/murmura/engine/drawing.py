"""Random positions, velocities and sexes at step 0, from scenario and seed.

Every agent draws for itself, so agents of many worlds are drawn together: each with the words of its world's seed. And
an exported page can draw the flock of any seed, by the expressions that these functions are traced to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.algebra import arctan2, function_of, maximum, minimum, sin_cos, sqrt, where
from murmura.core.errors import ScenarioError
from murmura.core.layout import AXES
from murmura.core.state import Gender
from murmura.core.vec import Vec, random_direction
from murmura.core.world.randomness import (
    IN_SPACE,
    STREAM_GENDER,
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
        places[:, left] = _place(scenario, (low, high), attempt, ids[left])
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


def drawn_columns(scenario: Scenario, words: Words, ids: Any) -> dict[str, Any]:
    """What agents draw in a world without obstacles, by column: of arrays of ids, or traced for any id."""
    places = below_edges(scenario, _place(scenario, words, 0, ids))
    velocities = drawn_velocities(scenario, words, ids)
    return (
        {f"position_{axis}": x for axis, x in zip(AXES, places, strict=False)}
        | velocity_columns(velocities)
        | individual_columns(words, ids)
    )


def below_edges(scenario: Scenario, places: Any) -> list[Any]:
    """Positions that single precision will not round up to the far edge of a wrapping world."""
    found = []
    for x, size, edge in zip(places, scenario.world.sides, scenario.world.edges, strict=True):
        below = float(np.nextafter(np.float32(size), np.float32(0)))
        found.append(minimum(x, below) if edge == "wrap" else x)
    return found


def velocity_columns(velocities: Any) -> dict[str, Any]:
    """The columns of velocities, given as one array for each axis; an agent at rest has heading 0."""
    x, y, *_ = velocities
    heading = where(lengths_of(velocities) > 0.1, arctan2(y, x), 0.0)
    return {f"velocity_{axis}": v for axis, v in zip(AXES, velocities, strict=False)} | {"heading": heading}


def lengths_of(vectors: Any) -> Any:
    """Lengths of vectors, given as one array for each axis."""
    x, y, *z = vectors
    flat = function_of("hypot", np.hypot, x, y)
    return function_of("hypot", np.hypot, flat, z[0]) if z else flat


def individual_columns(words: Words, ids: Any) -> dict[str, Any]:
    """Random sexes (S2-3) and the aggression of males (S2-15)."""
    coin, temper = uniform_from(*words, 0, ids, STREAM_GENDER)
    male = coin < 0.5
    return {
        "gender": where(male, float(Gender.MALE), float(Gender.FEMALE)),
        "aggression_level": where(male, 0.5 + 0.5 * temper, 0.0),
    }


def drawn_velocities(scenario: Scenario, words: Words, ids: Any) -> list[Any]:
    """A direction and the scenario's speed for each id (S2-17), one array for each axis."""
    turn, height = uniform_from(*words, 0, ids, STREAM_HEADING)
    extra, _ = uniform_from(*words, 0, ids, STREAM_SPEED)
    motion, start = scenario.motion, scenario.start
    speed = motion.speed if motion.policy == "constant" else start.speed + extra * start.speed_spread
    if start.direction is not None:
        return [part * speed for part in _directed(scenario, turn, height)]
    if scenario.world.dimension == 2:
        sine, cosine = sin_cos(2.0 * np.pi * turn)
        return [cosine * speed, sine * speed]
    return [*random_direction(2.0 * np.pi * turn, height, speed, 3)]


def _directed(scenario: Scenario, turn: Any, height: Any) -> list[Any]:
    """Directions within `direction_spread` of `start.direction`, all equally likely, one array for each axis."""
    assert scenario.start.direction is not None
    degree = np.pi / 180.0
    along, spread = scenario.start.direction * degree, scenario.start.direction_spread * degree
    if scenario.world.dimension == 2:
        sine, cosine = sin_cos(along + spread * (2.0 * turn - 1.0))
        return [cosine, sine]
    # The cap of a sphere, whose heights are uniformly distributed (Archimedes). 1 - cos(spread) from the half angle.
    lost = 2.0 * sin_cos(0.5 * spread)[0] ** 2 * height
    sideways = sqrt(maximum(0.0, lost * (2.0 - lost)))
    (up, left), (sine, cosine) = (sideways * part for part in sin_cos(2.0 * np.pi * turn)), sin_cos(along)
    ahead = 1.0 - lost
    return [ahead * cosine - left * sine, ahead * sine + left * cosine, up]


def _place(scenario: Scenario, words: Words, attempt: int, ids: Any) -> list[Any]:
    """Positions of one attempt, by the scenario's layout, one array for each axis."""
    world, start = scenario.world, scenario.start
    draws = [*uniform_from(*words, attempt, ids, STREAM_POSITION)]
    if world.dimension == 3:
        draws += uniform_from(*words, attempt, ids, STREAM_POSITION + IN_SPACE)[:1]
    if start.layout == "uniform":
        return [
            start.margin + u * (side - 2.0 * start.margin) for u, side in zip(draws, world.sides, strict=True)
        ]
    radius = minimum(start.radius, 0.49 * min(world.sides))
    if world.dimension == 2:
        u, v = draws
        sine, cosine = sin_cos(2.0 * np.pi * v)
        away = Vec(cosine, sine) * (sqrt(u) * radius)
    else:
        u, v, w = draws
        away = random_direction(2.0 * np.pi * v, w, function_of("cube_root", np.cbrt, u) * radius, 3)
    return [side / 2.0 + x for side, x in zip(world.sides, away, strict=True)]
