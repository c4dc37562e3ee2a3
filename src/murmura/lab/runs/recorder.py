"""Steps a simulation and writes what is due: runs that cannot be lost.

Frames, metrics and events are written by a second thread. At the start, now and then, and at the end a checkpoint is
taken: first all outputs so far are put on disk, then the state with the outputs' lengths and digests. Going on means
going back to the newest checkpoint that is whole, cutting the outputs to what it says, and stepping from there. A
checkpoint's marks are always of before its step was observed: then it does not matter which steps were last ones, and
outputs of a run that went on equal those of one that never stopped.

Steps want all cores, so what the second thread does costs them nearly its whole time. It gets to work while the first
does not step: a frame is written while the next one is taken, and measured while the state is saved.
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
from murmura.engine.simulation import Simulation
from murmura.engine.snapshot import Snapshot
from murmura.lab.gsd.trajectory import TrajectoryWriter
from murmura.lab.interrupts import Interrupts
from murmura.lab.json_lines import LinesWriter, checked
from murmura.lab.runs.cadence import Cadence, parse_pause
from murmura.lab.runs.checkpoints import Checkpoints
from murmura.lab.runs.manifest import Manifest
from murmura.lab.runs.run import EVENTS, METRICS, TRAJECTORY, Run
from murmura.measure import Flock, measure_flock
from murmura.scenario import Scenario

PIECE_SECONDS = 0.1
"""About this long steps go on before progress is told and a Ctrl-C heard."""
COMMIT_SECONDS = 0.25
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
    def create(cls, folder: Path, scenario: Scenario, manifest: Manifest) -> Outputs:
        """New files."""
        return cls(
            TrajectoryWriter.create(folder / TRAJECTORY, scenario, manifest.recording.columns),
            LinesWriter.create(folder / METRICS, manifest.has_sums),
            LinesWriter.create(folder / EVENTS, manifest.has_sums),
        )

    @classmethod
    def reopen(
        cls, run: Run, manifest: Manifest, marks: Mapping[str, Any], ready: Callable[[], None]
    ) -> Outputs:
        """Cut the files to these marks; if one of them is damaged, all stay as they are.

        `ready` is called when all are known to be whole and nothing has been changed yet.
        """
        for name in (METRICS, EVENTS):
            checked(run.folder / name, marks[name])
        return cls(
            TrajectoryWriter.reopen(
                run.folder / TRAJECTORY, run.scenario, manifest.recording.columns, marks[TRAJECTORY], ready
            ),
            LinesWriter.reopen(run.folder / METRICS, marks[METRICS], manifest.has_sums),
            LinesWriter.reopen(run.folder / EVENTS, marks[EVENTS], manifest.has_sums),
        )

    def commit(self) -> None:
        for file in self._files.values():
            file.commit()

    def marks(self) -> dict[str, Any]:
        """Where each file ends, now that all of it is on disk."""
        self.commit()
        return {name: file.mark() for name, file in self._files.items()}

    def counts(self) -> dict[str, int]:
        """How many frames and lines each file has."""
        return {name: file.rows for name, file in self._files.items()}

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
        self._held: Callable[[], None] | None = None
        self._writes = Lock()  # nothing of this step may be in the files when they are marked
        self._failed = False
        self._committed = time.monotonic()

    def go(self, progress: Progress | None) -> None:
        begun = time.perf_counter()
        manifest = self._manifest
        try:
            with Interrupts() as interrupts, ThreadPoolExecutor(1, "murmura-writer") as self._pool:
                try:
                    digest = self._run(progress, interrupts)
                finally:  # what was taken is good, whatever came after it
                    self._let_write()
                self._drain()
            manifest.status = "finished" if self._simulation.step_count == manifest.end else "interrupted"
            manifest.final_hash = digest
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
                manifest.counts = self._outputs.counts()
                manifest.write(self._folder)
        if manifest.status == "interrupted":
            raise KeyboardInterrupt

    def _run(self, progress: Progress | None, interrupts: Interrupts) -> str:
        """Step to the end, or until somebody wants to stop; return the digest of the last state."""
        simulation, end = self._simulation, self._manifest.end
        piece, pace = 1, parse_pause(self._manifest.recording.checkpoint_every)
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
            self._take_events()
            if not self._cadence.is_due(simulation.step_count):
                self._let_write()  # the next frame is far away
            if progress is not None:
                progress(simulation.step_count, end)

    def _observe(self) -> None:
        """Take what is due, if it is; whatever was taken before is written meanwhile."""
        if not self._cadence.is_due(self._simulation.step_count):
            return
        self._let_write()
        seen = self._simulation.look(measured=True)
        if seen is self._simulation:
            self._held = self._taken(seen)
        else:  # it is on its way from a device; whoever writes it waits for it
            self._held = lambda: self._taken(seen)()

    def _taken(self, seen: Simulation | Snapshot) -> Callable[[], None]:
        """Copy what is to be written of an instant; return what writes it."""
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

    def _let_write(self) -> None:
        if self._held is not None:
            write, self._held = self._held, None
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
        self._let_write()
        while self._jobs:
            self._jobs.popleft().result()

    def _checkpoint(self) -> str:
        """Save the state with the marks of all outputs until now; measure it meanwhile. Return its digest."""
        self._drain()
        self._simulation.state  # noqa: B018 - brought here now, where it is on a device: it is needed three times
        with self._writes:
            self._observe()
            self._let_write()
            marks = self._outputs.marks()
            self._committed = time.monotonic()
        return self._checkpoints.save(self._simulation, marks)


def _measured(flock: Callable[[], Flock], names: Sequence[str]) -> dict[str, float]:
    try:
        return measure_flock(flock(), names)
    except MurmuraError:
        raise
    except Exception as error:  # a measure of the user's own
        raise RunError(f"a measure failed: {type(error).__name__}: {error}") from error
