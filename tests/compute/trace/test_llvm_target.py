"""The functions of `core.algebra` on LLVM lanes, against NumPy, exact for integers."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core import algebra
from murmura.core.noise import plane as perlin
from murmura.core.rule import register_rule
from murmura.core.world.randomness import STREAM_USER, seed_words, threefry, uniform_from
from murmura.scenario import Scenario
from tests.compute import own_rules
from tests.compute.own_rules import CUBES, PACKED, QUESTIONS, SQUARES, Probe

SEED = 2**40 + 77
STEP = 3


def evaluate(question: str, a: Any, b: Any, factor: float = 1.0) -> tuple[Any, Any]:
    """The two results of the compiled probe, for each pair of numbers."""
    register_rule("probe")(Probe)
    quiet = {name: {"enabled": False} for name in ("separation", "alignment", "cohesion", "boundary")}
    n = len(a)
    scenario = Scenario.from_data(
        {
            "agents": n,
            "rules": quiet | {"probe": {"which": float(list(QUESTIONS).index(question)), "factor": factor}},
        }
    )
    sim = mm.Simulation(scenario, seed=SEED, backend="cpu")
    sim.step(STEP)
    state = sim.state.copy()
    state["feeding_timer"][:], state["mating_timer"][:] = a, b
    sim.load_state(state)
    sim.step()
    return sim.column("aggression_level"), sim.column("energy")


def numbers(seed: int, n: int = 203, size: float = 50.0) -> tuple[Any, Any]:
    """Random numbers and special cases: zeros of both signs, integers, equal pairs, large and tiny numbers."""
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
    s, c = evaluate("sine and cosine", a, b)
    exact = a.astype(np.float64)
    # Cephes: two roundings of the result, plus the error of reducing a large angle to [-pi/4, pi/4].
    allowed = 2.0**-23 + np.abs(exact) * 2.0**-26
    assert (np.abs(s - np.sin(exact)) <= allowed).all()
    assert (np.abs(c - np.cos(exact)) <= allowed).all()
    assert (np.abs(s.astype(np.float64) ** 2 + c.astype(np.float64) ** 2 - 1.0) < 1e-6).all()


def test_sine_and_cosine_of_degrees():
    a, b = numbers(9, size=200.0)
    s, c = evaluate("sine and cosine of degrees", a, b)
    exact = np.radians(a.astype(np.float64))
    # The error of sine and cosine, and that of an angle converted in single precision.
    allowed = 2.0**-23 + np.abs(exact) * 2.0**-23
    assert (np.abs(s - np.sin(exact)) <= allowed).all()
    assert (np.abs(c - np.cos(exact)) <= allowed).all()


def test_quarter_turns():
    a = (np.arange(-40, 41) * np.pi / 2.0).astype(np.float32)
    s, c = evaluate("sine and cosine", a, a)
    assert np.abs(s - np.sin(a.astype(np.float64))).max() < 1e-6
    assert np.abs(c - np.cos(a.astype(np.float64))).max() < 1e-6


def test_arc_tangent_and_floor():
    a, b = numbers(2)
    angle, low = evaluate("angle and floor", a, b)
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
    assert np.allclose(evaluate("angle and floor", y, x)[0], eighths, atol=3e-7)


def test_where_root_least_and_greatest():
    a, b = numbers(3)
    chosen, root = evaluate("choice and root", a, b)
    assert np.array_equal(chosen, np.where(a < b, a, -b))
    assert np.array_equal(root, np.sqrt(np.abs(a)))
    least, greatest = evaluate("least and greatest", a, b)
    assert np.array_equal(least, np.minimum(a, b))
    assert np.array_equal(greatest, np.maximum(a, b))


def test_tables():
    a = np.concatenate([np.arange(64), -np.arange(64), np.arange(64, 200)]).astype(np.float32)
    entry = np.abs(a).astype(int) % 64
    squares, cubes = evaluate("tables", a, a)
    assert np.array_equal(squares, SQUARES[entry])
    assert np.array_equal(cubes, CUBES[entry])


def test_packed_numbers():
    a = np.arange(64, dtype=np.float32)
    lower, upper = evaluate("halves", a, a)
    assert np.array_equal(lower, PACKED % 2**16)
    assert np.array_equal(upper, PACKED // 2**16)
    first, second, third, fourth = PACKED.astype("<i4").view(np.int8).reshape(-1, 4).T.astype(np.float64)
    low, high = evaluate("signed bytes", a, a)
    assert np.array_equal(low, first * 256.0 + second)
    assert np.array_equal(high, third * 256.0 + fourth)
    assert (first < 0.0).any()


def test_every_function_is_tested():
    """A new function of `core.algebra` needs a formula here."""
    words = {
        name
        for name, value in vars(algebra).items()
        if name in algebra.__all__ and isinstance(value, FunctionType)
    }
    # `when` is for items, which have their own test; the others are the targets' side of these functions.
    assert words - {"when", "kind_of", "code_of", "as_number", "applied", "function_of"} <= set(
        vars(own_rules)
    )


# S4-5
def test_random_numbers_are_the_same_bits():
    ids = np.arange(203)
    u, v = evaluate("random pair", *numbers(4))
    expected = uniform_from(*seed_words(SEED), STEP, ids, STREAM_USER)
    assert np.array_equal(u.astype(np.float64), expected[0])
    assert np.array_equal(v.astype(np.float64), expected[1])
    assert len(np.unique(u)) == 203
    assert ((u >= 0.0) & (u < 1.0)).all()


def test_integers_wrap_around_at_32_bits():
    x, y = threefry(np.arange(203), 7, 0xFFFFFFFF, STEP)
    turned = (x + 0x9E3779B9) & 0xFFFFFFFF
    mixed = (((turned << 11) | (turned >> 21)) & 0xFFFFFFFF) ^ y
    one, two = evaluate("random words", *numbers(5))
    assert np.array_equal(one.astype(np.float64), (mixed >> 8) * 2.0**-24)
    assert np.array_equal(two.astype(np.float64), (((mixed + 0x80000000) & 0xFFFFFFFF) >> 8) * 2.0**-24)


def test_noise():
    a, b = numbers(6)
    a, b = np.clip(a, -1e4, 1e4), np.clip(b, -1e4, 1e4)
    one, three = evaluate("noise", a, b)
    assert np.allclose(one, perlin.noise(a.astype(np.float64), b.astype(np.float64)), atol=2e-6)
    assert np.allclose(three, perlin.fractal_noise(b.astype(np.float64), a.astype(np.float64), 3), atol=2e-6)


def test_conditions():
    a, b = numbers(7)
    either, compared = evaluate("conditions", a, b)
    assert np.array_equal(either, ((a > 0) ^ (b > 0)).astype(np.float32))
    assert np.array_equal(compared, np.where(a == b, 2.0, np.where(a != 0.0, 3.0, 4.0)).astype(np.float32))


def test_arithmetic_rounds_at_most_once_per_operation():
    a, b = numbers(8)
    found, negated = evaluate("arithmetic", a, b, factor=3.7)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    exact = (wide_a + wide_b) * float(np.float32(3.7)) - wide_a / (np.abs(wide_b) + 1.0)
    size = np.abs(wide_a) * 3.7 + np.abs(wide_b) * 3.7 + np.abs(wide_a / (np.abs(wide_b) + 1.0))
    assert (np.abs(found - exact) <= 3.0 * 2.0**-24 * size).all()
    assert np.array_equal(negated, -a)


def near(found: Any, exact: Any, ulps: float, floor: float = 0.0) -> None:
    """Whether a result is within this many roundings of NumPy's in double precision."""
    allowed = ulps * 2.0**-24 * np.abs(exact) + floor
    worst = np.argmax(np.abs(found - exact) - allowed)
    assert (np.abs(found - exact) <= allowed).all(), (found[worst], exact[worst])


