"""Active Brownian particles: they swim at constant speed in a direction that diffuses, and soft discs repel
(Fily and Marchetti 2012)."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import force_for_velocity, maximum, sqrt, where
from murmura.core.layout import vector
from murmura.core.merging import Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import Vec
from murmura.core.world.randomness import STREAM_BROWNIAN, normal_pair, normal_vector


class Swimmer(Agent):
    """An agent that has a direction of its own, whatever pushes it."""

    facing: Vec


@register_rule("active_brownian")
class ActiveBrownian(Rule):
    """The velocity is speed x direction + stiffness x overlaps + thermal noise. Meant for overdamped motion."""

    swim_speed: float = quantity(1.0, "Speed of one that nobody touches (v0).", "u/s", (0, 5), ge=0)
    turning: float = quantity(0.005, "Rate of rotational diffusion (nu_r or D_r).", "1/s", (0, 2), ge=0)
    thermal: float = quantity(0.0, "Diffusion of the position (D_t).", "u^2/s", (0, 1), ge=0)
    stiffness: float = quantity(
        0.0, "Velocity per overlap with another (mobility times k).", "1/s", (0, 50), ge=0
    )
    diameter: float = quantity(2.0, "Distance below which two overlap.", "u", (0.1, 10), gt=0)

    columns = {vector("facing"): 0.0}
    reads = ("facing",)
    writes = ("facing",)
    clamped = False
    silent_when_zero = ""

    @staticmethod
    def pair(p: ActiveBrownian, me: Agent, seen: Neighbor, world: World) -> Any:
        return Sum(seen.offset * (seen.inverse * -maximum(0.0, p.diameter - seen.distance)))

    @staticmethod
    def feel(p: ActiveBrownian, me: Swimmer, found: Any, world: World) -> Any:
        # The direction of its first velocity, where nothing has set another.
        return {"facing": where(me.facing.square > 0.0, me.facing, me.heading)}

    @staticmethod
    def steer(p: ActiveBrownian, me: Swimmer, found: Any, world: World) -> Any:
        kick = normal_vector(me.id, world, STREAM_BROWNIAN) * sqrt(2.0 * p.thermal / world.dt)
        velocity = me.facing * p.swim_speed + found * p.stiffness + kick
        return force_for_velocity(velocity / world.pace, me, world)

    @staticmethod
    def age(p: ActiveBrownian, me: Swimmer, world: World) -> Any:
        variance = 2.0 * p.turning * world.dt
        if len(me.position) == 2:
            turn: Any = normal_pair(me.id, world, STREAM_BROWNIAN + 1)[0] * sqrt(variance)
        else:
            # Rotations about different axes do not add up: of this size, directions decay by exp(-variance) in a step
            # up to terms of its third power, as they do in the plane.
            size = sqrt(variance / (1.0 + variance / 12.0))
            turn = normal_vector(me.id, world, STREAM_BROWNIAN + 1) * size
        return {"facing": me.facing.rotated(turn).normalized()}
