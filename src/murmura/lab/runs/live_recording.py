"""Records a flock that other code steps, such as the live view, into a run folder.

A frame is taken whenever the flock is at least `every` steps past the last one, so their steps are irregular. Changes
by users are visible in the frames; the scenario in the folder is the one at the start of the recording.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.engine.reading.instant import measures_of
from murmura.engine.simulation import Simulation
from murmura.lab.runs.checkpoints import Checkpoints, checkpoint_hashes
from murmura.lab.runs.manifest import Recording, new_manifest, sha256
from murmura.lab.runs.recorder import Outputs
from murmura.lab.runs.request import CHECKPOINT_EVERY
from murmura.lab.runs.run import CONFIG
from murmura.measure import cheap_measures, measure_flock
from murmura.scenario import Scenario
from murmura.scenario.files import json_content
from murmura.scenario.plain_files import write_atomically

EVERY = 6
"""Steps between two frames: ten frames per simulated second at sixty steps per second."""
MOST_RUNS = 10_000


class LiveRecording:
    """One run that is being written."""

    def __init__(self, simulation: Simulation, scenario: Scenario, folder: Path, every: int = EVERY) -> None:
        self.folder, self.frames = folder, 0
        self._every, self._scenario = every, scenario
        self._measures = measures_of(scenario)
        settings = Recording(every=every, checkpoint_every=CHECKPOINT_EVERY, measures=self._measures)
        content = json_content(scenario)
        self._manifest = new_manifest(simulation, 1, settings, {CONFIG: sha256(content)})
        write_atomically(folder / CONFIG, content)
        self._manifest.write(folder)
        self._outputs = Outputs.create(folder, scenario, self._manifest)
        self._checkpoints = Checkpoints(folder)
        self._checkpoints.save(simulation, self._outputs.marks())
        self._last = simulation.step_count - every
        self._take(simulation)

    def observe(self, simulation: Simulation, events: Sequence[Mapping[str, Any]]) -> None:
        """Record the flock if a frame is due; `events` are those since the last call."""
        for event in events:
            self._outputs.events.write({key: value for key, value in event.items() if key != "number"})
        if simulation.step_count >= self._last + self._every:
            self._take(simulation)

    def _take(self, simulation: Simulation) -> None:
        self._last = simulation.step_count
        self._outputs.trajectory.write(self._outputs.trajectory.take(simulation))
        row: dict[str, Any] = {"step": self._last, "time": simulation.time, "agents": simulation.agent_count}
        names = cheap_measures(simulation.agent_count, self._measures)
        self._outputs.metrics.write(
            row | dict.fromkeys(self._measures) | measure_flock(simulation.flock(), names)
        )
        self.frames += 1

    def end(self, simulation: Simulation) -> None:
        """Save the last state and complete the manifest."""
        manifest = self._manifest
        manifest.steps = manifest.steps_done = max(1, simulation.step_count - manifest.first_step)
        manifest.status = "finished"
        marks = self._outputs.marks()
        manifest.final_hash = self._checkpoints.save(simulation, marks)
        manifest.hashes = {name: mark.get("sha256") or mark["digest"] for name, mark in marks.items()}
        manifest.counts = self._outputs.counts()
        manifest.checkpoints = checkpoint_hashes(self.folder)
        manifest.write(self.folder)
        self._outputs.close()

    @property
    def command(self) -> str:
        """The command that repeats the run, unless users changed something."""
        manifest, folder = self._manifest, self.folder
        words = ["murmura", "run", str(folder / CONFIG), "--seed", str(manifest.seed), "--steps"]
        steps = manifest.first_step + max(manifest.steps_done, 1)
        words += [str(steps), "--every", str(self._every), "--out", f"{folder}-again"]
        return shlex.join(words)


class LiveRunRecorder:
    """Records runs for the live view, each into a new folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._now: LiveRecording | None = None
        self._heard = 0

    def start(self, session: Any) -> dict[str, Any]:
        """Start to record a session's flock; called by the session's thread."""
        if self._now is not None:
            raise ScenarioError(f"a run is already being recorded into {self._now.folder}: stop it first")
        if not session.scene.is_ready:
            raise ScenarioError(
                "the flock's kernel is still being compiled: start recording when the flock moves"
            )
        folder = self._new_folder(session.scenario.name, session.simulation.seed)
        self._now = LiveRecording(session.simulation, session.scenario, folder)
        self._heard, self._epoch = session.watch.feed.newest, session.scene.epoch
        session.add_listener(self._look)
        self._session = session
        return self.status()

    def _look(self) -> None:
        session, run = self._session, self._now
        if run is None:
            return
        if session.scene.epoch != self._epoch:  # a new flock is a new run
            self._finish(None)
            return
        events = session.watch.feed.since(self._heard)
        self._heard = session.watch.feed.newest
        try:
            run.observe(session.simulation, events)
        except (MurmuraError, OSError):  # a full disk must not stop the flock
            self._finish(None)

    def stop(self) -> dict[str, Any]:
        """Stop recording; called by the session's thread."""
        if self._now is None:
            raise ScenarioError("no run is being recorded")
        run = self._now
        self._finish(self._session.simulation)
        return {"recording": False, "folder": str(run.folder), "frames": run.frames, "command": run.command}

    def _finish(self, simulation: Simulation | None) -> None:
        run, self._now = self._now, None
        self._session.remove_listener(self._look)
        if run is not None and simulation is not None:
            run.end(simulation)

    def status(self) -> dict[str, Any]:
        """The state of the recording, for a page."""
        if self._now is None:
            return {"recording": False}
        return {"recording": True, "folder": str(self._now.folder), "frames": self._now.frames}

    def _new_folder(self, name: str, seed: int) -> Path:
        for number in range(1, MOST_RUNS):
            folder = self._folder / f"{name}-seed{seed}-{number}"
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                continue
            except OSError as error:
                raise ScenarioError(f"cannot write to {self._folder}: {error}") from None
            return folder
        raise ScenarioError(
            f"{self._folder} contains too many runs of {name}: choose another folder with --runs"
        )
