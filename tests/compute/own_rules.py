"""Rules that try the compiler: what goes wrong, and what the words of `core.algebra` mean on lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.core.algebra import (
    absolute,
    add_32,
    arctan2,
    floor,
    halves,
    look_up,
    maximum,
    minimum,
    rotate_left_32,
    signed_bytes,
    sin_cos,
    sqrt,
    to_integer,
    to_number,
    unit_interval,
    where,
    xor_32,
)
from murmura.core.noise import fractal_noise, noise
from murmura.core.randomness import STREAM_USER, threefry, uniform_pair
from murmura.core.rule import Rule

SQUARES = np.arange(64, dtype=np.float32) ** 2
CUBES = np.arange(64, dtype=np.int32) ** 3
PACKED = ((np.arange(64, dtype=np.int64) * 0x01234567) % 2**31).astype(np.int32)


class Poison(Rule):
    """From one step on, the force on one agent is not a number."""

    agent: float = 0.0
    from_step: float = 0.0
    nothing: float = 0.0

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        bad = p.nothing / p.nothing
        hit = (to_number(me.id) == p.agent) & (to_number(world.step) >= p.from_step)
        return where(hit, bad, 0.0), where(hit, 0.0, 0.0)


class Branching(Rule):
    """Asks a question that each neighbour answers differently."""

    accumulates = ("sum",)

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        if seen.d2 > 100.0:
            return (0.0,)
        return (1.0,)


class Hyperbolic(Rule):
    """Uses a function that NumPy has and lanes have not."""

    accumulates = ("sum",)

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return (np.tanh(seen.d),)


class Lookback(Rule):
    """Writes down, after the move, where the agent looks and how fast it is."""

    reads = ("feeding_timer", "mating_timer")
    writes = ("feeding_timer", "mating_timer", "aggression_level")

    @staticmethod
    def age(p: Any, me: Any, world: Any) -> Any:
        return me.hx, me.hy, me.speed


class About(Rule):
    """Turns the velocity itself, before and after the move, and steers by heading and speed: those of the new one."""

    writes = ("vx", "vy")

    @staticmethod
    def feel(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return -2.0 * me.vy, 2.0 * me.vx

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return 0.01 * me.speed, 0.1 * me.hy + 0.2 * me.hx

    @staticmethod
    def age(p: Any, me: Any, world: Any) -> Any:
        return me.vy, me.vx


class Probe(Rule):
    """Answers one question of many about the two numbers an agent carries: `which` is a number, not a switch."""

    which: float = 0.0
    factor: float = 1.0

    reads = ("feeding_timer", "mating_timer")
    writes = ("aggression_level", "energy")

    @staticmethod
    def feel(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return answers(p, me.feeding_timer, me.mating_timer, me, world)


def answers(p: Any, a: Any, b: Any, me: Any, world: Any) -> Any:
    """Two answers for each value of `which`."""
    s, c = sin_cos(a)
    one, two = s, c
    w = p.which
    one, two = where(w == 1.0, arctan2(a, b), one), where(w == 1.0, floor(a), two)
    one, two = where(w == 2.0, where(a < b, a, -b), one), where(w == 2.0, sqrt(absolute(a)), two)
    one, two = where(w == 3.0, minimum(a, b), one), where(w == 3.0, maximum(a, b), two)
    entry = to_integer(absolute(a) - 64.0 * floor(absolute(a) / 64.0))
    one, two = (
        where(w == 4.0, look_up(SQUARES, entry), one),
        where(w == 4.0, to_number(look_up(CUBES, entry)), two),
    )
    u, v = uniform_pair(me.id, world, STREAM_USER)
    one, two = where(w == 5.0, u, one), where(w == 5.0, v, two)
    x, y = threefry(me.id, 7, 0xFFFFFFFF, world.step)
    mixed = xor_32(rotate_left_32(add_32(x, 0x9E3779B9), 11), y)
    one, two = (
        where(w == 6.0, unit_interval(mixed), one),
        where(w == 6.0, unit_interval(add_32(mixed, 0x80000000)), two),
    )
    one, two = where(w == 7.0, noise(a, b), one), where(w == 7.0, fractal_noise(b, a, 3), two)
    together = ((a > 0.0) | (b > 0.0)) & ~((a > 0.0) & (b > 0.0))
    one, two = (
        where(w == 8.0, where(together, 1.0, 0.0), one),
        where(w == 8.0, where(a == b, 2.0, where(a != 0.0, 3.0, 4.0)), two),
    )
    one, two = where(w == 9.0, (a + b) * p.factor - a / (absolute(b) + 1.0), one), where(w == 9.0, -a, two)
    lower, upper = halves(look_up(PACKED, entry))
    one, two = where(w == 10.0, to_number(lower), one), where(w == 10.0, to_number(upper), two)
    first, second, third, fourth = signed_bytes(look_up(PACKED, entry))
    one, two = where(w == 11.0, first * 256.0 + second, one), where(w == 11.0, third * 256.0 + fourth, two)
    return one, two
