"""Separation, alignment, cohesion (Reynolds 1987), with every variant the source documents give."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from murmura.core.algebra import maximum, minimum, sqrt, to_integer, where
from murmura.core.merging import Greatest, Sum
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.motion import SIDELESS, side_of, sideways
from murmura.core.world.perception import EDGE
from murmura.rules.steering.towards import steer_towards

Weighting = Literal["uniform", "linear"]


class NeighborRule(Rule):
    """A rule about neighbours within a radius of its own, or all that are perceived."""

    radius: float | None = quantity(
        None, "Only neighbours within this distance count; none: all that are perceived.", "u", (5, 200), gt=0
    )
    weight: float = quantity(1.0, "How much this rule counts relative to the others.", "", (0, 4), ge=0)

    own_radius: ClassVar[bool]  # whether it has one
    per_radius: ClassVar[float]  # 1 / radius

    def options(self) -> dict[str, bool]:
        return super().options() | {"own_radius": self.radius is not None}

    def numbers(self, perception_radius: float) -> dict[str, float]:
        # A division here saves one for each pair of neighbours.
        radius = perception_radius if self.radius is None else self.radius
        return super().numbers(perception_radius) | {"per_radius": 1.0 / radius}


@register_rule("separation")
class Separation(Rule):
    """Steer away from neighbours that are too close."""

    on_by_default: ClassVar[bool] = True

    radius: float = quantity(25.0, "Personal space.", "u", (2, 80), gt=0)
    weight: float = quantity(
        1.5, "How much keeping apart counts relative to the other rules.", "", (0, 4), ge=0
    )
    falloff: Literal["inverse", "inverse_square"] = choice(
        "inverse_square", "How the push grows as a neighbour comes near: as 1/d or as 1/d^2."
    )
    response: Literal["steer", "push"] = choice(
        "steer", "Steer: desired minus current velocity; push: a plain force away, times the weight."
    )
    priority: Literal["weight", "early_exit"] = choice(
        "weight",
        "Early exit: with a neighbour nearer than the exit distance, alignment and cohesion do not count.",
    )
    exit_distance: float = quantity(
        5.0, "Distance of a neighbour that triggers the early exit.", "u", (0.5, 40), gt=0
    )
    foresight: float = quantity(
        0.0, "How far ahead flights are predicted for the early exit; 0: not at all.", "s", (0, 2), ge=0
    )
    clearance: float = quantity(
        5.0,
        "A neighbour that will come nearer than this is avoided and triggers the early exit.",
        "u",
        (0.5, 80),
        gt=0,
    )

    def variant(self) -> type[Rule]:
        if self.priority == "weight":
            return Separation
        return SeparationAhead if self.foresight > 0.0 else SeparationFirst

    @staticmethod
    def pair(p: Separation, me: Agent, seen: Neighbor, world: World) -> Any:
        push = seen.inverse * seen.inverse
        if p.falloff == "inverse_square":
            push = push * seen.inverse
        # A neighbour at the same position gives no force: the offset is 0 and its inverse stays finite (S0-39).
        push = -(push * seen.separation * seen.attention)
        return Sum(seen.offset * where(seen.square <= p.radius * p.radius, push, 0.0))

    @staticmethod
    def steer(p: Separation, me: Agent, found: Any, world: World) -> Any:
        if p.response == "push":
            return found.normalized().limited(me.max_force) * p.weight
        return steer_towards(found, me) * p.weight


class SeparationFirst(Separation):
    """Separation that suppresses the other two while a neighbour is very near (S4-24)."""

    silences: ClassVar[tuple[str, ...]] = ("alignment", "cohesion")

    @staticmethod
    def pair(p: Separation, me: Agent, seen: Neighbor, world: World) -> Any:
        inverse = where((seen.square > 0.0) & (seen.separation > 0.0), seen.inverse, 0.0)
        return {"away": Separation.pair(p, me, seen, world), "greatest_inverse": Greatest(inverse)}

    @staticmethod
    def steer(p: Separation, me: Agent, found: Any, world: World) -> Any:
        return Separation.steer(p, me, found.away, world)

    @staticmethod
    def exclusive(p: Separation, me: Agent, found: Any, world: World) -> Any:
        # Without weight it does not count, and comes before nothing.
        return (found.greatest_inverse * p.exit_distance >= 1.0) & (p.weight > 0.0)


class SeparationAhead(SeparationFirst):
    """The same, also from neighbours that will come near: at constant speed it is too late to turn when they are.

    Those push from where they will be; within personal space all push as ever (S4-22, S4-23).
    """

    @staticmethod
    def pair(p: Separation, me: Agent, seen: Neighbor, world: World) -> Any:
        now = SeparationFirst.pair(p, me, seen, world)
        way = _nearest_approach(p, me, seen, world)
        outside = (seen.square > p.radius * p.radius) & (seen.separation > 0.0)
        comes = outside & (way.square <= p.clearance * p.clearance)
        push = 1.0 / (way.square + TINY)
        if p.falloff == "inverse_square":
            push = push * sqrt(push)
        early = way * -(push * seen.separation * seen.attention)
        return now | {
            "away": Sum(where(comes, early, now["away"].result)),
            "comes": Greatest(where(comes, 1.0, 0.0)),
        }

    @staticmethod
    def exclusive(p: Separation, me: Agent, found: Any, world: World) -> Any:
        return SeparationFirst.exclusive(p, me, found, world) | ((found.comes > 0.0) & (p.weight > 0.0))


def _nearest_approach(p: Separation, me: Agent, seen: Neighbor, world: World) -> Vec:
    """Where a neighbour will be from here when it is nearest, within the foresight, if both fly straight on.

    One that comes straight towards the agent will be as far to the side on which the two of them agree by their ids,
    so that they turn to different sides (decision 33).
    """
    rate = seen.velocity - me.velocity
    meeting = maximum(0.0, -rate.dot(seen.offset)) / (rate.square + TINY)
    way = seen.offset + rate * minimum(p.foresight * world.pace, meeting)
    straight = (seen.offset + rate * meeting).square < SIDELESS * SIDELESS * seen.square
    share = sqrt(way.square) * seen.inverse
    side = side_of(to_integer(me.id) + to_integer(seen.id)) * maximum(SIDELESS, share)
    return where(straight, sideways(seen.offset) * side, way)


def closeness(p: Alignment | Cohesion, seen: Neighbor) -> Any:
    """The weight of a neighbour: uniform or decreasing with distance, and 0 beyond the radius."""
    w = seen.attention
    if p.weighting == "linear":
        nearness = 1.0 - seen.distance * p.per_radius if p.own_radius else seen.nearness
        # At the radius rounding leaves a tiny number instead of 0, which steering would normalise to a full force.
        w = w * where(nearness > EDGE, nearness, 0.0)
    if p.own_radius:
        assert p.radius is not None
        w = where(seen.square <= p.radius * p.radius, w, 0.0)
    return w


@register_rule("alignment")
class Alignment(NeighborRule):
    """Steer towards the mean velocity of neighbours."""

    on_by_default: ClassVar[bool] = True

    weighting: Weighting = choice(
        "uniform", "Neighbours count alike, or by 1 - d/radius: the near ones more."
    )

    coincident: bool = choice(
        True, "Whether a neighbour at the very same place counts, such as a newborn with its mother."
    )

    @staticmethod
    def pair(p: Alignment, me: Agent, seen: Neighbor, world: World) -> Any:
        w = seen.alignment * closeness(p, seen)
        return Sum(seen.velocity * (w if p.coincident else where(seen.square > 0.0, w, 0.0)))

    @staticmethod
    def steer(p: Alignment, me: Agent, found: Any, world: World) -> Any:
        return steer_towards(found, me) * p.weight


@register_rule("cohesion")
class Cohesion(NeighborRule):
    """Steer towards the mean position of neighbours."""

    on_by_default: ClassVar[bool] = True

    weighting: Weighting = choice(
        "uniform", "Neighbours count alike, or by 1 - d/radius: the near ones more."
    )
    density_adaptation: bool = choice(False, "Whether a crowd attracts less: force times max(0.3, 1 - n/20).")
    crowd: float = quantity(
        20.0, "Number of neighbours at which the attraction would vanish.", "", (5, 100), gt=0
    )
    crowd_floor: float = quantity(
        0.3, "Minimum share of the attraction that remains in a crowd.", "", (0, 1), ge=0, le=1
    )

    @staticmethod
    def pair(p: Cohesion, me: Agent, seen: Neighbor, world: World) -> Any:
        return Sum(seen.offset * (seen.cohesion * closeness(p, seen)))

    @staticmethod
    def steer(p: Cohesion, me: Agent, found: Any, world: World) -> Any:
        weight = p.weight
        if p.density_adaptation:
            # Decision 10: applied to the force, not to the vector, whose length the steering formula discards.
            weight = weight * maximum(p.crowd_floor, 1.0 - me.neighbors / p.crowd)
        return steer_towards(found, me) * weight
