"""What the words of `core.algebra` mean in functions that Numba compiles: turns of items, heredity.

Each stub below gets Numba overloads; `SUBSTITUTES` says which core function it stands for. Sine, cosine and
arc tangent are polynomials (coefficients of the Cephes library), not the platform's: lanes need them, and the
platform's libraries differ in the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import extending

from murmura.backends.parts import PartCompiler
from murmura.core import algebra

F = np.float32
JIT = {"error_model": "numpy", "boundscheck": False, "nogil": True}
# Functions that only compiled code calls need no entry from Python, and none of them owns memory.
CALLED = JIT | {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": PartCompiler,
    "_nrt": False,
}
INNER = CALLED | {"forceinline": True}
overload = partial(extending.overload, jit_options=INNER | {"nopython": True})


def where(condition, a, b): ...
def sqrt(x): ...
def minimum(a, b): ...
def maximum(a, b): ...
def absolute(x): ...
def floor(x): ...
def to_integer(x): ...
def to_number(i): ...
def look_up(table, index): ...
def halves(i): ...
def signed_bytes(i): ...
def add_32(a, b): ...
def xor_32(a, b): ...
def rotate_left_32(a, bits): ...
def unit_interval(a): ...


@overload(where)
def _where(condition, a, b):
    return lambda condition, a, b: F(a) if condition else F(b)


@overload(sqrt)
def _sqrt(x):
    return lambda x: F(math.sqrt(F(x)))


@overload(absolute)
def _absolute(x):
    return lambda x: abs(F(x))


@overload(floor)
def _floor(x):
    return lambda x: F(math.floor(F(x)))


@overload(minimum)
def _minimum(a, b):
    return lambda a, b: F(a) if a < b else F(b)


@overload(maximum)
def _maximum(a, b):
    return lambda a, b: F(a) if a > b else F(b)


@overload(to_integer)
def _to_integer(x):
    return lambda x: np.int32(x)


@overload(to_number)
def _to_number(i):
    return lambda i: F(i)


@overload(look_up)
def _look_up(table, index):
    return lambda table, index: table[index]


@overload(halves)
def _halves(i):
    return lambda i: (i & np.int32(0xFFFF), i >> np.int32(16))


@overload(signed_bytes)
def _signed_bytes(i):
    return lambda i: (F(np.int8(i)), F(np.int8(i >> 8)), F(np.int8(i >> 16)), F(np.int8(i >> 24)))


@overload(add_32)
def _add_32(a, b):
    return lambda a, b: np.uint32(np.uint32(a) + np.uint32(b))


@overload(xor_32)
def _xor_32(a, b):
    return lambda a, b: np.uint32(np.uint32(a) ^ np.uint32(b))


@overload(rotate_left_32)
def _rotate_left_32(a, bits):
    return lambda a, bits: np.uint32(
        (np.uint32(a) << np.uint32(bits)) | (np.uint32(a) >> np.uint32(32 - bits))
    )


@overload(unit_interval)
def _unit_interval(a):
    return lambda a: F(np.uint32(a) >> np.uint32(8)) * F(2.0**-24)


def sin_cos(angle: Any) -> Any:
    """Sine and cosine in single precision; the angle is first brought to [-pi/4, pi/4]."""
    quarter = floor(angle * 0.63661975 + 0.5)
    r = ((angle - quarter * 1.5703125) - quarter * 4.837512969970703125e-4) - quarter * 7.54978995489188e-8
    r2 = r * r
    s = r + r * r2 * (-1.6666654611e-1 + r2 * (8.3321608736e-3 + r2 * -1.9515295891e-4))
    c = (
        1.0
        - 0.5 * r2
        + r2 * r2 * (4.166664568298827e-2 + r2 * (-1.388731625493765e-3 + r2 * 2.443315711809948e-5))
    )
    turn = quarter - 4.0 * floor(quarter * 0.25)
    odd = (turn == 1.0) | (turn == 3.0)
    sine = where(odd, c, s)
    cosine = where(odd, s, c)
    return where(turn > 1.5, -sine, sine), where((turn == 1.0) | (turn == 2.0), -cosine, cosine)


def arctan2(y: Any, x: Any) -> Any:
    """The angle of (x, y) in single precision; (0, 0) gives 0."""
    ax = absolute(x)
    ay = absolute(y)
    small = minimum(ax, ay)
    large = maximum(ax, ay)
    steep = small > 0.41421356 * large
    z = where(steep, small - large, small) / maximum(where(steep, small + large, large), 1e-30)
    z2 = z * z
    p = ((8.05374449538e-2 * z2 - 1.38776856032e-1) * z2 + 1.99777106478e-1) * z2 - 3.33329491539e-1
    angle = where(steep, 0.78539816, 0.0) + z + z * z2 * p
    angle = where(ay > ax, 1.5707964 - angle, angle)
    angle = where(x < 0.0, 3.1415927 - angle, angle)
    return where(y < 0.0, -angle, angle)


SUBSTITUTES: dict[Callable[..., Any], Callable[..., Any]] = {
    algebra.where: where,
    algebra.sqrt: sqrt,
    algebra.minimum: minimum,
    algebra.maximum: maximum,
    algebra.absolute: absolute,
    algebra.floor: floor,
    algebra.sin_cos: sin_cos,
    algebra.arctan2: arctan2,
    algebra.to_integer: to_integer,
    algebra.to_number: to_number,
    algebra.look_up: look_up,
    algebra.halves: halves,
    algebra.signed_bytes: signed_bytes,
    algebra.add_32: add_32,
    algebra.xor_32: xor_32,
    algebra.rotate_left_32: rotate_left_32,
    algebra.unit_interval: unit_interval,
}
OVERLOADED = frozenset(SUBSTITUTES.values()) - {sin_cos, arctan2}
