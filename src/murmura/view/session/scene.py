"""A simulation and every change made to it: the part of a session that can be replayed exactly.

A message becomes a `Change`, which is applied between two steps and recorded with its step. So a session is a function
of its recorded actions: applying them at the same steps gives the same bits. Speed, pausing, selection and drawing are
not part of it, because they do not affect the flock.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.editing.changes import AddedAgent, Change, change_of, check_size, load_action
from murmura.view.session.editing.messages import Message
from murmura.view.session.editing.tools import Pointer, with_pointer

SPARING_UP_TO = 150_000  # agents; above this, a step on one core takes longer than a frame
LARGEST_RECORD = 32 * 2**20  # bytes of actions: enough for hours of dragging
END = "end"


class Scene:
    """One simulation, its scenario without the pointer, and the recorded actions.

    Args:
        begin: A scenario, or a simulation to take over as it is.
        seed: For a scenario.
        backend: As for a simulation.
        threads: As for a simulation.
        spare_a_core: Whether to leave a core to others, if `threads` is None.
        defer_build: Do not wait for a kernel: the flock does not move, because it is not `is_ready`, until
            `replace_simulation` receives what `build` made of it in another thread.
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
        self.pointer: Pointer | None = None
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
        """Whether the actions alone reproduce the flock. False if it had stepped before this scene was created."""
        if isinstance(begin, Scenario):
            check_size(begin)
            self._apply(Change(begin, None, load_action(begin, seed), seed, loads=True))
        else:
            self._backend, self._threads = begin.backend, begin.threads
            self.scenario = self.loaded = begin.scenario
            self.simulation = begin
            begin.adopt(with_pointer(begin.scenario, None))

    @property
    def flock(self) -> Simulation:
        return self.simulation

    def step(self, count: int = 1) -> None:
        """Advance by whole steps and replay the actions that are due."""
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
            except Exception as error:  # a damaged file may raise anything
                raise ScenarioError(f"{str(action)[:200]}: {type(error).__name__}: {error}") from error

    def carry_out(self, message: Message) -> None:
        """Apply a message of a page. This ends a replay."""
        self.apply(self.outcome(message))

    def apply(self, change: Change) -> None:
        """Apply a change made by a page. This ends a replay."""
        self._apply(change)
        self.coming.clear()

    def outcome(self, message: Message) -> Change:
        """The change that a message requests, not yet applied."""
        return change_of(self, message)

    def restart(self, step: int) -> None:
        """Restart the same flock, after the run failed at this step."""
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
        self.scenario, self.pointer = change.scenario, change.pointer
        self._record_action(action)

    def _begin(self, aim: Scenario, seed: int) -> None:
        self.is_ready = not self._defer_build or self._is_compiled(aim)
        if self.is_ready:
            self.simulation = Simulation(aim, seed, self._backend, self._thread_count(aim.agents))
        else:  # the reference backend needs no compiler; it only shows the start
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
        """Build a simulation that can step from one that cannot. Slow; may be called from any thread."""
        return standing.on(self._backend, self._thread_count(standing.scenario.agents), announce)

    def replace_simulation(self, simulation: Simulation) -> None:
        """Continue with what `build` returned for the current flock."""
        self.simulation, self.is_ready = simulation, True

    def _thread_count(self, agents: int) -> int | None:
        return self._threads or self._usual_threads(agents)

    def _add(self, one: AddedAgent) -> None:
        """Add an agent that moves towards the centre of the world at half its greatest speed."""
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
        """By default, leave a core to the server and the browser as long as the others keep up."""
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
            # The record so far stays exact; it ends here.
            self._full = (self.simulation.step_count, self.simulation.state_hash())
            return
        self.actions.append(action)

    def record(self) -> dict[str, Any]:
        """The actions and the hash of the state they lead to, as JSON data (`murmura replay` reads it)."""
        from murmura import __version__

        if not self.is_exact:
            raise ScenarioError(
                "this view started with a flock that had already stepped, so its actions alone do not reproduce it; "
                "save the simulation itself"
            )
        step, state_hash = self._full or (self.simulation.step_count, self.simulation.state_hash())
        return {
            "murmura": __version__,
            "backend": self.simulation.backend if self.is_ready else self._backend,
            "actions": list(self.actions),
            END: {"step": step, "hash": state_hash},
        }
