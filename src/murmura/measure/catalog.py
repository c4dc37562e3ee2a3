"""All measures by name, and how to add one.

A measure is any function from a `Flock` to one number. Those registered by a user stand beside the
built-in ones and are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar, overload

from murmura.measure.flock import Flock
from murmura.measure.linkage import clustering_coefficient, groups, largest_group, mean_group
from murmura.measure.motion import mean_speed, milling, polarization, speed_deviation
from murmura.measure.spacing import local_density, nearest_neighbor_distance, spread

Measure = Callable[[Flock], float]
MeasureT = TypeVar("MeasureT", bound=Measure)

MEASURES: dict[str, Measure] = {
    "polarization": polarization,
    "milling": milling,
    "mean_speed": mean_speed,
    "speed_deviation": speed_deviation,
    "nearest_neighbor_distance": nearest_neighbor_distance,
    "spread": spread,
    "local_density": local_density,
    "clustering_coefficient": clustering_coefficient,
    "groups": groups,
    "largest_group": largest_group,
    "mean_group": mean_group,
}


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
def register_measure(name: str) -> Callable[[MeasureT], MeasureT]: ...
@overload
def register_measure(name: str, function: MeasureT) -> MeasureT: ...
def register_measure(
    name: str, function: MeasureT | None = None
) -> MeasureT | Callable[[MeasureT], MeasureT]:
    """Add a measure, as a decorator or by a plain call.

    Args:
        name: What it is called in results: a Python identifier not in use yet.
        function: Takes a `Flock`, returns one number. Leave out to use this as a decorator.

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
        MEASURES[name] = measure
        return measure

    return add if function is None else add(function)


def unregister_measure(name: str) -> Measure:
    """Take a measure out of the catalog and return its function.

    Raises:
        ValueError: If no measure has this name.
    """
    function = _known(name)
    del MEASURES[name]
    return function


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
