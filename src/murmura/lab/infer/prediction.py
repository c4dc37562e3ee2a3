"""What a model predicts: every recorded frame is a small world that steps over one interval."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from murmura.compute.cpu.repeated import RepeatedWorlds
from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.core.state import State
from murmura.core.world.randomness import seed_words
from murmura.engine.initial import given_start, restarted, set_items
from murmura.lab.infer.transitions import Recording, Transition, Vectors
from murmura.scenario import Scenario


class Predictor:
    """Predicts the transitions of a recording.

    Args:
        model: The scenario, in the world and rhythm of the recording.
        recording: The transitions.
        seed: The seed of the model's random numbers.
    """

    def __init__(self, model: Scenario, recording: Recording, seed: int = 0) -> None:
        self.model, self.recording, self.seed = model, recording, seed
        known = [t.known for t in recording.transitions]
        self.rows = np.concatenate(known)
        """Which animals are seen again, over all transitions."""
        self.owners = np.repeat(np.arange(len(known)), [int(k.sum()) for k in known])
        """The transition of each of them."""
        self.later: Vectors = np.concatenate([t.later for t in recording.transitions])[self.rows]
        self.before: Vectors = np.concatenate([t.velocities for t in recording.transitions])[self.rows]
        self.along, self.across = _frames_of(self.later)
        self._speed = np.linalg.norm(self.later, axis=1)
        self.target = self.compared(self.later)

    def velocities(self, values: dict[str, Any]) -> Vectors:
        """The predicted velocities of the animals that are seen again."""
        plan = Plan(self.model.with_values(values) if values else self.model)
        found = self._worlds.velocities(plan, self.recording.steps)
        return np.concatenate(found).astype(np.float64)[self.rows]

    @cached_property
    def _worlds(self) -> RepeatedWorlds:
        plan = Plan(self.model)
        if plan.has_lifecycle:
            raise ScenarioError(
                f"{self.model.name} has births or deaths, which no prediction of the same animals can follow: switch "
                "those rules off"
            )
        starts: dict[bytes, State] = {}
        states = []
        for t in self.recording.transitions:
            animals = (
                t.species.tobytes()
            )  # how many, of which species: frames that agree in this share the rest
            if animals not in starts:
                starts[animals] = self._start(t)
            states.append(restarted(self.model, starts[animals], t.positions, t.velocities))
        return RepeatedWorlds(plan, states, seed_words(self.seed))

    def _start(self, t: Transition) -> State:
        species = t.species if self.model.species else None
        state = given_start(self.model, self.seed, t.positions, t.velocities, species, None)
        set_items(self.model, state, self.seed)
        return state

    @property
    def noises(self) -> tuple[slice, ...]:
        """Columns of `compared` that share a noise: the first one, and the others."""
        return (slice(None),) if self.recording.compared == "velocities" else (slice(0, 1), slice(1, None))

    def compared(self, velocities: Vectors) -> Vectors:
        """What is compared, (animals, axes): speeds and turns, or the velocities as they are.

        Turns are against the way that the animals really took, times their speed. A speed that the model keeps, and
        a turn, are then apart exactly, not only for small turns.
        """
        if self.recording.compared == "velocities":
            return velocities
        speed = np.linalg.norm(velocities, axis=1)
        forward = (velocities * self.along).sum(axis=1)
        sideways = np.einsum("nkd,nd->nk", self.across, velocities)
        aside = np.linalg.norm(sideways, axis=1)
        angle = np.arctan2(aside, forward)
        turn = sideways * (angle / np.where(aside > 0.0, aside, 1.0))[:, None] * self._speed[:, None]
        return np.concatenate([speed[:, None], turn], axis=1)

    def residuals(self, velocities: Vectors) -> Vectors:
        """What a prediction misses, in the coordinates of `compared`."""
        return self.target - self.compared(velocities)


def _frames_of(velocities: Vectors) -> tuple[Vectors, Vectors]:
    """Unit vectors along velocities, (n, axes), and across them, (n, axes - 1, axes)."""
    speed = np.linalg.norm(velocities, axis=1, keepdims=True)
    along = np.where(
        speed > 0.0, velocities / np.where(speed > 0.0, speed, 1.0), np.eye(velocities.shape[1])[0]
    )
    if velocities.shape[1] == 2:
        return along, np.stack([-along[:, 1], along[:, 0]], axis=1)[:, None, :]
    helper = np.eye(3)[np.abs(along).argmin(axis=1)]
    first = np.cross(along, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return along, np.stack([first, np.cross(along, first)], axis=1)
