"""A scene in its own thread, which executes commands between steps and publishes frames.

Nothing blocks: commands are queued; a new frame replaces the previous one, so slow subscribers miss frames; and
kernels are compiled in other threads while the flock continues or, if it is new, waits at its start.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from murmura.core.errors import MurmuraError, RunError, ScenarioError, nearest
from murmura.engine.clock import Clock
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.command_queue import CommandQueue, Refuse
from murmura.view.session.commands import COMMANDS
from murmura.view.session.compile_queue import CompileQueue
from murmura.view.session.editing.changes import CHANGES
from murmura.view.session.first_picture import FirstPicture
from murmura.view.session.observing.bodies import BodyObserver
from murmura.view.session.observing.chronicle import Chronicle
from murmura.view.session.observing.frame_capture import FrameCapture
from murmura.view.session.observing.observer import Observer, Pace, ShownHash, inspect
from murmura.view.session.scene import Scene
from murmura.view.session.source import ShownFlock, Source
from murmura.view.wire.frames import load_packer_soon
from murmura.view.wire.hello import hello_facts, loaded_facts
from murmura.view.wire.scenery import NO_SCENERY

FRAME_SECONDS = 1.0 / 60.0
LONGEST_TURN = 0.05  # [s] for commands before the next frame is due
STATUS_SECONDS = 0.2
INSPECT_SECONDS = 0.1
RECORDED = "a recording cannot be changed: continue live from here first"


class Session:
    """One source of frames with any number of subscribers.

    Args:
        begin: A scenario, a simulation to take over as it is, or another source.
        seed: For a scenario.
        backend: As for a simulation.
        threads: By default all cores; for a flock that does not need them all, one is left to the browser.
        speed: Simulated seconds per second; by default each scenario's `display.speed`.
    """

    def __init__(
        self,
        begin: Scenario | Simulation | Source,
        seed: int = 0,
        backend: str = "auto",
        threads: int | None = None,
        speed: float | None = None,
    ) -> None:
        self.running = True
        self._asks_scenario = speed is None
        self.selected: int | None = None
        self.extra = "density"
        self.frame = b""
        self.frame_number = 0
        self.hello_number = 0
        self.scenario_number = 0
        self.alarm: dict[str, Any] | None = None
        self.status: dict[str, Any] = {}
        self.inspection: dict[str, Any] | None = None
        self.scenery = NO_SCENERY
        self.wanted = True
        self._step_seconds = 0.0  # recent time per step
        self._rate = 0.0
        self._hash = ShownHash()
        self.body_observer = BodyObserver()
        self._chronicle = Chronicle()
        self.feed = self._chronicle.feed
        self._capture = FrameCapture()
        self.first_picture = FirstPicture()
        self._left = 0  # remaining steps of a "step" command
        self._wake = threading.Event()
        self._queue = CommandQueue(self._wake.set)
        self._observer = Observer()
        self.on_build_failure: Callable[[MurmuraError], None] = lambda problem: None
        """Called if the kernel of the first scenario cannot be built."""
        if isinstance(begin, Scenario | Simulation):
            begin = Scene(begin, seed, backend, threads, defer_build=True)
        self.speed = begin.scenario.display.speed if speed is None else speed
        self._show(begin)
        self._loads = self._loads_now
        self._shown = (self.source.epoch, self.scenario)
        self._listeners: list[Callable[[], None]] = []
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="murmura-session", daemon=True)

    def _show(self, source: Source) -> None:
        """Switch to a source."""
        self.source = source
        self._clock = Clock(source, self.speed)
        self._compile_queue: CompileQueue | None = None
        if isinstance(source, Scene):
            self._compile_queue = CompileQueue(source, self._soon, self._build_failed)

    @property
    def is_live(self) -> bool:
        """Whether this shows a simulation, which can be changed, and not a recording."""
        return isinstance(self.source, Scene)

    @property
    def scene(self) -> Scene:
        """The live scene; raises if this shows a recording."""
        if not isinstance(self.source, Scene):
            raise ScenarioError(RECORDED)
        return self.source

    @property
    def scenario(self) -> Scenario:
        return self.source.scenario

    @property
    def simulation(self) -> ShownFlock:
        """The shown flock: a simulation or a recorded frame."""
        return self.source.flock

    def open(self) -> None:
        self._thread.start()

    def close(self, patience: float = 30.0) -> None:
        """Stop the simulation's thread and wait for it for a limited time: it may be compiling."""
        self._closing.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(patience)

    def submit(self, message: dict[str, Any], refuse: Refuse) -> None:
        """Queue a command; `refuse` is called with the reason if it fails."""
        self._queue.put(message, refuse)

    def ask(self, query: Callable[[], Any]) -> Future[Any]:
        """Call a function in the session's thread, between two steps."""
        result: Future[Any] = Future()

        def call() -> None:
            try:
                result.set_result(query())
            except Exception as error:
                result.set_exception(error)

        self._queue.put(call, lambda reason: None)
        return result

    def _soon(self, act: Callable[[], None], refuse: Refuse) -> None:
        """Call a function in the session's thread before any further command."""
        self._queue.put_first(act, refuse)

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Register a function that the session's thread calls whenever there is something new."""
        self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[], None]) -> None:
        with contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    def ask_frame(self) -> None:
        """Request the next frame, for a subscriber that has drawn the last one."""
        self.wanted = True
        self._wake.set()

    def hello(self) -> dict[str, Any]:
        """The first message to a page."""
        own = {"type": "hello", "seed": self.simulation.seed, "running": self.running, "speed": self.speed}
        return own | hello_facts(self.scenario) | loaded_facts(self.source.loaded)

    def _run(self) -> None:
        last = time.perf_counter()
        frames, statuses, inspections = Pace(FRAME_SECONDS, 0.5), Pace(STATUS_SECONDS), Pace(INSPECT_SECONDS)
        moved = True  # since the last frame; a change while paused must be shown too
        self.hello()  # creates the schema (0.2 s) now: a page that waits for it must not wait for tracing
        while not self._closing.is_set():
            before = self.simulation.step_count
            changed = self._run_commands()
            now = time.perf_counter()
            steps = self._advance(now - last) if self.running and self.source.is_ready else 0
            self._rate += 0.05 * (steps / max(now - last, 1e-6) - self._rate)
            last, now = now, time.perf_counter()
            self._follow_scene()
            moved = moved or changed or self.simulation.step_count != before
            has_news = changed
            if self.wanted and moved and frames.is_due(now):
                if self._publish_frame():
                    moved = self.wanted = False
                    frames.done(time.perf_counter())
                    has_news = True
            if (self.selected is not None or self.body_observer.window) and inspections.is_due(now):
                self._inspect()
                self.body_observer.observe(self.simulation)
                inspections.done(time.perf_counter())
                has_news = True
            if self.source.is_ready and not self.first_picture.is_awaited(self.source.epoch):
                load_packer_soon()
                self._observer.observe(self.simulation, now)
            energy = self._observer.reading_of(self.simulation)["measures"].get("energy_mean")
            self._chronicle.update(self.source.epoch, self.simulation, now, energy)
            if statuses.is_due(now, anyway=changed):
                self._publish_status()
                statuses.done(time.perf_counter())
                has_news = True
            if has_news:
                for listener in list(self._listeners):
                    listener()
            self._rest(now)

    def _rest(self, now: float) -> None:
        if self._left and self.source.is_ready:
            return
        moves = self.running and self.source.is_ready
        rest = FRAME_SECONDS / 2.0 - (time.perf_counter() - now) if moves else 0.05
        self._wake.wait(max(0.0, rest))
        self._wake.clear()

    def _advance(self, seconds: float) -> int:
        """Advance the clock by at most as many steps as fit into one frame."""
        begun, good = time.perf_counter(), self.simulation.step_count
        most = max(1.0, FRAME_SECONDS / self._step_seconds) if self._step_seconds else 1.0
        affordable = most * self.scenario.motion.time_step / max(self.speed, 1e-9)
        try:
            steps = self._clock.advance(min(seconds, affordable))
        except RunError as error:
            self._fail(error, good)
            return 0
        except MurmuraError as error:  # a replayed action failed: stop there
            self._end_replay()
            self.alarm = {"type": "error", "about": "replay", "message": str(error)}
            return 0
        if steps:
            self._step_seconds = (time.perf_counter() - begun) / steps
        if self.source.has_ended:
            self._end_replay()
        return steps

    def _end_replay(self) -> None:
        self.running = False
        if self.is_live:
            self.scene.coming.clear()

    def _fail(self, error: RunError, step: int) -> None:
        """The state is no longer finite and cannot be shown: restart, paused, and say why."""
        self.running, self._left = False, 0
        if self.is_live:
            self.scene.restart(step)
        self.alarm = {"type": "error", "about": "run", "message": f"{error}. Paused at the beginning"}

    def _build_failed(self, problem: MurmuraError) -> None:
        """The kernel of the flock that is shown cannot be built."""
        self.alarm = {"type": "error", "about": "load", "message": str(problem)}
        if self.scene.loads == 1:
            self.on_build_failure(problem)

    def _follow_scene(self) -> None:
        """Count changes of the scene, so that subscribers can detect them."""
        epoch, scenario = self._shown
        self._shown = (self.source.epoch, self.scenario)
        self._follow_display_speed()
        if epoch != self.source.epoch:
            self.hello_number += 1
            self.body_observer.ask({})  # pages request it again if they need it
            if self.selected is not None:
                self.deselect()
        elif scenario is not self.scenario:
            self.scenario_number += 1

    @property
    def _loads_now(self) -> int:
        return self.scene.loads if self.is_live else 0

    def _follow_display_speed(self) -> None:
        """Use the speed of a newly loaded scenario, unless the user set one."""
        if self._loads != self._loads_now and self._asks_scenario:
            self.speed = self._clock.speed = self.scenario.display.speed
        self._loads = self._loads_now

    def _run_commands(self) -> bool:
        """Execute pending commands in order; return whether anything changed."""
        changed = False
        deadline = time.perf_counter() + LONGEST_TURN
        while True:
            if self._compile_queue is not None and not self.first_picture.is_awaited(self.source.epoch):
                self._compile_queue.build_if_needed()
            if self._is_superseded():
                self._left = 0
            if self._left and not self._queue.is_urgent:
                if not self.source.is_ready:
                    return changed  # later commands are meant for the flock after these steps
                changed |= self._attempt(self._step_on, lambda reason: None)
                if time.perf_counter() > deadline:
                    return changed
                continue
            entry = self._queue.take()
            if entry is None:
                return changed
            changed |= self._attempt(*entry)

    def _is_superseded(self) -> bool:
        """Whether steps are pending for a flock that is not ready, and a later command replaces that flock."""
        return bool(self._left) and not self.source.is_ready and self._queue.has_any("load", "reset")

    def _attempt(self, act: Any, refuse: Refuse) -> bool:
        good = self.simulation.step_count
        try:
            if callable(act):
                act()
            else:
                self._carry_out(act, refuse)
            self._follow_display_speed()
            return True
        except RunError as error:
            self._fail(error, good)
            return True
        except MurmuraError as error:
            refuse(str(error))
        except Exception as error:  # a malicious message may raise anything
            refuse(f"{type(error).__name__}: {error}")
        return False

    def _carry_out(self, message: dict[str, Any], refuse: Refuse) -> None:
        kind = message.get("type")
        if kind in CHANGES:
            self._change(message, refuse)
            return
        handler = COMMANDS.get(str(kind))
        if handler is None:
            known = (*COMMANDS, *CHANGES)
            raise ScenarioError(f"unknown command {kind!r}{nearest(str(kind), known)}")
        handler(self, message)

    def _change(self, message: dict[str, Any], refuse: Refuse) -> None:
        if self._compile_queue is None:
            raise ScenarioError(RECORDED)
        self._compile_queue.change(message, refuse)

    def set_speed(self, speed: float) -> None:
        """Show this many simulated seconds for each second."""
        self.speed = self._clock.speed = speed

    def pause_and_step(self, count: int) -> None:
        """Pause and take this many steps."""
        self.running, self._left = False, count

    def _step_on(self) -> None:
        """Do a part of a "step" command: many steps of a large flock must not delay Ctrl-C or frames."""
        begun = time.perf_counter()
        piece = min(self._left, max(1, int(FRAME_SECONDS / self._step_seconds) if self._step_seconds else 1))
        self._left -= piece
        self.source.step(piece)
        self._step_seconds = (time.perf_counter() - begun) / piece

    def deselect(self) -> None:
        """Clear the selection."""
        self.selected = None
        self.inspection = {"type": "inspect", "id": None}

    def _inspect(self) -> None:
        if self.selected is None:
            return
        try:
            self.inspection = inspect(self.simulation, self.selected)
        except MurmuraError:
            self.deselect()  # it died

    def _publish_frame(self) -> bool:
        """Publish a frame of the flock; False while it is still being copied from a device."""
        taken = self._capture.take(self.source, self.extra)
        if taken is None:
            return False
        self.scenery, self.frame = taken
        self.frame_number += 1
        self.first_picture.published(self.frame_number)
        return True

    def _state_hash(self) -> str:
        return self._hash.now(self.source.epoch, self.simulation, self.running)

    def _publish_status(self) -> None:
        simulation, queue = self.simulation, self._compile_queue
        self.status = {
            "type": "status",
            "step": simulation.step_count,
            "time": simulation.time,
            "agents": simulation.agent_count,
            "hash": self._state_hash(),
            "steps_per_second": round(self._rate, 1) if self.running else 0.0,
            "running": self.running,
            "compiling": queue is not None and queue.is_busy,
            "progress": "" if queue is None else queue.progress,
            "speed": self.speed,
            **self._observer.reading_of(simulation),
        } | self._chronicle.report()
