"""Steps of the reference in double precision throughout: its state is not rounded between two steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.compute.reference import Evaluation
from murmura.compute.shapes import shapes_of
from murmura.core.layout import AXES
from murmura.core.world.randomness import seed_words
from murmura.engine.initial import given_start
from murmura.lab.conformance.models import Model

Vectors = NDArray[np.float64]
SEED = 1
Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Stepped:
    """One step of all agents: their columns after it, and the force of each rule."""

    columns: Columns
    forces: dict[str, Vectors]


class Reference:
    """A model that can be stepped from any positions and velocities."""

    def __init__(self, name: str, model: Model) -> None:
        self.name, self.model, self.scenario = name, model, model.scenario()
        self._plan = Plan(self.scenario)
        self._shapes = shapes_of(self._plan)
        self.positions, self.velocities, self.species = model.start(name)
        self._state = given_start(self.scenario, SEED, self.positions, self.velocities, self.species, None)

    @property
    def size(self) -> Vectors:
        world = self.scenario.world
        return np.array([world.width, world.height, world.depth or 0.0])[: self._plan.dimension]

    @property
    def wraps(self) -> NDArray[np.bool_]:
        return np.array([edge == "wrap" for edge in self.scenario.world.edges[: self._plan.dimension]])

    @property
    def moves_first(self) -> bool:
        """Whether positions move with the velocity before the step."""
        return any(group.functions.moves_first for group in self._plan.rule_groups)

    @cached_property
    def start(self) -> Columns:
        evaluation = Evaluation(self._plan, self._state, 0, seed_words(SEED), self._shapes)
        return self.placed(evaluation.columns, self.positions, self.velocities)

    def placed(self, columns: Columns, positions: Vectors, velocities: Vectors) -> Columns:
        """The same columns with other positions and velocities."""
        moved: Columns = {}
        for axis, x, v in zip(AXES, positions.T, velocities.T, strict=False):
            moved |= {f"position_{axis}": np.array(x), f"velocity_{axis}": np.array(v)}
        return columns | moved

    def vectors(self, columns: Columns, name: str) -> Vectors:
        return np.stack([columns[f"{name}_{axis}"] for axis in AXES[: self._plan.dimension]], axis=1)

    def _at(self, columns: Columns, step: int) -> Evaluation:
        evaluation = Evaluation(self._plan, self._state, step, seed_words(SEED), self._shapes)
        evaluation.columns = dict(columns)
        return evaluation

    def step(self, columns: Columns, number: int) -> Stepped:
        """The step of this number, from 0."""
        rows = np.arange(len(self.positions))
        evaluation = self._at(columns, number)
        with np.errstate(all="ignore"):
            _, decision = evaluation.decide(rows)
            after = evaluation.live(rows).columns
        forces = {
            group.name: np.stack([_array(x, len(rows)) for x in decision.forces[group.name]], axis=1)
            for group in self._plan.rule_groups
            if group.name in decision.forces
        }
        return Stepped({name: np.array(after.get(name, values)) for name, values in columns.items()}, forces)

    def neighbors(self, columns: Columns) -> list[list[int]]:
        """Whom each agent perceives."""
        with np.errstate(all="ignore"):
            seen = self._at(columns, 0).visible(np.arange(len(self.positions)))
        return [np.flatnonzero(row).tolist() for row in seen]

    def shortest(self, differences: Vectors) -> Vectors:
        """Differences of positions by the shortest way."""
        rounds = np.where(self.wraps, np.rint(differences / self.size), 0.0)
        return np.asarray(differences - rounds * self.size)

    def run(self, steps: int, push: float = 0.0) -> list[Stepped]:
        """A trajectory, with the forces of each step; its start may be pushed aside, in fixed directions."""
        rng = np.random.default_rng(SEED)
        aside = push * rng.uniform(-1.0, 1.0, size=self.positions.shape)
        columns = self.placed(self.start, self.positions + aside, self.velocities + push * aside)
        found = [Stepped(columns, {})]
        for number in range(steps):
            found.append(self.step(found[-1].columns, number))
        return found


def _array(x: Any, count: int) -> NDArray[np.float64]:
    return np.array(np.broadcast_to(getattr(x, "code", x), (count,)), np.float64)
