"""What eyes see where bodies are opaque, by the definition: a buffer of the nearest thing in every bin of every eye."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.rule_arguments import World
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.visual_field import (
    WORD_BITS,
    Eye,
    area_of_bin,
    bins_taken,
    border_table,
    ray_table,
    word_count,
)
from murmura.rules.environment.terrain import sighted


@dataclass
class Sight:
    """What some agents (rows) see: in how many bins each other agent (columns) is seen, and which bins are covered."""

    shown: NDArray[Any]
    covered: NDArray[np.bool_]


def look(plan: Plan, world: World, me: Record, seen: Record, view: Any, radius: Any, half_width: Any,
         in_view: NDArray[np.bool_]) -> Sight:  # fmt: skip
    """What agents see of the others in their view, which nearer ones and obstacles may hide."""
    target, count = NumpyTarget(), len(in_view)
    nearest = np.full((count, plan.bins), np.inf)
    first, taken = bins_taken(plan.bins, me.heading, seen, half_width)
    rows, columns = np.nonzero(in_view)

    def of_pairs(value: Any) -> NDArray[Any]:
        found: NDArray[Any] = np.broadcast_to(getattr(value, "code", value), in_view.shape)[rows, columns]
        return found

    if plan.has_obstacles:
        _look_at_obstacles(plan, world, me, view, radius, nearest, target)
    many = of_pairs(taken).astype(np.int64)
    pair = np.repeat(np.arange(len(rows)), many)  # one entry for each bin that each neighbour takes
    within = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    bins = (of_pairs(first).astype(np.int64)[pair] + within) % plan.bins
    square = of_pairs(seen.square)[pair]
    np.minimum.at(nearest, (rows[pair], bins), square)
    free = square <= nearest[rows[pair], bins]
    shown = np.zeros(in_view.shape)
    shown[rows, columns] = np.bincount(pair, free, len(rows))
    return Sight(shown, np.isfinite(nearest))


def _look_at_obstacles(
    plan: Plan, world: World, me: Record, view: Any, radius: Any, nearest: NDArray[Any], target: NumpyTarget
) -> None:
    """Store the nearest obstacle on the ray through the middle of every bin that is in view."""
    cosines, sines = (target.value(row) for row in ray_table(plan.bins))
    ray = me.heading * cosines + me.heading.left * sines
    for row in plan.shapes[: plan.obstacle_count]:
        shape = Record("shape", plan.shape_layout.collect([target.value(x) for x in row]))
        distance = sighted(world, shape, me.position, ray)
        stops = (distance <= radius) & (cosines >= view)
        found = np.where(stops.code, (distance * distance).code, np.inf)
        np.minimum(nearest, found, out=nearest)


def eyes(sight: Sight) -> Eye:
    """The covered bins as rules see them, for agents in one row of values."""
    target, covered = NumpyTarget(), sight.covered
    bins = covered.shape[1]
    edges = covered != np.roll(covered, 1, axis=1)  # at the border where each bin begins
    words = np.zeros((len(covered), word_count(bins) * WORD_BITS))
    words[:, :bins] = covered
    words = words.reshape(len(covered), -1, WORD_BITS) @ (2.0 ** np.arange(WORD_BITS))
    return Eye(
        bins,
        [target.value(word) for word in words.T],
        target.value(covered.mean(axis=1)),
        Vec(*(target.value(covered @ row * area_of_bin(bins)) for row in ray_table(bins))),
        Vec(*(target.value(edges @ row) for row in border_table(bins))),
        target.value(edges.sum(axis=1)),
    )
