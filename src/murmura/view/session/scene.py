"""A simulation and every change made to it: the part of a session that can be replayed exactly.

A message becomes a `Change`, which is applied between two steps and recorded with its step. So a session is a function
of its recorded actions: applying them at the same steps gives the same bits. Pace, pausing, selecting and drawing are
not here, since they change nothing.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError, ScenarioError, nearest
from murmura.engine.census import hunting_species
from murmura.engine.reading.surroundings import hunters
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.scenario.paths import is_species_value
from murmura.view.session.messages import Message, number_of, place_of, with_height
from murmura.view.session.placement import MOVABLE, PLACEABLE, with_object, with_object_moved, without_object
from murmura.view.session.tools import STRENGTHS, Hand, with_hand

MOST_AGENTS = 2_000_000
SPARING_UP_TO = 150_000  # agents; beyond, a step on one core takes longer than a frame
LARGEST_RECORD = 32 * 2**20  # bytes of actions; hours of dragging
RESTARTS = ("agents", "world.", "start.", "species", "motion.velocity_unit", "motion.policy")
END = "end"


@dataclass(frozen=True)
class Newcomer:
    """An agent that joins a running flock: its species' number and its place [u]."""

    species: int
    x: float
    y: float
    z: float | None = None  # none: half way up, where the world has a depth


@dataclass(frozen=True)
class Change:
    """What a message changes in the scene, and the action that is recorded for it."""

    scenario: Scenario
    hand: Hand | None
    action: dict[str, Any]
    seed: int | None = None  # restart with this seed
    loads: bool = False  # another scenario, not a change of the current one
    added: Newcomer | None = None  # joins the flock
    removed: int | None = None  # the id of an agent to remove

    @cached_property
    def aim(self) -> Scenario:
        """What the simulation will run; the same object each time, so that it is planned once."""
        return with_hand(self.scenario, self.hand)


