"""All measures over time by name: what each is, its units, and what gathers it frame by frame.

Unlike measures of an instant they need a whole run, so they are not computed live. Any measure of an instant has
an average over time, too: `observable` finds both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from murmura.measure.catalog import find_measure
from murmura.measure.flock import Flock
from murmura.measure.time.errors import Average, Curve
from murmura.measure.time.groups import Exploration, GroupChanges, NeighborPersistence
from murmura.measure.time.lags import Displacements, VelocityAutocorrelation
from murmura.measure.time.profiles import BandProfiles, EgocentricAngles, RotationProfiles
from murmura.measure.time.series import ORDER_PARAMETERS, Series, unit_of
from murmura.measure.time.spatial import (
    FluctuationCorrelation,
    Fluctuations,
    GroupSizes,
    PairDistribution,
    StructureFactor,
)


class Gatherer(Protocol):
    """What takes the frames of a run one after the other."""

    def add(self, flock: Flock) -> None: ...


@dataclass(frozen=True)
class Number:
    """A number with its standard error, NaN where a run is too short to know, and its unit."""

    value: float
    error: float
    unit: str = ""

    @classmethod
    def of(cls, found: Average, unit: str = "") -> Number:
        return cls(found.mean, found.error, unit)


@dataclass(frozen=True)
class Found:
    """What a gatherer found: a curve, numbers by name, or both."""

    curve: Curve | None
    numbers: dict[str, Number]


@dataclass(frozen=True)
class Observable:
    """A measure over time.

    Attributes:
        make: Begins to gather it; several that are made by one function share what it gathers.
        read: What was found, from the gatherer and the time between two frames [s].
        meaning: One sentence.
        unit: Of the values.
        x, x_unit: What the curve is against, and its unit; empty where there is no curve.
    """

    make: Callable[[], Gatherer]
    read: Callable[..., Found]
    meaning: str
    unit: str = ""
    x: str = ""
    x_unit: str = ""


def _curve(found: Curve) -> Found:
    return Found(found, {})


def _changes(gathered: GroupChanges, seconds: float) -> Found:
    fissions, fusions = gathered.rates(seconds)
    return Found(None, {"fission_rate": Number.of(fissions, "1/s"), "fusion_rate": Number.of(fusions, "1/s")})


def _fluctuations(gathered: Fluctuations, seconds: float) -> Found:
    found = gathered.result()
    return Found(found.curve, {"number_fluctuations_exponent": Number(found.exponent, found.exponent_error)})


def _correlation(gathered: FluctuationCorrelation, seconds: float) -> Found:
    return Found(gathered.curve(), {"velocity_correlation_length": Number.of(gathered.length(), "u")})


OBSERVABLES: dict[str, Observable] = {
    "mean_squared_displacement": Observable(
        Displacements, lambda g, s: _curve(g.curve(s)), "How far agents get in a time, squared.", "u^2", "lag", "s"
    ),
    "velocity_autocorrelation": Observable(
        VelocityAutocorrelation, lambda g, s: _curve(g.curve(s)),
        "Product of an agent's velocities at two times.", "u^2/s^2", "lag", "s",
    ),
    "neighbor_persistence": Observable(
        NeighborPersistence, lambda g, s: _curve(g.curve(s)),
        "Share of the six nearest neighbours that are so again a time later.", "", "lag", "s",
    ),
    "exploration": Observable(
        Exploration, lambda g, s: _curve(g.curve(s)), "Share of the world that the flock visits in a time.",
        "", "duration", "s",
    ),
    "fission_fusion": Observable(GroupChanges, _changes, "How often groups split and join.", "1/s"),
    "velocity_correlation": Observable(
        FluctuationCorrelation, _correlation, "Correlation of velocity fluctuations, and its first zero.",
        "", "distance", "u",
    ),
    "pair_distribution": Observable(
        PairDistribution, lambda g, s: _curve(g.curve()), "Agents at a distance, over a scattered flock's: g(r).",
        "", "distance", "u",
    ),
    "structure_factor": Observable(
        StructureFactor, lambda g, s: _curve(g.curve()), "Strength of density waves: 1 for a scattered flock.",
        "", "wave_number", "1/u",
    ),
    "number_fluctuations": Observable(
        Fluctuations, _fluctuations, "Variance of the number of agents in boxes, and its exponent.",
        "agents^2", "mean_number", "agents",
    ),
    "group_size_distribution": Observable(
        GroupSizes, lambda g, s: _curve(g.curve()), "Groups of a size, per frame and per unit of size.",
        "groups/agent", "group_size", "agents",
    ),
    "density_profile": Observable(
        BandProfiles, lambda g, s: _curve(g.density()), "Density over its mean, in front of the crest of a band.",
        "", "position", "u",
    ),
    "alignment_profile": Observable(
        BandProfiles, lambda g, s: _curve(g.alignment()),
        "Headings along the flock's, in front of the crest of a band.", "", "position", "u",
    ),
    "radial_profile": Observable(
        RotationProfiles, lambda g, s: _curve(g.radial()), "Velocity away from the centre.", "u/s", "distance", "u"
    ),
    "tangential_profile": Observable(
        RotationProfiles, lambda g, s: _curve(g.tangential()), "Velocity around the centre, as the flock rotates.",
        "u/s", "distance", "u",
    ),
    "egocentric_angles": Observable(
        EgocentricAngles, lambda g, s: _curve(g.curve()), "Where the nearest neighbour is seen: 1 without preference.",
        "", "angle", "deg",
    ),
}  # fmt: skip


def observable(name: str, columns: Iterable[str] = (), species: Iterable[str] = ()) -> Observable:
    """The measure over time of this name: one of `OBSERVABLES`, or the average of a measure of an instant.

    Raises:
        ValueError: If there is neither.
    """
    if name in OBSERVABLES:
        return OBSERVABLES[name]
    try:
        measure = find_measure(name, columns, species)
    except ValueError as error:
        raise ValueError(f"{error}; over time also {', '.join(OBSERVABLES)}") from None
    return Observable(
        lambda: Series(name), lambda g, s: _average_of(name, g, s), measure.meaning, measure.unit
    )


def _average_of(name: str, gathered: Series, seconds: float) -> Found:
    mean = gathered.average(name)
    numbers = {
        name: Number.of(mean, unit_of(name)),
        f"{name}_time": Number(mean.time * seconds, float("nan"), "s"),
    }
    if name in ORDER_PARAMETERS:
        order = gathered.order(name)
        numbers[f"{name}_susceptibility"] = Number(order.susceptibility, order.susceptibility_error)
        numbers[f"{name}_binder"] = Number(order.binder, order.binder_error)
    return Found(None, numbers)


class Gathering:
    """Gathers several measures over time at once; those that are made alike share what they gather."""

    def __init__(
        self, names: Iterable[str], columns: Iterable[str] = (), species: Iterable[str] = ()
    ) -> None:
        given, kinds = tuple(columns), tuple(species)
        self.observables = {name: observable(name, given, kinds) for name in names}
        self._gatherers = {each.make: each.make() for each in self.observables.values()}

    def add(self, flock: Flock) -> None:
        for gatherer in self._gatherers.values():
            gatherer.add(flock)

    def found(self, seconds: float) -> dict[str, Found]:
        """What was found, by name, for frames this many seconds apart."""
        return {
            name: each.read(self._gatherers[each.make], seconds) for name, each in self.observables.items()
        }
