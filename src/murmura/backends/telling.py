"""How lanes tell something to the world outside: items that listen, events to be logged, young to be born.

What agents tell an item is kept in whole numbers, whose sum and maximum do not depend on the order in which they
come: counts as they are, sums in steps of 1/4096, and the best as its score's bits above its id's complement, so
that of equal scores the least id wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from murmura.backends.lanes import FLOAT, INT, INTS, WIDTH, Ints, Lanes, Mask, _spread, any_lane
from murmura.backends.primitives import INNER, as_lanes, where
from murmura.backends.teamwork import fetch_add

F = np.float32
FINENESS = 4096.0
LARGEST = 2**31 - 1
NEXT_ID, ALIVE, EVENTS, YOUNG = 4, 5, 6, 7
"""Places in the `status` array: the id of the next newborn, agents, events and young noted so far."""


@intrinsic
def lane_of(typing_context: Any, values: Any, k: Any) -> Any:
    """One lane of lanes, ints or a mask."""
    result = {Lanes: types.float32, Ints: types.int32, Mask: types.boolean}[values]

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], INT))

    return result(values, types.intp), emit


@intrinsic
def first_lanes(typing_context: Any, count: Any) -> Any:
    """The mask of the first `count` lanes."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = ir.Constant(INTS, [INT(k) for k in range(WIDTH)])
        return builder.icmp_signed("<", numbers, _spread(builder, builder.trunc(args[0], INT), INTS))

    return Mask(types.intp), emit


@intrinsic
def lanes_set(typing_context: Any, mask: Any) -> Any:
    """In how many lanes the mask is set."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        packed = builder.zext(builder.bitcast(args[0], ir.IntType(WIDTH)), ir.IntType(64))
        return builder.ctpop(packed)

    return types.int64(Mask), emit


@intrinsic
def fixed_sum(typing_context: Any, values: Any) -> Any:
    """The sum of all lanes in steps of 1/FINENESS, each lane rounded on its own."""
    doubles, longs = (ir.VectorType(kind, WIDTH) for kind in (ir.DoubleType(), ir.IntType(64)))

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wide = builder.fpext(args[0], doubles)
        scaled = builder.fmul(wide, ir.Constant(doubles, [ir.DoubleType()(FINENESS)] * WIDTH))
        rint = declared(builder, doubles, [doubles], f"llvm.rint.v{WIDTH}f64")
        add = declared(builder, ir.IntType(64), [longs], f"llvm.vector.reduce.add.v{WIDTH}i64")
        return builder.call(add, [builder.fptosi(builder.call(rint, [scaled]), longs)])

    def declared(builder: Any, result: Any, arguments: Any, name: str) -> Any:
        return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)

    return types.int64(Lanes), emit


@intrinsic
def bits_of(typing_context: Any, x: Any) -> Any:
    return types.int32(types.float32), lambda context, builder, sig, args: builder.bitcast(args[0], INT)


@intrinsic
def float_of(typing_context: Any, i: Any) -> Any:
    return types.float32(types.int32), lambda context, builder, sig, args: builder.bitcast(args[0], FLOAT)


@njit(**INNER)
def best_score(key: Any) -> Any:
    return float_of(np.int32(key >> 32))


@njit(**INNER)
def best_id(key: Any) -> Any:
    return F(LARGEST - (key & LARGEST)) if key > 0 else F(-1.0)


@njit(**INNER)
def tell_count(told: Any, row: Any, slot: Any, mask: Any) -> None:
    told[row, slot] += lanes_set(mask)


@njit(**INNER)
def tell_sum(told: Any, row: Any, slot: Any, values: Any) -> None:
    lanes = as_lanes(values)
    if any_lane(lanes != F(0.0)) != 0:
        told[row, slot] += fixed_sum(lanes)


@njit(**INNER)
def tell_best(told: Any, row: Any, slot: Any, score: Any, ids: Any) -> None:
    lanes = as_lanes(score)
    best = told[row, slot]
    if any_lane((lanes >= best_score(best)) & (lanes > F(0.0))) != 0:
        for k in range(WIDTH):
            mine = lane_of(lanes, k)
            if mine > F(0.0):
                key = (np.int64(bits_of(mine)) << 32) | (LARGEST - np.int64(lane_of(ids, k)))
                best = max(best, key)
        told[row, slot] = best


@njit(**INNER)
def tell_news(news: Any, row: Any, slot: Any, mask: Any, value: Any) -> None:
    lanes = as_lanes(value)
    for k in range(WIDTH):
        if lane_of(mask, k):
            news[row, 0] = F(1.0)
            news[row, slot] = lane_of(lanes, k)


@njit(**INNER)
def log(
    events: Any, status: Any, mask: Any, step: Any, kind: Any, ids: Any, other: Any, x: Any, y: Any, cause: Any,
    amount: Any,
) -> None:  # fmt: skip
    """Note an event for each lane of the mask."""
    if any_lane(mask) == 0:
        return
    for k in range(WIDTH):
        if lane_of(mask, k):
            slot = fetch_add(status, EVENTS, 1)
            if slot < events.shape[0]:
                events[slot, 0] = step
                events[slot, 1] = lane_of(as_lanes(kind), k)
                events[slot, 2] = lane_of(ids, k)
                events[slot, 3] = lane_of(as_lanes(other), k)
                events[slot, 4] = lane_of(as_lanes(x), k)
                events[slot, 5] = lane_of(as_lanes(y), k)
                events[slot, 6] = lane_of(as_lanes(cause), k)
                events[slot, 7] = lane_of(as_lanes(amount), k)


@njit(**INNER)
def log_young(young: Any, status: Any, mask: Any, rule: Any, ids: Any, whom: Any) -> None:
    """Note who has young by whom."""
    if any_lane(mask) == 0:
        return
    for k in range(WIDTH):
        if lane_of(mask, k):
            slot = fetch_add(status, YOUNG, 1)
            if slot < young.shape[0]:
                young[slot, 0] = lane_of(ids, k)
                young[slot, 1] = rule
                young[slot, 2] = np.int64(lane_of(as_lanes(whom), k))


@njit(**INNER)
def mark_dead(ids: Any, cause: Any) -> Any:
    """The ids, those of the dead as their complement, which is negative."""
    return where(as_lanes(cause) > F(0.0), ids * np.int32(-1) - np.int32(1), ids)
