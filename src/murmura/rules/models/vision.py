"""Bastien and Romanczuk 2020: collective motion from what the eye sees, without positions or velocities of others.

Every agent has a width. In the eye of another it covers an interval of directions; area repels and edges attract.
No agent knows how far away or how fast another is. With `perception.occlusion` bodies are opaque, as in the paper: the
covered bins of the visual field count, and the edges between covered and free ones. Without it they are transparent:
two that overlap in the eye count twice, so that what an eye sees is a sum over neighbours.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum, sqrt
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import Vec


@register_rule("vision")
class Vision(Rule):
    """Speed up and turn away from what covers the view, and towards its edges (equations 4 and 5 of the paper)."""

    weight: float = quantity(
        1.0, "How much sight counts relative to other rules; alone it must be 1.", "", (0, 1), ge=0
    )
    body: float = quantity(1.0, "Width of an agent, as seen from every direction.", "u", (0.1, 10), gt=0)
    preferred_speed: float = quantity(1.0, "Speed of an agent that sees no other.", "u/s", (0, 10), ge=0)
    least_speed: float = quantity(
        0.05, "Minimum speed: an agent at rest would have no heading.", "u/s", (0.01, 1), gt=0
    )
    relaxation: float = quantity(0.1, "How fast an agent returns to that speed.", "1/s", (0, 2), ge=0)
    acceleration: float = quantity(
        0.5, "How much the view changes the speed (the paper's alpha 0).", "u/s^2", (0, 2), ge=0
    )
    acceleration_edges: float = quantity(
        0.09, "Weight of an edge relative to the area (alpha 1).", "", (0, 0.5), ge=0
    )
    turning: float = quantity(0.2, "How much the view turns the heading (beta 0).", "1/s", (0, 2), ge=0)
    turning_edges: float = quantity(
        0.09, "Weight of an edge relative to the area (beta 1).", "", (0, 0.5), ge=0
    )

    clamped = False
    uses_eye = True

    def refuses(self, scenario: Any) -> list[str]:
        width = scenario.perception.body
        if scenario.perception.occlusion and width != self.body:
            return [
                f"rules.vision.body must be perception.body ({width:g} [u]) where bodies hide each other, got "
                f"{self.body:g}: an agent has one width; change one of them"
            ]
        if scenario.world.depth is None:
            return []
        return [
            "rules.vision is a model of the plane (Bastien & Romanczuk 2020): it steers by the intervals of directions "
            "that others cover, and an eye in space sees no intervals; leave world.depth out, or set "
            "rules.vision.enabled = false"
        ]

    @staticmethod
    def pair(p: Vision, me: Agent, seen: Neighbor, world: World) -> Any:
        if world.occludes:
            return {}
        # An object at bearing f that covers f - g to f + g: the integral of cos over it is 2 cos f sin g, and the
        # cosines of its two edges add up to 2 cos f cos g. Likewise for the sine.
        bearing = Vec(me.heading.dot(seen.offset), me.heading.cross(seen.offset)) * seen.inverse
        half = 0.5 * p.body
        inverse = 1.0 / sqrt(seen.square + half * half)
        # Sine and cosine of g, with tan g = half the width / distance.
        sine, cosine = half * inverse, seen.distance * inverse
        return {"area": Sum(bearing * sine), "edges": Sum(bearing * cosine)}

    @staticmethod
    def steer(p: Vision, me: Agent, found: Any, world: World) -> Any:
        area, edges = (me.eye.area * 0.5, me.eye.edges * 0.5) if world.occludes else (found.area, found.edges)
        (ahead_area, side_area), (ahead_edges, side_edges) = area, edges
        pull = 2.0 * p.acceleration * (p.acceleration_edges * ahead_edges - ahead_area)
        turn = 2.0 * p.turning * (p.turning_edges * side_edges - side_area)
        speed = me.speed * world.pace
        gained = (p.relaxation * (p.preferred_speed - speed) + pull) * world.dt
        wanted = maximum(p.least_speed, speed + gained) / world.pace
        return (me.heading.rotated(turn * world.dt) * wanted - me.velocity) * (p.weight / world.thrust)
