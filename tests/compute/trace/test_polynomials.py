"""The polynomials against NumPy in double precision, on a target that computes in single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from murmura.compute.trace import polynomials
from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import INTEGER, NUMBER, Value

F = np.float32
RNG = np.random.default_rng(5)


class SingleTarget(NumpyTarget):
    """NumPy in single precision, with the bits of numbers."""

    def constant(self, kind: str, value: Any) -> Any:
        code = super().constant(kind, value)
        return code.astype(F) if kind == NUMBER else code

    def apply(self, operation: str, kind: str, *codes: Any) -> Any:
        if operation in ("to_bits", "from_bits"):
            return np.asarray(codes[0]).view(np.int32 if operation == "to_bits" else F)
        code = super().apply(operation, kind, *codes)
        return code.astype(F) if code.dtype == np.float64 else code


def run(name: str, *operands: Any) -> Any:
    target = SingleTarget()
    values = [Value(target, NUMBER, np.asarray(x, F)) for x in operands]
    with np.errstate(all="ignore"):
        found = polynomials.FUNCTIONS[name](*values)
    return tuple(x.code for x in found) if isinstance(found, tuple) else found.code


def in_last_places(found: Any, exact: Any) -> Any:
    """How far off, in units of the last place of the exact result."""
    assert found.dtype == F
    return np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(exact).astype(F)).astype(np.float64)


def spread(low: float, high: float) -> Any:
    return np.concatenate([RNG.uniform(low, high, 100_000), np.linspace(low, high, 1001)]).astype(F)


def test_sine_and_cosine_are_right_to_a_few_millionths_of_their_range() -> None:
    for size in (0.1, 4.0, 100.0, 8000.0):
        x = spread(-size, size)
        sine, cosine = run("sin_cos", x)
        exact = x.astype(np.float64)
        assert np.abs(sine - np.sin(exact)).max() < 1.2e-7
        assert np.abs(cosine - np.cos(exact)).max() < 1.2e-7


def test_sine_of_small_angles_keeps_all_digits() -> None:
    x = spread(-0.7, 0.7)
    assert in_last_places(run("sin_cos", x)[0], np.sin(x.astype(np.float64))).max() < 2.0


def test_arctan2_in_all_quarters() -> None:
    y, x = spread(-3.0, 3.0), RNG.permutation(spread(-3.0, 3.0))
    exact = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    assert in_last_places(run("arctan2", y, x), exact).max() < 3.0


@pytest.mark.parametrize(
    ("y", "x", "angle"),
    [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, np.pi), (1.0, 0.0, np.pi / 2), (-1.0, 0.0, -np.pi / 2)],
)
def test_arctan2_on_the_axes(y: float, x: float, angle: float) -> None:
    assert run("arctan2", y, x) == F(angle)


def test_the_bearing_of_a_unit_vector_is_its_angle() -> None:
    angle = spread(-3.1415, 3.1415).astype(np.float64)
    sine, cosine = np.sin(angle).astype(F), np.cos(angle).astype(F)
    exact = np.arctan2(sine.astype(np.float64), cosine.astype(np.float64))
    assert np.abs(run("bearing", sine, cosine) - exact).max() < 4e-7
    assert run("bearing", 0.0, 0.0) == 0.0
    assert run("bearing", 0.0, -1.0) == F(np.pi)


def test_the_arc_tangent_up_to_one() -> None:
    x = spread(-1.0, 1.0)
    assert np.abs(run("arctan", x) - np.arctan(x.astype(np.float64))).max() < 1.5e-7


def test_exp() -> None:
    x = spread(-87.0, 88.7)
    assert in_last_places(run("exp", x), np.exp(x.astype(np.float64))).max() < 1.5
    assert run("exp", 0.0) == 1.0
    assert run("exp", -200.0) == 0.0
    assert run("exp", 200.0) == np.inf


def test_log() -> None:
    x = np.exp(spread(-87.0, 88.0).astype(np.float64)).astype(F)
    assert in_last_places(run("log", x), np.log(x.astype(np.float64))).max() < 1.5
    near = spread(0.7, 1.4)
    assert in_last_places(run("log", near), np.log(near.astype(np.float64))).max() < 1.5
    assert run("log", 1.0) == 0.0


def test_tanh() -> None:
    x = spread(-12.0, 12.0)
    assert in_last_places(run("tanh", x), np.tanh(x.astype(np.float64))).max() < 2.0
    assert run("tanh", 1e30) == 1.0
    assert run("tanh", -1e30) == -1.0


@pytest.mark.parametrize("limit", [1.0, 4.0, 20.0])
def test_power(limit: float) -> None:
    exponent = spread(-limit, limit)
    x = RNG.permutation(np.exp(spread(-4.0, 4.0).astype(np.float64)).astype(F))
    exact = x.astype(np.float64) ** exponent.astype(np.float64)
    ordinary = (exact > 1e-37) & (exact < 1e38)
    assert in_last_places(run("power", x, exponent), exact)[ordinary].max() < 2.0 + limit


def test_powers_of_zero() -> None:
    assert run("power", 0.0, 2.5) == 0.0
    assert run("power", 0.0, 0.0) == 1.0
    assert run("power", 0.0, -1.5) > 1e38


def test_bits_go_there_and_back() -> None:
    x = Value(SingleTarget(), NUMBER, F(1.5))
    bits = polynomials.to_bits(x)
    assert bits.kind == INTEGER
    assert polynomials.from_bits(bits).code == F(1.5)
