"""The simulation: a scenario, a seed and a flock that advances in whole steps.

Stepping and changing are here; reading is in `reading.reader`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.compute import Backend, make_backend
from murmura.compute.plan import Plan
from murmura.compute.reference import dry_run
from murmura.core.errors import ScenarioError
from murmura.core.notices import print_notice
from murmura.core.state import State
from murmura.core.world.randomness import seed_words
from murmura.engine.arguments import PORTABLE, checked, refuse_start_values
from murmura.engine.columns import checked_columns
from murmura.engine.compile_progress import announced
from murmura.engine.event_buffer import EventBuffer
from murmura.engine.initial import (
    adapted,
    checked_step,
    given_start,
    newborn_columns,
    random_start,
    set_items,
)
from murmura.engine.lineage import Lineage, Register
from murmura.engine.reading.facts import Event
from murmura.engine.reading.instant import recent_lives, rows_and_columns
from murmura.engine.reading.presentation import html_of
from murmura.engine.reading.reader import Reader
from murmura.engine.reading.snapshot import Snapshot
from murmura.engine.reading.turns import in_turn
from murmura.measure import Lives
from murmura.scenario import Scenario, load_scenario

ON_DEVICES = ("cuda", "webgpu")
"""Backends that keep the flock in the memory of a device."""


class Simulation(Reader):
    """A flock in its world. Threads may share one: who reads or changes it while another steps it waits for that step.

    Args:
        scenario: A scenario, or the name or path of one.
        seed: Any whole number from 0 to 2**64 - 1. Same scenario, seed and step count: same bits.
        backend: "auto", "reference" (the definition, slow), "cpu", "cuda" or "webgpu".
        threads: How many threads; by default all cores for large flocks and one for small ones.
        positions: Start positions, shape (n, 2) [u], (n, 3) in a 3-D world; by default drawn from the seed.
        velocities: Start velocities, of the same shape, in the scenario's velocity unit.
        species: Start species numbers, shape (n,).
        ids: Ids of the given agents, shape (n,); by default 0 to n - 1.
        first_step: The step count that given agents start with.
        portable: Give the bits that a browser gives, on the cpu backend: products and sums round one by one.
        announce: Called with a line of text before something slow; None for silence.
    """

    def __init__(
        self,
        scenario: Scenario | str | Path,
        seed: int = 0,
        backend: str = "auto",
        threads: int | None = None,
        *,
        positions: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        species: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        first_step: int = 0,
        portable: bool = False,
        announce: Callable[[str], None] | None = print_notice,
    ) -> None:
        scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        seed, threads = checked(seed, threads, backend, portable)
        if positions is None:
            if velocities is not None or species is not None or ids is not None or first_step:
                raise ScenarioError(
                    "velocities, species, ids and first_step describe given agents: pass positions too"
                )
            state = random_start(scenario, seed)
        else:
            first_step = checked_step(first_step)
            state = given_start(scenario, seed, positions, velocities, species, ids)
            scenario = (
                scenario.with_values({"agents": len(state)}) if scenario.agents != len(state) else scenario
            )
        self._begin(scenario, seed, backend, threads, state, first_step, portable, announce)

    def _begin(
        self, scenario: Scenario, seed: int, backend: str, threads: int | None, state: State, step_count: int,
        portable: bool, announce: Callable[[str], None] | None,
    ) -> None:  # fmt: skip
        plan = Plan(scenario)
        dry_run(plan)
        with announced(scenario, announce) as tell:
            made = make_backend(backend, plan, seed_words(seed), threads, tell, portable)
        self._start(plan, seed, made, state, step_count)

    def _start(self, plan: Plan, seed: int, backend: Backend, state: State, step_count: int) -> None:
        self._turn = RLock()
        self._seed = seed
        self._plan = self._last_plan = plan
        self._backend = backend
        self._state = state
        self._step_count = self._begun = step_count
        self._events = EventBuffer()
        self._register: Register | None = None
        self.load_state(state)

    @property
    def backend(self) -> str:
        """The name of the backend in use."""
        return self._backend.name

    @property
    def adapter(self) -> str | None:
        """The name of the GPU, with the webgpu backend: bits are reproducible on one adapter."""
        return getattr(self._backend, "adapter", None)

    @property
    def portable(self) -> bool:
        """Whether the bits are those that a browser gives, too: products and sums round one by one."""
        return bool(getattr(self._backend, "portable", False))

    @property
    def threads(self) -> int:
        return self._backend.threads

    @property
    def step_count(self) -> int:
        return self._step_count

    def step(self, count: int = 1) -> None:
        """Advance by whole steps."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ScenarioError(f"step takes a whole number of steps, 0 or more, got {count!r}")
        with self._turn:
            left = int(count)
            while left:
                # In pieces, so that an interrupt between two of them leaves a consistent state.
                piece = min(left, self._backend.piece)
                try:
                    self._backend.advance(piece, self._step_count)
                finally:
                    self._catch_up()
                left -= piece

    def _catch_up(self) -> None:
        """Take over what the backend has done: steps and events."""
        self._stored = False
        self._step_count = self._loaded_at + self._backend.completed
        if self._plan.eventful:
            events = self._backend.take_events()
            self._events.add(events)
            if self._register is not None:
                self._register.note(events)

    @in_turn
    def events(self) -> list[Event]:
        """What has happened since the last call: births, arrivals, deaths, captures, meals, matings, fights.

        Each is a dictionary with step, kind, id, other (an agent, food or hunter, or None), x, y, cause, amount. For a
        birth, `other` is the mother and `father` the father (None: there is none); an arrival has its species.
        Between two calls the newest million is kept; a warning says when older ones are dropped.
        """
        return cast("list[Event]", self._events.take(self._plan.dimension))

    @property
    def keeps_lineage(self) -> bool:
        """Whether births and deaths are possible, or have happened."""
        return self._register is not None

    @in_turn
    def lineage(self) -> Lineage:
        """All agents since this simulation began or was restored, with parents, birth and death."""
        register, scenario = self._register or self._new_register(self.state), self.scenario
        return register.lineage(tuple(scenario.species_names()), self._step_count, scenario.motion.time_step)

    @in_turn
    def restore_lineage(self, past: Lineage) -> None:
        """Continue the family tree of the run that this simulation continues."""
        self._register = Register.of(past)
        self._register.add_unknown(self.state.ids, self.state["species"], self._step_count)

    def _new_register(self, state: State) -> Register:
        known = state.columns.get("generation")
        return Register(state.ids, state["species"], self._begun, known)

    def _register_unknown(self, state: State) -> None:
        """Register the agents of a state; without births and deaths, only if a user added or removed some."""
        if self._register is None and self._plan.has_lifecycle:
            self._register = self._new_register(state)
        elif self._register is not None or not np.array_equal(self._state.ids, state.ids):
            self._register = self._register or self._new_register(self._state)
            self._register.add_unknown(state.ids, state["species"], self._step_count)

    @property
    @in_turn
    def state(self) -> State:
        if not self._stored:
            self._backend.store(self._state)
            self._stored = True
        return self._state

    @in_turn
    def snapshot(self, measured: bool = False) -> Snapshot:
        """The flock of this instant, to be read later; on a GPU, later steps do not wait for it.

        With `measured`, births and deaths are counted now, for measures of the snapshot.
        """
        transfer = None if self._stored else self._backend.start_transfer()
        state = self._state if transfer is not None else self.state.copy()
        lives = self._lives() if measured else None
        return Snapshot(self._plan, self._seed, self._step_count, transfer, state, lives)

    @in_turn
    def return_to(self, past: Snapshot) -> None:
        """Show a snapshot of this flock again: its scenario, its step and its agents; steps repeat from there."""
        state = past.state.copy()
        self.adopt(past.scenario)
        self.events()  # those after it have not happened
        self._step_count = past.step_count
        if self._register is not None:
            self._register.go_back(past.step_count)
        self.load_state(state)

    @in_turn
    def reader(self, measured: bool = False) -> Simulation | Snapshot:
        """The fastest way to read this instant: the simulation itself, or a snapshot in transfer from a GPU."""
        return self.snapshot(measured) if self._backend.name in ON_DEVICES and not self._stored else self

    @in_turn
    def read_unordered(self, names: Sequence[str]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        # Where agents are born and die the rows differ each time, so the ordered state is read.
        found = None if self._stored or self._plan.has_lifecycle else self._backend.read_unordered()
        return super().read_unordered(names) if found is None else rows_and_columns(found, self._state, names)

    @property
    @in_turn
    def roster(self) -> NDArray[np.int32]:
        # Without births and deaths these ids are valid, without a copy from the device.
        return (self.state if self._plan.has_lifecycle else self._state).ids

    def _lives(self) -> Lives | None:
        if self._register is None or not self._plan.has_lifecycle:
            return None
        return recent_lives(self._register, self._step_count, self.scenario.motion.time_step)

    @in_turn
    def retune(self, values: Mapping[str, object]) -> None:
        """Change values of the scenario between two steps, by path; the flock stays unchanged."""
        changed = self.scenario.with_values(values)
        refuse_start_values(self.scenario, changed)
        self.adopt(changed)

    @in_turn
    def is_prepared(self, scenario: Scenario) -> bool:
        """Whether this process already has the kernel that `adopt`, or a new simulation of this scenario, needs."""
        plan = self._plan_of(scenario)
        return self._plan.same_kernel(plan) or self._backend.is_prepared(plan)

    @property
    def has_current_rules(self) -> bool:
        """Whether what runs is what the rules say now: a kernel keeps the code that it was traced from."""
        return self._backend.is_current()

    def _plan_of(self, scenario: Scenario) -> Plan:
        """The plan of a scenario. The last one is cached: `adopt` usually follows `is_prepared`."""
        if self._last_plan.scenario is not scenario:
            self._last_plan = Plan(scenario)
        return self._last_plan

    def prepare(self, scenario: Scenario) -> None:
        """Compile the kernel that `adopt` will need; from another thread, while the simulation runs."""
        plan = Plan(scenario)
        dry_run(plan)
        self._backend.prepare(plan)

    @in_turn
    def adopt(self, scenario: Scenario) -> None:
        """Continue with a changed scenario of the same species; newly enabled rules treat all agents as founders."""
        if (scenario.world.depth is None) != (self.scenario.world.depth is None):
            raise ScenarioError(
                "a plane cannot become a space while a simulation runs, nor a space a plane: world.depth may only "
                "change its value; start a new simulation"
            )
        if len(scenario.species) != len(self.scenario.species):
            raise ScenarioError("species cannot be added or removed while a simulation runs; start a new one")
        plan = self._plan_of(scenario)
        if self._plan.same_kernel(plan) and self._plan.same_stateful_items(plan):
            self._tune(plan)
            return
        dry_run(plan)
        state = adapted(self.scenario, scenario, self.state, self._seed)
        self._backend.replan(plan)
        self._plan = plan
        self.load_state(state)

    def _tune(self, plan: Plan) -> None:
        """Change to a plan that differs in numbers only: the flock and the kernels stay in place."""
        kept = State()
        if plan.stateful_items:
            self._plan.keep_items(kept, self._backend.read_items())
            set_items(plan.scenario, kept, self._seed)
        self._backend.tune(plan, plan.item_table(kept))
        self._plan = plan
        if self._stored:
            self._state.items = kept.items

    @in_turn
    def add_agents(
        self, positions: ArrayLike, velocities: ArrayLike, columns: Mapping[str, ArrayLike] | None = None
    ) -> NDArray[np.int32]:
        """Add agents; return their new ids.

        Args:
            positions: Where, shape (n, 2) [u], (n, 3) in a 3-D world.
            velocities: Their velocities, of the same shape, in the scenario's velocity unit.
            columns: Other columns by name, shape (n,) each. By default they belong to the first species, and
                their sex and aggression are drawn by id.
        """
        state = self.state.copy()
        given = newborn_columns(
            self.scenario, self._seed, state.next_id, positions, velocities, columns or {}
        )
        born = state.add(given)
        self.load_state(state)
        return born

    @in_turn
    def remove_agents(self, ids: ArrayLike) -> None:
        """Remove agents."""
        state = self.state.copy()
        state.remove(ids)
        self.load_state(state)

    @in_turn
    def assign(self, values: Mapping[str, ArrayLike]) -> None:
        """Write columns of rules between two steps, as those of `action`: shape (n,), in ascending id.

        Raises:
            ScenarioError: If a column cannot be written, or values have the wrong shape or are not finite.
        """
        given = checked_columns(values, self._plan, (self.agent_count,))
        state = self.state.copy()
        for name, column in given.items():
            state[name][:] = column
        self.load_state(state)

    @in_turn
    def load_state(self, state: State) -> None:
        """Replace the flock, at the same step count."""
        if set(state.own_columns) != set(self._plan.state_columns):
            state = state.with_columns(self._plan.state_columns)
        self._register_unknown(state)
        set_items(self.scenario, state, self._seed)
        self._backend.load(state)
        self._loaded_at = self._step_count
        self._state, self._stored = state, True  # stored: `_state` equals the backend's flock

    @in_turn
    def save(self, path: str | Path) -> None:
        """Write a checkpoint: everything needed to continue bit for bit."""
        from murmura.engine.checkpoint import save

        save(self, path)

    @classmethod
    def restore(
        cls,
        path: str | Path,
        backend: str = "auto",
        threads: int | None = None,
        announce: Callable[[str], None] | None = print_notice,
    ) -> Simulation:
        """Continue from a checkpoint, on any backend; portable arithmetic stays portable."""
        from murmura.engine.checkpoint import load

        found = load(path)
        checked(found.seed, threads, backend, found.portable)
        simulation = cls.__new__(cls)
        begun = (found.state, found.step_count, found.portable, announce)
        simulation._begin(found.scenario, found.seed, backend, threads, *begun)
        return simulation

    @in_turn
    def on(
        self, backend: str, threads: int | None = None, announce: Callable[[str], None] | None = print_notice
    ) -> Simulation:
        """A copy of this simulation at the same step, on another backend; on auto and cpu as portable as this one."""
        checked(self._seed, threads, backend)
        portable = self.portable and backend in PORTABLE
        simulation, state = Simulation.__new__(Simulation), self.state.copy()
        begun = (state, self._step_count, portable, announce)
        simulation._begin(self.scenario, self._seed, backend, threads, *begun)
        if self._register is not None:
            simulation.restore_lineage(self.lineage())
        return simulation

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "a simulation holds compiled code and threads, so it cannot be pickled or copied: save it with "
            "simulation.save(path) and read it with Simulation.restore(path), or copy it with simulation.on(backend)"
        )

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"<Simulation {self.scenario.name!r}: {self.agent_count:,} agents, step {self._step_count:,}, "
            f"seed {self._seed}, {self.backend} x {self.threads}>"
        )
