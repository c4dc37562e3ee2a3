"""Our rules."""

import math

import murmura
from murmura.rules import Me, Vec, World, from_angle, quantity


@murmura.register_rule("tide")
class Tide(murmura.Rule):
    """A current that turns once in a period and carries everybody along."""

    strength: float = quantity(0.1, "Force of the current.", "", (0, 1), ge=0)
    period: float = quantity(60.0, "Time in which the current turns once.", "s", (5, 600), gt=0)
    silent_when_zero = "strength"

    @staticmethod
    def steer(p: "Tide", me: Me, found: object, world: World) -> Vec:
        return from_angle(world.time * (2.0 * math.pi) / p.period, p.strength)
