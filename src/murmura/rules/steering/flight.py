"""Flight in a 3-D world: level flight, a preferred height, and banked turns.

Banking is Hildenbrandt, Carere and Hemelrijk 2010 (StarDisplay), in accelerations: lift acts along
the bird's own up axis, weight downwards, drag against the motion, and thrust balances drag at cruise speed. Lateral
steering rolls the bird into a turn, and the roll decays by itself. Tilted lift makes the turn, so a bird that turns
loses height.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from murmura.core.algebra import Number, arctan2, maximum, minimum, sin_cos, where
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import Vec
from murmura.core.world.space import offset, point

UPRIGHT = 1e-6  # squared horizontal part of a heading below which a bird flies straight up or down


class Flyer(Agent):
    """The agent that decides."""

    roll: Number
    """[rad] How far it is banked."""


class FlightRule(Rule):
    """A rule for 3-D worlds."""

    def refuses(self, scenario: Any) -> list[str]:
        if scenario.world.depth is not None:
            return []
        name = next(name for name, rule in scenario.rules if rule is self)
        return [
            f"rules.{name} needs a 3-D world, and this one is a plane: set world.depth, or "
            f"rules.{name}.enabled = false"
        ]


@register_rule("level")
class Level(FlightRule):
    """Prefer level flight: a climb or a dive decays to 1/e within `relaxation`."""

    weight: float = quantity(1.0, "How much level flight counts.", "", (0, 5), ge=0)
    relaxation: float = quantity(1.0, "Time in which a climb decays to 1/e.", "s", (0.1, 10), gt=0)

    clamped = False

    @staticmethod
    def steer(p: Level, me: Agent, found: Any, world: World) -> Any:
        lost = -me.velocity.z * (p.weight * world.dt / (p.relaxation * world.thrust))
        return Vec(0.0, 0.0, lost)


@register_rule("altitude")
class Altitude(FlightRule):
    """Prefer a height: a vertical force in proportion to the distance from it, full beyond `range`."""

    weight: float = quantity(1.0, "How much the height counts relative to the other rules.", "", (0, 5), ge=0)
    z: float | None = quantity(None, "The height; none: halfway up.", "u", (0, 1000))
    range: float = quantity(50.0, "Distance from it at which the force is full.", "u", (1, 500), gt=0)

    has_z: ClassVar[bool]

    def options(self) -> dict[str, bool]:
        return super().options() | {"has_z": self.z is not None}

    @staticmethod
    def steer(p: Altitude, me: Agent, found: Any, world: World) -> Any:
        goal = point(world, me.position.x, me.position.y, p.z if p.has_z else None)
        away = offset(world, me.position, goal).z
        share = maximum(-1.0, minimum(1.0, away / p.range))
        return Vec(0.0, 0.0, share * me.max_force * p.weight)


@register_rule("banking")
class Banking(FlightRule):
    """Fly on wings: lift, weight, drag and thrust, and turns that are flown by rolling (Hildenbrandt et al. 2010)."""

    weight: float = quantity(1.0, "Share of the flight forces that acts; 1: all of them.", "", (0, 1), ge=0)
    cruise_speed: float = quantity(
        10.0, "Speed at which lift carries the weight in level flight.", "u/s", (1, 40), gt=0
    )
    gravity: float = quantity(9.81, "Acceleration of free fall.", "u/s^2", (0, 20), ge=0)
    lift_to_drag: float = quantity(3.3, "Lift per unit of drag.", "", (1, 20), gt=0)
    roll_in: float = quantity(
        0.8, "How fast a bird rolls into a turn: tan of the roll gained is this x lateral acceleration x dt.",
        "s/u", (0, 20), ge=0,
    )  # fmt: skip
    roll_out: float = quantity(
        1.0, "How fast it rolls out: tan of the roll lost is this x sin(roll) x dt.", "1/s", (0, 20), ge=0
    )
    most_roll: float = quantity(90.0, "Maximum roll to either side.", "deg", (0, 120), ge=0, le=180)

    clamped = False
    flies = True
    writes = ("roll",)
    reads = ("roll",)
    columns = {"roll": 0.0}

    per_cruise: ClassVar[float]
    drag: ClassVar[float]
    roll_limit: ClassVar[float]  # [rad]

    def numbers(self, perception_radius: float) -> dict[str, float]:
        return super().numbers(perception_radius) | {
            "per_cruise": 1.0 / self.cruise_speed,
            "drag": 1.0 / self.lift_to_drag,
            "roll_limit": self.most_roll * (math.pi / 180.0),
        }

    @staticmethod
    def steer(p: Banking, me: Flyer, found: Any, world: World) -> Any:
        left, up = wings(me.heading)
        sine, cosine = sin_cos(me.roll)
        share = me.speed * world.pace * p.per_cruise
        lift = share * share  # in units of the weight
        pulled = (
            (up * cosine + left * sine) * lift + me.heading * (p.drag * (1.0 - lift)) - Vec(0.0, 0.0, 1.0)
        )
        # An acceleration [u/s^2], as the force that gives it in a step.
        return pulled * (p.gravity * p.weight * world.dt / (world.thrust * world.pace))

    @staticmethod
    def age(p: Banking, me: Flyer, world: World) -> Any:
        left, up = wings(me.heading)
        sine, cosine = sin_cos(me.roll)
        # The lateral steering, along its wings: the force of the other rules as an acceleration.
        sideways = me.force.dot(left * cosine - up * sine) * (world.thrust * world.pace / world.dt)
        gained = arctan2(p.roll_in * sideways * world.dt, 1.0)
        lost = arctan2(p.roll_out * sine * world.dt, 1.0)
        return {"roll": maximum(-p.roll_limit, minimum(p.roll_limit, me.roll + gained - lost))}


def wings(heading: Vec) -> tuple[Vec, Vec]:
    """The directions to the left and up of a bird that flies along a heading without rolling, both of length 1."""
    x, y, _ = heading
    flat: Number = x * x + y * y
    steep = flat < UPRIGHT
    level = where(steep, Vec(0.0 * x, 1.0 + 0.0 * x, 0.0 * x), Vec(-y, x, 0.0 * x))
    left = level.normalized()
    return left, heading.cross(left)
