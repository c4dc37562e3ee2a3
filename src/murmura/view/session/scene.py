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
from murmura.core.notices import print_notice
from murmura.engine.reading.snapshot import Snapshot
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.session.editing.changes import AddedAgent, Change, change_of, check_size, load_action
from murmura.view.session.editing.messages import Message
from murmura.view.session.editing.tools import Pointer, with_pointer
from murmura.view.session.good_moments import good_moment

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
        good_moments: Show shipped scenarios first at a step where they look good, when they are loaded.
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
        good_moments: bool = False,
    ) -> None:
        self.pointer: Pointer | None = None
        self.scenario: Scenario
        self.loaded: Scenario
        self.simulation: Simulation
        self.actions: list[dict[str, Any]] = []
        self.coming: deque[dict[str, Any]] = deque()
        self.epoch = 0
        self.loads = 0
        self.begun = 0
        """How many flocks have begun here."""
        self.edits = 0
        """How many changes pages have made, those of a replay not counted."""
        self._backend, self._threads, self._spared = backend, threads, int(spare_a_core)
        self._defer_build, self._good_moments = defer_build, good_moments
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
                self._apply(change_of(self, action))
            except MurmuraError:
                raise
            except Exception as error:  # a damaged file may raise anything
                raise ScenarioError(f"{str(action)[:200]}: {type(error).__name__}: {error}") from error

    def carry_out(self, message: Message) -> None:
        """Apply a message of a page. This ends a replay."""
        self.apply(change_of(self, message))

    def apply(self, change: Change) -> None:
        """Apply a change made by a page. This ends a replay."""
        self._apply(change)
        self.coming.clear()
        self.edits += 1

    @property
    def is_full(self) -> bool:
        """Whether there were too many actions to record them all."""
        return self._full is not None

    def return_to(
        self,
        snapshot: Snapshot,
        scenario: Scenario,
        pointer: Pointer | None,
        log: list[dict[str, Any]],
        applied: int,
    ) -> None:
        """Show a snapshot of this flock again; of the log, the first actions are applied and the others come."""
        self.simulation.return_to(snapshot)
        self.scenario, self.pointer = scenario, pointer
        self.actions, self.coming = log[:applied], deque(log[applied:])
        self._size = sum(len(json.dumps(action)) for action in self.actions)
        self.epoch += 1
        self.changes += 1

    def restart(self, step: int) -> None:
        """Restart the same flock, after the run failed at this step."""
        self._apply(change_of(self, {"type": "reset"}), step)

    def _apply(self, change: Change, step: int | None = None) -> None:
        action = {"step": step if step is not None else self._step_count(), **change.action}
        if change.seed is None:
            self._retune(change.target)
        else:
            self._begin(change.target, change.seed, change.loads and self._good_moments)
            self.epoch += 1
            self.begun += 1
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

    def _begin(self, target: Scenario, seed: int, at_good_moment: bool) -> None:
        self.is_ready = not self._defer_build or self._is_compiled(target)
        # The reference backend needs no compiler; it only shows the start.
        backend = self._backend if self.is_ready else "reference"
        threads = self._thread_count(target.agents) if self.is_ready else None
        found = good_moment(target, seed, backend, threads) if at_good_moment else None
        announce = print_notice if self.is_ready else None
        self.simulation = found or Simulation(target, seed, backend, threads, announce=announce)

    def _retune(self, target: Scenario) -> None:
        if self._defer_build and self.is_ready and not self.simulation.is_prepared(target):
            self.simulation, self.is_ready = self.simulation.on("reference", announce=None), False
        self.simulation.adopt(target)

    def _is_compiled(self, target: Scenario) -> bool:
        """Whether a new simulation will find its kernel in this process."""
        if not self.epoch and self.is_exact:
            return self._backend == "reference"
        return self.is_ready and self.simulation.is_prepared(target)

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
