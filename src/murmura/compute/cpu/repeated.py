"""Worlds that step from the same starts again and again, with other numbers: what a fit one step ahead asks for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from murmura.compute.cpu.build import kernel
from murmura.compute.cpu.flock import FlockCpu
from murmura.compute.cpu.worlds import Worlds
from murmura.compute.plan import Plan
from murmura.compute.shapes import shapes_of
from murmura.core.state import State


class RepeatedWorlds:
    """Worlds with given starts.

    Args:
        plan: The plan of all worlds.
        states: The start of each.
        seed: The seed of all.
        threads: How many threads; by default all cores.
    """

    def __init__(
        self, plan: Plan, states: Sequence[State], seed: tuple[int, int] = (0, 0), threads: int | None = None
    ) -> None:
        shapes = shapes_of(plan)
        first = FlockCpu(plan, shapes, kernel(plan, shapes), seed)
        self._flocks = [first.twin(plan, seed) for _ in states]
        for flock, state in zip(self._flocks, states, strict=True):
            flock.load(state)
            flock.mark()
        self._plan = plan
        self._worlds = Worlds(self._flocks, threads)

    def velocities(self, plan: Plan, steps: int) -> list[NDArray[np.float32]]:
        """The velocities in each world after some steps from its start, (agents, axes) in ascending id.

        Args:
            plan: A plan for the same kernel, perhaps with other numbers.
            steps: How many steps.
        """
        self._tune(plan)
        for flock in self._flocks:
            flock.rewind()
        self._worlds.advance([steps] * len(self._flocks), [0] * len(self._flocks))
        names = plan.moving_columns[plan.dimension :]
        found = []
        for flock in self._flocks:
            ids, columns = flock.read_unordered()
            velocities = np.empty((len(ids), plan.dimension), np.float32)
            for axis, name in enumerate(names):
                velocities[ids, axis] = columns[name]
            found.append(velocities)
        return found

    def _tune(self, plan: Plan) -> None:
        """Change the numbers of all worlds, which share them."""
        first, *others = self._flocks
        if plan.fits_in_place(self._plan):
            first.overwrite(plan)
        else:
            first.tune(plan, plan.items)
        for flock in others:
            flock.share(first)
        self._plan = plan
