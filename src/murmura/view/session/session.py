"""A scene in its own thread, which executes commands between steps and publishes frames.

Nothing blocks: commands are queued; a new frame replaces the previous one, so slow subscribers miss frames; and
kernels are compiled in other threads while the flock continues or, if it is new, waits at its start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from murmura.core.errors import MurmuraError, RunError, ScenarioError, nearest
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.command_queue import CommandQueue, Refuse
from murmura.view.session.commands import COMMANDS
from murmura.view.session.compile_queue import CompileQueue
from murmura.view.session.editing.changes import CHANGES
from murmura.view.session.editor import WITHDRAW, Editor
from murmura.view.session.observing.observer import Pace
from murmura.view.session.pacing import FRAME_SECONDS, Pacing
from murmura.view.session.past import Past
from murmura.view.session.publisher import Publisher
from murmura.view.session.scene import Scene
from murmura.view.session.source import ShownFlock, Source
from murmura.view.wire.frames import load_packer_soon
from murmura.view.wire.hello import hello_facts, loaded_facts

LONGEST_TURN = 0.05  # [s] for commands before the next frame is due
STATUS_SECONDS = 0.2
INSPECT_SECONDS = 0.1
RECORDED = "a recording cannot be changed: continue live from here first"


class Turn:
    """When the session's thread last did what, and whether the flock has moved since the last frame."""

    def __init__(self) -> None:
        self.frames, self.statuses = Pace(FRAME_SECONDS, 0.5), Pace(STATUS_SECONDS)
        self.inspections = Pace(INSPECT_SECONDS)
        self.begun = self.stepped = time.perf_counter()  # the last time
        self.moved = True  # a change while paused must be shown too