class Scene:
    """One simulation, the scenario as its visitors know it, and the actions they took.

    Args:
        begin: A scenario, or a simulation to take over as it is.
        seed: For a scenario.
        backend: As for a simulation.
        threads: As for a simulation.
        spare_a_core: Whether to leave a core to others, if `threads` is None.
        defer_build: Do not wait for a kernel: the flock then stands, not `is_ready` to step, until `replace_simulation`
            is given what `build` made of it in another thread.
    """

    is_ready = True
    changes = 0  # applied so far

    def __init__(
        self,
        begin: Scenario | Simulation,
        seed: int = 0,
        backend: str = "auto",
        threads: int | None = None,
        spare_a_core: bool = True,
        defer_build: bool = False,
    ) -> None:
        self.hand: Hand | None = None
        self.scenario: Scenario
        self.loaded: Scenario
        self.simulation: Simulation
        self.actions: list[dict[str, Any]] = []
        self.coming: deque[dict[str, Any]] = deque()
        self.epoch = 0
        self.loads = 0
        self._backend, self._threads, self._spared = backend, threads, int(spare_a_core)
        self._defer_build = defer_build
        self._size = 0
        self._full: tuple[int, str] | None = None
        self.is_exact = isinstance(begin, Scenario)
        """Whether the actions alone reproduce the flock. They do not if it had stepped before this scene began."""
        if isinstance(begin, Scenario):
            _check_size(begin)
            self._apply(Change(begin, None, _load_action(begin, seed), seed, loads=True))
        else:
            self._backend, self._threads = begin.backend, begin.threads
            self.scenario = self.loaded = begin.scenario
            self.simulation = begin
            begin.adopt(with_hand(begin.scenario, None))

    @property
    def flock(self) -> Simulation:
        return self.simulation

    def step(self, count: int = 1) -> None:
        """Advance by whole steps, and replay actions when they are due."""
        self._replay_due_actions()
        while count and self.is_ready and not self.has_ended:
            wait = self.coming[0]["step"] - self.simulation.step_count if self.coming else count
            ahead = min(count, wait)
            self.simulation.step(ahead)
            count -= ahead
            self._replay_due_actions()

    def play(self, actions: Iterable[dict[str, Any]]) -> None:
        """Replay recorded actions at their steps, as the scene is stepped."""
        self.coming = deque(actions)

    @property
    def has_ended(self) -> bool:
        """Whether the replay ends here."""
        return len(self.coming) == 1 and self.coming[0]["type"] == END and self._is_due()

    def _is_due(self) -> bool:
        return bool(self.coming) and self.coming[0]["step"] <= self.simulation.step_count

    def _replay_due_actions(self) -> None:
        while self._is_due() and self.is_ready and not self.has_ended:
            action = self.coming.popleft()
            try:
                self._apply(self.outcome(action))
            except MurmuraError:
                raise
            except Exception as error:  # a damaged file may make its reader raise anything
                raise ScenarioError(f"{str(action)[:200]}: {type(error).__name__}: {error}") from error

    def carry_out(self, message: Message) -> None:
        """Apply a visitor's message. A replay ends here."""
        self.apply(self.outcome(message))

    def apply(self, change: Change) -> None:
        """Apply a visitor's change. A replay ends here."""
        self._apply(change)
        self.coming.clear()

    def outcome(self, message: Message) -> Change:
        """The change that a message asks for; nothing has changed yet."""
        kind = message.get("type")
        read = _CHANGES.get(str(kind))
        if read is None:
            raise ScenarioError(f"unknown command {kind!r}{nearest(str(kind), _CHANGES)}")
        change = read(self, message)
        _check_size(change.scenario)
        return change

    def restart(self, step: int) -> None:
        """Begin again with the same flock, after the run failed at this step."""
        change = self.outcome({"type": "reset"})
        self._apply(change, step)

    def _apply(self, change: Change, step: int | None = None) -> None:
        action = {"step": step if step is not None else self._step_count(), **change.action}
        if change.seed is None:
            self._retune(change.aim)
        else:
            self._begin(change.aim, change.seed)
            self.epoch += 1
        self.changes += 1
        if change.added is not None:
            self._add(change.added)
        if change.removed is not None:
            self.simulation.remove_agents([change.removed])
        self.loads += change.loads
        if change.loads:
            self.loaded = change.scenario
        self.scenario, self.hand = change.scenario, change.hand
        self._record_action(action)

    def _begin(self, aim: Scenario, seed: int) -> None:
        self.is_ready = not self._defer_build or self._is_compiled(aim)
        if self.is_ready:
            self.simulation = Simulation(aim, seed, self._backend, self._thread_count(aim.agents))
        else:  # the reference needs no compiler; it only shows the start
            self.simulation = Simulation(aim, seed, "reference", announce=None)

    def _retune(self, aim: Scenario) -> None:
        if self._defer_build and self.is_ready and not self.simulation.is_prepared(aim):
            self.simulation, self.is_ready = self.simulation.on("reference", announce=None), False
        self.simulation.adopt(aim)

    def _is_compiled(self, aim: Scenario) -> bool:
        """Whether a new simulation will find its kernel in this process."""
        if not self.epoch and self.is_exact:
            return self._backend == "reference"
        return self.is_ready and self.simulation.is_prepared(aim)

    def build(self, standing: Simulation, announce: Callable[[str], None] | None) -> Simulation:
        """Build a simulation that can step from one that stands. Takes long; may be called from any thread."""
        return standing.on(self._backend, self._thread_count(standing.scenario.agents), announce)

    def replace_simulation(self, simulation: Simulation) -> None:
        """Go on with what `build` returned for the current flock."""
        self.simulation, self.is_ready = simulation, True

    def _thread_count(self, agents: int) -> int | None:
        return self._threads or self._usual_threads(agents)

    def _add(self, one: Newcomer) -> None:
        """Add an agent that moves towards the middle of the world at half its top speed."""
        world = self.scenario.world
        way = (world.width / 2.0 - one.x, world.height / 2.0 - one.y)
        far = math.hypot(*way)
        pace = 0.5 * self.scenario.of_species(one.species).motion.max_speed
        velocity = [pace * way[0] / far, pace * way[1] / far] if far > 0.0 else [pace, 0.0]
        place = [one.x, one.y]
        if world.depth is not None:
            place, velocity = [*place, world.depth / 2.0 if one.z is None else one.z], [*velocity, 0.0]
        self.simulation.add_agents([place], [velocity], {"species_id": [one.species]})

    def _usual_threads(self, agents: int) -> int | None:
        """By default leave a core to the server and the browser, while the others can keep the pace."""
        if self._backend == "reference":
            return None
        from murmura.compute.cpu import usual_threads

        return usual_threads(agents, self._spared if agents <= SPARING_UP_TO else 0)

    def _step_count(self) -> int:
        return self.simulation.step_count if self.epoch or not self.is_exact else 0

    def _record_action(self, action: dict[str, Any]) -> None:
        if self._full:
            return
        self._size += len(json.dumps(action))
        if self._size > LARGEST_RECORD:
            # What was recorded so far stays exact; it ends here.
            self._full = (self.simulation.step_count, self.simulation.state_hash())
            return
        self.actions.append(action)

    def record(self) -> dict[str, Any]:
        """The actions and the hash of the state they lead to, as JSON data (`murmura replay` reads it)."""
        from murmura import __version__

        if not self.is_exact:
            raise ScenarioError(
                "this view began with a flock that had stepped before, so its actions alone do not reproduce it; "
                "save the simulation itself"
            )
        step, state_hash = self._full or (self.simulation.step_count, self.simulation.state_hash())
        return {
            "murmura": __version__,
            "backend": self.simulation.backend if self.is_ready else self._backend,
            "actions": list(self.actions),
            END: {"step": step, "hash": state_hash},
        }

    def _load(self, message: Message) -> Change:
        wanted = message.get("scenario")
        scenario = load_shipped(wanted) if isinstance(wanted, str) else Scenario.from_data(wanted)
        seed = self._seed(message)
        return Change(scenario, self.hand, _load_action(scenario, seed), seed, loads=True)

    def _reset(self, message: Message) -> Change:
        seed = self._seed(message)
        return Change(self.scenario, self.hand, {"type": "reset", "seed": seed}, seed)

    def _seed(self, message: Message) -> int:
        seed = message.get("seed")
        if seed is None:
            return self.simulation.seed
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise ScenarioError(f"seed must be a whole number from 0 to 2**64 - 1, got {seed!r}")
        return seed

    def _set(self, message: Message) -> Change:
        values = message.get("values")
        if not isinstance(values, dict):
            raise ScenarioError(f"values must be paths with their values, got {type(values).__name__}")
        scenario = self.scenario.with_values(values)
        note: dict[str, Any] = {"type": "set", "values": dict(values)}
        restarts = begins_anew(values)
        if restarts and set(values) == {"species"} and _same_kinds(self.scenario, scenario):
            restarts = note["restarts"] = False  # said, since whoever counts steps knows no scenarios
        return Change(scenario, self.hand, note, self.simulation.seed if restarts else None)

    def _window(self, message: Message) -> Change:
        """The world takes the size of a window, and the flock goes on in it (S1-2)."""
        size = {side: number_of(message, side, 1.0, 100_000.0) for side in ("width", "height")}
        values = {f"world.{side}": length for side, length in size.items()}
        return Change(self.scenario.with_values(values), self.hand, {"type": "window", **size})

    def _pointer(self, message: Message) -> Change:
        wanted = message.get("mode")
        mode = next((known for known in STRENGTHS if known == wanted), None)
        if mode is None:
            raise ScenarioError(f"mode must be attract, repel, scare or none, got {wanted!r}")
        x, y = place_of(message)
        height = with_height(self.scenario, message)
        hand = None if mode == "none" else Hand(x, y, mode, **height)
        return Change(self.scenario, hand, {"type": "pointer", "x": x, "y": y, **height, "mode": mode})

    def _place(self, message: Message) -> Change:
        kind = message.get("kind")
        keys = PLACEABLE.get(str(kind))
        if keys is None:
            raise ScenarioError(f"kind must be {' or '.join(PLACEABLE)}, got {kind!r}")
        placed = (
            {"kind": kind} | {key: message.get(key) for key in keys} | with_height(self.scenario, message)
        )
        action = {"type": "place", **placed}
        names = [self.scenario.species[k].name for k in hunting_species(self.scenario)]
        if kind == "predator" and placed["species"] in names:
            number = self.scenario.species_names().index(placed["species"])
            return Change(
                self.scenario, self.hand, action, added=Newcomer(number, *place_of(message), placed.get("z"))
            )
        return Change(with_object(self.scenario, placed), self.hand, action)

    def _erase(self, message: Message) -> Change:
        x, y = place_of(message)
        kind = message.get("kind")
        height = with_height(self.scenario, message)
        action = {"type": "erase", "x": x, "y": y} | height | ({"kind": kind} if kind is not None else {})
        alive = hunters(self.simulation) if kind == "predator" else []
        removed = self._hunter_near(x, y, **height) if kind == "predator" and not alive else None
        if removed is not None:
            return Change(self.scenario, self.hand, action, removed=removed)
        scenario = without_object(self.scenario, kind, x, y, alive, **height)
        return Change(scenario, self.hand, action)

    def _hunter_near(self, x: float, y: float, z: float | None = None) -> int | None:
        """The id of the nearest member of a species that hunts."""
        simulation = self.simulation
        rows = np.isin(simulation.state["species_id"], hunting_species(self.scenario))
        if not rows.any():
            return None
        place = (x, y) if z is None else (x, y, z)
        far = np.linalg.norm(simulation.positions[rows, : len(place)].astype(float) - place, axis=1)
        return int(simulation.ids[rows][np.argmin(far)])

    def _move(self, message: Message) -> Change:
        kind = message.get("kind")
        if kind not in MOVABLE:
            raise ScenarioError(f"kind must be {' or '.join(MOVABLE)}, got {kind!r}")
        x, y = place_of(message)
        to_x, to_y = (number_of(message, key, -1e9, 1e9) for key in ("to_x", "to_y"))
        heights = with_height(self.scenario, message) | with_height(self.scenario, message, "to_z")
        action = {"type": "move", "kind": kind, "x": x, "y": y, "to_x": to_x, "to_y": to_y} | heights
        from_, to = (
            ((x, y), (to_x, to_y))
            if len(heights) < 2
            else ((x, y, heights["z"]), (to_x, to_y, heights["to_z"]))
        )
        return Change(with_object_moved(self.scenario, str(kind), from_, to), self.hand, action)


