"""Separation, alignment, cohesion (Reynolds 1987), with every variant the source documents give."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from murmura.core.algebra import maximum, where
from murmura.core.model import choice, quantity
from murmura.core.rule import Kind, Rule, register_rule
from murmura.core.vector import limit, normalize
from murmura.rules.towards import steer_towards

Weighting = Literal["uniform", "linear"]


class NeighborRule(Rule):
    """A rule about neighbours within a radius of its own, or all that are perceived."""

    radius: float | None = quantity(
        None, "Only neighbours this near count; none: all that are perceived.", "u", (5, 200), gt=0
    )
    weight: float = quantity(1.0, "How much this wish counts beside the others.", "", (0, 4), ge=0)

    def options(self) -> dict[str, bool]:
        return super().options() | {"own_radius": self.radius is not None}

    def numbers(self, perception_radius: float) -> dict[str, float]:
        # A division here saves one for every pair of neighbours.
        return super().numbers(perception_radius) | {"per_radius": 1.0 / (self.radius or perception_radius)}


@register_rule("separation")
class Separation(Rule):
    """Steer away from neighbours that are too near."""

    radius: float = quantity(25.0, "Personal space.", "u", (2, 80), gt=0)
    weight: float = quantity(1.5, "How much keeping apart counts beside the other wishes.", "", (0, 4), ge=0)
    falloff: Literal["inverse", "inverse_square"] = choice(
        "inverse_square", "How the push grows as a neighbour comes near: as 1/d or as 1/d^2."
    )
    response: Literal["steer", "push"] = choice(
        "steer", "Steer: the velocity desired less the one had; push: a plain force away, times the weight."
    )
    priority: Literal["weight", "early_exit"] = choice(
        "weight", "Early exit: with a neighbour nearer than the exit distance, nothing but separation counts."
    )
    exit_distance: float = quantity(5.0, "How near is very near, for the early exit.", "u", (0.5, 40), gt=0)

    accumulates: ClassVar[tuple[Kind, ...]] = ("sum", "sum")

    def variant(self) -> type[Rule]:
        return SeparationFirst if self.priority == "early_exit" else Separation

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        push = seen.inv_d * seen.inv_d
        if p.falloff_inverse_square:
            push = push * seen.inv_d
        # Somebody in the very same place pushes nowhere: dx and dy are 0 and 1/d stays finite (S0-39).
        push = where(seen.d2 <= p.radius * p.radius, push * seen.separation * seen.attention, 0.0)
        return -seen.dx * push, -seen.dy * push

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        x, y = acc[0], acc[1]
        if p.response_push:
            ux, uy = normalize(x, y)
            return limit(ux * p.weight, uy * p.weight, me.max_force)
        fx, fy = steer_towards(x, y, me)
        return fx * p.weight, fy * p.weight


class SeparationFirst(Separation):
    """Separation that silences the other wishes while somebody is very near (S4-24)."""

    accumulates: ClassVar[tuple[Kind, ...]] = ("sum", "sum", "greatest")

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        x, y = push_away(p, me, seen, world)
        return x, y, where((seen.d2 > 0.0) & (seen.separation > 0.0), seen.inv_d, 0.0)

    @staticmethod
    def exclusive(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return acc[2] * p.exit_distance >= 1.0


push_away = Separation.pair


def closeness(p: Any, seen: Any) -> Any:
    """How much a neighbour counts by its place: alike, or less with distance, and only within the radius."""
    w = seen.attention
    if p.weighting_linear:
        if p.own_radius:
            w = w * (1.0 - seen.d * p.per_radius)
        else:
            w = w * seen.nearness
    if p.own_radius:
        w = where(seen.d2 <= p.radius * p.radius, w, 0.0)
    return w


@register_rule("alignment")
class Alignment(NeighborRule):
    """Steer towards the mean velocity of neighbours."""

    weighting: Weighting = choice(
        "uniform", "Neighbours count alike, or by 1 - d/radius: the near ones more."
    )

    accumulates = ("sum", "sum")

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        w = seen.alignment * closeness(p, seen)
        return seen.vx * w, seen.vy * w

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        fx, fy = steer_towards(acc[0], acc[1], me)
        return fx * p.weight, fy * p.weight


@register_rule("cohesion")
class Cohesion(NeighborRule):
    """Steer towards the mean place of neighbours."""

    weighting: Weighting = choice(
        "uniform", "Neighbours count alike, or by 1 - d/radius: the near ones more."
    )
    density_adaptation: bool = choice(False, "Whether a crowd attracts less: force times max(0.3, 1 - n/20).")
    crowd: float = quantity(20.0, "Neighbours at which a crowd would attract no more.", "", (5, 100), gt=0)
    crowd_floor: float = quantity(0.3, "What is left of the attraction of a crowd.", "", (0, 1), ge=0, le=1)

    accumulates = ("sum", "sum")

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        w = seen.cohesion * closeness(p, seen)
        return seen.dx * w, seen.dy * w

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        fx, fy = steer_towards(acc[0], acc[1], me)
        w = p.weight
        if p.density_adaptation:
            # Decision 10: on the force, not on the vector, whose length the steering formula discards.
            w = w * maximum(p.crowd_floor, 1.0 - me.neighbors / p.crowd)
        return fx * w, fy * w
