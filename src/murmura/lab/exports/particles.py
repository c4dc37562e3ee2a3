"""A recorded frame as particles in space: agents, and hunters as particles of their own types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.engine.reading.frame import Frame
from murmura.lab.runs.run import Run
from murmura.lab.units import per_second
from murmura.rules.predators.kind import kind_names
from murmura.rules.predators.reading import hunters_in

FIRST_HUNTER = 2**30
"""Ids of hunters begin here, above those of agents."""


@dataclass(frozen=True)
class Particles:
    """Agents in ascending id, then hunters. Positions in u and velocities in u/s, shape (n, 3)."""

    ids: NDArray[np.int32]
    types: NDArray[np.int32]
    positions: NDArray[np.float32]
    velocities: NDArray[np.float32]


def type_names(run: Run) -> list[str]:
    """Names of the types of particles: species, then kinds of hunters if the run has any."""
    hunting = run.scenario.rules.predators.enabled
    return [*run.scenario.species_names(), *(kind_names() if hunting else ())]


def particles_of(run: Run, frame: Frame) -> Particles:
    names = type_names(run)
    hunters = hunters_in(frame.items.get("predators"))
    known = [hunter for hunter in hunters if hunter["kind"] in names]
    places = [(h["x"], h["y"], h.get("z", 0.0)) for h in known]
    speeds = [(h["vx"], h["vy"], h.get("vz", 0.0)) for h in known]
    species = len(run.scenario.species_names())
    return Particles(
        np.concatenate([frame.ids, [FIRST_HUNTER + h["id"] for h in known]]).astype(np.int32),
        np.concatenate([frame.species, [species + kind_names().index(h["kind"]) for h in known]]).astype(
            np.int32
        ),
        _in_space(frame.positions, places),
        per_second(run.scenario, _in_space(frame.velocities, speeds)),
    )


def _in_space(agents: NDArray[Any], hunters: Sequence[Sequence[float]]) -> NDArray[np.float32]:
    found = np.zeros((len(agents) + len(hunters), 3), np.float32)
    found[: len(agents), : agents.shape[1]] = agents
    found[len(agents) :] = np.reshape(hunters, (-1, 3))
    return found
