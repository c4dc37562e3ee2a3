"""Units of what is written: one table for every format. What is not named here has none.

Recorded velocities keep the scenario's unit, because a resumed or continued run has their bits. Exports have one unit
of speed, u/s, as measures do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from murmura.core.layout import AXES
from murmura.measure import MEASURES
from murmura.scenario import Scenario

PER_SECOND = "u/s"
UNITS = {
    **{f"position_{axis}": "u" for axis in AXES},
    **{f"velocity_{axis}": PER_SECOND for axis in AXES},
    **dict.fromkeys(AXES, "u"),
    **dict.fromkeys(("time", "feeding_timer", "mating_timer", "mating_cooldown"), "s"),
    **dict.fromkeys(("heading", "roll"), "rad"),
    **dict.fromkeys(("born", "died"), "steps"),
}
"""Units of columns by name."""
CF_UNITS = {"": "1", "u": "1", "deg": "degree", "rad": "radian", "min": "minute"}
COUNTED = ("agents", "groups", "steps")
"""What is counted has no unit to other programs."""
CF_UNITS |= dict.fromkeys(COUNTED, "1")


def unit_of(name: str) -> str:
    """The unit of a column or a measure; empty if it has none."""
    measure = MEASURES.get(name)
    return measure.unit if measure is not None else UNITS.get(name, "")


def units_of(names: Iterable[str]) -> dict[str, str]:
    """The units of those columns that have one."""
    return {name: unit for name in names if (unit := unit_of(name))}


def cf_unit(unit: str) -> str:
    """A unit as UDUNITS, pint and cf_xarray read it. To them `u` is the atomic mass unit, so the scenario's own unit of
    length is none: `length_unit` among the attributes of a file names it."""
    parts = [CF_UNITS.get(part, part) for part in unit.split("/")]
    return "/".join(parts) if any(parts) and parts[-1] != "1" else parts[0]


def with_unit(name: str) -> str:
    """A column's name in the header of a text table: "time [s]", "id"."""
    unit = unit_of(name)
    return f"{name} [{unit}]" if unit else name


def velocity_unit(scenario: Scenario) -> str:
    """The unit of velocities in the arrays of a simulation and of a run's frames."""
    return PER_SECOND if scenario.motion.velocity_unit == "second" else "u/tick"


def per_second(scenario: Scenario, velocities: Any) -> Any:
    """Velocities in u/s, from those of a simulation or a frame."""
    if velocity_unit(scenario) == PER_SECOND:
        return velocities
    return velocities / np.float32(scenario.motion.time_step)


def units_of_frames(scenario: Scenario, columns: Iterable[str]) -> Mapping[str, str]:
    """What the chunks of a trajectory are measured in, and how long a tick is if velocities are per tick."""
    unit = velocity_unit(scenario)
    tick = {} if unit == PER_SECOND else {"tick": f"{scenario.motion.time_step!r} s"}
    return {"position": "u", "velocity": unit, **tick, **units_of(columns)}
