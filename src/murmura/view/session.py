"""A simulation that somebody watches: it owns its thread, takes commands between steps, publishes its last frame.

Nobody waits for anybody: commands go into a queue, the newest frame replaces the one before, and a watcher that
is slow misses frames. Every command that changes the flock is noted with its step, so a played session can be
played again.
"""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError, RunError, ScenarioError, nearest
from murmura.engine.clock import Clock
from murmura.engine.simulation import Simulation
from murmura.rules import Attractor, Threat
from murmura.rules.terrain import contains, shape_rows
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.view.frames import EXTRAS, encode

FRAME_SECONDS = 1.0 / 60.0
LONGEST_TURN = 0.05  # [s] a machine that cannot keep up shows slower motion, not fewer frames
STATUS_SECONDS = 0.2
MEASURE_SECONDS = 1.0
INSPECT_SECONDS = 0.1
REACH = 220.0  # [u] how far the hand attracts or repels in a world of 1,600 u; scaled with the world
MOST_AGENTS = 2_000_000
RESTARTS = ("agents", "world.", "start.", "species", "motion.velocity_unit", "motion.policy")


class Session:
    """One simulation with any number of watchers."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        backend: str = "auto",
        threads: int | None = None,
        speed: float = 1.0,
    ) -> None:
        self._backend, self._threads = backend, threads
        self._commands: queue.Queue[tuple[Any, Callable[[str], None]]] = queue.Queue()
        self._listeners: list[Callable[[], None]] = []
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._hash = ""
        self._rate = 0.0
        self._measures: dict[str, Any] = {}
        self._hand: dict[str, Any] | None = None
        self._selected: int | None = None
        self._extra = "density"
        self._refuse: Callable[[str], None] = lambda reason: None
        self.compiling = 0
        self.actions: list[dict[str, Any]] = []
        self.running = True
        self.speed = speed
        self.epoch = 0
        self.frame_number = 0
        self.frame = b""
        self.hello_number = 0
        self.scenario_number = 0
        self.alarm: dict[str, Any] | None = None
        self.status: dict[str, Any] = {}
        self.inspection: dict[str, Any] | None = None
        self.wanted = True
        self._start(scenario, seed)
        self._thread = threading.Thread(target=self._run, name="murmura-session", daemon=True)

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop the simulation's thread and wait for it."""
        self._closing.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=5.0)

    def submit(self, message: dict[str, Any], refuse: Callable[[str], None]) -> None:
        """Queue a command; `refuse` is called with the reason if it cannot be carried out."""
        self._commands.put((message, refuse))
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
        from murmura import __version__

        return {
            "type": "hello",
            "version": __version__,
            "scenario": self.scenario.model_dump(mode="json"),
            "schema": _schema(),
            "scenarios": [{"name": name, "title": _title(name)} for name in scenario_names()],
            "seed": self._simulation.seed,
            "running": self.running,
            "speed": self.speed,
            "species": [{"name": kind.name, "color": kind.color} for kind in self.scenario.species]
            or [{"name": "default", "color": "#4cc9f0"}],
        }

    def _start(self, scenario: Scenario, seed: int) -> None:
        if scenario.agents > MOST_AGENTS:
            raise ScenarioError(f"agents: the live view takes up to {MOST_AGENTS:,}, got {scenario.agents:,}")
        simulation = Simulation(self._with_hand(scenario), seed, self._backend, self._threads)
        self.scenario = scenario
        self._simulation = simulation
        self._clock = Clock(simulation, self.speed)
        self.epoch += 1
        self.hello_number += 1
        if self._selected is not None:
            self._deselect()
        self.actions = [
            {"step": 0, "type": "load", "scenario": scenario.model_dump(mode="json"), "seed": seed}
        ]

    def _with_hand(self, scenario: Scenario) -> Scenario:
        """The scenario with the visitor's hand in it; a hand that does nothing keeps the kernel the same."""
        world = scenario.world
        hand = self._hand or {"x": world.width / 2.0, "y": world.height / 2.0, "mode": "none"}
        scale = min(world.width, world.height) / 1000.0
        strength = {"attract": 4.0, "repel": -6.0, "scare": -6.0, "none": 0.0}[hand["mode"]]
        if hand["mode"] == "scare" and scenario.rules.fear.enabled:
            strength = 0.0
        point = Attractor(x=hand["x"], y=hand["y"], strength=strength, radius=REACH * scale)
        rules = scenario.rules
        points = rules.attractors.points if rules.attractors.enabled else ()
        changes: dict[str, Any] = {
            "attractors": rules.attractors.model_copy(update={"enabled": True, "points": (*points, point)})
        }
        if hand["mode"] == "scare" and rules.fear.enabled:
            threat = Threat(x=hand["x"], y=hand["y"], radius=0.8 * REACH * scale)
            changes["fear"] = rules.fear.model_copy(update={"threats": (*rules.fear.threats, threat)})
        return scenario.model_copy(update={"rules": rules.model_copy(update=changes)})

    def _run(self) -> None:
        last = time.perf_counter()
        due = dict.fromkeys(("frame", "status", "inspect", "measure"), 0.0)
        moved = True  # since the last frame: while paused, a change must not wait for the next one
        while not self._closing.is_set():
            changed = self._obey()
            now = time.perf_counter()
            steps = self._advance(min(now - last, LONGEST_TURN)) if self.running else 0
            self._rate = 0.95 * self._rate + 0.05 * steps / max(now - last, 1e-6)
            last = now
            now = time.perf_counter()
            news = changed
            moved = moved or changed or steps > 0
            if self.wanted and moved and now >= due["frame"]:
                moved = False
                self.frame = encode(self._simulation, self.epoch, self._extra)
                self.frame_number += 1
                self.wanted = False
                due["frame"] = now + FRAME_SECONDS * 0.9
                news = True
            if self._selected is not None and now >= due["inspect"]:
                due["inspect"] = now + INSPECT_SECONDS
                self._inspect()
                news = True
            if now >= due["measure"]:
                due["measure"] = now + MEASURE_SECONDS
                self._observe()
            if changed or now >= due["status"]:
                due["status"] = now + STATUS_SECONDS
                self._publish_status()
                news = True
            if news:
                for listener in list(self._listeners):
                    listener()
            self._wake.wait(
                max(0.0, FRAME_SECONDS / 2.0 - (time.perf_counter() - now)) if self.running else 0.05
            )
            self._wake.clear()

    def _advance(self, seconds: float) -> int:
        try:
            return self._clock.advance(seconds)
        except RunError as error:
            self._fail(error)
            return 1

    def _fail(self, error: RunError) -> None:
        """A flock that is no longer finite cannot be shown: begin anew, paused, and tell everybody why."""
        self.running = False
        self._start(self.scenario, self._simulation.seed)
        self.alarm = {"type": "error", "about": "run", "message": f"{error}. Paused at the beginning"}

    def _obey(self) -> bool:
        changed = False
        while True:
            try:
                message, refuse = self._commands.get_nowait()
            except queue.Empty:
                return changed
            self._refuse = refuse
            try:
                if callable(message):
                    message()
                else:
                    self._carry_out(message)
                changed = True
            except RunError as error:
                self._fail(error)
                changed = True
            except MurmuraError as error:
                refuse(str(error))
            except Exception as error:  # whatever a hostile message makes its readers raise
                refuse(f"{type(error).__name__}: {error}")

    def _carry_out(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        handler = self._HANDLERS.get(str(kind))
        if handler is None:
            raise ScenarioError(f"unknown command {kind!r}{nearest(str(kind), self._HANDLERS)}")
        handler(self, message)

    def _note(self, action: dict[str, Any]) -> None:
        """Remember what was done, in checked words only: a message may carry anything beside them."""
        if len(self.actions) < 100_000:
            self.actions.append({"step": self._simulation.step_count, **action})

    def _play(self, message: dict[str, Any]) -> None:
        self.running = True

    def _pause(self, message: dict[str, Any]) -> None:
        self.running = False

    def _step(self, message: dict[str, Any]) -> None:
        count = _number(message, "count", 1, 10_000, 1)
        if not count.is_integer():
            raise ScenarioError(f"count must be a whole number, got {count:g}")
        self.running = False
        self._simulation.step(int(count))

    def _speed(self, message: dict[str, Any]) -> None:
        self.speed = self._clock.speed = _number(message, "value", 0.05, 16.0)

    def _reset(self, message: dict[str, Any]) -> None:
        seed = message.get("seed")
        self._start(self.scenario, self._simulation.seed if seed is None else seed)

    def _load(self, message: dict[str, Any]) -> None:
        wanted = message["scenario"]
        scenario = load_shipped(wanted) if isinstance(wanted, str) else Scenario.from_data(wanted)
        self._start(scenario, self._simulation.seed)

    def _set(self, message: dict[str, Any]) -> None:
        values = message["values"]
        if not isinstance(values, dict):
            raise ScenarioError(f"values must be paths with their values, got {type(values).__name__}")
        scenario = self.scenario.with_values(values)
        if any(path.startswith(RESTARTS) for path in values):
            self._start(scenario, self._simulation.seed)
        elif self._simulation.takes_at_once(self._with_hand(scenario)):
            self._apply(values)
        else:
            self._prepare(self._with_hand(scenario), values)

    def _apply(self, values: dict[str, Any]) -> None:
        scenario = self.scenario.with_values(values)
        self._simulation.adopt(self._with_hand(scenario))
        self.scenario = scenario
        self._note({"type": "set", "values": values})
        self.scenario_number += 1

    def _prepare(self, scenario: Scenario, values: dict[str, Any]) -> None:
        """Compile beside the running flock; the change is made when its kernel is there."""
        simulation, refuse = self._simulation, self._refuse
        self.compiling += 1

        def work() -> None:
            problem: MurmuraError | None = None
            try:
                simulation.prepare(scenario)
            except MurmuraError as error:
                problem = error
            self._commands.put((lambda: self._prepared(values, problem), refuse))
            self._wake.set()

        threading.Thread(target=work, name="murmura-compile", daemon=True).start()

    def _prepared(self, values: dict[str, Any], problem: MurmuraError | None) -> None:
        self.compiling -= 1
        if problem is not None:
            raise problem
        self._apply(values)

    def _pointer(self, message: dict[str, Any]) -> None:
        mode = message.get("mode")
        if mode not in ("attract", "repel", "scare", "none"):
            raise ScenarioError(f"mode must be attract, repel, scare or none, got {mode!r}")
        x, y = _number(message, "x", -1e9, 1e9), _number(message, "y", -1e9, 1e9)
        self._hand = None if mode == "none" else {"x": x, "y": y, "mode": mode}
        self._simulation.adopt(self._with_hand(self.scenario))
        self._note({"type": "pointer", "x": x, "y": y, "mode": mode})

    def _select(self, message: dict[str, Any]) -> None:
        chosen = message.get("id")
        if chosen is None:
            self._deselect()
            return
        if isinstance(chosen, bool) or not isinstance(chosen, int):
            raise ScenarioError(f"id must be a whole number or null, got {chosen!r}")
        self._simulation.state.rows_of(chosen)
        self._selected = chosen

    def _deselect(self) -> None:
        self._selected = None
        self.inspection = {"type": "inspect", "id": None}

    def _pick(self, message: dict[str, Any]) -> None:
        x, y = _number(message, "x", -1e9, 1e9), _number(message, "y", -1e9, 1e9)
        simulation = self._simulation
        if simulation.agent_count:
            world = simulation.scenario.world
            offsets = simulation.positions.astype(np.float64) - (x, y)
            if world.boundary == "wrap":
                size = np.array([world.width, world.height])
                offsets -= size * np.round(offsets / size)
            self._selected = int(simulation.ids[np.argmin((offsets**2).sum(axis=1))])

    def _set_extra(self, message: dict[str, Any]) -> None:
        column = message.get("column")
        if column not in EXTRAS:
            raise ScenarioError(f"column must be one of {', '.join(EXTRAS)}, got {column!r}")
        self._extra = str(column)

    def _place(self, message: dict[str, Any]) -> None:
        kind = message.get("kind")
        keys = {"circle": ("x", "y", "radius"), "wall": ("points",)}.get(str(kind))
        if keys is None:
            raise ScenarioError(f"kind must be circle or wall, got {kind!r}")
        shape = {"kind": kind} | {key: message.get(key) for key in keys}
        self._rebuild([*self._obstacles(), shape], {"type": "place", **shape})

    def _erase(self, message: dict[str, Any]) -> None:
        x, y = _number(message, "x", -1e9, 1e9), _number(message, "y", -1e9, 1e9)
        distances = [_distance(shape, x, y) for shape in self.scenario.obstacles]
        if distances:
            obstacles = self._obstacles()
            del obstacles[distances.index(min(distances))]
            self._rebuild(obstacles, {"type": "erase", "x": x, "y": y})

    def _obstacles(self) -> list[dict[str, Any]]:
        return [shape.model_dump(mode="json") for shape in self.scenario.obstacles]

    def _rebuild(self, obstacles: list[dict[str, Any]], action: dict[str, Any]) -> None:
        scenario = Scenario.from_data(self.scenario.model_dump(mode="json") | {"obstacles": obstacles})
        self._simulation.adopt(self._with_hand(scenario))
        self.scenario = scenario
        self.scenario_number += 1
        self._note(action)

    def _inspect(self) -> None:
        simulation = self._simulation
        try:
            found = simulation.explain(int(self._selected or 0))
        except MurmuraError:
            self._deselect()
            return
        rows = simulation.state.rows_of(found["neighbors"])
        places = simulation.positions[rows]
        found["neighbors"] = [
            {"id": i, "x": float(x), "y": float(y)}
            for i, (x, y) in zip(found["neighbors"], places, strict=True)
        ]
        view = simulation.scenario.perception
        found["perception"] = {"radius": view.radius, "field_of_view": view.field_of_view}
        self.inspection = {"type": "inspect", **found}

    def _observe(self) -> None:
        from murmura.measure import cheap_measures, measure_flock

        simulation = self._simulation
        values = measure_flock(simulation.flock(), cheap_measures(simulation.agent_count))
        self._measures = {key: value if np.isfinite(value) else None for key, value in values.items()}
        self._hash = simulation.state_hash()[:12] if simulation.agent_count <= 20_000 else ""

    def _publish_status(self) -> None:
        simulation = self._simulation
        self.status = {
            "type": "status",
            "step": simulation.step_count,
            "time": simulation.time,
            "agents": simulation.agent_count,
            "hash": self._hash if self.running else simulation.state_hash()[:12],
            "steps_per_second": round(self._rate, 1) if self.running else 0.0,
            "running": self.running,
            "compiling": self.compiling > 0,
            "speed": self.speed,
            "measures": self._measures,
        }

    _HANDLERS: dict[str, Callable[[Session, dict[str, Any]], None]] = {
        "play": _play,
        "pause": _pause,
        "step": _step,
        "speed": _speed,
        "reset": _reset,
        "load": _load,
        "set": _set,
        "pointer": _pointer,
        "select": _select,
        "pick": _pick,
        "extra": _set_extra,
        "place": _place,
        "erase": _erase,
    }


def load_shipped(name: str) -> Scenario:
    """A shipped scenario by name: the page must not be able to name files of this machine."""
    if name not in scenario_names():
        raise ScenarioError(f"no shipped scenario is called {name!r}{nearest(name, scenario_names())}")
    return load_scenario(name)


def _number(
    message: dict[str, Any], key: str, low: float, high: float, default: float | None = None
) -> float:
    value = message.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ScenarioError(f"{key} must be a number from {low:g} to {high:g}, got {value!r}")
    return float(value)


@cache
def _schema() -> dict[str, Any]:
    return Scenario.model_json_schema()


@cache
def _title(name: str) -> str:
    return load_scenario(name).title


def _distance(shape: Any, x: float, y: float) -> float:
    """How far a place is from an obstacle [u]; 0 inside a solid one."""
    if contains(shape, x, y):
        return 0.0
    found = []
    for x0, y0, x1, y1, radius in shape_rows([shape], math.inf):
        along = (x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)
        part = min(max(along / max(math.dist((x0, y0), (x1, y1)) ** 2, 1e-12), 0.0), 1.0)
        found.append(math.hypot(x - x0 - part * (x1 - x0), y - y0 - part * (y1 - y0)) - radius)
    return min(found)
