"""Which neighbours an agent sees where bodies are opaque, on a GPU thread.

The thread keeps the squared distance of the nearest thing in every bin of the agent's visual field. A first scan of the
candidates fills the field; later scans look up in how many bins each candidate is the nearest. So there is no
list that could overflow, and the order of candidates does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from murmura.compute.gpu.memory import AgentColumns
from murmura.compute.step import placed
from murmura.compute.step_data import Parameters
from murmura.core.algebra import (
    INTEGER,
    NUMBER,
    Condition,
    Number,
    Value,
    floor,
    look_up,
    to_integer,
    where,
)
from murmura.core.merging import FAR
from murmura.core.rule_arguments import Neighbor
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.perception import TIE, in_view
from murmura.core.world.visual_field import Eye, area_of_bin, bins_taken, border_table, ray_table
from murmura.rules.environment.terrain import sighted

Visit = Callable[[Value, list[Value]], list[Any]]
FIELD = "field"
"""The name of the visual field in emitted code."""
EYE_SUMS = 6
"""Covered bins, area and edges (two each), number of edges."""


class EyeOfThread(Eye):
    """An eye whose bins are read from the thread's own field."""

    def __init__(self, target: Any, bins: int, sums: list[Any]) -> None:
        covered, *rest = sums
        super().__init__(bins, (), covered, Vec(*rest[:2]), Vec(*rest[2:4]), rest[4])
        self._target = target

    def covers(self, bearing: Number) -> Condition:
        place = floor(bearing * (self._bins / (2.0 * math.pi)) + 0.5 * self._bins)
        number = to_integer(where(place >= float(self._bins), place - float(self._bins), place))
        covered: Condition = self._target.load(FIELD, number, NUMBER) < FAR
        return covered


class ThreadSight:
    """Emits the visual field of the agent of one trace."""

    def __init__(self, trace: Any) -> None:
        self._trace, self._plan, self._target, self._step = trace, trace.plan, trace.target, trace.step

    def look(self, p: Parameters, me: Record, view: Number, reach: Number) -> None:
        """Fill the field with what is nearest in each bin."""
        t = self._target
        t.repeat(self._plan.bins, lambda k: t.store(FIELD, k, FAR))
        if self._plan.has_obstacles:
            self._look_at_obstacles(p, me, view)

        def cover(j: Value, way: Vec, _: list[Value]) -> list[Any]:
            visible = in_view(view, me.heading, way, _seen(way).distance)
            t.when(visible, lambda: self._each_bin(me, j, way, [], self._covered_by(way.square)), None)
            return []

        self._trace.candidates(me, reach, [], cover)

    def shown(self, me: Record, view: Number, j: Value, way: Vec) -> Number:
        """In how many bins a candidate is the nearest; 0 if it is hidden or out of view."""
        t = self._target
        visible = in_view(view, me.heading, way, _seen(way).distance)

        def count(_: list[Value]) -> list[Any]:
            # A compiler may round the same square differently in two scans: the tolerance allows for that.
            most = way.square * (1.0 - TIE)
            return self._each_bin(
                me, j, way, [t.number(0.0)],
                lambda place, held: [where(self._at(place) >= most, held[0] + 1.0, held[0])],
            )  # fmt: skip

        found: Number = t.branch(visible, [t.number(0.0)], count)[0]
        return found

    def eye(self) -> list[Any]:
        """The numbers of an eye, from the field."""
        t, bins = self._target, self._plan.bins
        rays, borders = ray_table(bins).astype("f4"), border_table(bins).astype("f4")

        def add(k: Value, held: list[Value]) -> list[Any]:
            covered = self._at(k) < FAR
            edge = covered ^ (self._at(where(k == 0, bins - 1, k - 1)) < FAR)
            terms = [where(covered, look_up(table, k), 0.0) for table in rays]
            terms += [where(edge, look_up(table, k), 0.0) for table in borders]
            terms = [where(covered, 1.0, 0.0), *terms, where(edge, 1.0, 0.0)]
            return [a + b for a, b in zip(held, terms, strict=True)]

        sums = t.loop(0, bins, 1, [t.number(0.0)] * EYE_SUMS, add, rolled=True)
        scales = (1.0 / bins, area_of_bin(bins), area_of_bin(bins), 1.0, 1.0, 1.0)
        return [x * scale for x, scale in zip(sums, scales, strict=True)]

    def _at(self, place: Value) -> Value:
        found: Value = self._target.load(FIELD, place, NUMBER)
        return found

    def _covered_by(self, square: Number) -> Visit:
        """A function that stores in a bin that something at this squared distance takes it."""

        def note(place: Value, _: list[Value]) -> list[Any]:
            self._target.when(
                square < self._at(place), lambda: self._target.store(FIELD, place, square), None
            )
            return []

        return note

    def _each_bin(self, me: Record, j: Value, way: Vec, values: list[Any], visit: Visit) -> list[Any]:
        """For each bin that a candidate takes: values = visit(bin, values)."""
        t, bins = self._target, self._plan.bins
        columns = AgentColumns(self._plan, t, "sorted", j)
        taken = bins_taken(bins, me.heading, _seen(way), self._step.half_width(columns))
        first, count = (to_integer(x) for x in taken)

        def one(k: Value, held: list[Value]) -> list[Any]:
            place = first + k
            place = where(place < 0, place + bins, where(place >= bins, place - bins, place))
            return visit(place, held)

        found: list[Any] = t.loop(0, count, 1, values, one, rolled=True)
        return found

    def _look_at_obstacles(self, p: Parameters, me: Record, view: Number) -> None:
        """Store the nearest obstacle on the ray through the middle of every bin that is in view."""
        t, plan = self._target, self._plan
        cosines, sines = ray_table(plan.bins).astype("f4")
        width, many = len(plan.shape_layout), t.field("sizes", "obstacles", INTEGER)

        def bin_of(k: Value) -> None:
            cosine, sine = look_up(cosines, k), look_up(sines, k)
            ray = me.heading * cosine + me.heading.left * sine

            def obstacle(row: Value, held: list[Value]) -> list[Any]:
                places = (row * width + n for n in range(width))
                numbers = [t.load("rules.shapes", place, NUMBER, steady=True) for place in places]
                shape = Record("shape", plan.shape_layout.collect(numbers))
                distance = sighted(self._step.world, shape, me.position, ray)
                stops = (distance <= p.perception.radius) & (cosine >= view) & (distance * distance < held[0])
                return [where(stops, distance * distance, held[0])]

            t.store(FIELD, k, t.loop(0, many, 1, [t.number(FAR)], obstacle, rolled=True)[0])

        t.repeat(plan.bins, bin_of)


def _seen(way: Vec) -> Record:
    """The values of a candidate that its bins depend on."""
    return Record(Neighbor, placed(way))