class Session(Publisher):
    """One source of frames with any number of subscribers.

    Args:
        begin: A scenario, a simulation to take over as it is, or another source.
        seed: For a scenario.
        backend: As for a simulation.
        threads: By default all cores; for a flock that does not need them all, one is left to the browser.
        speed: Simulated seconds per second; by default each scenario's `display.speed`.
        good_moments: Show shipped scenarios first at a step where they look good, not at their random start.
    """

    keeps_past = True
    """Whether a live flock can go back in time."""

    def __init__(
        self,
        begin: Scenario | Simulation | Source,
        seed: int = 0,
        backend: str = "auto",
        threads: int | None = None,
        speed: float | None = None,
        good_moments: bool = False,
    ) -> None:
        super().__init__()
        if isinstance(begin, Scenario | Simulation):
            begin = Scene(begin, seed, backend, threads, defer_build=True, good_moments=good_moments)
        self.running = True
        self.on_build_failure: Callable[[MurmuraError], None] = lambda problem: None
        """Called if the kernel of the first scenario cannot be built."""
        self.closers: list[Callable[[], None]] = []
        """Called when this closes."""
        self._wake = threading.Event()
        self._queue = CommandQueue(self._wake.set)
        self._asks_scenario = speed is None
        self.pacing = Pacing(begin, begin.scenario.display.speed if speed is None else speed)
        self._show(begin)
        self._loads = self._loads_now
        self._shown = (self.source.epoch, self.scenario)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="murmura-session", daemon=True)

    def _show(self, source: Source) -> None:
        """Switch to a source."""
        self.source = source
        self.pacing.show(source)
        self._editor: Editor | None = None
        self.past: Past | None = None
        if isinstance(source, Scene):
            self._editor = Editor(source, CompileQueue(self._soon), self._build_failed)
            if self.keeps_past:
                self.past = Past(source, self.watch.feed)

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
    def speed(self) -> float:
        """Simulated seconds shown for each second."""
        return self.pacing.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self.pacing.speed = speed

    @property
    def simulation(self) -> ShownFlock:
        """The shown flock: a simulation or a recorded frame."""
        return self.source.flock

    def open(self) -> None:
        self._thread.start()

    def close(self, patience: float = 30.0) -> None:
        """Stop the simulation's thread and wait for it for a limited time: it may be compiling."""
        for close in self.closers:
            close()
        self._closing.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(patience)

    def submit(self, message: dict[str, Any], refuse: Refuse) -> None:
        """Queue a command; `refuse` is called with the reason if it fails."""
        if not isinstance(message.get("type"), str):
            refuse(f"type must be the name of a command, got {type(message.get('type')).__name__}")
            return
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

    def ask_frame(self) -> None:
        """Request the next frame, for a subscriber that has drawn the last one."""
        self.wanted = True
        self._wake.set()

    def hello(self) -> dict[str, Any]:
        """The first message to a page."""
        own = {"type": "hello", "seed": self.simulation.seed, "running": self.running, "speed": self.speed}
        return own | hello_facts(self.scenario) | loaded_facts(self.source.loaded)

    def _run(self) -> None:
        self.hello()  # creates the schema (0.2 s) now: a page that waits for it must not wait for tracing
        turn = Turn()
        while not self._closing.is_set():
            try:
                has_news = self._take_turn(turn)
            except Exception as error:  # the thread must live on, or no page would hear anything again
                # The same might come again with every step.
                self.running, self.pacing.left = False, 0
                self._tell_of_fault(error)
                has_news = True
            if has_news:
                self._tell_listeners()
            self._rest(turn.stepped)

    def _take_turn(self, turn: Turn) -> bool:
        """Execute commands, step, and publish what is due; return whether there is anything new."""
        before = self.simulation.step_count
        changed = self._run_commands()
        begun, turn.begun = turn.begun, time.perf_counter()
        seconds = turn.begun - begun
        self.pacing.count(self._advance(seconds) if self.running and self.source.is_ready else 0, seconds)
        turn.stepped = now = time.perf_counter()
        self._follow_scene()
        turn.moved = turn.moved or changed or self.simulation.step_count != before
        has_news = changed
        if self.wanted and turn.moved and turn.frames.is_due(now):
            if self._publish_frame():
                turn.moved = self.wanted = False
                turn.frames.done(time.perf_counter())
                has_news = True
        if self.watch.is_close and turn.inspections.is_due(now):
            self.watch.look(self.simulation)
            turn.inspections.done(time.perf_counter())
            has_news = True
        if self.source.is_ready and not self.first_picture.is_awaited(self.source.epoch):
            load_packer_soon()
            self.watch.observer.observe(self.simulation, now)
        self.watch.record(self.source.epoch, self.simulation, now)
        if self.past is not None:
            self.past.keep(now)
        if turn.statuses.is_due(now, anyway=changed):
            self._publish_status()
            turn.statuses.done(time.perf_counter())
            has_news = True
        return has_news

    def _rest(self, now: float) -> None:
        if self.pacing.left and self.source.is_ready:
            return
        moves = self.running and self.source.is_ready
        rest = FRAME_SECONDS / 2.0 - (time.perf_counter() - now) if moves else 0.05
        self._wake.wait(max(0.0, rest))
        self._wake.clear()

    def _advance(self, seconds: float) -> int:
        """Advance in real time; return how many steps were taken."""
        good = self.simulation.step_count
        try:
            steps = self.pacing.advance(seconds)
        except RunError as error:
            self._fail(error, good)
            return 0
        except MurmuraError as error:  # a replayed action failed: stop there
            self._end_replay()
            self._tell_of_problem("replay", str(error))
            return 0
        if self.source.has_ended:
            self._end_replay()
        return steps

    def _end_replay(self) -> None:
        self.running = False
        if self.is_live:
            self.scene.coming.clear()

    def _fail(self, error: RunError, step: int) -> None:
        """The state is no longer finite and cannot be shown: restart, paused, and say why."""
        self.running, self.pacing.left = False, 0
        if self.is_live:
            self.scene.restart(step)
        self._tell_of_problem("run", f"{error}. Paused at the beginning")

    def _build_failed(self, problem: MurmuraError) -> None:
        """The kernel of the flock that is shown cannot be built."""
        self._tell_of_problem("load", str(problem))
        if self.scene.loads == 1:
            self.on_build_failure(problem)

    def _follow_scene(self) -> None:
        """Count changes of the scene, so that subscribers can detect them."""
        epoch, scenario = self._shown
        self._shown = (self.source.epoch, self.scenario)
        self._follow_display_speed()
        if epoch != self.source.epoch:
            self.hello_number += 1
            self.watch.begin()
        elif scenario is not self.scenario:
            self.scenario_log.note(scenario, self.scenario)

    @property
    def _loads_now(self) -> int:
        return self.scene.loads if self.is_live else 0

    def _follow_display_speed(self) -> None:
        """Use the speed of a newly loaded scenario, unless the user set one."""
        if self._loads != self._loads_now and self._asks_scenario:
            self.speed = self.scenario.display.speed
        self._loads = self._loads_now

    def _run_commands(self) -> bool:
        """Execute pending commands in order; return whether anything changed."""
        changed = False
        deadline = time.perf_counter() + LONGEST_TURN
        while True:
            if self._editor is not None and not self.first_picture.is_awaited(self.source.epoch):
                self._editor.build_if_needed()
            if self._is_superseded():
                self.pacing.left = 0
            if self.pacing.left and not self._queue.is_urgent:
                if not self.source.is_ready:
                    return changed  # later commands are meant for the flock after these steps
                changed |= self._attempt(self.pacing.step_on, lambda reason: None)
                if time.perf_counter() > deadline:
                    return changed
                continue
            entry = self._queue.take()
            if entry is None:
                return changed
            changed |= self._attempt(*entry)

    def _is_superseded(self) -> bool:
        """Whether steps are pending for a flock that is not ready and is to be replaced, or towards another moment."""
        if not self.pacing.left:
            return False
        replaced = not self.source.is_ready and self._queue.has_any("load", "reset")
        return replaced or self._queue.has_any("seek", "present")

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
        if kind in CHANGES or kind == WITHDRAW:
            self._change(message, refuse)
            return
        handler = COMMANDS.get(str(kind))
        if handler is None:
            known = (*COMMANDS, *CHANGES, WITHDRAW)
            raise ScenarioError(f"unknown command {kind!r}{nearest(str(kind), known)}")
        handler(self, message)

    def _change(self, message: dict[str, Any], refuse: Refuse) -> None:
        if self._editor is None:
            raise ScenarioError(RECORDED)
        self._editor.change(message, refuse)

    def seek(self, step: int) -> None:
        """Pause at an earlier step of a live flock."""
        before = self.source.epoch
        left = self._known_past.seek(step)
        self.pause_and_step(left)
        if before != self.source.epoch:
            self._jumped()

    def turn_back(self) -> None:
        """Show the flock where the user was before going back, or before a branch."""
        self._known_past.turn_back()
        self.pacing.left = 0
        self._jumped()

    @property
    def _known_past(self) -> Past:
        if self.past is None:
            raise ScenarioError("this view cannot go back in time")
        return self.past

    def _jumped(self) -> None:
        """The same flock is shown at another step: pages need no hello, only what differs in its scenario."""
        self._shown = (self.source.epoch, self._shown[1])
        self.watch.jumped()

    def pause_and_step(self, count: int) -> None:
        """Pause and take this many steps."""
        self.running, self.pacing.left = False, count

    def _publish_frame(self) -> bool:
        return self._capture_frame(self.source)

    def _state_hash(self) -> str:
        return self.watch.state_hash(self.source.epoch, self.simulation, self.running)

    def _publish_status(self) -> None:
        simulation, editor = self.simulation, self._editor
        self.status = {
            "type": "status",
            "step": simulation.step_count,
            "time": simulation.time,
            "agents": simulation.agent_count,
            "hash": self._state_hash(),
            "steps_per_second": round(self.pacing.rate, 1) if self.running else 0.0,
            "running": self.running,
            "compiling": editor is not None and editor.is_compiling,
            "progress": "" if editor is None else editor.progress,
            "speed": self.speed,
            **self.watch.report(simulation),
            **({} if self.past is None else {"past": self.past.time_line()}),
        }
