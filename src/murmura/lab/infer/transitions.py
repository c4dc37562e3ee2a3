"""A run as transitions: a flock at one frame, and the velocities of the same animals at a later one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError, ScenarioError
from murmura.lab.infer.asked import Compared
from murmura.lab.observations import seconds_between
from murmura.lab.runs.run import TRACKS, Run
from murmura.scenario import Scenario
from murmura.scenario.plain_files import parse_json, read_plain_file

Vectors = NDArray[np.float64]
MOST_STEPS = 1000
"""Greatest number of model steps in one interval."""
FEWEST = 10
LARGEST_TURN = 90.0
"""[deg] Animals that turn more within an interval were seen too rarely to be predicted."""


@dataclass(frozen=True)
class Transition:
    """One frame, and what its animals did until a later one.

    Attributes:
        positions: [u], (animals, axes).
        velocities: In the unit of the model.
        later: Velocities at the later frame, not a number where an animal is missing there.
        species: Species numbers.
        ids: Ids of the animals.
        frame: The number of the frame.
    """

    positions: Vectors
    velocities: Vectors
    later: Vectors
    species: NDArray[np.int64]
    ids: NDArray[np.int64]
    frame: int

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which animals are seen again."""
        return np.asarray(np.isfinite(self.later).all(axis=1))


@dataclass(frozen=True)
class Recording:
    """The transitions of a run, and the step in which a model predicts them.

    Attributes:
        transitions: In the order of time.
        steps: How many steps of the model an interval has.
        time_step: The time of each [s].
        dimension: 2 or 3.
        every: How many frames an interval has.
        sharp_turns: How many animals turn more than LARGEST_TURN in an interval, of `seen`.
        seen: How many animals are seen at both ends of an interval, over all transitions.
        lost: How many are seen at its begin only.
        window: How many frames share an error of tracking: velocities of tracked animals come from several positions.
        compared: What of a predicted velocity is compared with the recorded one.
    """

    transitions: tuple[Transition, ...]
    steps: int
    time_step: float
    dimension: int
    every: int
    sharp_turns: int
    seen: int
    lost: int
    window: int = 1
    compared: Compared = "turns"

    @property
    def interval(self) -> float:
        """The time that is predicted at once [s]."""
        return self.steps * self.time_step

    def part(self, chosen: NDArray[np.int64] | list[int]) -> Recording:
        """Some of the transitions."""
        return replace(self, transitions=tuple(self.transitions[int(k)] for k in chosen))


def world_values(run: Run, model: Scenario, every: int = 1) -> dict[str, Any]:
    """The values that put a model into the world and the rhythm of a run, by path."""
    found = run.scenario.model_dump(mode="json")
    _, time_step = rhythm(run, model, every)
    return {"world": found["world"], "obstacles": found["obstacles"], "motion.time_step": time_step}


def rhythm(run: Run, model: Scenario, every: int) -> tuple[int, float]:
    """Into how many steps of the model an interval is divided, and the time of each [s].

    The model's own time step is kept, or changed as little as possible.
    """
    interval = every * seconds_between(run)
    steps = max(1, round(interval / model.motion.time_step))
    if steps > MOST_STEPS:
        raise ScenarioError(
            f"{run.folder} has a frame every {interval:g} s, which are {steps:,} steps of {model.name}; expected at "
            f"most {MOST_STEPS:,}: record more often, or raise motion.time_step"
        )
    same = abs(steps * model.motion.time_step - interval) <= 1e-6 * interval
    return steps, model.motion.time_step if same else interval / steps


def recording_of(
    run: Run, model: Scenario, every: int = 1, most: int = 1000, compared: Compared = "turns"
) -> Recording:
    """Read the transitions of a run.

    Args:
        run: The run, of animals or simulated.
        model: The model that will predict them, in the world of the run (`world_values`).
        every: How many frames ahead it predicts.
        most: Greatest number of transitions; more are thinned evenly.
        compared: What of a predicted velocity is compared.
    """
    frames, dimension = run.frames, model.world.dimension
    if len(frames) - every < FEWEST:
        raise RunError(
            f"{run.folder} has {len(frames)} frames, expected at least {FEWEST + every} to predict {every} ahead"
        )
    steps, time_step = rhythm(run, model, every)
    # Velocities per second, then in the model's unit.
    faster = run.scenario.motion.stride / run.scenario.motion.time_step
    unit = faster * model.motion.time_step / model.motion.stride
    starts = np.unique(np.linspace(0, len(frames) - every - 1, min(most, len(frames) - every)).astype(int))
    found = []
    read = lru_cache(every + 1)(frames.__getitem__)
    for number in starts.tolist():
        now, then = read(number), read(number + every)
        rows = np.searchsorted(then.ids, now.ids)
        rows[rows == len(then.ids)] = 0
        again = then.ids[rows] == now.ids if len(then.ids) else np.zeros(len(now.ids), bool)
        later = np.full(now.velocities.shape, np.nan)
        later[again] = then.velocities[rows[again]]
        found.append(
            Transition(
                now.positions.astype(np.float64),
                now.velocities * unit,
                later * unit,
                now.species.astype(np.int64),
                now.ids.astype(np.int64),
                number,
            )
        )
    turned, seen = _sharp_turns(found)
    if max(len(t.ids) for t in found) < 2:
        raise RunError(f"{run.folder} has one animal: rules between animals need at least two")
    if not seen:
        raise RunError(
            f"no animal of {run.folder} is seen in two frames that are {every} apart: fill its gaps when the tracks "
            "are read (`murmura tracks --fill`)"
        )
    if not any(t.velocities.any() for t in found):
        raise RunError(
            f"{run.folder} has no velocities: all are 0. Read the positions with `murmura tracks`, which finds them"
        )
    if compared == "turns" and turned > 0.5 * seen:
        raise RunError(
            f"{turned:,} of {seen:,} times an animal of {run.folder} turns more than {LARGEST_TURN:g}° in "
            f"{steps * time_step:g} s: the frames are too far apart to predict one from another; record or "
            "track more often"
        )
    lost = sum(int((~t.known).sum()) for t in found)
    return Recording(
        tuple(found), steps, time_step, dimension, every, turned, seen, lost, _window(run), compared
    )


def _window(run: Run) -> int:
    """The frames from whose positions a velocity comes."""
    report = run.folder / TRACKS
    if not report.is_file():
        return 1
    return max(3, int(parse_json(read_plain_file(report, 2**20)).get("smooth", 0)))


def _sharp_turns(transitions: list[Transition]) -> tuple[int, int]:
    """How many animals turn more than LARGEST_TURN, and how many are seen again."""
    turned = seen = 0
    limit = np.cos(np.radians(LARGEST_TURN))
    for transition in transitions:
        known = transition.known
        now, then = transition.velocities[known], transition.later[known]
        sizes = np.linalg.norm(now, axis=1) * np.linalg.norm(then, axis=1)
        turned += int(((now * then).sum(axis=1) < limit * sizes).sum())
        seen += int(known.sum())
    return turned, seen
