"""Sine, arc tangent, exponential and logarithm in single precision, from operations of `core.algebra`.

Targets that emit code use these instead of a platform's library: libraries differ in the last bits, and there is none
for lanes. Ranges are reduced as usual (Cody and Waite); the coefficients are those of the Cephes library,
except those of `bearing` and `arctan`, which are minimax fits of the angle itself.
All others are accurate to about two units in the last place within the range that their docstrings name.

They need two operations that rules do not use: `to_bits` reinterprets a number as a 32-bit integer, `from_bits` the
reverse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murmura.core.algebra import (
    INTEGER,
    NUMBER,
    Integer,
    Number,
    Value,
    absolute,
    floor,
    maximum,
    minimum,
    to_integer,
    to_number,
    where,
)

LEAST = 1.17549435e-38
"""The least normal number."""
GREATEST = 3.0e38
EXPONENT_BIAS = 127
MANTISSA_BITS = 23
MANTISSA = (1 << MANTISSA_BITS) - 1
UPPER_HALF = 0xFFFFF000
"""A mask that keeps 12 bits of the mantissa, so that the product with an exponent is exact."""
LN_2 = 0.69314718056
LN_2_HIGH = 0.693359375
LN_2_LOW = -2.12194440e-4
PER_LN_2 = 1.44269504089


def to_bits(x: Value) -> Integer:
    """The 32 bits of a number."""
    return Value(x.target, INTEGER, x.target.apply("to_bits", NUMBER, x.code))


def from_bits(i: Value) -> Number:
    """The number that has these 32 bits."""
    return Value(i.target, NUMBER, i.target.apply("from_bits", INTEGER, i.code))


def sin_cos(angle: Number) -> tuple[Number, Number]:
    """Sine and cosine of an angle of up to some 8000 radians, reduced to [-pi/4, pi/4]."""
    quarter = floor(angle * 0.63661975 + 0.5)
    r = ((angle - quarter * 1.5703125) - quarter * 4.837512969970703125e-4) - quarter * 7.54978995489188e-8
    r2 = r * r
    s = r + r * r2 * (-1.6666654611e-1 + r2 * (8.3321608736e-3 + r2 * -1.9515295891e-4))
    high = r2 * r2 * (4.166664568298827e-2 + r2 * (-1.388731625493765e-3 + r2 * 2.443315711809948e-5))
    c = 1.0 - 0.5 * r2 + high
    turn = quarter - 4.0 * floor(quarter * 0.25)
    odd = (turn == 1.0) | (turn == 3.0)
    sine, cosine = where(odd, c, s), where(odd, s, c)
    return where(turn > 1.5, -sine, sine), where((turn == 1.0) | (turn == 2.0), -cosine, cosine)


def arctan2(y: Number, x: Number) -> Number:
    """The angle of (x, y); (0, 0) gives 0."""
    ax, ay = absolute(x), absolute(y)
    small, large = minimum(ax, ay), maximum(ax, ay)
    steep = small > 0.41421356 * large
    z = where(steep, small - large, small) / maximum(where(steep, small + large, large), 1e-30)
    z2 = z * z
    p = ((8.05374449538e-2 * z2 - 1.38776856032e-1) * z2 + 1.99777106478e-1) * z2 - 3.33329491539e-1
    angle = where(steep, 0.78539816, 0.0) + (z + z * z2 * p)
    angle = where(ay > ax, 1.5707964 - angle, angle)
    angle = where(x < 0.0, 3.1415927 - angle, angle)
    return where(y < 0.0, -angle, angle)


def bearing(sine: Number, cosine: Number) -> Number:
    """The angle of a unit vector: the arc sine of its smaller component, to 1.5e-7 [rad]. (0, 0) gives 0."""
    ax, ay = absolute(cosine), absolute(sine)
    small = minimum(ax, ay)
    z2 = small * small
    z4 = z2 * z2
    low = (
        7.6268449e-2 * z2 + 1.66603398e-1
    ) * z2 + 1.00000091  # in two halves: shorter dependency chains than Horner's scheme
    high = (1.18371018e-1 * z2 - 8.32432648e-2) * z4 + (7.84674799e-2 * z2 + 3.35883641e-2)
    p = high * (z4 * z2) + low
    angle = small * p
    angle = where(ay > ax, 1.5707964 - angle, angle)
    angle = where(cosine < 0.0, 3.1415927 - angle, angle)
    return where(sine < 0.0, -angle, angle)


def arctan(x: Number) -> Number:
    """The angle whose tangent is x, for x in [-1, 1], to 1.2e-7 [rad]."""
    z2 = x * x
    z4 = z2 * z2
    low = (1.99465636e-1 * z2 - 3.33298606e-1) * z2 + 9.99999336e-1
    high = (2.1862727e-2 * z2 - 5.59119885e-2) * z4 + (9.64217215e-2 * z2 - 1.39086195e-1)
    p = (high - 4.05450432e-3 * (z4 * z4)) * (z4 * z2) + low
    return x * p


def _exp_near_zero(r: Number) -> Number:
    """e to a power in [-ln 2 / 2, ln 2 / 2]."""
    p = 1.9875691500e-4 * r + 1.3981999507e-3
    p = ((p * r + 8.3334519073e-3) * r + 4.1665795894e-2) * r + 1.6666665459e-1
    return 1.0 + (r + r * r * (p * r + 5.0000001201e-1))


def _scaled(x: Number, exponent: Number) -> Number:
    """x times two to an integer power from -250 to 250, in two halves: one factor alone may exceed the range."""
    first = floor(exponent * 0.5)
    return x * _two_to(first) * _two_to(exponent - first)


def _two_to(exponent: Number) -> Number:
    return from_bits((to_integer(exponent) + EXPONENT_BIAS) << MANTISSA_BITS)


def exp(x: Number) -> Number:
    """e to a power: 0 below -104, and beyond the range of numbers above 89."""
    x = minimum(maximum(x, -104.0), 89.0)
    n = floor(x * PER_LN_2 + 0.5)
    return _scaled(_exp_near_zero((x - n * LN_2_HIGH) - n * LN_2_LOW), n)


def _parts(x: Number) -> tuple[Number, Number]:
    """(e, m) with x = 2**e * (1 + m) and 1 + m in [sqrt(1/2), sqrt(2)), of a positive number."""
    bits = to_bits(maximum(x, LEAST))
    exponent = to_number((bits >> MANTISSA_BITS) - EXPONENT_BIAS)
    m = from_bits((bits & MANTISSA) | (EXPONENT_BIAS << MANTISSA_BITS))
    large = m > 1.41421356
    return where(large, exponent + 1.0, exponent), where(large, 0.5 * m, m) - 1.0


def _log_beyond(m: Number) -> Number:
    """ln(1 + m) - m + m*m/2, for 1 + m in [sqrt(1/2), sqrt(2))."""
    p = (7.0376836292e-2 * m - 1.1514610310e-1) * m + 1.1676998740e-1
    p = ((p * m - 1.2420140846e-1) * m + 1.4249322787e-1) * m - 1.6668057665e-1
    p = ((p * m + 2.0000714765e-1) * m - 2.4999993993e-1) * m + 3.3333331174e-1
    return m * m * m * p


def log(x: Number) -> Number:
    """The natural logarithm of a positive number; 0 and below count as the least positive number."""
    exponent, m = _parts(x)
    tail = (_log_beyond(m) + exponent * LN_2_LOW) - 0.5 * (m * m)
    return (m + tail) + exponent * LN_2_HIGH


def tanh(x: Number) -> Number:
    size = absolute(x)
    far = 1.0 - 2.0 / (exp(minimum(2.0 * size, 40.0)) + 1.0)
    z = x * x
    p = (-5.70498872745e-3 * z + 2.06390887954e-2) * z - 5.37397155531e-2
    p = (p * z + 1.33314422036e-1) * z - 3.33332819422e-1
    return where(size < 0.625, x + x * z * p, where(x < 0.0, -far, far))


def power(x: Number, exponent: Number) -> Number:
    """x to a power, for x >= 0. 0 to a negative power is the greatest number here.

    The power of two of x and that of the exponent are multiplied exactly; the remaining error grows with the
    exponent, to some |exponent| units in the last place.
    """
    e, m = _parts(x)
    high = from_bits(to_bits(exponent) & UPPER_HALF)
    whole = high * e
    fraction = exponent * ((m + (_log_beyond(m) - 0.5 * (m * m))) * PER_LN_2) + (exponent - high) * e
    n = floor(minimum(maximum(whole + fraction, -250.0), 250.0) + 0.5)
    rest = minimum(maximum((whole - n) + fraction, -1.0), 1.0)
    result = _scaled(_exp_near_zero(rest * LN_2), n)
    at_zero = where(exponent > 0.0, 0.0, where(exponent < 0.0, GREATEST, 1.0))
    return where(x > 0.0, result, at_zero)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin_cos": sin_cos,
    "arctan2": arctan2,
    "bearing": bearing,
    "arctan": arctan,
    "exp": exp,
    "log": log,
    "tanh": tanh,
    "power": power,
}
"""The functions by the name that `Target.function` gets."""
