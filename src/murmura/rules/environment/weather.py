"""Disturbances: smooth noise, wind with turbulence, and jitter of the heading."""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import floor, minimum, sin_cos, sin_cos_of_degrees, to_number, where
from murmura.core.model import quantity
from murmura.core.noise import fractal_noise_pair, noise
from murmura.core.noise.space import fractal_noise_vector, noise_vector
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import Vec
from murmura.core.world.randomness import STREAM_JITTER, uniform_pair
from murmura.rules.models.headings import turn_force

RADIANS = 0.017453292519943295
PI = 3.141592653589793


@register_rule("noise")
class Noise(Rule):
    """Perlin noise turns a tenth of the velocity into a force (S0-103, S0-104): natural variation."""

    strength: float = quantity(0.05, "Maximum turn with neighbours, in half turns.", "", (0, 1), ge=0)
    wander: float = quantity(0.1, "Maximum turn alone, in half turns.", "", (0, 1), ge=0)
    scale: float = quantity(0.01, "Noise cells per unit of length.", "1/u", (0.001, 0.1), gt=0)
    rate: float = quantity(0.5, "Noise cells per second.", "1/s", (0, 5), ge=0)
    gain: float = quantity(0.1, "Force per unit of velocity.", "", (0, 1), ge=0)

    silent_when_zero = "gain"

    @staticmethod
    def steer(p: Noise, me: Agent, found: Any, world: World) -> Any:
        # Every 2560th agent has the same row: 0.1 noise cells each, and the lattice repeats after 256.
        row = to_number(me.id)
        row = row - 2560.0 * floor(row / 2560.0)
        x = me.position.x * p.scale + world.noise_time * p.rate + world.noise_x
        y = me.position.y * p.scale + row * 0.1 + world.noise_y
        strength = where(me.neighbors > 0.0, p.strength, p.wander)
        if len(me.position) == 3:
            turn = noise_vector(x, y, me.position.z * p.scale + world.noise_z)
            return me.velocity.rotated(turn * (PI * strength)) * p.gain
        value = noise(x, y)
        return me.velocity.rotated(value * PI * strength) * p.gain


@register_rule("wind")
class Wind(Rule):
    """A steady wind with turbulence that changes over time (S0-47 to S0-51)."""

    speed: float = quantity(0.0, "Strength of the wind; 0: none.", "u/s", (0, 15), ge=0)
    direction: float = quantity(
        0.0, "Where the wind blows to, counter-clockwise from the x-axis.", "deg", (0, 360)
    )
    turbulence: float = quantity(0.3, "Gusts as a share of the wind.", "", (0, 1), ge=0)
    scale: float = quantity(0.003, "Noise cells per unit of length.", "1/u", (0.0005, 0.02), gt=0)
    rate: float = quantity(0.3, "Noise cells per second.", "1/s", (0, 5), ge=0)
    gain: float = quantity(0.01, "Force per unit of wind.", "", (0, 0.1), ge=0)

    clamped = False
    silent_when_zero = "speed"

    blow_x: ClassVar[float]
    blow_y: ClassVar[float]
    gust: ClassVar[float]

    def numbers(self, perception_radius: float) -> dict[str, float]:
        # Computed once here, because it is the same for all agents.
        force = self.speed * self.gain
        sine, cosine = sin_cos_of_degrees(self.direction)
        return super().numbers(perception_radius) | {
            "blow_x": force * cosine,
            "blow_y": force * sine,
            "gust": 0.5 * self.turbulence * force,
        }

    @staticmethod
    def steer(p: Wind, me: Agent, found: Any, world: World) -> Any:
        x = me.position.x * p.scale + world.noise_time * p.rate + world.noise_x
        y = me.position.y * p.scale + world.noise_y
        if len(me.position) == 3:
            z = me.position.z * p.scale + world.noise_z
            return Vec(p.blow_x, p.blow_y, 0.0) + fractal_noise_vector(x, y, z, 3) * p.gust
        return Vec(p.blow_x, p.blow_y) + Vec(*fractal_noise_pair(x, y, 100.0, 3)) * p.gust


@register_rule("jitter")
class Jitter(Rule):
    """Turn by a random angle each step, at most `max_turn_rate` (S4-12)."""

    angle: float = quantity(10.0, "Maximum random turn in a step.", "deg", (0, 180), ge=0, le=180)
    max_turn_rate: float = quantity(720.0, "Limit on the turn, whatever the angle.", "deg/s", (0, 7200), ge=0)

    clamped = False
    silent_when_zero = "angle"

    def hidden(self, scenario: Any) -> list[str]:
        limit = self.max_turn_rate * scenario.motion.time_step
        if self.angle <= limit * (1.0 + 1e-9):
            return []
        return [
            f"rules.jitter.angle = {self.angle:g} [deg] acts as {limit:g}: max_turn_rate ({self.max_turn_rate:g} "
            "[deg/s]) x motion.time_step is the limit; raise rules.jitter.max_turn_rate to "
            f"{self.angle / scenario.motion.time_step:g} or more, or lower the angle"
        ]

    @staticmethod
    def steer(p: Jitter, me: Agent, found: Any, world: World) -> Any:
        u, v = uniform_pair(me.id, world, STREAM_JITTER)
        most = minimum(p.angle, p.max_turn_rate * world.dt) * RADIANS
        turn = (u * 2.0 - 1.0) * most
        if len(me.velocity) == 3:
            # About a random axis at right angles to the heading.
            side = me.heading.perpendicular.normalized()
            s, c = sin_cos(v * (2.0 * PI))
            return turn_force(me, (side * c + me.heading.cross(side) * s) * turn, world)
        return turn_force(me, turn, world)
