"""Continues a recorded run live from any of its frames.

A run is a function of scenario, seed and step count. So the flock is recomputed, from the nearest checkpoint before the
frame or from the start, and compared with the frame: then the whole state is exact, including what was not recorded. If
that fails (a run that began from given positions), the frame itself is the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError, RunError
from murmura.engine.lineage import Lineage
from murmura.engine.reading.frame import Frame
from murmura.engine.simulation import Simulation
from murmura.lab.damage import DamageError, warn_of_damage
from murmura.lab.runs.checkpoints import whole_checkpoints
from murmura.lab.runs.run import Run

NEAR = 1e-3  # [u] a trajectory may lose the last bit of a position


class BranchableRun:
    """The frames of a run, each of which can be continued as a simulation."""

    def __init__(self, run: Run, backend: str | None = None, threads: int | None = None) -> None:
        self._run = run
        self._backend = backend or ("auto" if run.is_tracked else str(run.manifest["backend"]))
        self._threads = threads
        self._portable = bool(run.manifest.get("portable", False))
        self.scenario, self.seed = run.scenario, run.seed
        self.name = run.folder.resolve().name

    @cached_property
    def steps(self) -> Sequence[int]:
        found: list[int] = self._run.frames.steps.tolist()
        return found

    def frame(self, number: int) -> Frame:
        """A frame. If it is damaged, warn and return the nearest intact one, earlier ones first."""
        try:
            return self._run.frames[number]
        except DamageError as error:
            warn_of_damage(error.damage)
        for other in (*range(number - 1, -1, -1), *range(number + 1, len(self.steps))):
            with suppress(DamageError):
                found: Frame = self._run.frames[other]
                return found
        raise RunError(f"every frame of {self._run.folder} is damaged")

    def measures(self) -> Iterator[dict[str, Any]]:
        """The measurements, a row for each measured step."""
        return self._run.rows("metrics")

    def lineage(self) -> Lineage:
        return self._run.lineage()

    def branch(self, number: int) -> tuple[Simulation, str]:
        """A simulation at the step of a frame, and a description of how it was obtained."""
        self._run.check_known()
        frame = self.frame(number)
        simulation = None if self._run.is_tracked else self._nearest(frame.step)
        if simulation is not None:
            begun = simulation.step_count
            simulation.step(frame.step - begun)
            if _agrees(simulation, frame):
                return (
                    simulation,
                    f"exactly as it was at step {frame.step:,}, recomputed from step {begun:,}",
                )
        simulation = Simulation(
            self.scenario, self.seed, self._backend, self._threads,
            positions=frame.positions, velocities=frame.velocities, species=frame.species, ids=frame.ids,
            first_step=frame.step, portable=self._portable,
        )  # fmt: skip
        unknown = "the animals' rules are unknown: they move straight ahead until you enable some"
        return (
            simulation,
            f"from the recorded positions of step {frame.step:,}; "
            + (unknown if self._run.is_tracked else "columns that were not recorded have their defaults"),
        )

    def _nearest(self, step: int) -> Simulation | None:
        """The run at its nearest saved state before a step; None if only frames are known."""
        for path, found in whole_checkpoints(self._run.folder, []):
            if found.step_count <= step:
                return Simulation.restore(path, self._backend, self._threads)
        if int(self._run.manifest["first_step"]) != 0:
            return None
        try:
            return Simulation(self.scenario, self.seed, self._backend, self._threads, portable=self._portable)
        except MurmuraError:
            return None


def _agrees(simulation: Simulation, frame: Frame) -> bool:
    """Whether the flock is the recorded one: velocities bit for bit, positions within the trajectory's precision."""
    if not np.array_equal(simulation.ids, frame.ids) or simulation.step_count != frame.step:
        return False
    away: Any = np.abs(simulation.positions - frame.positions).max(initial=0.0)
    return np.array_equal(simulation.velocities, frame.velocities) and bool(away <= NEAR)