def test_sine_and_cosine_by_themselves():
    a, b = numbers(9)
    a, b = np.clip(a, -8000.0, 8000.0), np.clip(b, -8000.0, 8000.0)
    s, c = evaluate("sine, then cosine", a, b)
    near(s, np.sin(a.astype(np.float64)), 2.0, 3e-6)
    near(c, np.cos(b.astype(np.float64)), 2.0, 3e-6)


def test_exponential_and_logarithm():
    a, b = numbers(10, size=20.0)
    a = np.clip(a, -80.0, 80.0)
    b[b == 0.0] = 1.0
    grown, logged = evaluate("exponential and logarithm", a, b)
    near(grown, np.exp(a.astype(np.float64)), 4.0)
    near(logged, np.log(np.abs(b.astype(np.float64))), 4.0, 2.0**-23)


def test_hyperbolic_tangent_and_size():
    a, b = numbers(11, size=3.0)
    curved, size = evaluate("hyperbolic tangent and abs", a, b)
    near(curved, np.tanh(a.astype(np.float64)), 8.0, 1e-9)
    assert np.array_equal(size, np.abs(b))


def test_powers():
    rng = np.random.default_rng(12)
    a, b = rng.uniform(0.05, 20.0, 203).astype(np.float32), rng.uniform(-4.0, 4.0, 203).astype(np.float32)
    base, exponent = a.astype(np.float64), b.astype(np.float64)
    varied, fixed = evaluate("powers", a, b, factor=2.25)
    # The error of exp grows with its argument, which is rounded once more.
    near(varied, base**exponent, 40.0)
    near(fixed, base**2.25, 40.0)
    third, inverse = evaluate("whole powers", -a, b)
    near(third, -(base**3), 3.0)
    near(inverse, exponent**-2.0, 3.0)
    root, more = evaluate("half powers", a, b)
    assert np.array_equal(root, np.sqrt(a))
    near(more, np.abs(exponent) ** 1.5, 40.0)


