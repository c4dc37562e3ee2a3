"""How what agents told an item is kept until its turn: in whole numbers, whose sum and maximum do not depend on order.

Counts as they are, sums in steps of 1/4096, and the best as its score's bits above its id's complement, so that of
equal scores the least id wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from murmura.backends.primitives import INNER
from murmura.backends.tracing import FLOAT

F = np.float32
FINENESS = 4096.0
LARGEST = 2**31 - 1
NEXT_ID, ALIVE, EVENTS, YOUNG = 4, 5, 6, 7
"""Places in the `status` array: the id of the next newborn, agents, events and young noted so far."""


@intrinsic
def float_of(typing_context: Any, i: Any) -> Any:
    """The number that has these bits."""
    return types.float32(types.int32), lambda context, builder, sig, args: builder.bitcast(args[0], FLOAT)


@njit(**INNER)
def best_score(key: Any) -> Any:
    return float_of(np.int32(key >> 32))


@njit(**INNER)
def best_id(key: Any) -> Any:
    return F(LARGEST - (key & LARGEST)) if key > 0 else F(-1.0)
