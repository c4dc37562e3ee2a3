"""Day and night: the hour changes the speed, force and cohesion of animals, differently for nocturnal species."""

from __future__ import annotations

from typing import Any, NamedTuple

from murmura.core.algebra import Number, floor, maximum, minimum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World


@register_rule("daylight")
class Daylight(Rule):
    """The hour scales top speed, force and cohesion; nocturnal species have the day's values at night.

    A day consists of night, dawn, day and dusk, in this order, as shares of its length. Just before each part begins,
    values change smoothly to its own.
    """

    length: float = quantity(120.0, "Length of a day.", "s", (10, 600), gt=0)
    start: float = quantity(0.25, "Time of day at the start, as a share of the day.", "", (0, 1), ge=0, le=1)
    nocturnal: float = quantity(
        0.0, "1: active at night, 0: by day, between: partly at both.", "", (0, 1), ge=0, le=1
    )
    dawn_at: float = quantity(0.35, "When dawn begins, as a share of the day.", "", (0, 1), ge=0, le=1)
    day_at: float = quantity(0.45, "When day begins.", "", (0, 1), ge=0, le=1)
    dusk_at: float = quantity(0.85, "When dusk begins; the night begins at 1.", "", (0, 1), ge=0, le=1)
    change: float = quantity(
        0.05, "How long each change takes, as a share of the day.", "", (0, 0.2), gt=0, le=0.25
    )
    night_speed: float = quantity(0.5, "Factor on the top speed at night.", "", (0, 2), ge=0, le=10)
    dawn_speed: float = quantity(0.8, "Factor on the top speed at dawn.", "", (0, 2), ge=0, le=10)
    day_speed: float = quantity(1.0, "Factor on the top speed by day.", "", (0, 2), ge=0, le=10)
    dusk_speed: float = quantity(0.9, "Factor on the top speed at dusk.", "", (0, 2), ge=0, le=10)
    night_activity: float = quantity(0.3, "Factor on the maximum force at night.", "", (0, 2), ge=0, le=10)
    dawn_activity: float = quantity(0.7, "Factor on the maximum force at dawn.", "", (0, 2), ge=0, le=10)
    day_activity: float = quantity(1.0, "Factor on the maximum force by day.", "", (0, 2), ge=0, le=10)
    dusk_activity: float = quantity(0.8, "Factor on the maximum force at dusk.", "", (0, 2), ge=0, le=10)
    night_cohesion: float = quantity(
        1.5, "Factor on the weight of cohesion at night.", "", (0, 3), ge=0, le=10
    )
    dawn_cohesion: float = quantity(1.2, "Factor on the weight of cohesion at dawn.", "", (0, 3), ge=0, le=10)
    day_cohesion: float = quantity(1.0, "Factor on the weight of cohesion by day.", "", (0, 3), ge=0, le=10)
    dusk_cohesion: float = quantity(1.3, "Factor on the weight of cohesion at dusk.", "", (0, 3), ge=0, le=10)

    def refuses(self, scenario: Any) -> list[str]:
        hours = (self.dawn_at, self.day_at, self.dusk_at, 1.0)
        if all(b - a >= self.change for a, b in zip((0.0, *hours), hours, strict=False)):
            return []
        return [
            "rules.daylight: dawn_at, day_at, dusk_at and 1 must follow each other with at least `change` "
            f"({self.change:g}) between them, got {', '.join(f'{hour:g}' for hour in hours[:3])}"
        ]

    def objects(self, rows: Any, time: float) -> list[dict[str, Any]]:
        now = sky(self, time)
        return [{"kind": "sky", "daylight": now.light, "clock": now.clock}]

    @staticmethod
    def modulate(p: Daylight, me: Agent, world: World) -> Any:
        hour = hour_at(p, world.time)
        activity = value_for(p, hour, p.night_activity, p.dawn_activity, p.day_activity, p.dusk_activity)
        return {
            "motion.top_speed": value_for(p, hour, p.night_speed, p.dawn_speed, p.day_speed, p.dusk_speed),
            "motion.max_force": activity,
            "cohesion.weight": value_for(
                p, hour, p.night_cohesion, p.dawn_cohesion, p.day_cohesion, p.dusk_cohesion
            ),
        }


def hour_at(p: Daylight, time: Number) -> Number:
    """The time of day as a fraction in [0, 1)."""
    days = time / p.length + p.start
    return days - floor(days)


def transition(p: Daylight, hour: Number, begins: Number) -> Number:
    """A ramp from 0 to 1 that ends when a part of the day begins."""
    return minimum(1.0, maximum(0.0, (hour - begins) / p.change + 1.0))


def value_at(p: Daylight, hour: Number, night: Number, dawn: Number, day: Number, dusk: Number) -> Number:
    """A value at this hour, from its values in the four parts of the day."""
    value = night + (dawn - night) * transition(p, hour, p.dawn_at)
    value = value + (day - dawn) * transition(p, hour, p.day_at)
    value = value + (dusk - day) * transition(p, hour, p.dusk_at)
    return value + (night - dusk) * transition(p, hour, 1.0)


def value_for(p: Daylight, hour: Number, night: Number, dawn: Number, day: Number, dusk: Number) -> Number:
    """The same for a species that may be nocturnal: day and night, dawn and dusk are exchanged."""
    diurnal = value_at(p, hour, night, dawn, day, dusk)
    return diurnal + (value_at(p, hour, day, dusk, night, dawn) - diurnal) * p.nocturnal


class Sky(NamedTuple):
    """What the sky looks like."""

    period: str
    clock: str
    light: float


def sky(rule: Daylight, time: float) -> Sky:
    """The part of the day, the time as a clock shows it, and how light it is (0 to 1)."""
    hour = float(hour_at(rule, time))
    periods = ((0.0, "night"), (rule.dawn_at, "dawn"), (rule.day_at, "day"), (rule.dusk_at, "dusk"))
    period = [name for begins, name in periods if hour >= begins][-1]
    minutes = int(hour * 24 * 60)
    light = float(value_at(rule, hour, 0.0, 0.5, 1.0, 0.5))
    return Sky(period, f"{minutes // 60:02d}:{minutes % 60:02d}", light)
