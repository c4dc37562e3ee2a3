"""Steps a simulation and writes what is due: runs that cannot be lost.

Frames, metrics and events are written by a second thread while steps go on. Now and then, and at the end, a
checkpoint is taken: first all outputs so far are put on disk, then the state with the outputs' lengths and digests.
Going on means going back to the newest checkpoint that is whole, cutting the outputs to what it says, and stepping
from there. A checkpoint is always taken before its step is observed: then it does not matter which steps were
last ones, and outputs of a run that went on equal those of one that never stopped.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from murmura.core.errors import MurmuraError, RunError
from murmura.engine.simulation import Simulation
from murmura.lab.cadence import Cadence, parse_pause
from murmura.lab.checkpoints import Checkpoints
from murmura.lab.interrupts import Interrupts
from murmura.lab.lines import LinesWriter, checked
from murmura.lab.manifest import Manifest
from murmura.lab.runs import EVENTS, METRICS, TRAJECTORY, Run
from murmura.lab.trajectory import TrajectoryWriter
from murmura.measure import measure_flock

PIECE_SECONDS = 0.1
"""About this long steps go on before progress is told and a Ctrl-C heard."""
COMMIT_SECONDS = 1.0
"""At least this often what was written is put on disk."""
MOST_WAITING = 3
"""So many frames may wait to be written; then steps wait too."""
Progress = Callable[[int, int], None]


class Outputs:
    """What a run writes beside its checkpoints."""

    def __init__(self, trajectory: TrajectoryWriter, metrics: LinesWriter, events: LinesWriter) -> None:
        self.trajectory, self.metrics, self.events = trajectory, metrics, events
        self._files: dict[str, TrajectoryWriter | LinesWriter] = {
            TRAJECTORY: trajectory,
            METRICS: metrics,
            EVENTS: events,
        }

    @classmethod
    def reopen(cls, run: Run, marks: Mapping[str, Any]) -> Outputs:
        """Cut the files to these marks; if one of them is damaged, all stay as they are."""
        for name in (METRICS, EVENTS):
            checked(run.folder / name, marks[name])
        return cls(
            TrajectoryWriter.reopen(
                run.folder / TRAJECTORY, run.scenario, run.manifest["recording"]["columns"], marks[TRAJECTORY]
            ),
            LinesWriter.reopen(run.folder / METRICS, marks[METRICS]),
            LinesWriter.reopen(run.folder / EVENTS, marks[EVENTS]),
        )

    def commit(self) -> None:
        for file in self._files.values():
            file.commit()

    def marks(self) -> dict[str, Any]:
        """Where each file ends, now that all of it is on disk."""
        self.commit()
        return {name: file.mark() for name, file in self._files.items()}

    def close(self) -> None:
        for file in self._files.values():
            file.close()


class Recorder:
    """Steps a simulation to its end and hands what is due to the writing thread."""

    def __init__(
        self,
        simulation: Simulation,
        folder: Path,
        manifest: Manifest,
        outputs: Outputs,
        checkpoints: Checkpoints,
    ) -> None:
        self._simulation, self._folder, self._manifest = simulation, folder, manifest
        self._outputs, self._checkpoints = outputs, checkpoints
        self._cadence = Cadence(manifest.recording, manifest.first_step, manifest.end)
        self._seen = simulation.step_count  # events up to this step are written
        self._jobs: deque[Future[None]] = deque()
        self._failed = False
        self._committed = time.monotonic()

    def go(self, progress: Progress | None) -> None:
        begun = time.perf_counter()
        manifest = self._manifest
        try:
            with Interrupts() as interrupts, ThreadPoolExecutor(1, "murmura-writer") as self._pool:
                self._run(progress, interrupts)
                self._drain()
            manifest.status = "finished" if self._simulation.step_count == manifest.end else "interrupted"
            manifest.final_hash = self._simulation.state_hash()
        except KeyboardInterrupt:  # a second one: nobody wants to wait
            manifest.status = "interrupted"
            raise
        except BaseException as error:
            manifest.status, manifest.error = "failed", str(error) or type(error).__name__
            raise
        finally:
            manifest.steps_done = self._simulation.step_count - manifest.first_step
            manifest.seconds = round(manifest.seconds + time.perf_counter() - begun, 3)
            with suppress(OSError):  # on a full disk the reason matters more, and is on its way
                marks = self._outputs.marks()
                manifest.hashes = {name: mark.get("sha256") or mark["digest"] for name, mark in marks.items()}
                manifest.write(self._folder)
        if manifest.status == "interrupted":
            raise KeyboardInterrupt

    def _run(self, progress: Progress | None, interrupts: Interrupts) -> None:
        simulation, end = self._simulation, self._manifest.end
        piece, pace = 1, parse_pause(self._manifest.recording.checkpoint_every)
        pace.restart(simulation.step_count)
        while True:
            stops = simulation.step_count == end or interrupts.asked
            if stops or pace.is_over(simulation.step_count):
                self._checkpoint()
                pace.restart(simulation.step_count)
            self._observe()
            if stops:
                return
            count = min(self._cadence.left(simulation.step_count), piece, pace.left(simulation.step_count))
            begun = time.perf_counter()
            simulation.step(count)
            piece = max(1, int(PIECE_SECONDS * count / max(time.perf_counter() - begun, 1e-9)))
            self._take_events()
            if progress is not None:
                progress(simulation.step_count, end)

    def _observe(self) -> None:
        simulation, cadence = self._simulation, self._cadence
        step = simulation.step_count
        if not cadence.is_due(step):
            return
        names = cadence.measures(step, simulation.agent_count)
        flock = simulation.flock() if names else None
        frame = self._outputs.trajectory.take(simulation)
        every = dict.fromkeys(self._manifest.recording.measures)
        row = {"step": step, "time": simulation.time, "agents": simulation.agent_count} | every

        def write() -> None:
            self._outputs.trajectory.write(frame)
            if flock is not None:
                self._outputs.metrics.write(row | _measured(flock, names))
            if time.monotonic() - self._committed > COMMIT_SECONDS:
                self._outputs.commit()
                self._committed = time.monotonic()

        self._hand_over(write)

    def _take_events(self) -> None:
        events = [event for event in self._simulation.events() if event["step"] > self._seen]
        self._seen = self._simulation.step_count
        if events:

            def write() -> None:
                for event in events:
                    self._outputs.events.write(event)

            self._hand_over(write)

    def _hand_over(self, write: Callable[[], None]) -> None:
        while len(self._jobs) >= MOST_WAITING:
            self._jobs.popleft().result()

        def job() -> None:
            if self._failed:  # nothing may follow a gap
                return
            self._failed = True
            write()
            self._failed = False

        self._jobs.append(self._pool.submit(job))

    def _drain(self) -> None:
        while self._jobs:
            self._jobs.popleft().result()

    def _checkpoint(self) -> None:
        self._drain()
        self._checkpoints.save(self._simulation, self._outputs.marks())


def _measured(flock: Any, names: Sequence[str]) -> dict[str, float]:
    try:
        return measure_flock(flock, names)
    except MurmuraError:
        raise
    except Exception as error:  # a measure of the user's own
        raise RunError(f"a measure failed: {type(error).__name__}: {error}") from error
