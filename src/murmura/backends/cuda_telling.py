"""How a CUDA thread tells something to the world outside; the twin of `telling`, with atomics on whole numbers."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numba import cuda

from murmura.backends.cuda_primitives import SIMULATED, F, device

FINENESS = 4096.0
LARGEST = 2**31 - 1
ALIVE, NEXT_ID, EVENTS, YOUNG = 3, 4, 5, 6
"""Places in the `clock` array, after the step and the two words of the seed."""

if SIMULATED:

    def bits_of(x: Any) -> Any:
        return struct.unpack("<i", struct.pack("<f", x))[0]

    def float_of(i: Any) -> Any:
        return struct.unpack("<f", struct.pack("<i", int(i)))[0]

else:
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import intrinsic

    @intrinsic
    def bits_of(typing_context: Any, x: Any) -> Any:
        return types.int32(types.float32), lambda context, builder, sig, args: builder.bitcast(
            args[0], ir.IntType(32)
        )

    @intrinsic
    def float_of(typing_context: Any, i: Any) -> Any:
        return types.float32(types.int32), lambda context, builder, sig, args: builder.bitcast(
            args[0], ir.FloatType()
        )


@device
def first_lanes(left: Any) -> Any:
    return True


@device
def any_lane(condition: Any) -> Any:
    return 1 if condition else 0


@device
def best_score(key: Any) -> Any:
    return F(float_of(np.int32(key >> 32)))


@device
def best_id(key: Any) -> Any:
    return F(LARGEST - (key & LARGEST)) if key > 0 else F(-1.0)


@device
def tell_count(told: Any, row: Any, slot: Any, condition: Any) -> None:
    if condition:
        cuda.atomic.add(told, (row, slot), 1)


@device
def tell_sum(told: Any, row: Any, slot: Any, value: Any) -> None:
    whole = np.int64(round(np.float64(value) * FINENESS))
    if whole != 0:
        cuda.atomic.add(told, (row, slot), whole)


@device
def tell_best(told: Any, row: Any, slot: Any, score: Any, name: Any) -> None:
    if score > F(0.0):
        key = (np.int64(bits_of(F(score))) << 32) | (LARGEST - np.int64(name))
        if key > told[row, slot]:
            cuda.atomic.max(told, (row, slot), key)


@device
def tell_news(news: Any, row: Any, slot: Any, condition: Any, value: Any) -> None:
    if condition:
        news[row, 0] = F(1.0)
        news[row, slot] = F(value)


@device
def log(
    events: Any, clock: Any, condition: Any, step: Any, kind: Any, name: Any, other: Any, x: Any, y: Any, cause: Any,
    amount: Any,
) -> None:  # fmt: skip
    if condition:
        slot = cuda.atomic.add(clock, EVENTS, 1)
        if slot < events.shape[0]:
            events[slot, 0] = step
            events[slot, 1] = kind
            events[slot, 2] = name
            events[slot, 3] = other
            events[slot, 4] = x
            events[slot, 5] = y
            events[slot, 6] = cause
            events[slot, 7] = amount


@device
def log_young(young: Any, clock: Any, condition: Any, rule: Any, name: Any, whom: Any, row: Any) -> None:
    if condition:
        slot = cuda.atomic.add(clock, YOUNG, 1)
        if slot < young.shape[0]:
            young[slot, 0] = name
            young[slot, 1] = rule
            young[slot, 2] = np.int64(whom)
            young[slot, 3] = row
            young[slot, 4] = -1


@device
def mark_dead(name: Any, cause: Any) -> Any:
    return np.int32(-1 - name) if cause > F(0.0) else np.int32(name)
