"""Rules that test the compiler: mistakes, and the functions of `core.algebra` on lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from murmura.core.algebra import (
    absolute,
    add_32,
    arccos,
    arcsin,
    arctan2,
    cos,
    exp,
    floor,
    force_for_acceleration,
    force_for_change,
    force_for_velocity,
    given,
    halves,
    inverse_root,
    log,
    look_up,
    maximum,
    minimum,
    normal_from,
    ornstein_uhlenbeck,
    power,
    rotate_left_32,
    signed_bytes,
    sin,
    sin_cos,
    sin_cos_of_degrees,
    sqrt,
    tanh,
    to_integer,
    to_number,
    unit_interval,
    where,
    xor_32,
)
from murmura.core.merging import Count, Sum
from murmura.core.noise import fractal_noise, noise
from murmura.core.rule import Rule
from murmura.core.vec import Vec
from murmura.core.world.randomness import STREAM_USER, threefry, uniform_pair

SQUARES = np.arange(64, dtype=np.float32) ** 2
CUBES = np.arange(64, dtype=np.int32) ** 3
PACKED = ((np.arange(64, dtype=np.int64) * 0x01234567) % 2**31).astype(np.int32)


class Poison(Rule):
    """From one step on, the force on one agent is not a number."""

    agent: float = 0.0
    from_step: float = 0.0
    nothing: float = 0.0

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        bad = p.nothing / p.nothing
        hit = (to_number(me.id) == p.agent) & (to_number(world.step) >= p.from_step)
        return Vec(where(hit, bad, 0.0), where(hit, 0.0, 0.0))


class Branching(Rule):
    """Branches on a value that differs between neighbours."""

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        if seen.square > 100.0:
            return Sum(0.0)
        return Sum(1.0)


class Hyperbolic(Rule):
    """Uses a function of NumPy, which cannot take values."""

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return Sum(np.tanh(seen.distance))


class Misspelt(Rule):
    """Reads a field that no agent has."""

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return me.velocty * 0.1


class Undecided(Rule):
    """Branches in the turn of an item, which cannot be decided while code is traced."""

    item_fields = ("depth",)

    def items(self) -> Any:
        return [(1.0,)]

    @staticmethod
    def gather(p: Any, me: Any, it: Any, world: Any) -> Any:
        return {"near": Count(me.speed > it.depth)}

    @staticmethod
    def turn(p: Any, it: Any, reports: Any, items: Any, world: Any) -> None:
        if reports.near > 3.0:
            it.depth = 0.0


class Spoilt(Rule):
    """Branches in `inherit` on which parent is stronger."""

    reads = ("energy",)
    inherits = ("energy",)

    @staticmethod
    def gives_birth(p: Any, was: Any, me: Any, found: Any, world: Any) -> Any:
        return where(me.energy > 2.0, 1.0, 0.0), -1.0

    @staticmethod
    def inherit(p: Any, mother: Any, father: Any, child_id: Any, world: Any) -> Any:
        return {"energy": mother.energy if mother.energy > father.energy else father.energy}


class Lookback(Rule):
    """Stores, after the move, the agent's heading and speed."""

    reads = ("feeding_timer", "mating_timer")
    writes = ("feeding_timer", "mating_timer", "aggression_level")

    @staticmethod
    def age(p: Any, me: Any, world: Any) -> Any:
        x, y = me.heading
        return {"feeding_timer": x, "mating_timer": y, "aggression_level": me.speed}


class About(Rule):
    """Turns the velocity itself, before and after the move, and steers by heading and speed: those of the new one."""

    writes = ("velocity",)

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        return {"velocity": me.velocity.left * 2.0}

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return Vec(0.01 * me.speed, 0.1 * me.heading.y + 0.2 * me.heading.x)

    @staticmethod
    def age(p: Any, me: Any, world: Any) -> Any:
        x, y = me.velocity
        return {"velocity": Vec(y, x)}


class Probe(Rule):
    """Evaluates one of many formulas on the two numbers of an agent: `which` is a number, not a switch."""

    which: float = 0.0
    factor: float = 1.0

    reads = ("feeding_timer", "mating_timer")
    writes = ("aggression_level", "energy")

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        one: Any = 0.0
        two: Any = 0.0
        for number, question in enumerate(QUESTIONS.values()):
            first, second = question(p, me.feeding_timer, me.mating_timer, me, world)
            one = where(p.which == float(number), first, one)
            two = where(p.which == float(number), second, two)
        return {"aggression_level": one, "energy": two}


