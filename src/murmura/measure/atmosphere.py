"""Periods of a population: mass extinction, mating season, predator dominance, starvation, boom.

`Atmosphere` receives population counts from time to time and detects which periods begin and end. It needs only
numbers, so it serves a recorded run and a live flock alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

MASS_EXTINCTION, MATING_SEASON = "mass_extinction", "mating_season"
PREDATOR_DOMINANCE, STARVATION, BOOM = "predator_dominance", "starvation", "boom"


@dataclass(frozen=True)
class Thresholds:
    """Thresholds at which periods begin.

    Attributes:
        window: How far back births and deaths are counted [s].
        mass_extinction: Deaths in the window, as a share of the population at its beginning.
        mating_season: Births in the window, as a share of the population at its beginning.
        predator_dominance: Share of predators in the population.
        starvation: Mean energy, as a share of full energy, below which all starve.
        boom: Population, as a multiple of that at the start.
    """

    window: float = 10.0
    mass_extinction: float = 0.15
    mating_season: float = 0.10
    predator_dominance: float = 0.30
    starvation: float = 0.30
    boom: float = 1.5

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0.0):
                raise ValueError(f"{each.name} must be a finite number > 0, got {value!r}")


@dataclass(frozen=True)
class Census:
    """A population at an instant; NaN for what is unknown.

    Attributes:
        time: When [s].
        agents: How many live.
        before: How many lived a window ago.
        births, deaths: How many were born and died since.
        predators: How many living agents hunt others.
        energy: Their mean energy, as a share.
    """

    time: float
    agents: int
    before: int
    births: int = 0
    deaths: int = 0
    predators: float = math.nan
    energy: float = math.nan


@dataclass
class Period:
    """A period that has ended or still lasts.

    Attributes:
        kind: Its name.
        begin: When it was first seen [s].
        end: When it was last seen [s].
        extreme: The most extreme share: the greatest; for starvation, the least.
        lasts: Whether it has not ended.
    """

    kind: str
    begin: float
    end: float
    extreme: float
    lasts: bool = True


@dataclass
class Atmosphere:
    """Detects periods as they begin and end.

    Args:
        start: Population at the beginning.
        limits: The thresholds.
    """

    start: int
    limits: Thresholds = field(default_factory=Thresholds)
    periods: list[Period] = field(default_factory=list)

    def look(self, now: Census) -> list[Period]:
        """Process the next instant; return the periods that have just begun."""
        begun = []
        for kind, value in self._shares(now).items():
            threshold = getattr(self.limits, kind)
            is_low = kind == STARVATION
            # Unknown values begin no period: NaN compares false.
            holds = value < threshold if is_low else value > threshold
            running = next((s for s in self.periods if s.kind == kind and s.lasts), None)
            if holds and running is None:
                self.periods.append(Period(kind, now.time, now.time, value))
                begun.append(self.periods[-1])
            elif holds and running is not None:
                running.end = now.time
                running.extreme = (min if is_low else max)(running.extreme, value)
            elif running is not None:
                running.lasts = False
        return begun

    def _shares(self, now: Census) -> dict[str, float]:
        def share(part: float, whole: float) -> float:
            return part / whole if whole > 0 else math.nan

        return {
            MASS_EXTINCTION: share(now.deaths, now.before),
            MATING_SEASON: share(now.births, now.before),
            PREDATOR_DOMINANCE: share(now.predators, now.agents),
            STARVATION: now.energy,
            BOOM: share(now.agents, self.start),
        }

    @property
    def current(self) -> list[str]:
        """The periods that are under way."""
        return [period.kind for period in self.periods if period.lasts]
