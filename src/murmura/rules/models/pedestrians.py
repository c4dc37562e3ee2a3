"""Helbing and Molnár 1995: social forces between pedestrians, from walls, and towards where they want to go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from murmura.core.algebra import (
    Number,
    exp,
    force_for_velocity,
    maximum,
    normal_from,
    sin_cos_of_degrees,
    sqrt,
    where,
)
from murmura.core.layout import vector
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.randomness import STREAM_PEDESTRIANS, seed_words, uniform_from
from murmura.core.world.space import WALLS


class Pedestrian(Agent):
    """A pedestrian, with its wanted speed in standard deviations from the mean, and its wanted direction."""

    briskness: Number
    way: Vec


class Passer(Neighbor):
    """Another, whose wanted direction can be seen."""

    way: Vec


@register_rule("pedestrians")
class Pedestrians(Rule):
    """Walk at the wanted speed in one direction, away from others, whose next step counts, and from walls."""

    direction: float = quantity(0.0, "Where to walk, counter-clockwise from the x-axis.", "deg", (0, 360))
    wanted_speed: float = quantity(1.34, "Mean of the wanted speeds (v0).", "u/s", (0, 3), ge=0)
    speed_spread: float = quantity(0.26, "Their standard deviation.", "u/s", (0, 1), ge=0)
    relaxation: float = quantity(0.5, "Time to reach the wanted velocity (tau).", "s", (0.1, 5), gt=0)
    repulsion: float = quantity(2.1, "Strength of the repulsion of others (V0).", "u^2/s^2", (0, 10), ge=0)
    repulsion_length: float = quantity(0.3, "Its range (sigma).", "u", (0.1, 2), gt=0)
    ahead: float = quantity(
        2.0, "The step of others that counts as their space (Delta t).", "s", (0, 5), ge=0
    )
    wall: float = quantity(10.0, "Strength of the repulsion of walls (U0).", "u^2/s^2", (0, 50), ge=0)
    wall_length: float = quantity(0.2, "Its range (R).", "u", (0.05, 2), gt=0)
    view: float = quantity(200.0, "Angle in which others count fully (2 phi).", "deg", (0, 360), ge=0, le=360)
    behind: float = quantity(0.5, "How much others count outside of it (c).", "", (0, 1), ge=0)
    fastest: float = quantity(1.3, "Greatest speed over the wanted one.", "", (1, 3), ge=1)

    columns = {"briskness": 0.0, vector("way"): 0.0}
    reads = ("briskness", "way")
    writes = ("way",)
    clamped = False
    silent_when_zero = ""

    way_x: ClassVar[float]
    way_y: ClassVar[float]
    view_cosine: ClassVar[float]

    def numbers(self, perception_radius: float) -> dict[str, float]:
        sine, cosine = sin_cos_of_degrees(self.direction)
        _, edge = sin_cos_of_degrees(self.view / 2.0)
        return super().numbers(perception_radius) | {"way_x": cosine, "way_y": sine, "view_cosine": edge}

    def columns_at_start(self, ids: NDArray[Any], seed: int) -> Mapping[str, NDArray[Any]]:
        u, v = uniform_from(*seed_words(seed), 0, ids, STREAM_PEDESTRIANS)
        return {"briskness": np.asarray(normal_from(u, v)[0])}

    @staticmethod
    def feel(p: Pedestrians, me: Pedestrian, found: Any, world: World) -> Any:
        return {"way": _way(p, me)}

    @staticmethod
    def pair(p: Pedestrians, me: Agent, seen: Passer, world: World) -> Any:
        # b is the small half axis of the ellipse around the other and where it wants to be a step later. In its first
        # step it has not told its way yet.
        way = where(seen.way.square > 0.0, seen.way, seen.velocity.normalized())
        step = way * (seen.velocity.length * p.ahead * world.pace)
        here, there = -seen.offset, -seen.offset - step
        sizes = seen.distance + there.length
        b = 0.5 * sqrt(maximum(sizes * sizes - step.square, 1e-6))
        size = p.repulsion / p.repulsion_length * exp(-(b / p.repulsion_length)) * sizes / (4.0 * b)
        force = (here * seen.inverse + there.normalized()) * size
        # What is pushed away from lies ahead: e . (-f) >= |f| cos(phi).
        in_view = -_way(p, me).dot(force) >= p.view_cosine * force.length
        return Sum(force * where(in_view, 1.0, p.behind))

    @staticmethod
    def steer(p: Pedestrians, me: Pedestrian, found: Any, world: World) -> Any:
        wanted = maximum(0.0, p.wanted_speed + p.speed_spread * me.briskness)
        velocity = me.velocity * world.pace
        change = (_way(p, me) * wanted - velocity) * (1.0 / p.relaxation) + found + _walls(p, me, world)
        after = (velocity + change * world.dt).limited(wanted * p.fastest + TINY)
        return force_for_velocity(after / world.pace, me, world)


def _way(p: Pedestrians, me: Agent) -> Vec:
    """The direction in which a pedestrian wants to walk; level in space."""
    return Vec(p.way_x, p.way_y, *(0.0 for _ in range(len(me.position) - 2)))


def _walls(p: Pedestrians, me: Agent, world: World) -> Vec:
    """The force of the world's walls."""
    push = [
        p.wall / p.wall_length * (exp(-(x / p.wall_length)) - exp(-((size - x) / p.wall_length)))
        if edge in WALLS
        else 0.0 * x
        for x, size, edge in zip(me.position, world.size, world.edges, strict=True)
    ]
    return Vec(*push)