_CHANGES: dict[str, Callable[[Scene, Message], Change]] = {
    "load": Scene._load,
    "reset": Scene._reset,
    "set": Scene._set,
    "window": Scene._window,
    "pointer": Scene._pointer,
    "place": Scene._place,
    "erase": Scene._erase,
    "move": Scene._move,
}
CHANGES = tuple(_CHANGES)


def begins_anew(values: Mapping[str, Any]) -> bool:
    """Whether a flock with these values is another one, from its start."""
    return any(str(path).startswith(RESTARTS) and not is_species_value(path) for path in values)


def _check_size(scenario: Scenario) -> None:
    if scenario.agents > MOST_AGENTS:
        raise ScenarioError(f"agents: the live view takes up to {MOST_AGENTS:,}, got {scenario.agents:,}")


def _same_kinds(before: Scenario, after: Scenario) -> bool:
    """Whether the same species share the flock in the same parts: then only their numbers and wishes changed."""
    kinds = [[(kind.name, kind.share) for kind in scenario.species] for scenario in (before, after)]
    return kinds[0] == kinds[1]


def load_shipped(name: str) -> Scenario:
    """A shipped scenario by name: the page must not be able to name files of this machine."""
    if name not in scenario_names():
        raise ScenarioError(f"no shipped scenario is called {name!r}{nearest(name, scenario_names())}")
    return load_scenario(name)


def _load_action(scenario: Scenario, seed: int) -> dict[str, Any]:
    return {"type": "load", "scenario": scenario.model_dump(mode="json"), "seed": seed}
