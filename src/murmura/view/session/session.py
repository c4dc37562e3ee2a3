"""A scene that somebody watches: it owns its thread, takes commands between steps, publishes its last frame.

Nobody waits for anybody: commands go into a queue, the newest frame replaces the one before, a watcher that is slow
misses frames, and what must be compiled is compiled beside the flock, which flies on, or stands at its start.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from murmura.core.errors import MurmuraError, RunError, ScenarioError, nearest
from murmura.engine.clock import Clock
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.bodies import Lookout
from murmura.view.session.chronicle import Chronicle
from murmura.view.session.compile_queue import Preparing
from murmura.view.session.frame_capture import Exposure
from murmura.view.session.observer import Observer, Pace, inspect, nearest_agent
from murmura.view.session.scene import CHANGES, Scene, number_of, place_of
from murmura.view.session.state_hash import StateHash
from murmura.view.wire.frames import extras_of, load_packer
from murmura.view.wire.hello import greeting
from murmura.view.wire.scenery import NOTHING

FRAME_SECONDS = 1.0 / 60.0
LONGEST_TURN = 0.05  # [s] that may pass at once: a machine that cannot keep up shows slower motion
STATUS_SECONDS = 0.2
INSPECT_SECONDS = 0.1
Refuse = Callable[[str], None]


class Session:
    """One scene with any number of watchers.

    Args:
        begin: A scenario, or a simulation to take over as it is.
        seed: For a scenario.
        backend: As for a simulation.
        threads: By default all cores; of a flock that needs no more, all but one, which is left to the browser.
        speed: Simulated seconds for each second that passes; by default as the scenario says.
    """

    def __init__(
        self,
        begin: Scenario | Simulation,
        seed: int = 0,
        backend: str = "auto",
        threads: int | None = None,
        speed: float | None = None,
    ) -> None:
        self.scene = Scene(begin, seed, backend, threads, at_once=True)
        self.running = True
        self.speed = self.scene.scenario.display.speed if speed is None else speed
        self.selected: int | None = None
        self.extra = "density"
        self.frame = b""
        self.frame_number = 0
        self.hello_number = 0
        self.scenario_number = 0
        self.alarm: dict[str, Any] | None = None
        self.status: dict[str, Any] = {}
        self.inspection: dict[str, Any] | None = None
        self.things = NOTHING
        self.wanted = True
        self._clock = Clock(self.scene, self.speed)
        self._step_seconds = 0.0  # what a step took lately
        self._rate = 0.0
        self._hash = StateHash()
        self.lookout = Lookout()
        self._chronicle = Chronicle()
        self.feed = self._chronicle.feed
        self._exposure = Exposure()
        self._left = 0  # steps of a "step" command that are still to be done
        self._commands: queue.Queue[tuple[Any, Refuse]] = queue.Queue()
        self._urgent: queue.Queue[tuple[Callable[[], None], Refuse]] = queue.Queue()
        self._observer = Observer()
        self._preparing = Preparing(self.scene, self._soon, self._not_made)
        self.when_grounded: Callable[[MurmuraError], None] = lambda problem: None
        """Called if the first flock can never fly, since its kernel cannot be made."""
        self._shown, self._loads = (self.scene.epoch, self.scene.scenario), self.scene.loads
        self._listeners: list[Callable[[], None]] = []
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="murmura-session", daemon=True)

    @property
    def scenario(self) -> Scenario:
        return self.scene.scenario

    @property
    def simulation(self) -> Simulation:
        return self.scene.simulation

    def open(self) -> None:
        self._thread.start()
        if self.scene.is_ready:
            threading.Thread(target=load_packer, name="murmura-packer", daemon=True).start()

    def close(self, patience: float = 30.0) -> None:
        """Stop the simulation's thread and wait for it, but not for ever: it may be compiling."""
        self._closing.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(patience)

    def submit(self, message: dict[str, Any], refuse: Refuse) -> None:
        """Queue a command; `refuse` is called with the reason if it cannot be carried out."""
        self._commands.put((message, refuse))
        self._wake.set()

    def ask(self, question: Callable[[], Any]) -> Future[Any]:
        """Have something answered by the session's thread, between two steps."""
        answer: Future[Any] = Future()

        def find() -> None:
            try:
                answer.set_result(question())
            except Exception as error:
                answer.set_exception(error)

        self._commands.put((find, lambda reason: None))
        self._wake.set()
        return answer

    def _soon(self, act: Callable[[], None], refuse: Refuse) -> None:
        """Have the session's thread do something before any command."""
        self._urgent.put((act, refuse))
        self._wake.set()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call this from the session's thread whenever there is something new."""
        self._listeners.append(listener)

    def forget(self, listener: Callable[[], None]) -> None:
        with contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    def ask_frame(self) -> None:
        """Somebody has drawn the last frame and would like another."""
        self.wanted = True
        self._wake.set()

    def hello(self) -> dict[str, Any]:
        """All a page needs to know to begin."""
        own = {"type": "hello", "seed": self.simulation.seed, "running": self.running, "speed": self.speed}
        return own | greeting(self.scenario) | {"loaded": self.scene.loaded.model_dump(mode="json")}

    def _run(self) -> None:
        last = time.perf_counter()
        frames, statuses, inspections = Pace(FRAME_SECONDS, 0.5), Pace(STATUS_SECONDS), Pace(INSPECT_SECONDS)
        moved = True  # since the last frame: while paused, a change must not wait for the next one
        while not self._closing.is_set():
            before = self.simulation.step_count
            changed = self._obey()
            now = time.perf_counter()
            steps = self._advance(now - last) if self.running and self.scene.is_ready else 0
            self._rate += 0.05 * (steps / max(now - last, 1e-6) - self._rate)
            last, now = now, time.perf_counter()
            self._follow_scene()
            moved = moved or changed or self.simulation.step_count != before
            news = changed
            if self.wanted and moved and frames.is_due(now):
                if self._publish_frame():
                    moved = self.wanted = False
                    frames.done(time.perf_counter())
                    news = True
            if (self.selected is not None or self.lookout.window) and inspections.is_due(now):
                self._inspect()
                self.lookout.look(self.simulation)
                inspections.done(time.perf_counter())
                news = True
            if self.scene.is_ready:  # else what measures need to load would keep the first picture waiting
                self._observer.observe(self.simulation, now)
            energy = self._observer.reading_of(self.simulation)["measures"].get("energy_mean")
            self._chronicle.look(self.scene.epoch, self.simulation, now, energy)
            if statuses.is_due(now, anyway=changed):
                self._publish_status()
                statuses.done(time.perf_counter())
                news = True
            if news:
                for listener in list(self._listeners):
                    listener()
            self._rest(now)

    def _rest(self, now: float) -> None:
        if self._left and self.scene.is_ready:
            return
        moves = self.running and self.scene.is_ready
        rest = FRAME_SECONDS / 2.0 - (time.perf_counter() - now) if moves else 0.05
        self._wake.wait(max(0.0, rest))
        self._wake.clear()

    def _advance(self, seconds: float) -> int:
        """Let time pass, but no more of it than the steps of one frame can make up for."""
        begun, good = time.perf_counter(), self.simulation.step_count
        most = max(1.0, FRAME_SECONDS / self._step_seconds) if self._step_seconds else 1.0
        affordable = most * self.scenario.motion.time_step / max(self.speed, 1e-9)
        try:
            steps = self._clock.advance(min(seconds, LONGEST_TURN, affordable))
        except RunError as error:
            self._fail(error, good)
            return 0
        except MurmuraError as error:  # of what is played again: stop there
            self.running = False
            self.scene.coming.clear()
            self.alarm = {"type": "error", "about": "replay", "message": str(error)}
            return 0
        if steps:
            self._step_seconds = (time.perf_counter() - begun) / steps
        if self.scene.has_ended:
            self.running = False
            self.scene.coming.clear()
        return steps

    def _fail(self, error: RunError, step: int) -> None:
        """A flock that is no longer finite cannot be shown: begin anew, paused, and tell everybody why."""
        self.running, self._left = False, 0
        self.scene.begin_anew(step)
        self.alarm = {"type": "error", "about": "run", "message": f"{error}. Paused at the beginning"}

    def _not_made(self, problem: MurmuraError) -> None:
        """The flock stands and can never fly."""
        self.alarm = {"type": "error", "about": "load", "message": str(problem)}
        if self.scene.loads == 1:
            self.when_grounded(problem)

    def _follow_scene(self) -> None:
        """Notice what visitors did, and what is played again, so that pages hear of it."""
        epoch, scenario = self._shown
        self._shown = (self.scene.epoch, self.scene.scenario)
        if epoch != self.scene.epoch:
            self.hello_number += 1
            if self.scene.loads != self._loads:  # another scenario, with a pace of its own
                self._loads = self.scene.loads
                self.speed = self._clock.speed = self.scenario.display.speed
            self.lookout.ask({})  # pages ask again, if there is anything to be seen
            if self.selected is not None:
                self._deselect()
        elif scenario is not self.scene.scenario:
            self.scenario_number += 1

    def _obey(self) -> bool:
        """Carry out what was asked for, in order; whether anything changed."""
        changed = False
        deadline = time.perf_counter() + LONGEST_TURN
        while True:
            self._preparing.help_up()
            if self._is_left():
                self._left = 0
            if self._left and self._urgent.empty():
                if not self.scene.is_ready:
                    return changed  # what follows steps is meant for the flock after them
                changed |= self._attempt(self._step_on, lambda reason: None)
                if time.perf_counter() > deadline:
                    return changed
                continue
            try:
                act, refuse = (self._commands if self._urgent.empty() else self._urgent).get_nowait()
            except queue.Empty:
                return changed
            changed |= self._attempt(act, refuse)

    def _is_left(self) -> bool:
        """Whether this flock stands, and somebody has asked for another: then it need not do its steps first."""
        if self.scene.is_ready or not self._left:
            return False
        with self._commands.mutex:
            kinds = {act.get("type") for act, _ in self._commands.queue if isinstance(act, dict)}
        return bool(kinds & {"load", "reset"})

    def _attempt(self, act: Any, refuse: Refuse) -> bool:
        good = self.simulation.step_count
        try:
            if callable(act):
                act()
            else:
                self._carry_out(act, refuse)
            return True
        except RunError as error:
            self._fail(error, good)
            return True
        except MurmuraError as error:
            refuse(str(error))
        except Exception as error:  # whatever a hostile message makes its readers raise
            refuse(f"{type(error).__name__}: {error}")
        return False

    def _carry_out(self, message: dict[str, Any], refuse: Refuse) -> None:
        kind = message.get("type")
        if kind in CHANGES:
            self._preparing.change(message, refuse)
            return
        handler = self._HANDLERS.get(str(kind))
        if handler is None:
            known = (*self._HANDLERS, *CHANGES)
            raise ScenarioError(f"unknown command {kind!r}{nearest(str(kind), known)}")
        handler(self, message)

    def _play_or_pause(self, message: dict[str, Any]) -> None:
        self.running = message["type"] == "play"

    def _step(self, message: dict[str, Any]) -> None:
        count = number_of(message, "count", 1, 10_000, 1)
        if not count.is_integer():
            raise ScenarioError(f"count must be a whole number, got {count:g}")
        self.running = False
        self._left = int(count)

    def _step_on(self) -> None:
        """One piece of a "step" command: many steps of a large flock must not keep Ctrl-C or frames waiting."""
        begun = time.perf_counter()
        piece = min(self._left, max(1, int(FRAME_SECONDS / self._step_seconds) if self._step_seconds else 1))
        self._left -= piece
        self.scene.step(piece)
        self._step_seconds = (time.perf_counter() - begun) / piece

    def _speed(self, message: dict[str, Any]) -> None:
        self.speed = self._clock.speed = number_of(message, "value", 0.05, 16.0)

    def _select(self, message: dict[str, Any]) -> None:
        chosen = message.get("id")
        if chosen is None:
            self._deselect()
            return
        if isinstance(chosen, bool) or not isinstance(chosen, int):
            raise ScenarioError(f"id must be a whole number or null, got {chosen!r}")
        self.simulation.state.rows_of(chosen)
        self.selected = chosen

    def _deselect(self) -> None:
        self.selected = None
        self.inspection = {"type": "inspect", "id": None}

    def _pick(self, message: dict[str, Any]) -> None:
        found = nearest_agent(self.simulation, *place_of(message))
        if found is not None:
            self.selected = found

    def _set_extra(self, message: dict[str, Any]) -> None:
        column = message.get("column")
        known = extras_of(self.scenario)
        if column not in known:
            raise ScenarioError(f"column must be one of {', '.join(known)}, got {column!r}")
        self.extra = str(column)

    def _inspect(self) -> None:
        if self.selected is None:
            return
        try:
            self.inspection = inspect(self.simulation, self.selected)
        except MurmuraError:
            self._deselect()  # it died

    def _publish_frame(self) -> bool:
        """Make a frame of the flock; not yet, where it is still on its way from a device."""
        taken = self._exposure.take(self.scene, self.extra)
        if taken is None:
            return False
        self.things, self.frame = taken
        self.frame_number += 1
        return True

    def _state_hash(self) -> str:
        return self._hash.of(self.scene, self.running)

    def _publish_status(self) -> None:
        simulation = self.simulation
        self.status = {
            "type": "status",
            "step": simulation.step_count,
            "time": simulation.time,
            "agents": simulation.agent_count,
            "hash": self._state_hash(),
            "steps_per_second": round(self._rate, 1) if self.running else 0.0,
            "running": self.running,
            "compiling": self._preparing.is_busy,
            "progress": self._preparing.progress,
            "speed": self.speed,
            **self._observer.reading_of(simulation),
        } | self._chronicle.told()

    _HANDLERS: dict[str, Callable[[Session, dict[str, Any]], None]] = {
        "play": _play_or_pause,
        "pause": _play_or_pause,
        "step": _step,
        "speed": _speed,
        "select": _select,
        "pick": _pick,
        "extra": _set_extra,
        "look": lambda self, message: self.lookout.ask(message),
    }