def _entry(a: Any) -> Any:
    """An index into a table of 64."""
    return to_integer(absolute(a) - 64.0 * floor(absolute(a) / 64.0))


def _mixed(me: Any, world: Any) -> Any:
    x, y = threefry(me.id, 7, 0xFFFFFFFF, world.step)
    return xor_32(rotate_left_32(add_32(x, 0x9E3779B9), 11), y)


def _random_words(p: Any, a: Any, b: Any, me: Any, world: Any) -> Any:
    mixed = _mixed(me, world)
    return unit_interval(mixed), unit_interval(add_32(mixed, 0x80000000))


def _conditions(p: Any, a: Any, b: Any, me: Any, world: Any) -> Any:
    together = ((a > 0.0) | (b > 0.0)) & ~((a > 0.0) & (b > 0.0))
    return where(together, 1.0, 0.0), where(a == b, 2.0, where(a != 0.0, 3.0, 4.0))


def _signed(p: Any, a: Any, b: Any, me: Any, world: Any) -> Any:
    first, second, third, fourth = signed_bytes(look_up(PACKED, _entry(a)))
    return first * 256.0 + second, third * 256.0 + fourth


def _integers(p: Any, a: Any, b: Any, me: Any, world: Any) -> Any:
    i, j = to_integer(absolute(a)), to_integer(absolute(b)) + 3
    return to_number((i << 2) ^ (i >> 1) | (j & 5)), to_number(i // j * 64 + i % j)


Question = Callable[[Any, Any, Any, Any, Any], Any]
QUESTIONS: dict[str, Question] = {
    "sine and cosine": lambda p, a, b, me, world: sin_cos(a),
    "sine and cosine of degrees": lambda p, a, b, me, world: sin_cos_of_degrees(a),
    "sine, then cosine": lambda p, a, b, me, world: (sin(a), cos(b)),
    "angle and floor": lambda p, a, b, me, world: (arctan2(a, b), floor(a)),
    "choice and root": lambda p, a, b, me, world: (where(a < b, a, -b), sqrt(absolute(a))),
    "least and greatest": lambda p, a, b, me, world: (minimum(a, b), maximum(a, b)),
    "tables": lambda p, a, b, me, world: (
        look_up(SQUARES, _entry(a)),
        to_number(look_up(CUBES, _entry(a))),
    ),
    "random pair": lambda p, a, b, me, world: uniform_pair(me.id, world, STREAM_USER),
    "random words": _random_words,
    "noise": lambda p, a, b, me, world: (noise(a, b), fractal_noise(b, a, 3)),
    "conditions": _conditions,
    "arithmetic": lambda p, a, b, me, world: ((a + b) * p.factor - a / (absolute(b) + 1.0), -a),
    "halves": lambda p, a, b, me, world: [to_number(half) for half in halves(look_up(PACKED, _entry(a)))],
    "signed bytes": _signed,
    "exponential and logarithm": lambda p, a, b, me, world: (exp(a), log(absolute(b))),
    "hyperbolic tangent and abs": lambda p, a, b, me, world: (tanh(a), abs(b)),
    "powers": lambda p, a, b, me, world: (power(absolute(a), b), absolute(a) ** p.factor),
    "whole powers": lambda p, a, b, me, world: (a**3, b**-2),
    "half powers": lambda p, a, b, me, world: (absolute(a) ** 0.5, absolute(b) ** 1.5),
    "arc sine and cosine": lambda p, a, b, me, world: (arcsin(a), arccos(a)),
    "remainder and inverse root": lambda p, a, b, me, world: (a % p.factor, inverse_root(absolute(b))),
    "integers": _integers,
    "normal": lambda p, a, b, me, world: normal_from(a % 1.0, b % 1.0),
    "relaxation": lambda p, a, b, me, world: (
        ornstein_uhlenbeck(a, b, p.factor, 2.0, world.dt),
        ornstein_uhlenbeck(a, b, 2e-3, 2.0, world.dt),
    ),
    "forces": lambda p, a, b, me, world: (force_for_acceleration(a, world), force_for_change(b, world)),
    "velocity": lambda p, a, b, me, world: (*force_for_velocity(Vec(a, b), me, world),),
    "given": lambda p, a, b, me, world: (
        given(p.factor > 1.0, lambda: a * b, -1.0),
        given(p.factor <= 1.0, lambda: a * b, -2.0),
    ),
}
