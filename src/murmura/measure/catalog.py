"""All measures by name: what each is, its unit, and up to how many agents it is cheap enough to run live.

A measure is any function from a `Flock` to one number. Measures registered by a user are treated like the built-in
ones. Command line, live charts, recordings and the table in docs/measures.md all read this list. Measures of a trait
are named after the trait and not listed (see `traits`); `usual_measures` names those worth taking of a flock, and
`find_measure` finds any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeVar, overload

from murmura.measure.flock import Flock
from murmura.measure.lives import births, deaths, deaths_by
from murmura.measure.motion import (
    mean_speed,
    milling,
    polarization,
    radial_velocity,
    speed_deviation,
    tangential_velocity,
)
from murmura.measure.structure.angles import egocentric_angle
from murmura.measure.structure.correlation import correlation_length
from murmura.measure.structure.linkage import clustering_coefficient, groups, largest_group, mean_group
from murmura.measure.structure.neighbors import nearest_anisotropy
from murmura.measure.structure.shape import thickness, thickness_to_length, thickness_to_width
from murmura.measure.structure.spacing import extent, local_density, nearest_neighbor_distance, spread
from murmura.measure.traits import PART, gene_diversity, genes_among, part_heterozygosity, trait_measure
from murmura.measure.turning import turning_rate

MeasureFunction = Callable[[Flock], float]
MeasureT = TypeVar("MeasureT", bound=MeasureFunction)

EVERY_SIZE = 20_000_000
GRAPH_SIZE = 5_000
CAUSES = ("predation", "starvation", "age", "combat")
Subject = Literal["any", "space", "mortal", "genes", "parts", "named"]
"""What a flock must have for a measure: nothing, a 3-D world, births and deaths, genes, or body parts; `named` ones
are taken only if somebody names them."""


@dataclass(frozen=True)
class Measure:
    """One entry of the catalogue; calling it takes the measure."""

    function: MeasureFunction
    unit: str = ""
    meaning: str = ""
    live_up_to: int = GRAPH_SIZE
    """Up to how many agents the live view takes this once a second."""
    of: Subject = "any"

    def __call__(self, flock: Flock) -> float:
        return self.function(flock)


MEASURES: dict[str, Measure] = {
    "polarization": Measure(polarization, "", "Agreement of headings: 0 none, 1 all alike.", EVERY_SIZE),
    "milling": Measure(milling, "", "Rotation about the centre: 0 none, 1 a perfect mill.", EVERY_SIZE),
    "mean_speed": Measure(mean_speed, "u/s", "Mean speed.", EVERY_SIZE),
    "speed_deviation": Measure(speed_deviation, "u/s", "Standard deviation of the speeds.", EVERY_SIZE),
    "turning_rate": Measure(turning_rate, "deg/s", "Mean size of the turn of a heading.", EVERY_SIZE),
    "spread": Measure(spread, "u", "Root mean square distance to the centre.", EVERY_SIZE),
    "nearest_neighbor_distance": Measure(
        nearest_neighbor_distance, "u", "Mean distance to the nearest other agent."
    ),
    "local_density": Measure(local_density, "agents", "Mean number of others within the radius."),
    "clustering_coefficient": Measure(
        clustering_coefficient, "", "Share of neighbour pairs that are neighbours too."
    ),
    "groups": Measure(groups, "groups", "Number of groups joined by chains of neighbours."),
    "largest_group": Measure(largest_group, "agents", "Agents in the largest group."),
    "mean_group": Measure(mean_group, "agents", "Agents in a group on average."),
    "correlation_length": Measure(
        correlation_length, "u", "Distance at which velocity fluctuations stop being alike.", EVERY_SIZE
    ),
    "thickness": Measure(thickness, "u", "Shortest of the flock's principal lengths.", EVERY_SIZE, "space"),
    "thickness_to_width": Measure(
        thickness_to_width, "", "Shortest principal length, as a share of the next.", EVERY_SIZE, "space"
    ),
    "thickness_to_length": Measure(
        thickness_to_length, "", "Shortest principal length, as a share of the longest.", EVERY_SIZE, "space"
    ),
    "anisotropy": Measure(
        nearest_anisotropy,
        "",
        "How much nearest neighbours avoid the line of flight: 1/3 not at all, 1 most.",
        of="space",
    ),
    "extent": Measure(extent, "u", "Greatest distance between two agents.", EVERY_SIZE, "named"),
    "radial_velocity": Measure(
        radial_velocity,
        "u/s",
        "Mean velocity away from the centre: below 0 as it contracts.",
        EVERY_SIZE,
        "named",
    ),
    "tangential_velocity": Measure(
        tangential_velocity,
        "u/s",
        "Mean velocity around the centre, as the flock rotates.",
        EVERY_SIZE,
        "named",
    ),
    "egocentric_angle": Measure(
        egocentric_angle,
        "deg",
        "Mean angle from the heading to the nearest other: 90 without preference.",
        of="named",
    ),
    "births": Measure(births, "1/min", "Born in the last minute.", EVERY_SIZE, "mortal"),
    "deaths": Measure(deaths, "1/min", "Died in the last minute.", EVERY_SIZE, "mortal"),
    **{
        f"deaths_by_{cause}": Measure(
            deaths_by(cause), "1/min", f"Died of {cause} in the last minute.", EVERY_SIZE, "mortal"
        )
        for cause in CAUSES
    },
    "gene_diversity": Measure(
        gene_diversity, "", "Genetic distance of two agents of one species.", EVERY_SIZE, "genes"
    ),
    "part_heterozygosity": Measure(
        part_heterozygosity, "", "Probability that two agents differ in a body part.", EVERY_SIZE, "parts"
    ),
}


BUILT_IN = frozenset(MEASURES)


def usual_measures(
    columns: Iterable[str] = (),
    species: Iterable[str] = (),
    mortal: bool = False,
    in_space: bool = False,
) -> list[str]:
    """Names of the measures worth taking of agents with these columns, species and fates, in a plane or in space.

    All registered ones that apply; the mean energy where agents die; the mean and greatest generation, and of every
    gene the mean and standard deviation, also for each of several species.
    """
    given, kinds = tuple(columns), tuple(species)
    genes = genes_among(given)
    has = {"any": True, "space": in_space, "mortal": mortal, "genes": bool(genes), "named": False}
    has["parts"] = any(name.startswith(PART) for name in given)
    names = [name for name, measure in MEASURES.items() if has[measure.of]]
    if mortal and "energy" in given:
        names.append("energy_mean")
    if "generation" in given:
        names += ["generation_mean", "generation_max"]
    several = kinds if len(kinds) > 1 else ()
    if mortal:
        names += [f"population@{kind}" for kind in several]
    ends = ("", *(f"@{kind}" for kind in several))
    return names + [f"{gene}_{word}{end}" for gene in genes for word in ("mean", "sd") for end in ends]


def find_measure(name: str, columns: Iterable[str] = (), species: Iterable[str] = ()) -> Measure:
    """The measure of this name, given the columns and species of a flock.

    Raises:
        ValueError: If there is none.
    """
    given = tuple(columns)
    if name in MEASURES:
        return MEASURES[name]
    found = trait_measure(str(name), given, tuple(species))
    if found is not None:
        return Measure(found, live_up_to=EVERY_SIZE)
    near = get_close_matches(str(name), [*MEASURES, *(f"{column}_mean" for column in given)], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(MEASURES)}"
    raise ValueError(f"a measure's name must be a registered one, got {name!r}; {hint}")


def cheap_measures(agent_count: int, names: Iterable[str] | None = None) -> list[str]:
    """Those of these measures that are cheap enough to take once a second in the live view."""
    # Measures of traits are not listed, and cheap.
    return [
        name
        for name in (usual_measures() if names is None else names)
        if name not in MEASURES or agent_count <= MEASURES[name].live_up_to
    ]


def measure_flock(flock: Flock, names: Iterable[str] | None = None) -> dict[str, float]:
    """Take measures of a flock.

    Args:
        flock: The instant to look at.
        names: Which measures, in which order; by default all that apply to the flock.

    Returns:
        Each measure's name and value; NaN where the measure is undefined for this flock.

    Raises:
        ValueError: If a name is unknown or a measure does not return one number.
    """
    if isinstance(names, str):
        raise ValueError(f"names must be a list of names, got the text {names!r}; write [{names!r}]")
    facts = flock.columns, flock.species_names
    if names is None:
        names = usual_measures(*facts, flock.lives is not None, flock.dimension == 3)
    return {name: _one_number(name, find_measure(name, *facts)(flock)) for name in names}


@overload
def register_measure(
    name: str, *, unit: str = ..., meaning: str = ..., live_up_to: int = ...
) -> Callable[[MeasureT], MeasureT]: ...
@overload
def register_measure(
    name: str, function: MeasureT, *, unit: str = ..., meaning: str = ..., live_up_to: int = ...
) -> MeasureT: ...
def register_measure(
    name: str,
    function: MeasureT | None = None,
    *,
    unit: str = "",
    meaning: str = "",
    live_up_to: int = GRAPH_SIZE,
) -> MeasureT | Callable[[MeasureT], MeasureT]:
    """Add a measure, as a decorator or by a plain call.

    Args:
        name: Its name in results: a Python identifier. Registering a name again replaces it, so that a notebook's
        cell can be run again; names of built-in measures are reserved.
        function: Takes a `Flock`, returns one number. Leave out to use this as a decorator.
        unit: Of the number, for labels: "u", "deg/s"; empty if it has none.
        meaning: One sentence for tables and charts.
        live_up_to: Up to how many agents the live view takes it once a second.

    Returns:
        The function itself, unchanged.

    Raises:
        ValueError: If the name is a built-in measure's or not an identifier, or the function cannot be called.
    """
    if not (isinstance(name, str) and name.isidentifier()):
        raise ValueError(
            f"a measure's name must be a Python identifier, got {name!r}; use letters, digits and _, as in "
            "@register_measure('my_measure')"
        )

    def add(measure: MeasureT) -> MeasureT:
        if name in BUILT_IN and name in MEASURES:
            raise ValueError(f"{name!r} is a built-in measure, which cannot be replaced; choose another name")
        if not callable(measure):
            raise ValueError(
                f"measure {name!r} must be a function of a Flock, got {measure!r}; pass a function"
            )
        MEASURES[name] = Measure(measure, unit, meaning, live_up_to)
        return measure

    return add if function is None else add(function)


def unregister_measure(name: str) -> MeasureFunction:
    """Remove a measure from the catalogue and return its function.

    Raises:
        ValueError: If no measure has this name.
    """
    known = find_measure(name)
    del MEASURES[name]
    return known.function


def _one_number(name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # whatever float() refuses is reported below
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"measure {name!r} must return one number, got {value!r}; return a float, or NaN where undefined"
        ) from error
