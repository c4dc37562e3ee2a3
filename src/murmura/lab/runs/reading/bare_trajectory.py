"""A trajectory without its run folder: `run.gsd` alone. Its scenario is unknown, so it can only be watched.

The file has the box, the names of the species and every frame; these determine the shown world.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from murmura.core.errors import RunError
from murmura.engine.lineage import Lineage, Register
from murmura.engine.reading.frame import Frame
from murmura.engine.simulation import Simulation
from murmura.lab.gsd.reader import GsdReader
from murmura.lab.gsd.schema import BOX, COUNT, DIMENSIONS, TYPES, VELOCITY
from murmura.lab.runs.reading.frames import Frames
from murmura.scenario import Scenario, load_scenario

UNNAMED = "default"
SIDES = ("width", "height", "depth")


class BareTrajectory:
    """The frames of a file, and a minimal scenario to show them."""

    seed = 0

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.scenario = shown_world(path)
        self._path = path
        self._frames = Frames(path, self.scenario)

    @cached_property
    def steps(self) -> Sequence[int]:
        found: list[int] = self._frames.steps.tolist()
        return found

    def frame(self, number: int) -> Frame:
        return self._frames[number]

    def measures(self) -> Iterator[dict[str, Any]]:
        return iter(())

    def lineage(self) -> Lineage:
        """The agents in the first frame; the file has no births and deaths."""
        first, motion = self.frame(0), self.scenario.motion
        register = Register(first.ids, first.species, first.step)
        return register.lineage(tuple(self.scenario.species_names()), self.steps[-1], motion.time_step)

    def branch(self, number: int) -> tuple[Simulation, str]:
        raise RunError(
            f"{self._path} is a trajectory without its run: its scenario is unknown, so it can only be watched. "
            "Open the run folder to continue from here"
        )


def shown_world(path: Path) -> Scenario:
    """A world of the file's size with the file's species, and a greatest speed that suits its first frame."""
    with GsdReader(path) as file:
        if not len(file):
            raise RunError(f"{path} has no frames: there is nothing to show")
        box, count, velocities = (file.read(0, name) for name in (BOX, COUNT, VELOCITY))
        dimensions, names = file.read(0, DIMENSIONS), _names(file.read(0, TYPES))
    axes = 3 if dimensions is not None and dimensions[0] == 3 else 2
    if box is None or count is None or len(box) < axes or not (box[:axes] > 0).all():
        raise RunError(
            f"{path} does not contain the size of its world: expected a GSD file written by `murmura run`"
        )
    fastest = 0.0 if velocities is None else float(np.linalg.norm(velocities, axis=1).max(initial=0.0))
    kinds = [] if names == [UNNAMED] else [{"name": name} for name in names]
    sides = {f"world.{name}": float(side) for name, side in zip(SIDES, box[:axes], strict=False)}
    # Nothing is simulated here: radii and speed only have to be valid for the world.
    least = min(sides.values())
    plain = {
        "name": "trajectory", "title": f"The frames of {path.name}; their scenario is unknown.",
        "agents": max(1, int(count[0])), "species": kinds, **sides, "perception.radius": min(50.0, 0.25 * least),
        "rules.separation.radius": min(25.0, 0.25 * least),
        "motion.max_speed": min(max(1.0, 1.2 * fastest), 0.3 * least),
    }  # fmt: skip
    return load_scenario("classic").with_values(plain)


def _names(rows: Any) -> list[str]:
    """The names of the species; names that are invalid in a scenario are replaced by numbers."""
    if rows is None:
        return [UNNAMED]
    given = [bytes(row).rstrip(b"\0").decode("utf-8", "replace") for row in rows.astype(np.uint8)]
    return [name if re.fullmatch("[a-z][a-z0-9_-]*", name) else f"kind-{k}" for k, name in enumerate(given)]