def test_arc_sine_and_cosine():
    a = np.concatenate([np.linspace(-1.0, 1.0, 201), [1.0 - 1e-7, -1.0 + 1e-7, 1e-20, -0.0]]).astype(
        np.float32
    )
    sine, cosine = evaluate("arc sine and cosine", a, a)
    near(sine, np.arcsin(a.astype(np.float64)), 0.0, 5e-7)
    near(cosine, np.arccos(a.astype(np.float64)), 0.0, 5e-7)


def test_remainder_and_inverse_root():
    a, b = numbers(13)
    a[:8] = [0.0, -0.0, 7.0, -7.0, 3.5, -3.5, 1e-3, -1e-3]
    b[b == 0.0] = 4.0
    rest, inverse = evaluate("remainder and inverse root", a, b, factor=3.5)
    # Just below 0 the remainder rounds to the divisor itself, which is equivalent to 0.
    apart = np.abs(rest - a.astype(np.float64) % 3.5)
    assert (np.minimum(apart, 3.5 - apart) <= 2.0**-22 * (np.abs(a) + 3.5)).all()
    near(inverse, 1.0 / np.sqrt(np.abs(b.astype(np.float64))), 2.0)


def test_integers():
    rng = np.random.default_rng(14)
    a, b = rng.integers(-4000, 4000, (2, 203)).astype(np.float32)
    i, j = np.abs(a).astype(np.int64), np.abs(b).astype(np.int64) + 3
    bits, divided = evaluate("integers", a, b)
    assert np.array_equal(bits, (i << 2) ^ (i >> 1) | (j & 5))
    assert np.array_equal(divided, i // j * 64 + i % j)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_given_computes_only_where_a_condition_holds(factor: float):
    a, b = numbers(15)
    one, two = evaluate("given", a, b, factor=factor)
    product = (a * b).astype(np.float32)
    assert np.array_equal(one, product if factor > 1.0 else np.full_like(a, -1.0))
    assert np.array_equal(two, product if factor <= 1.0 else np.full_like(a, -2.0))
