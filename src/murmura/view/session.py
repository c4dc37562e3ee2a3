"""A simulation that somebody watches: it owns its thread, takes commands between steps, publishes its last frame.

Nobody waits for anybody: commands go into a queue, the newest frame replaces the one before, and a watcher that
is slow misses frames. Every command that changes the flock is noted with its step, so a played session can be
played again.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError, ScenarioError, nearest
from murmura.engine.clock import Clock
from murmura.engine.simulation import Simulation
from murmura.rules import Attractor, Circle, Threat, Wall
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.view.frames import EXTRAS, encode

FRAME_SECONDS = 1.0 / 60.0
STATUS_SECONDS = 0.2
MEASURE_SECONDS = 1.0
INSPECT_SECONDS = 0.1
REACH = 220.0  # [u] how far the hand attracts or repels in a world of 1,600 u; scaled with the world
MOST_AGENTS = 2_000_000
CHEAP_MEASURES = ("polarization", "milling", "mean_speed", "spread")
RESTARTS = ("agents", "world.", "start.", "species", "motion.velocity_unit", "motion.policy")


class Session:
    """One simulation with any number of watchers."""

    def __init__(
        self, scenario: Scenario, seed: int, backend: str = "auto", threads: int | None = None
    ) -> None:
        self._backend, self._threads = backend, threads
        self._commands: queue.Queue[tuple[dict[str, Any], Callable[[str], None]]] = queue.Queue()
        self._listeners: list[Callable[[], None]] = []
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._hash = ""
        self._rate = 0.0
        self._measures: dict[str, Any] = {}
        self._hand: dict[str, Any] | None = None
        self._selected: int | None = None
        self._extra = "density"
        self.actions: list[dict[str, Any]] = []
        self.running = True
        self.speed = 1.0
        self.epoch = 0
        self.frame_number = 0
        self.frame = b""
        self.hello_number = 0
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

        names = [{"name": name, "title": load_scenario(name).title} for name in scenario_names()]
        return {
            "type": "hello",
            "version": __version__,
            "scenario": self.scenario.model_dump(mode="json"),
            "schema": Scenario.model_json_schema(),
            "scenarios": names,
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
        self._selected = None
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
        changes: dict[str, Any] = {
            "attractors": rules.attractors.model_copy(
                update={"enabled": True, "points": (*rules.attractors.points, point)}
            )
        }
        if hand["mode"] == "scare" and rules.fear.enabled:
            threat = Threat(x=hand["x"], y=hand["y"], radius=0.8 * REACH * scale)
            changes["fear"] = rules.fear.model_copy(update={"threats": (*rules.fear.threats, threat)})
        return scenario.model_copy(update={"rules": rules.model_copy(update=changes)})

    def _run(self) -> None:
        last = time.perf_counter()
        due = dict.fromkeys(("frame", "status", "inspect", "measure"), 0.0)
        while not self._closing.is_set():
            changed = self._obey()
            now = time.perf_counter()
            steps = self._clock.advance(now - last) if self.running else 0
            self._rate = 0.95 * self._rate + 0.05 * steps / max(now - last, 1e-6)
            last = now
            now = time.perf_counter()
            news = changed
            if self.wanted and (steps or changed) and now >= due["frame"]:
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

    def _obey(self) -> bool:
        changed = False
        while True:
            try:
                message, refuse = self._commands.get_nowait()
            except queue.Empty:
                return changed
            try:
                self._carry_out(message)
                changed = True
            except MurmuraError as error:
                refuse(str(error))
            except (KeyError, TypeError, ValueError) as error:
                refuse(f"{message.get('type')}: {type(error).__name__}: {error}")

    def _carry_out(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        handler = self._HANDLERS.get(str(kind))
        if handler is None:
            raise ScenarioError(f"unknown command {kind!r}{nearest(str(kind), self._HANDLERS)}")
        handler(self, message)

    def _note(self, message: dict[str, Any]) -> None:
        if len(self.actions) < 100_000:
            self.actions.append({"step": self._simulation.step_count, **message})

    def _play(self, message: dict[str, Any]) -> None:
        self.running = True

    def _pause(self, message: dict[str, Any]) -> None:
        self.running = False

    def _step(self, message: dict[str, Any]) -> None:
        count = _number(message, "count", 1, 10_000, 1)
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
        else:
            self._simulation.adopt(self._with_hand(scenario))
            self.scenario = scenario
            self._note(message)
        self.hello_number += 1

    def _pointer(self, message: dict[str, Any]) -> None:
        mode = message.get("mode")
        if mode not in ("attract", "repel", "scare", "none"):
            raise ScenarioError(f"mode must be attract, repel, scare or none, got {mode!r}")
        x, y = _number(message, "x", -1e9, 1e9), _number(message, "y", -1e9, 1e9)
        self._hand = None if mode == "none" else {"x": x, "y": y, "mode": mode}
        self._simulation.adopt(self._with_hand(self.scenario))
        self._note(message)

    def _select(self, message: dict[str, Any]) -> None:
        chosen = message.get("id")
        if chosen is not None:
            self._simulation.state.rows_of(chosen)
        self._selected = chosen
        if chosen is None:
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
        if message.get("kind") == "circle":
            shape: Any = Circle(
                x=_number(message, "x", -1e9, 1e9),
                y=_number(message, "y", -1e9, 1e9),
                radius=_number(message, "radius", 0.1, 1e6),
            )
        else:
            shape = Wall.model_validate_json(_json({"points": message["points"]}))
        self._rebuild((*self.scenario.obstacles, shape), message)

    def _erase(self, message: dict[str, Any]) -> None:
        x, y = _number(message, "x", -1e9, 1e9), _number(message, "y", -1e9, 1e9)
        obstacles = list(self.scenario.obstacles)
        if obstacles:
            obstacles.remove(min(obstacles, key=lambda shape: _distance(shape, x, y)))
            self._rebuild(tuple(obstacles), message)

    def _rebuild(self, obstacles: tuple[Any, ...], message: dict[str, Any]) -> None:
        data = self.scenario.model_dump(mode="json") | {
            "obstacles": [o.model_dump(mode="json") for o in obstacles]
        }
        scenario = Scenario.from_data(data)
        self._simulation.adopt(self._with_hand(scenario))
        self.scenario = scenario
        self.hello_number += 1
        self._note(message)

    def _inspect(self) -> None:
        simulation = self._simulation
        try:
            found = simulation.explain(int(self._selected or 0))
        except MurmuraError:
            self._selected = None
            self.inspection = {"type": "inspect", "id": None}
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
        from murmura.measure import measure_flock

        simulation = self._simulation
        names = None if simulation.agent_count <= 5_000 else CHEAP_MEASURES
        values = measure_flock(simulation.flock(), names)
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


def _json(data: Any) -> str:
    import json

    return json.dumps(data)


def _distance(shape: Any, x: float, y: float) -> float:
    points = [(shape.x, shape.y)] if isinstance(shape, Circle) else shape.points
    return min((px - x) ** 2 + (py - y) ** 2 for px, py in points)
