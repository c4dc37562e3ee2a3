"""What the words of `core.algebra` mean on lanes: what NumPy says, exactly for whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core import algebra
from murmura.core import noise as perlin
from murmura.core.randomness import STREAM_USER, seed_words, threefry, uniform_from
from murmura.core.rule import register_rule
from murmura.scenario import Scenario

from . import own_rules
from .own_rules import CUBES, PACKED, SQUARES, Probe

SEED = 2**40 + 77
STEP = 3


def ask(which: int, a: Any, b: Any, factor: float = 1.0) -> tuple[Any, Any]:
    """The two answers of the compiled probe, for each pair of numbers."""
    register_rule("probe")(Probe)
    quiet = {name: {"enabled": False} for name in ("separation", "alignment", "cohesion", "boundary")}
    n = len(a)
    scenario = Scenario.from_data(
        {"agents": n, "rules": quiet | {"probe": {"which": float(which), "factor": factor}}}
    )
    sim = mm.Simulation(scenario, seed=SEED, backend="cpu")
    sim.step(STEP)
    state = sim.state.copy()
    state["feeding_timer"][:], state["mating_timer"][:] = a, b
    sim.load_state(state)
    sim.step()
    return sim.column("aggression_level"), sim.column("energy")


def numbers(seed: int, n: int = 203, size: float = 50.0) -> tuple[Any, Any]:
    """Random numbers and the awkward ones: zeros of both signs, whole numbers, equal pairs, large and tiny ones."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.0, size, (2, n)).astype(np.float32)
    a[:8] = [0.0, -0.0, 1.0, -1.0, 3.0, -7.0, 1e-20, 1e6]
    b[:8] = [0.0, 1.0, 1.0, -1.0, 0.0, -0.0, 1e-20, -1e6]
    b[8:20] = a[8:20]
    return a, b


@pytest.mark.parametrize("size", [1.0, 60.0, 3000.0])
def test_sine_and_cosine(size: float):
    a, b = numbers(1, size=size)
    a = np.clip(a, -8000.0, 8000.0)
    s, c = ask(0, a, b)
    exact = a.astype(np.float64)
    # Cephes: two roundings of the result, and what bringing a large angle down to [-pi/4, pi/4] costs.
    allowed = 2.0**-23 + np.abs(exact) * 2.0**-26
    assert (np.abs(s - np.sin(exact)) <= allowed).all()
    assert (np.abs(c - np.cos(exact)) <= allowed).all()
    assert (np.abs(s.astype(np.float64) ** 2 + c.astype(np.float64) ** 2 - 1.0) < 1e-6).all()


def test_quarter_turns():
    a = (np.arange(-40, 41) * np.pi / 2.0).astype(np.float32)
    s, c = ask(0, a, a)
    assert np.abs(s - np.sin(a.astype(np.float64))).max() < 1e-6
    assert np.abs(c - np.cos(a.astype(np.float64))).max() < 1e-6


def test_arc_tangent_and_floor():
    a, b = numbers(2)
    angle, low = ask(1, a, b)
    exact = np.arctan2(a.astype(np.float64), b.astype(np.float64) + 0.0)
    turn = np.abs(angle - exact)
    assert (np.minimum(turn, 2.0 * np.pi - turn) < 4e-7).all()
    assert angle[0] == 0.0
    assert np.array_equal(low, np.floor(a))
    compass = [
        (0.0, 1.0),
        (1.0, 1.0),
        (1.0, 0.0),
        (1.0, -1.0),
        (0.0, -1.0),
        (-1.0, -1.0),
        (-1.0, 0.0),
        (-1.0, 1.0),
    ]
    y, x = np.array(compass, np.float32).T
    eighths = np.array([0, 1, 2, 3, 4, -3, -2, -1]) * np.pi / 4.0
    assert np.allclose(ask(1, y, x)[0], eighths, atol=3e-7)


