"""All measures by name: what each is, in which unit, and up to how many agents it is cheap enough to run live.

A measure is any function from a `Flock` to one number. Those registered by a user stand beside the built-in ones and
are treated alike. Command line, live charts, recordings and the table in docs/measures.md all read this list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar, overload

from murmura.measure.correlation import correlation_length
from murmura.measure.flock import Flock
from murmura.measure.linkage import clustering_coefficient, groups, largest_group, mean_group
from murmura.measure.motion import mean_speed, milling, polarization, speed_deviation
from murmura.measure.spacing import local_density, nearest_neighbor_distance, spread
from murmura.measure.turning import turning_rate

MeasureFunction = Callable[[Flock], float]
MeasureT = TypeVar("MeasureT", bound=MeasureFunction)

EVERY_SIZE = 20_000_000
GRAPH_SIZE = 5_000


@dataclass(frozen=True)
class Measure:
    """One entry of the catalogue; calling it takes the measure."""

    function: MeasureFunction
    unit: str = ""
    meaning: str = ""
    live_up_to: int = GRAPH_SIZE
    """How many agents a flock may have for the live view to take this once a second."""

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
}


def cheap_measures(agent_count: int) -> list[str]:
    """Names of the measures that a flock of this size can afford once a second while it is watched."""
    return [name for name, measure in MEASURES.items() if agent_count <= measure.live_up_to]


def measure_flock(flock: Flock, names: Iterable[str] | None = None) -> dict[str, float]:
    """Take measures of a flock.

    Args:
        flock: The instant to look at.
        names: Which measures, in which order; all registered ones if not given.

    Returns:
        Each measure's name and value; NaN where the measure is undefined for this flock.

    Raises:
        ValueError: If a name is unknown or a measure does not return one number.
    """
    if isinstance(names, str):
        raise ValueError(f"names must be a list of names, got the text {names!r}; write [{names!r}]")
    chosen = list(MEASURES if names is None else names)
    return {name: _one_number(name, _known(name)(flock)) for name in chosen}


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
        name: What it is called in results: a Python identifier not in use yet.
        function: Takes a `Flock`, returns one number. Leave out to use this as a decorator.
        unit: Of the number, for labels: "u", "deg/s"; empty if it has none.
        meaning: One sentence for tables and charts.
        live_up_to: How many agents the live view may have to take it once a second.

    Returns:
        The function itself, unchanged.

    Raises:
        ValueError: If the name is taken or no identifier, or the function cannot be called.
    """
    if not (isinstance(name, str) and name.isidentifier()):
        raise ValueError(
            f"a measure's name must be a Python identifier, got {name!r}; use letters, digits and _, as in "
            "@register_measure('my_measure')"
        )

    def add(measure: MeasureT) -> MeasureT:
        if name in MEASURES:
            raise ValueError(
                f"a measure's name must be new, but {name!r} is registered already; choose another or call "
                f"unregister_measure({name!r}) first"
            )
        if not callable(measure):
            raise ValueError(
                f"measure {name!r} must be a function of a Flock, got {measure!r}; pass a function"
            )
        MEASURES[name] = Measure(measure, unit, meaning, live_up_to)
        return measure

    return add if function is None else add(function)


def unregister_measure(name: str) -> MeasureFunction:
    """Take a measure out of the catalog and return its function.

    Raises:
        ValueError: If no measure has this name.
    """
    known = _known(name)
    del MEASURES[name]
    return known.function


def _known(name: str) -> Measure:
    if name in MEASURES:
        return MEASURES[name]
    near = get_close_matches(str(name), MEASURES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(MEASURES)}"
    raise ValueError(f"a measure's name must be a registered one, got {name!r}; {hint}")


def _one_number(name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # whatever float() refuses is reported below
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"measure {name!r} must return one number, got {value!r}; return a float, or NaN where undefined"
        ) from error
