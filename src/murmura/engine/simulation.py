"""The simulation: a scenario, a seed and a flock that advances in whole steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.compute import Backend, make_backend
from murmura.compute.plan import Plan
from murmura.compute.reference import dry_run
from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.core.events import readable
from murmura.core.layout import AXES
from murmura.core.randomness import seed_words
from murmura.core.saying import say
from murmura.core.state import State
from murmura.engine.arguments import checked
from murmura.engine.instant import make_flock, recent_lives, rows_and_columns, seen_columns
from murmura.engine.lineage import Lineage, Register
from murmura.engine.showing import html_of, sealed
from murmura.engine.snapshot import Snapshot
from murmura.engine.start import adapted, checked_step, given_start, newborn_columns, random_start, set_items
from murmura.measure import Flock, Lives, measure_flock
from murmura.scenario import Scenario, load_scenario


class Simulation:
    """A flock in its world.

    Args:
        scenario: A scenario, or the name or path of one.
        seed: Any whole number from 0 to 2**64 - 1. Same scenario, seed and step count: same bits.
        backend: "auto", "reference" (the definition, slow) or "cpu".
        threads: How many threads; by default all cores for large flocks and one for small ones.
        positions: Start places, shape (n, 2) [u], (n, 3) in a world with a depth; by default drawn from the seed.
        velocities: Start velocities, of the same shape, in the scenario's velocity unit.
        species: Start species numbers, shape (n,).
        ids: Ids of the given agents, shape (n,); by default 0 to n - 1.
        first_step: The step count that given agents begin with.
        announce: Called with a line of text before something that takes long; None: nobody is told.
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
        announce: Callable[[str], None] | None = say,
    ) -> None:
        scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        seed, threads = checked(seed, threads, backend)
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
        self._begin(scenario, seed, backend, threads, state, first_step, announce)

    def _begin(
        self,
        scenario: Scenario,
        seed: int,
        backend: str,
        threads: int | None,
        state: State,
        step_count: int,
        announce: Callable[[str], None] | None,
    ) -> None:
        self._scenario = scenario
        self._seed = seed
        self._plan = Plan(scenario)
        dry_run(self._plan)
        self._backend: Backend = make_backend(backend, self._plan, seed_words(seed), threads, announce)
        self._state = state
        self._step_count = self._begun = step_count
        self._events: list[Any] = []
        self._register: Register | None = None
        self.load_state(state)

    @property
    def scenario(self) -> Scenario:
        return self._scenario

    @property
    def seed(self) -> int:
        return self._seed

    @property
    def backend(self) -> str:
        """The name of the backend in use."""
        return self._backend.name

    @property
    def threads(self) -> int:
        return self._backend.threads

    @property
    def step_count(self) -> int:
        return self._step_count

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._step_count * self._scenario.motion.time_step

    @property
    def agent_count(self) -> int:
        return len(self.state if self._plan.mortal else self._state)

    def step(self, count: int = 1) -> None:
        """Advance by whole steps."""
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ScenarioError(f"step takes a whole number of steps, 0 or more, got {count!r}")
        left = int(count)
        while left:
            # In pieces, so that an interrupt between two of them leaves a whole state behind.
            piece = min(left, self._backend.piece)
            self._stored = False
            try:
                self._backend.advance(piece, self._step_count)
            finally:
                self._step_count = self._loaded_at + self._backend.completed
                if self._plan.eventful:
                    told = self._backend.take_events()
                    self._events += readable(told, self._plan.dimension)
                    if self._register is not None:
                        self._register.note(told)
            left -= piece

    def events(self) -> list[dict[str, Any]]:
        """What has happened since this was last asked: births, arrivals, deaths, captures, meals, matings, fights.

        Each is a dictionary with step, kind, id, other (an agent, food or hunter, or None), x, y, cause, amount. Of a
        birth, other is the mother, and father the father (None: it has but one parent); an arrival has its species.
        """
        told, self._events = self._events, []
        return told

    @property
    def keeps_lineage(self) -> bool:
        """Whether anybody may be born or die, or has been or did."""
        return self._register is not None

    def lineage(self) -> Lineage:
        """Everybody who lived since this simulation began or was restored, with parents, birth and death."""
        register, scenario = self._register or self._new_register(self.state), self._scenario
        return register.lineage(tuple(scenario.species_names()), self._step_count, scenario.motion.time_step)

    def remember(self, past: Lineage) -> None:
        """Go on with the family tree of a story that this simulation continues."""
        self._register = Register.of(past)
        self._register.meet(self.state.ids, self.state["species"], self._step_count)

    def _new_register(self, state: State) -> Register:
        known = state.columns.get("generation")
        return Register(state.ids, state["species"], self._begun, known)

    def _meet(self, state: State) -> None:
        """Write down who lives now. Where nobody is born or dies, only if somebody came or went by a user's hand."""
        if self._register is None and self._plan.mortal:
            self._register = self._new_register(state)
        elif self._register is not None or not np.array_equal(self._state.ids, state.ids):
            self._register = self._register or self._new_register(self._state)
            self._register.meet(state.ids, state["species"], self._step_count)

    @property
    def state(self) -> State:
        """The flock as columns in ascending id. Look, do not touch."""
        if not self._stored:
            self._backend.store(self._state)
            self._stored = True
        return self._state

    def snapshot(self, measured: bool = False) -> Snapshot:
        """The flock of this instant, to be read later: on a GPU the steps that follow do not wait for it.

        Whoever takes measures of births and deaths says `measured`: they are counted now.
        """
        parcel = None if self._stored else self._backend.send()
        state = self._state if parcel is not None else self.state.copy()
        return Snapshot(self._plan, self._step_count, parcel, state, self._lives() if measured else None)

    def look(self, measured: bool = False) -> Simulation | Snapshot:
        """Whatever shows this instant soonest: the flock itself, or a snapshot that is on its way from a device."""
        return self.snapshot(measured) if self._backend.name == "cuda" and not self._stored else self

    ready = True
    """As of a snapshot: reading the flock itself waits for nothing that is not needed anyway."""

    def glance(self, names: Sequence[str]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        """Columns in whatever order costs least, and each entry's row in ascending id. Look, do not touch."""
        # Where agents die and are born, rows change with every look, and the full way is taken.
        found = None if self._stored or self._plan.mortal else self._backend.glance()
        if found is None:
            return np.arange(self.agent_count), [self.state[name] for name in names]
        return rows_and_columns(found, self._state, names)

    @property
    def roster(self) -> NDArray[np.int32]:
        """Who lives, ascending: the very same array until somebody is born or dies. Look, do not touch."""
        return (self.state if self._plan.mortal else self._state).ids

    @property
    def ids(self) -> NDArray[np.int32]:
        return sealed(self.state.ids.copy())

    @property
    def positions(self) -> NDArray[np.float32]:
        """Places, shape (n, 2) [u], in ascending id; (n, 3) in a world with a depth."""
        return self._vectors("position")

    @property
    def velocities(self) -> NDArray[np.float32]:
        """Velocities, shaped as places are, per second or per tick as `scenario.motion.velocity_unit` says."""
        return self._vectors("velocity")

    @property
    def forces(self) -> NDArray[np.float32]:
        """What the last step applied, shaped as places are; zero before the first step."""
        return self._vectors("acceleration")

    def _vectors(self, name: str) -> NDArray[np.float32]:
        return sealed(
            np.stack([self.state[f"{name}_{axis}"] for axis in AXES[: self._plan.dimension]], axis=1)
        )

    def column(self, name: str) -> NDArray[Any]:
        """A copy of any state column, in ascending id, read-only as all that is shown of a flock."""
        return sealed(self.state[name].copy())

    def neighbors(self, agent_id: int) -> NDArray[np.int32]:
        """Ids that this agent perceives now, ascending."""
        row = self._row_of(agent_id)
        seen = self._moment().visible(np.array([row]))
        return sealed(self.state.ids[seen[0]])

    def explain(self, agent_id: int) -> dict[str, Any]:
        """What an agent sees, and what each rule asks of it, right now."""
        from murmura.engine.explaining import explain

        return explain(self._moment(), self.state, self._row_of(agent_id))

    def _row_of(self, agent_id: int) -> int:
        if isinstance(agent_id, list | tuple) or np.ndim(agent_id) != 0:
            raise UnknownNameError(f"expected the id of one agent, got {agent_id!r}")
        return int(self.state.rows_of(agent_id)[0])

    def flock(self) -> Flock:
        """This instant as measures see it; velocities per second."""
        columns = [self.state[name] for name in seen_columns(self._plan)]
        return make_flock(columns, self._plan, self._lives())

    def flock_later(self, ordered: bool = False) -> Callable[[], Flock]:
        """The same: a bare copy is taken now, and made a flock in whatever thread calls for it.

        In ascending id if `ordered`, which decides about the last bits of sums; else as the backend has them, for less.
        """
        names = seen_columns(self._plan)
        seen = [self.state[name] for name in names] if ordered else self.glance(names)[1]
        return partial(make_flock, [np.array(column) for column in seen], self._plan, self._lives())

    def _lives(self) -> Lives | None:
        if self._register is None or not self._plan.mortal:
            return None
        return recent_lives(self._register, self._step_count, self._scenario.motion.time_step)

    def measure(self, names: Sequence[str] | None = None) -> dict[str, float]:
        """What can be said about the flock now: polarization, milling, spacing, groups and more, or what is named."""
        return measure_flock(self.flock(), names)

    def state_hash(self) -> str:
        """SHA-256 of the state: equal bits, equal hash."""
        return self.state.digest(self._step_count)

    def retune(self, values: Mapping[str, Any]) -> None:
        """Change values of the scenario between two steps, by path; the flock stays as it is."""
        self.adopt(self._scenario.with_values(values))

    def is_prepared(self, scenario: Scenario) -> bool:
        """Whether `adopt`, or a new simulation of this scenario, will find its kernel in this process."""
        plan = Plan(scenario)
        return self._plan.same_kernel(plan) or self._backend.is_prepared(plan)

    def prepare(self, scenario: Scenario) -> None:
        """Compile what `adopt` will need; from another thread, while the simulation goes on."""
        plan = Plan(scenario)
        dry_run(plan)
        self._backend.prepare(plan)

    def adopt(self, scenario: Scenario) -> None:
        """Go on under a changed scenario with the same species; to rules now switched on all are founders."""
        if (scenario.world.depth is None) != (self._scenario.world.depth is None):
            raise ScenarioError(
                "a plane cannot become a space while a simulation runs, nor a space a plane: world.depth may only "
                "change its value; start a new simulation"
            )
        if len(scenario.species) != len(self._scenario.species):
            raise ScenarioError("species cannot be added or removed while a simulation runs; start a new one")
        plan = Plan(scenario)
        if self._plan.same_kernel(plan) and not plan.lasting:
            self._backend.tune(plan)
            self._scenario, self._plan = scenario, plan
            return
        dry_run(plan)
        state = adapted(self._scenario, scenario, self.state, self._seed)
        self._backend.replan(plan)
        self._scenario, self._plan = scenario, plan
        self.load_state(state)

    def add_agents(
        self, positions: ArrayLike, velocities: ArrayLike, columns: Mapping[str, ArrayLike] | None = None
    ) -> NDArray[np.int32]:
        """Let agents be born; return their ids, which nobody had before.

        Args:
            positions: Where, shape (n, 2) [u], (n, 3) in a world with a depth.
            velocities: Their velocities, of the same shape, in the scenario's velocity unit.
            columns: Other columns by name, shape (n,) each. By default newborns are of the first species, and
                of a sex and temper drawn by their id.
        """
        state = self.state.copy()
        given = newborn_columns(
            self._scenario, self._seed, state.next_id, positions, velocities, columns or {}
        )
        born = state.add(given)
        self.load_state(state)
        return born

    def remove_agents(self, ids: ArrayLike) -> None:
        """Let agents die."""
        state = self.state.copy()
        state.remove(ids)
        self.load_state(state)

    def load_state(self, state: State) -> None:
        """Go on from another flock, at the same step count."""
        if set(state.own_columns) != set(self._plan.state_columns):
            state = state.with_columns(self._plan.state_columns)
        self._meet(state)
        set_items(self._scenario, state, self._seed)
        self._backend.load(state)
        self._loaded_at = self._step_count
        self._state, self._stored = state, True  # stored: `_state` holds what the backend holds

    def _moment(self) -> Any:
        from murmura.compute.reference import Moment

        return Moment(self._plan, self.state, self._step_count, seed_words(self._seed))

    def save(self, path: str | Path) -> None:
        """Write a checkpoint: everything needed to go on with the very same bits."""
        from murmura.engine.checkpoint import save

        save(self, path)

    @classmethod
    def restore(
        cls,
        path: str | Path,
        backend: str = "auto",
        threads: int | None = None,
        announce: Callable[[str], None] | None = say,
    ) -> Simulation:
        """Go on from a checkpoint, on any backend."""
        from murmura.engine.checkpoint import load

        found = load(path)
        checked(found.seed, threads, backend)
        simulation = cls.__new__(cls)
        simulation._begin(
            found.scenario, found.seed, backend, threads, found.state, found.step_count, announce
        )
        return simulation

    def on(
        self, backend: str, threads: int | None = None, announce: Callable[[str], None] | None = say
    ) -> Simulation:
        """The same flock at the same step, to go on with another backend; this one stays as it is."""
        checked(self._seed, threads, backend)
        simulation, state = Simulation.__new__(Simulation), self.state.copy()
        simulation._begin(self._scenario, self._seed, backend, threads, state, self._step_count, announce)
        if self._register is not None:
            simulation.remember(self.lineage())
        return simulation

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"<Simulation {self._scenario.name!r}: {self.agent_count:,} agents, step {self._step_count:,}, "
            f"seed {self._seed}, {self.backend} x {self.threads}>"
        )
