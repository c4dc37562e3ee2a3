"""Hildenbrandt, Carere & Hemelrijk 2010 (StarDisplay): how starlings fly together over their roost.

The forces of the paper in newtons, on a bird of its mass: separation, cohesion and alignment, with a number of
neighbours held steady by widening or narrowing the range of interaction; attraction to the roost; a random force.
Flight itself comes from the rules `cruise` (speed) and `banking` (lift, drag, weight and roll).
"""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import Number, exp, maximum, minimum, sin_cos_of_degrees, sqrt, where
from murmura.core.merging import Sum
from murmura.core.model import PLACES, quantity
from murmura.core.rule import register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import TINY, Vec
from murmura.core.world.perception import EDGE, SEES_ALL, in_view
from murmura.core.world.randomness import STREAM_STARDISPLAY
from murmura.rules.models.headings import approximate_normal_vector
from murmura.rules.steering.flight import FlightRule, wings

LEAST_REACH = 0.1  # [u]; below it a bird would lose all neighbours before the range can widen again


class Starling(Agent):
    """The agent that decides."""

    range: Number
    """[u] How far it looks, so that it meets about as many neighbours as it wants."""


@register_rule("stardisplay")
class StarDisplay(FlightRule):
    """Keep away from, join and follow about `neighbors` others, and stay above the roost."""

    weight: float = quantity(1.0, "Share of these forces that acts; 1: all of them.", "", (0, 1), ge=0)
    mass: float = quantity(0.08, "Mass of a bird.", "kg", (0.01, 1), gt=0)
    separation: float = quantity(1.0, "Maximum force away from neighbours.", "N", (0, 5), ge=0)
    cohesion: float = quantity(1.0, "Maximum force towards neighbours.", "N", (0, 5), ge=0)
    alignment: float = quantity(0.5, "Force of alignment with neighbours.", "N", (0, 5), ge=0)
    randomness: float = quantity(
        0.01, "Standard deviation of a random force on each axis.", "N", (0, 1), ge=0
    )
    neighbors: float = quantity(6.5, "Number of neighbours that the range adapts to.", "", (1, 30), gt=0)
    widest_range: float = quantity(100.0, "Range of a bird without neighbours.", "u", (1, 200), gt=0)
    adjustment: float = quantity(0.1, "How fast the range adapts.", "1/s", (0, 2), ge=0)
    body: float = quantity(0.2, "Distance up to which separation is full.", "u", (0, 2), ge=0)
    softness: float = quantity(
        1.37, "Distance over which separation fades, as a Gaussian.", "u", (0.1, 10), gt=0
    )
    separation_radius: float = quantity(
        4.0, "Distance beyond which neighbours do not repel.", "u", (0, 20), ge=0
    )
    blind_angle: float = quantity(
        90.0, "Blind angle behind for cohesion and alignment.", "deg", (0, 350), ge=0, lt=360
    )
    roost_x: float = quantity(200.0, "Middle of the roost.", "u", PLACES)
    roost_y: float = quantity(200.0, "Middle of the roost.", "u", PLACES)
    roost_z: float = quantity(100.0, "Preferred height of flight.", "u", PLACES)
    roost_radius: float = quantity(
        150.0, "Distance from its middle at which birds turn back.", "u", (1, 1000), gt=0
    )
    roost_turning: float = quantity(
        0.01, "Force that turns them back, per unit of length beyond.", "N/u", (0, 1), ge=0
    )
    roost_height: float = quantity(
        0.02, "Force back to the height, per unit of length away from it.", "N/u", (0, 1), ge=0
    )

    clamped = False
    meets_everyone = True
    columns = {"range": 2.0}
    reads = ("range",)
    writes = ("range",)

    view_cosine: ClassVar[float]
    most_range: ClassVar[float]

    def numbers(self, perception_radius: float) -> dict[str, float]:
        _, cosine = sin_cos_of_degrees(180.0 - self.blind_angle / 2.0)
        return super().numbers(perception_radius) | {
            "view_cosine": where(self.blind_angle > 0.0, cosine - EDGE, SEES_ALL),
            "most_range": minimum(self.widest_range, perception_radius),
        }

    @staticmethod
    def pair(p: StarDisplay, me: Starling, seen: Neighbor, world: World) -> Any:
        direction = seen.offset * seen.inverse
        near = seen.distance <= me.range
        around = seen.distance <= 2.0 * me.range
        beyond = maximum(0.0, seen.distance - p.body) / p.softness
        pushes = near & (seen.distance <= p.separation_radius)
        ahead = near & in_view(p.view_cosine, me.heading, seen.offset, seen.distance)
        outside = where(ahead & (seen.distance > p.body), 1.0, 0.0)
        return {
            "count": Sum(where(near, 1.0, 0.0)),
            "away": Sum(direction * where(pushes, -exp(-beyond * beyond), 0.0)),
            "joined": Sum(where(ahead, 1.0, 0.0)),
            "towards": Sum(direction * outside),
            "along": Sum((seen.velocity.normalized() - me.heading) * where(ahead, 1.0, 0.0)),
            "crowd": Sum(where(around, 1.0, 0.0)),
            "middle": Sum(direction * where(around, 1.0, 0.0)),
        }

    @staticmethod
    def feel(p: StarDisplay, me: Starling, found: Any, world: World) -> Any:
        share = minimum(1.0, p.adjustment * world.dt)
        goal = p.widest_range * (1.0 - found.count / p.neighbors)
        return {"range": minimum(p.most_range, maximum(LEAST_REACH, me.range + (goal - me.range) * share))}

    @staticmethod
    def steer(p: StarDisplay, me: Starling, found: Any, world: World) -> Any:
        # How far a bird is from the middle of those around it: 0 inside a flock, 1 far outside.
        edge = sqrt(found.middle.square) / maximum(1.0, found.crowd)
        force = found.away * (p.separation / maximum(1.0, found.count))
        force = force + found.towards * (edge * p.cohesion / maximum(1.0, found.joined))
        force = force + found.along * (p.alignment / sqrt(found.along.square + TINY))
        force = force + approximate_normal_vector(me.id, world, STREAM_STARDISPLAY) * p.randomness
        force = force + _to_the_roost(p, me)
        # Converts newtons to the force that gives the same acceleration in a step.
        return force * (p.weight * world.dt / (p.mass * world.thrust * world.pace))


def _to_the_roost(p: StarDisplay, me: Starling) -> Vec:
    """Sideways for a bird that flies away from the roost, more so the straighter it does; and back to its height."""
    x, y = me.position.x - p.roost_x, me.position.y - p.roost_y
    far: Number = sqrt(x * x + y * y + TINY)
    outwards = Vec(x / far, y / far, 0.0 * x)
    left, _ = wings(me.heading)
    heading_out = me.heading.dot(outwards)
    strength = p.roost_turning * maximum(0.0, far - p.roost_radius) * (0.5 + 0.5 * heading_out)
    # To the side on which the way back is shorter.
    sideways = left * where(left.dot(outwards) > 0.0, -strength, strength)
    return sideways + Vec(0.0 * x, 0.0 * x, (p.roost_z - me.position.z) * p.roost_height)
