"""How lanes tell something to the world outside: items that listen, events to be logged, young to be born."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from murmura.backends.hearing import EVENTS, FINENESS, LARGEST, YOUNG
from murmura.backends.lanes import any_lane, as_ints, as_lanes, lane_of, where
from murmura.backends.tracing import (
    BITS,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    WIDTH,
    Array,
    Value,
    call,
    coded,
    pen,
)
from murmura.backends.tracing_flow import loop, when


def _lanes_set(mask: Any) -> Value:
    """In how many lanes the mask is set."""
    builder = pen().builder
    return Value(builder.ctpop(builder.zext(builder.bitcast(coded(mask, BITS), ir.IntType(WIDTH)), LONG)))


def _fixed_sum(values: Value) -> Value:
    """The sum of all lanes in steps of 1/FINENESS, each lane rounded on its own."""
    builder = pen().builder
    doubles, longs = (ir.VectorType(kind, WIDTH) for kind in (DOUBLE, LONG))
    fineness = ir.Constant(doubles, [DOUBLE(FINENESS)] * WIDTH)
    scaled = builder.fmul(builder.fpext(values.code, doubles), fineness)
    whole = builder.fptosi(call(f"llvm.rint.v{WIDTH}f64", doubles, [scaled]), longs)
    return Value(call(f"llvm.vector.reduce.add.v{WIDTH}i64", LONG, [whole]))


def _score(key: Value) -> Value:
    """The score of the best so far."""
    builder = pen().builder
    return Value(builder.bitcast(builder.trunc(builder.lshr(key.code, LONG(32)), INT), FLOAT))


def _key(score: Value, name: Value) -> Value:
    builder = pen().builder
    high = builder.shl(builder.zext(builder.bitcast(score.code, INT), LONG), LONG(32))
    return Value(builder.or_(high, builder.sub(LONG(LARGEST), coded(name, LONG))))


def tell_count(told: Array, row: Any, slot: int, mask: Any) -> None:
    told[row, slot] = told[row, slot] + _lanes_set(mask)


def tell_sum(told: Array, row: Any, slot: int, values: Any) -> None:
    lanes = as_lanes(values)

    def tell() -> None:
        told[row, slot] = told[row, slot] + _fixed_sum(lanes)

    when(any_lane(lanes != 0.0), tell)


def tell_best(told: Array, row: Any, slot: int, score: Any, ids: Any) -> None:
    lanes = as_lanes(score)
    before = told[row, slot]

    def offer(k: Value, best: Value) -> Any:
        mine = lane_of(lanes, k)
        key = _key(mine, lane_of(ids, k))
        return (where((mine > 0.0) & (key > best), key, best),)

    def tell() -> None:
        [best] = loop(0, WIDTH, offer, before)
        told[row, slot] = best

    when(any_lane((lanes >= _score(before)) & (lanes > 0.0)), tell)


def tell_news(news: Array, row: Any, slot: int, mask: Any, value: Any) -> None:
    lanes = as_lanes(value)

    def tell(k: Value) -> None:
        def write() -> None:
            news[row, 0] = 1.0
            news[row, slot] = lane_of(lanes, k)

        when(lane_of(mask, k), write)

    loop(0, WIDTH, tell)


def _next_slot(status: Array, place: int) -> Value:
    """The next place of a list that all threads write into."""
    return Value(pen().builder.atomic_rmw("add", status.place(place), LONG(1), "seq_cst"))


def _each_lane(mask: Any, write: Any) -> None:
    """Call `write` for each lane of the mask."""
    when(any_lane(mask), lambda: loop(0, WIDTH, lambda k: when(lane_of(mask, k), lambda: write(k))) and None)


def log(
    events: Array, status: Array, mask: Any, step: Any, kind: Any, ids: Any, other: Any, x: Any, y: Any, cause: Any,
    amount: Any,
) -> None:  # fmt: skip
    """Note an event for each lane of the mask."""
    lanes = [as_lanes(kind), ids, *map(as_lanes, (other, x, y, cause, amount))]

    def write(k: Value) -> None:
        slot = _next_slot(status, EVENTS)

        def put() -> None:
            events[slot, 0] = step
            for column, values in enumerate(lanes):
                events[slot, column + 1] = lane_of(values, k)

        when(slot < events.shape[0], put)

    _each_lane(mask, write)


def log_young(young: Array, status: Array, mask: Any, rule: int, ids: Any, whom: Any) -> None:
    """Note who has young by whom."""
    fathers = as_lanes(whom)

    def write(k: Value) -> None:
        slot = _next_slot(status, YOUNG)

        def put() -> None:
            young[slot, 0] = lane_of(ids, k)
            young[slot, 1] = rule
            young[slot, 2] = Value(pen().builder.fptosi(lane_of(fathers, k).code, LONG))

        when(slot < young.shape[0], put)

    _each_lane(mask, write)


def mark_dead(ids: Any, cause: Any) -> Any:
    """The ids, those of the dead as their complement, which is negative."""
    return where(as_lanes(cause) > 0.0, ids * -1 - 1, as_ints(ids))
