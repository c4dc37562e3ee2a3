"""Records an episode that a policy steers into a run folder: to replay it on the page, to film and to measure it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from murmura.lab.runs.live_recording import LiveRecording
from murmura.lab.runs.recording import check_folder, writing
from murmura.lab.runs.run import Run, open_run
from murmura.rl.arena import Arena
from murmura.rl.task import Task


def record(
    task: Task,
    policy: Callable[[Arena], ArrayLike],
    folder: str | Path,
    seed: int = 0,
    turns: int | None = None,
    every: int | None = None,
) -> Run:
    """Run one episode and write it to a new folder.

    Args:
        task: What was learned.
        policy: The actions of an arena with one world, shape (1, learners, axes): from `arena.observations`, or
            `arena.now`.
        folder: A new or empty folder.
        seed: Where the seed of the episode comes from.
        turns: How many actions, unless the task's end comes first; by default a whole episode.
        every: Steps between two frames; by default those between two actions.
    """
    folder = Path(folder)
    check_folder(folder)
    arena = Arena(task, 1, seed)
    with writing(folder):
        sim = arena.ensemble.world(
            0
        )  # it goes along with the arena: the same seed and actions give the same bits
        recording = LiveRecording(sim, task.scenario, folder, every or task.every)
        for _ in range(turns or task.episode):
            forces = arena.forces(np.asarray(policy(arena), np.float32))
            sim.assign({name: values[0, sim.ids] for name, values in forces.items()})
            sim.step(task.every)
            recording.observe(sim, sim.events())
            if arena.act(forces).ended[0]:
                break
        recording.end(sim)
    return open_run(folder)
