"""Couzin, Krause, James, Ruxton, Franks 2002: zones of repulsion, orientation and attraction, in the plane."""

from __future__ import annotations

import math
from typing import Any

from murmura.core.algebra import where
from murmura.core.model import quantity
from murmura.core.perception import EDGE
from murmura.core.randomness import STREAM_ZONES
from murmura.core.rule import Rule, register_rule
from murmura.core.vector import normalize
from murmura.rules.headings import angle_to, bell, turn_force, within

RADIANS = 0.017453292519943295


@register_rule("zones")
class Zones(Rule):
    """Turn away from whoever is too near; if nobody is, along with the near and towards the far."""

    repulsion: float = quantity(1.0, "Radius of the zone in which others repel.", "u", (0.1, 5), gt=0)
    orientation: float = quantity(
        3.0, "Width of the zone around it in which headings are matched.", "u", (0, 20), ge=0
    )
    attraction: float = quantity(
        14.0, "Width of the zone around that one in which others attract.", "u", (0, 20), ge=0
    )
    blind_angle: float = quantity(
        90.0,
        "Angle behind in which nobody is matched or joined; what is too near is felt all round.",
        "deg",
        (0, 350),
        ge=0,
        lt=360,
    )
    turning_rate: float = quantity(40.0, "Fastest turn.", "deg/s", (0, 200), ge=0)
    noise: float = quantity(
        0.05, "Standard deviation of the error in the wanted direction.", "rad", (0, 1), ge=0
    )

    accumulates = ("sum", "sum", "greatest", "sum", "sum", "sum", "sum")
    clamped = False
    silent_when_zero = "turning_rate"

    def numbers(self, perception_radius: float) -> dict[str, float]:
        cosine = math.cos(math.radians(180.0 - self.blind_angle / 2.0)) - EDGE
        return super().numbers(perception_radius) | {
            "match_radius": self.repulsion + self.orientation,
            "join_radius": self.repulsion + self.orientation + self.attraction,
            "view_cosine": cosine if self.blind_angle > 0.0 else -2.0,
        }

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        ux, uy = seen.dx * seen.inv_d, seen.dy * seen.inv_d
        near = seen.d < p.repulsion
        visible = (me.hx * seen.dx + me.hy * seen.dy >= p.view_cosine * seen.d) & ~near
        match = visible & (seen.d < p.match_radius)
        join = visible & (seen.d >= p.match_radius) & (seen.d < p.join_radius)
        push = where(near, -1.0, 0.0)
        pull = where(join, 1.0, 0.0)
        hx, hy = normalize(seen.vx, seen.vy)
        along = where(match, 1.0, 0.0)
        return ux * push, uy * push, where(near, 1.0, 0.0), hx * along, hy * along, ux * pull, uy * pull

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        away_x, away_y, crowded, along_x, along_y, to_x, to_y = acc
        # Half the sum where both zones have somebody: only the direction matters.
        x = where(crowded > 0.0, away_x, along_x + to_x)
        y = where(crowded > 0.0, away_y, along_y + to_y)
        wanted = angle_to(me, x, y) + p.noise * bell(me.id, world, STREAM_ZONES)
        return turn_force(me, within(wanted, p.turning_rate * RADIANS * world.dt), world)
