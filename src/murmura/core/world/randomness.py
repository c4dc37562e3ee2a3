"""Randomness as a pure function of (seed, step, agent id, stream): the same on one thread, many, and a GPU.

Threefry-2x32 with 20 rounds (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"). The key is
the seed with the stream mixed in, the counter is (agent id, step). Every use of randomness has its own
stream, and all streams are listed here, so that no two uses can ever share numbers by accident.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import (
    Integer,
    Number,
    add_32,
    normal_from,
    rotate_left_32,
    to_integer,
    unit_interval,
    where,
    xor_32,
)
from murmura.core.tracing.value import NUMBER, kind_of, target_of
from murmura.core.vec import Vec

STREAM_POSITION = 1
STREAM_HEADING = 2
STREAM_GENDER = 3
STREAM_NOISE_OFFSET = 4
STREAM_JITTER = 5
STREAM_WANDER = 6
STREAM_SPEED = 7
STREAM_VICSEK = 101
STREAM_ZONES = 102  # and 103
STREAM_STARDISPLAY = 104  # and 105
STREAM_BROWNIAN = 106  # and 107
STREAM_SPIN = 108
STREAM_SHEEP = 109  # and 110
STREAM_INFORMED = 111
STREAM_PEDESTRIANS = 113
STREAM_HUNTER_START = 20
STREAM_HUNTER_MOOD = 21
STREAM_HUNTER_GOAL = 22
STREAM_HUNTER_REST = 23
STREAM_HUNTER_FEINT = 24
STREAM_RESPAWN_PLACE = 25
STREAM_RESPAWN_HEADING = 26
STREAM_FOOD = 40
STREAM_MATING = 41
STREAM_YOUNG = 42
STREAM_AGE = 43
STREAM_ARRIVAL = 44
STREAM_ARRIVAL_PLACE = 45
STREAM_ARRIVAL_GOAL = 46
STREAM_GENES = 200  # to 210, one for each gene
STREAM_MUTATION = 220  # to 230
STREAM_PARTS = 240  # to 246
IN_SPACE = 500  # added to a stream for additional numbers in a 3-D world
STREAM_USER = 1000  # users' rules start here

_PARITY = 0x1BD11BDA
_GOLDEN = 0x9E3779B9


def threefry(key_0: Integer, key_1: Integer, a: Integer, b: Integer) -> tuple[Integer, Integer]:
    """Encrypt the counter (a, b): two random 32-bit words."""
    key_2 = xor_32(xor_32(key_0, key_1), _PARITY)
    a = add_32(a, key_0)
    b = add_32(b, key_1)
    a, b = _four_rounds_even(a, b)
    a = add_32(a, key_1)
    b = add_32(add_32(b, key_2), 1)
    a, b = _four_rounds_odd(a, b)
    a = add_32(a, key_2)
    b = add_32(add_32(b, key_0), 2)
    a, b = _four_rounds_even(a, b)
    a = add_32(a, key_0)
    b = add_32(add_32(b, key_1), 3)
    a, b = _four_rounds_odd(a, b)
    a = add_32(a, key_1)
    b = add_32(add_32(b, key_2), 4)
    a, b = _four_rounds_even(a, b)
    a = add_32(a, key_2)
    b = add_32(add_32(b, key_0), 5)
    return a, b


def _four_rounds_even(a: Integer, b: Integer) -> tuple[Integer, Integer]:
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 13), a)
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 15), a)
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 26), a)
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 6), a)
    return a, b


def _four_rounds_odd(a: Integer, b: Integer) -> tuple[Integer, Integer]:
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 17), a)
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 29), a)
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 16), a)
    a = add_32(a, b)
    b = xor_32(rotate_left_32(b, 24), a)
    return a, b


def uniform_pair(me_id: Integer, world: Any, stream: int) -> tuple[Number, Number]:
    """Two independent numbers in [0, 1) for this agent, this step and this stream."""
    return uniform_from(world.seed_low, world.seed_high, world.step, me_id, stream)


def shared_uniform_pair(me_id: Integer, other_id: Integer, world: Any, stream: int) -> tuple[Number, Number]:
    """Two independent numbers in [0, 1) that both members of a pair share, in `pair`: `me.id` and `seen.id`.

    The smaller id and the step are encrypted as for one agent; with the result as the key, so is the larger id.
    """
    low, high = _in_order(me_id, other_id)
    key_1 = xor_32(world.seed_high, (stream * _GOLDEN) & 0xFFFFFFFF)
    a, b = threefry(world.seed_low, key_1, low, world.step)
    c, d = threefry(a, b, high, world.step)
    return unit_interval(c), unit_interval(d)


def _in_order(a: Integer, b: Integer) -> tuple[Integer, Integer]:
    """Two ids as integers, the smaller one first."""
    a, b = to_integer(a), to_integer(b)
    first = a < b
    return where(first, a, b), where(first, b, a)


def normal_pair(me_id: Integer, world: Any, stream: int) -> tuple[Number, Number]:
    """Two independent standard normal numbers for this agent, this step and this stream."""
    return normal_from(*uniform_pair(me_id, world, stream))


def shared_normal_pair(me_id: Integer, other_id: Integer, world: Any, stream: int) -> tuple[Number, Number]:
    """Two independent standard normal numbers that both members of a pair share."""
    return normal_from(*shared_uniform_pair(me_id, other_id, world, stream))


def normal_vector(me_id: Integer, world: Any, stream: int) -> Vec:
    """A vector of independent standard normal numbers. In space it also uses the stream + 500."""
    x, y = normal_pair(me_id, world, stream)
    if len(world.size) == 2:
        return Vec(x, y)
    return Vec(x, y, normal_pair(me_id, world, stream + IN_SPACE)[0])


def uniform_from(
    seed_low: Integer, seed_high: Integer, step: Integer, agent_id: Integer, stream: int
) -> tuple[Number, Number]:
    if kind_of(agent_id) == NUMBER:  # kernels may hold the ids of neighbours as numbers
        agent_id = to_integer(agent_id)
    target = target_of(agent_id, step, seed_low)
    if target is not None:
        words: list[Any] = [target.plain_integer(word) for word in (seed_low, seed_high, step, agent_id)]
        # One agent on the reference: Python's integers are ten times as fast as NumPy's.
        if None not in words:
            low, high, when, who = words
            one, other = uniform_from(low, high, when, who, stream)
            return target.number(one), target.number(other)
    key_1 = xor_32(seed_high, (stream * _GOLDEN) & 0xFFFFFFFF)
    a, b = threefry(seed_low, key_1, agent_id, step)
    return unit_interval(a), unit_interval(b)


def seed_words(seed: int) -> tuple[int, int]:
    """A seed of up to 64 bits as its low and high word."""
    return seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
