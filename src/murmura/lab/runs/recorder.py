"""Steps a simulation and records it, so that a crash loses little and a resumed run equals one that never stopped.

A second thread writes frames, metrics and events. A checkpoint is taken at the start, now and then, and at the end:
first all outputs are flushed to disk, then the state is saved with the outputs' lengths and digests. To resume, restore
the newest intact checkpoint, truncate the outputs to its marks, and step from there. The marks always exclude the
outputs of the checkpoint's own step, so it does not matter at which step a run was stopped.

Steps use all cores, so the second thread works while the first does not step: a frame is written while the next one is
taken, and measured while the state is saved.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from murmura.core.errors import MurmuraError, RunError
from murmura.engine.reading.snapshot import Snapshot
from murmura.engine.simulation import Simulation
from murmura.lab.files.json_lines import LinesWriter, checked
from murmura.lab.gsd.trajectory import TrajectoryWriter
from murmura.lab.interrupts import Interrupts
from murmura.lab.runs.cadence import Cadence, parse_interval
from murmura.lab.runs.checkpoints import Checkpoints, checkpoint_hashes
from murmura.lab.runs.manifest import Manifest
from murmura.lab.runs.run import EVENTS, METRICS, TRAJECTORY, Run
from murmura.measure import Flock, measure_flock
from murmura.scenario import Scenario

PIECE_SECONDS = 0.1
"""Approximate time between progress reports and checks for Ctrl-C [s]."""
COMMIT_SECONDS = 0.25
"""Greatest time until outputs are flushed to disk [s]."""
MOST_WAITING = 3
"""Greatest number of frames that wait to be written; beyond that, steps wait too."""
Progress = Callable[[int, int], None]


class Outputs:
    """The outputs of a run besides its checkpoints."""

    def __init__(self, trajectory: TrajectoryWriter, metrics: LinesWriter, events: LinesWriter) -> None:
        self.trajectory, self.metrics, self.events = trajectory, metrics, events
        self._files: dict[str, TrajectoryWriter | LinesWriter] = {
            TRAJECTORY: trajectory,
            METRICS: metrics,
            EVENTS: events,
        }

    @classmethod
    def create(cls, folder: Path, scenario: Scenario, manifest: Manifest) -> Outputs:
        """Create the files."""
        return cls(
            TrajectoryWriter.create(folder / TRAJECTORY, scenario, manifest.recording.columns),
            LinesWriter.create(folder / METRICS),
            LinesWriter.create(folder / EVENTS),
        )

    @classmethod
    def reopen(
        cls, run: Run, manifest: Manifest, marks: Mapping[str, Any], ready: Callable[[], None]
    ) -> Outputs:
        """Truncate the files to these marks; if one of them is damaged, all stay unchanged.

        `ready` is called once all are verified, before anything is changed.
        """
        for name in (METRICS, EVENTS):
            checked(run.folder / name, marks[name])
        return cls(
            TrajectoryWriter.reopen(
                run.folder / TRAJECTORY, run.scenario, manifest.recording.columns, marks[TRAJECTORY], ready
            ),
            LinesWriter.reopen(run.folder / METRICS, marks[METRICS]),
            LinesWriter.reopen(run.folder / EVENTS, marks[EVENTS]),
        )

    def commit(self) -> None:
        for file in self._files.values():
            file.commit()

    def marks(self) -> dict[str, Any]:
        """Flush all files and return the end of each."""
        self.commit()
        return {name: file.mark() for name, file in self._files.items()}

    def counts(self) -> dict[str, int]:
        """The number of frames or lines of each file."""
        return {name: file.rows for name, file in self._files.items()}

    def close(self) -> None:
        for file in self._files.values():
            file.close()


class Recorder:
    """Steps a simulation to its end and hands outputs to the writing thread."""

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
        self._seen = simulation.step_count  # events up to this step have been written
        self._jobs: deque[Future[None]] = deque()
        self._pending: Callable[[], None] | None = None
        self._writes = Lock()  # marks must not include outputs of their own step
        self._failed = False
        self._committed = time.monotonic()

    def go(self, progress: Progress | None) -> None:
        begun = time.perf_counter()
        manifest = self._manifest
        try:
            with Interrupts() as interrupts, ThreadPoolExecutor(1, "murmura-writer") as self._pool:
                try:
                    digest = self._run(progress, interrupts)
                finally:  # write everything that was taken, whatever happened afterwards
                    self._submit_frame()
                self._drain()
            manifest.status = "finished" if self._simulation.step_count == manifest.end else "interrupted"
            manifest.final_hash = digest
        except KeyboardInterrupt:  # the second Ctrl-C: stop at once
            manifest.status = "interrupted"
            raise
        except BaseException as error:
            manifest.status, manifest.error = "failed", str(error) or type(error).__name__
            raise
        finally:
            manifest.steps_done = self._simulation.step_count - manifest.first_step
            manifest.seconds = round(manifest.seconds + time.perf_counter() - begun, 3)
            with suppress(OSError):  # on a full disk, the error that is already being raised matters more
                marks = self._outputs.marks()
                manifest.hashes = {name: mark.get("sha256") or mark["digest"] for name, mark in marks.items()}
                manifest.counts = self._outputs.counts()
                manifest.checkpoints = checkpoint_hashes(self._folder)
                manifest.write(self._folder)
        if manifest.status == "interrupted":
            raise KeyboardInterrupt

    def _run(self, progress: Progress | None, interrupts: Interrupts) -> str:
        """Step to the end, or until Ctrl-C; return the digest of the last state."""
        simulation, end = self._simulation, self._manifest.end
        piece, pace = 1, parse_interval(self._manifest.recording.checkpoint_every)
        pace.restart(simulation.step_count)
        while True:
            stops = simulation.step_count == end or interrupts.requested
            if stops or self._checkpoints.is_empty or pace.is_over(simulation.step_count):
                digest = self._checkpoint()
                pace.restart(simulation.step_count)
            else:
                self._observe()
            if stops:
                return digest
            count = min(self._cadence.left(simulation.step_count), piece, pace.left(simulation.step_count))
            begun = time.perf_counter()
            simulation.step(count)
            piece = max(1, int(PIECE_SECONDS * count / max(time.perf_counter() - begun, 1e-9)))
            self._submit_events()
            if not self._cadence.is_due(simulation.step_count):
                self._submit_frame()  # the next frame is far away
            if progress is not None:
                progress(simulation.step_count, end)

    def _observe(self) -> None:
        """Take a frame, if one is due, while the previous one is written."""
        if not self._cadence.is_due(self._simulation.step_count):
            return
        self._submit_frame()
        seen = self._simulation.reader(measured=True)
        if seen is self._simulation:
            self._pending = self._taken(seen)
        else:  # still being copied from a device; the writer waits for it
            self._pending = lambda: self._taken(seen)()

    def _taken(self, seen: Simulation | Snapshot) -> Callable[[], None]:
        """Copy the outputs of an instant; return a function that writes them."""
        names = self._cadence.measures(seen.step_count, seen.agent_count)
        flock = seen.flock_later(ordered=True) if names else None
        frame = self._outputs.trajectory.take(seen)
        row: dict[str, Any] = {"step": seen.step_count, "time": seen.time, "agents": seen.agent_count}
        row |= dict.fromkeys(self._manifest.recording.measures)
        has_line = self._cadence.has_line(seen.step_count, seen.agent_count)

        def write() -> None:
            values = {} if flock is None else _measured(flock, names)
            with self._writes:
                self._outputs.trajectory.write(frame)
                if has_line:
                    self._outputs.metrics.write(row | values)
                if time.monotonic() - self._committed > COMMIT_SECONDS:
                    self._outputs.commit()
                    self._committed = time.monotonic()

        return write

    def _submit_frame(self) -> None:
        if self._pending is not None:
            write, self._pending = self._pending, None
            self._submit(write)

    def _submit_events(self) -> None:
        events = [event for event in self._simulation.events() if event["step"] > self._seen]
        self._seen = self._simulation.step_count
        if events:

            def write() -> None:
                for event in events:
                    self._outputs.events.write(event)

            self._submit(write)

    def _submit(self, write: Callable[[], None]) -> None:
        while len(self._jobs) >= MOST_WAITING:
            self._jobs.popleft().result()

        def job() -> None:
            if self._failed:  # no output may follow a gap
                return
            self._failed = True
            write()
            self._failed = False

        self._jobs.append(self._pool.submit(job))

    def _drain(self) -> None:
        self._submit_frame()
        while self._jobs:
            self._jobs.popleft().result()

    def _checkpoint(self) -> str:
        """Save the state with the marks of all outputs, and measure it at the same time. Return its digest."""
        self._drain()
        self._simulation.state  # noqa: B018 - fetch it from a device once, because it is needed three times
        with self._writes:
            self._observe()
            self._submit_frame()
            marks = self._outputs.marks()
            self._committed = time.monotonic()
        return self._checkpoints.save(self._simulation, marks)


def _measured(flock: Callable[[], Flock], names: Sequence[str]) -> dict[str, float]:
    try:
        return measure_flock(flock(), names)
    except MurmuraError:
        raise
    except Exception as error:  # a user's own measure may raise anything
        raise RunError(f"a measure failed: {type(error).__name__}: {error}") from error
