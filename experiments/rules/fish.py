"""Rules of fish as plain accelerations, for `infer_zebrafish.py`: each has a weight of either sign."""

from __future__ import annotations

from typing import Any

import murmura as mm
from murmura.core.algebra import exp, force_for_acceleration, maximum, where
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.vec import Vec
from murmura.rules import Agent, Neighbor, World

NEAR = 1.5
"""[body lengths] Nearer neighbours repel, others attract: before the weights say otherwise."""


class Push(mm.Rule):
    """An acceleration with a weight."""

    weight: float = quantity(0.0, "Of either sign.", "", (-100, 100))
    clamped = False


@mm.register_rule("fish_drag")
class Drag(Push):
    """Gliding: the speed decays."""

    @staticmethod
    def steer(p: Drag, me: Agent, found: Any, world: World) -> Any:
        return force_for_acceleration(me.velocity * -p.weight, world)


@mm.register_rule("fish_wall")
class Wall(Push):
    """Away from each wall, within about two body lengths."""

    @staticmethod
    def steer(p: Wall, me: Agent, found: Any, world: World) -> Any:
        x, y = me.position.x, me.position.y
        away = Vec(
            exp(x * -0.5) - exp((x - world.width) * 0.5), exp(y * -0.5) - exp((y - world.height) * 0.5)
        )
        return force_for_acceleration(away * p.weight, world)


@mm.register_rule("fish_match")
class Match(Push):
    """Towards the mean velocity of the neighbours."""

    @staticmethod
    def pair(p: Match, me: Agent, seen: Neighbor, world: World) -> Any:
        return {"change": Sum(seen.velocity - me.velocity), "count": Sum(1.0)}

    @staticmethod
    def steer(p: Match, me: Agent, found: Any, world: World) -> Any:
        return force_for_acceleration(found.change * (p.weight / maximum(1.0, found.count)), world)


def mean_direction(me: Agent, seen: Neighbor, chosen: Any) -> dict[str, Sum]:
    kept = where(chosen, 1.0, 0.0)
    return {"way": Sum(seen.offset * (seen.inverse * kept)), "count": Sum(kept)}


@mm.register_rule("fish_join")
class Join(Push):
    """Towards neighbours that are not near."""

    @staticmethod
    def pair(p: Join, me: Agent, seen: Neighbor, world: World) -> Any:
        return mean_direction(me, seen, seen.distance >= NEAR)

    @staticmethod
    def steer(p: Join, me: Agent, found: Any, world: World) -> Any:
        return force_for_acceleration(found.way * (p.weight / maximum(1.0, found.count)), world)


@mm.register_rule("fish_part")
class Part(Push):
    """Away from neighbours that are near."""

    @staticmethod
    def pair(p: Part, me: Agent, seen: Neighbor, world: World) -> Any:
        return mean_direction(me, seen, seen.distance < NEAR)

    @staticmethod
    def steer(p: Part, me: Agent, found: Any, world: World) -> Any:
        return force_for_acceleration(found.way * (-p.weight / maximum(1.0, found.count)), world)