def test_where_root_least_and_greatest():
    a, b = numbers(3)
    chosen, root = ask(2, a, b)
    assert np.array_equal(chosen, np.where(a < b, a, -b))
    assert np.array_equal(root, np.sqrt(np.abs(a)))
    least, greatest = ask(3, a, b)
    assert np.array_equal(least, np.minimum(a, b))
    assert np.array_equal(greatest, np.maximum(a, b))


def test_tables():
    a = np.concatenate([np.arange(64), -np.arange(64), np.arange(64, 200)]).astype(np.float32)
    entry = np.abs(a).astype(int) % 64
    squares, cubes = ask(4, a, a)
    assert np.array_equal(squares, SQUARES[entry])
    assert np.array_equal(cubes, CUBES[entry])


def test_packed_numbers():
    a = np.arange(64, dtype=np.float32)
    lower, upper = ask(10, a, a)
    assert np.array_equal(lower, PACKED % 2**16)
    assert np.array_equal(upper, PACKED // 2**16)
    first, second, third, fourth = PACKED.astype("<i4").view(np.int8).reshape(-1, 4).T.astype(np.float64)
    low, high = ask(11, a, a)
    assert np.array_equal(low, first * 256.0 + second)
    assert np.array_equal(high, third * 256.0 + fourth)
    assert (first < 0.0).any()


def test_every_word_is_asked():
    """A word that is new in `core.algebra` needs a question here."""
    words = {
        name
        for name, value in vars(algebra).items()
        if callable(value) and value.__module__ == algebra.__name__
    }
    assert words <= set(vars(own_rules))


# S4-5
def test_random_numbers_are_the_same_bits():
    ids = np.arange(203)
    u, v = ask(5, *numbers(4))
    expected = uniform_from(*seed_words(SEED), STEP, ids, STREAM_USER)
    assert np.array_equal(u.astype(np.float64), expected[0])
    assert np.array_equal(v.astype(np.float64), expected[1])
    assert len(np.unique(u)) == 203
    assert ((u >= 0.0) & (u < 1.0)).all()


def test_whole_numbers_wrap_round_at_32_bits():
    x, y = threefry(np.arange(203), 7, 0xFFFFFFFF, STEP)
    turned = (x + 0x9E3779B9) & 0xFFFFFFFF
    mixed = (((turned << 11) | (turned >> 21)) & 0xFFFFFFFF) ^ y
    one, two = ask(6, *numbers(5))
    assert np.array_equal(one.astype(np.float64), (mixed >> 8) * 2.0**-24)
    assert np.array_equal(two.astype(np.float64), (((mixed + 0x80000000) & 0xFFFFFFFF) >> 8) * 2.0**-24)


def test_noise():
    a, b = numbers(6)
    a, b = np.clip(a, -1e4, 1e4), np.clip(b, -1e4, 1e4)
    one, three = ask(7, a, b)
    assert np.allclose(one, perlin.noise(a.astype(np.float64), b.astype(np.float64)), atol=2e-6)
    assert np.allclose(three, perlin.fractal_noise(b.astype(np.float64), a.astype(np.float64), 3), atol=2e-6)


def test_conditions():
    a, b = numbers(7)
    either, compared = ask(8, a, b)
    assert np.array_equal(either, ((a > 0) ^ (b > 0)).astype(np.float32))
    assert np.array_equal(compared, np.where(a == b, 2.0, np.where(a != 0.0, 3.0, 4.0)).astype(np.float32))


def test_arithmetic_rounds_at_most_once_an_operation():
    a, b = numbers(8)
    found, negated = ask(9, a, b, factor=3.7)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    exact = (wide_a + wide_b) * float(np.float32(3.7)) - wide_a / (np.abs(wide_b) + 1.0)
    size = np.abs(wide_a) * 3.7 + np.abs(wide_b) * 3.7 + np.abs(wide_a / (np.abs(wide_b) + 1.0))
    assert (np.abs(found - exact) <= 3.0 * 2.0**-24 * size).all()
    assert np.array_equal(negated, -a)
