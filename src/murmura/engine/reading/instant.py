"""Prepares one instant of a simulation for measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.core.layout import AXES
from murmura.core.state import State, column_name
from murmura.engine.lineage import ALIVE, CAUSE_NAMES, Register
from murmura.measure import LOOK_BACK, Flock, Lives, find_measure, usual_measures
from murmura.scenario import Scenario

MOTION = ("position", "velocity", "acceleration")
BESIDE = ("id", "species_id", "energy")


def seen_columns(plan: Plan) -> tuple[str, ...]:
    """The columns that measures read: motion, identity, energy, and columns of rules."""
    axes = AXES[: plan.dimension]
    return (*(f"{name}_{axis}" for name in MOTION for axis in axes), *BESIDE, *plan.own_columns)


def make_flock(columns: Sequence[NDArray[Any]], plan: Plan, lives: Lives | None) -> Flock:
    """Build a `Flock` from the columns that measures read.

    The previous velocity is the current one minus what the last step's force added: exact unless the step also limited
    the speed or hit a wall.
    """
    world, motion = plan.scenario.world, plan.scenario.motion
    pace = motion.stride / motion.time_step
    d = plan.dimension
    positions, velocities, before = (_vectors(columns[k * d : (k + 1) * d]) for k in range(3))
    ids, species, *traits = columns[3 * d :]
    # In place: for large flocks, allocating memory costs as much as computing.
    before *= motion.thrust
    np.subtract(velocities, before, out=before)
    before *= pace
    velocities *= pace
    for vectors in (positions, velocities, before):
        vectors.setflags(write=False)  # so that the flock does not copy them
    return Flock(
        positions=positions,
        velocities=velocities,
        before=before,
        elapsed=motion.time_step,
        width=world.width,
        height=world.height,
        wraps=world.boundary == "wrap",
        depth=world.depth,
        wraps_y=world.edges[1] == "wrap",
        wraps_z=world.edges[-1] == "wrap",
        radius=plan.sight,
        ids=ids,
        species=species,
        species_names=tuple(plan.scenario.species_names()),
        columns=dict(zip(("energy", *plan.own_columns), traits, strict=True)),
        lives=lives,
    )


def _vectors(columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    found = np.empty((len(columns[0]), len(columns)))
    for axis, column in enumerate(columns):
        found[:, axis] = column
    return found


def rows_and_columns(
    found: tuple[NDArray[np.int32], Mapping[str, NDArray[Any]]], state: State, names: Iterable[str]
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """The row of each entry, and columns in a backend's own order, including those that steps do not change."""
    ids, moving = found
    is_dense = len(state) > 0 and state.ids[-1] == len(state) - 1
    rows = ids if is_dense else np.searchsorted(state.ids, ids)
    full = map(column_name, names)
    return rows, [moving[name] if name in moving else state[name][rows] for name in full]


def recent_lives(register: Register, step: int, time_step: float) -> Lives:
    """Births and deaths of the last minute."""
    back = min(step - register.first, round(LOOK_BACK / time_step))
    young = (register["born"] > step - back) & (np.maximum(register["mothers"], register["fathers"]) >= 0)
    dead = (register["died"] != ALIVE) & (register["died"] > step - back)
    causes = np.bincount(register["causes"][dead], minlength=len(CAUSE_NAMES))
    parents = np.concatenate([register["mothers"][young], register["fathers"][young]])
    return Lives(
        span=back * time_step,
        births=int(young.sum()),
        deaths={name: int(causes[code]) for code, name in enumerate(CAUSE_NAMES)},
        parents=parents[parents >= 0].astype(np.int64),
    )


def measures_of(scenario: Scenario) -> list[str]:
    """Names of the measures that apply to a scenario."""
    plan = Plan(scenario)
    return usual_measures(
        ("energy", *plan.own_columns),
        scenario.species_names(),
        plan.has_lifecycle,
        scenario.world.dimension == 3,
    )


def check_measure(name: str, scenario: Scenario) -> None:
    """Raise if a measure does not apply to this scenario.

    Raises:
        ValueError: With the reason.
    """
    find_measure(name, ("energy", *Plan(scenario).own_columns), scenario.species_names())
