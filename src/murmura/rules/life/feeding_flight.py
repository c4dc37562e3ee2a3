"""Flight of hungry agents: to the food, around it while they wait, and the final approach (S0-59 to S0-66)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from murmura.core.algebra import Number, absolute, floor, minimum, to_number, where
from murmura.core.noise import noise
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import TINY, Vec, from_angle, random_direction
from murmura.rules.steering.towards import steer_at_speed

if TYPE_CHECKING:
    from murmura.rules.life.feeding import Feeding


def rank(p: Feeding, me: Agent, world: World) -> Any:
    """The agent's rank among waiting agents: a number in [0, 1), constant for `turn_time`, uniform over time."""
    own = to_number(me.id)
    own = (own - 1024.0 * floor(own / 1024.0)) * 0.618034
    own = own - floor(own)
    rank = own + floor(world.noise_time / p.turn_time + own) * 0.7548777
    return rank - floor(rank)


def approach(p: Feeding, me: Agent, way: Vec, distance: Number) -> Any:
    """Straight to the food, slower on arrival (S0-59)."""
    speed = p.approach_speed * me.max_speed * minimum(1.0, distance / p.arrival_radius)
    return steer_at_speed(way, speed, me) * where(distance < p.ignore_within, 0.0, 1.0)


def wait(p: Feeding, me: Agent, way: Vec, distance: Number, world: World) -> Any:
    """The three styles of waiting (S0-60 to S0-64)."""
    towards = way * (1.0 / (distance + TINY))
    if p.style == "swarm":
        return swarm(p, me, towards, distance, world)
    error = distance - p.gather_radius
    share = minimum(1.0, absolute(error) / p.gather_radius)
    if p.style == "gather":
        own = to_number(me.id)
        own = 0.8 + (own - 10.0 * floor(own / 10.0)) * 0.04
        orbit = me.max_speed * p.gather_speed * own
        wanted = towards * (error * share) + towards.left * orbit
        return (wanted - me.velocity).limited(p.gather_force * me.max_force)
    speed = where(error > 0.0, share, -share) * p.hover_speed * me.max_speed
    force = (towards * speed - me.velocity).limited(p.hover_force * me.max_force)
    return force - me.velocity * p.hover_damping


def swarm(p: Feeding, me: Agent, towards: Vec, distance: Number, world: World) -> Any:
    """Pulled to the food, pushed out of the core, and restless."""
    row = to_number(me.id)
    row = row - 2560.0 * floor(row / 2560.0)
    turn = noise(world.noise_time * 0.5 + world.noise_x, row * 0.1 + world.noise_y)
    core = p.swarm_core * p.gather_radius
    pull = where(distance < core, distance / core - 1.0, p.swarm_pull)
    restless = from_angle(turn * 9.424778, p.swarm_noise)
    if len(towards) == 3:
        height = noise(world.noise_time * 0.5 + world.noise_y, row * 0.1 + world.noise_x)
        restless = random_direction(turn * 9.424778, 0.5 + 0.5 * height, p.swarm_noise, 3)
    return (towards * pull + restless) * me.max_force


def sit(p: Feeding, me: Agent, way: Vec, distance: Number) -> Any:
    """Brake near the food; farther away, make the final approach (S0-65, S0-66)."""
    wanted = way * (p.feed_speed * me.max_speed / (distance + TINY))
    force = (wanted - me.velocity).limited(p.feed_force * me.max_force)
    near = distance < p.sit_radius
    return where(near, -me.velocity * p.sit_damping, force - me.velocity * p.feed_damping)
