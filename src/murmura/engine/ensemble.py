"""Many worlds at once: flocks that share a kernel and differ in seeds or numbers, stepped together.

Each world is a simulation that does not step itself, so everything that can be asked of one has the same answer here,
bit by bit. What is asked of all worlds is collected in one pass where they have equal numbers of agents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.compute.plan import Plan
from murmura.compute.reference import dry_run
from murmura.compute.worlds import BACKENDS, first_flock, worlds_of
from murmura.core.errors import BackendError, ScenarioError
from murmura.core.notices import print_notice
from murmura.core.state import State
from murmura.core.world.randomness import seed_words
from murmura.engine.arguments import checked, refuse_start_values
from murmura.engine.columns import checked_columns
from murmura.engine.compile_progress import announced
from murmura.engine.ensemble_arguments import (
    Some,
    check_code,
    check_memory,
    is_number,
    paired,
    plans_of,
    random_states,
)
from murmura.engine.ensemble_reading import EnsembleReader
from murmura.engine.event_buffer import EventBuffer
from murmura.engine.reading.turns import in_turn
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario


class Ensemble(EnsembleReader):
    """Many worlds, stepped together. World k has the bits of `Simulation(scenarios[k], seeds[k])` on the same backend.

    Args:
        scenario: A scenario for all worlds, or one for each: they may differ in everything that needs no other kernel.
        seeds: One seed for each world; of several scenarios, one for each, or one number for all.
        backend: "cpu", where each core takes whole worlds; "cuda" or "webgpu", with all worlds in the launches of one;
            "auto", which is "cpu".
        threads: How many threads; by default all cores.
        announce: Called with a line of text before something slow; None for silence.
    """

    def __init__(
        self,
        scenario: Some | Sequence[Some],
        seeds: Iterable[int] | int = 0,
        backend: str = "auto",
        threads: int | None = None,
        *,
        announce: Callable[[str], None] | None = print_notice,
    ) -> None:
        scenarios, numbers = paired(scenario, seeds)
        plans = plans_of(scenarios)
        check_memory(plans[0], numbers[0], len(numbers))
        self._begin(
            plans, numbers, random_states(plans, numbers), [0] * len(plans), backend, threads, announce
        )

    @classmethod
    def of_plans(
        cls, plans: list[Plan], seeds: list[int], states: list[State] | None = None, threads: int | None = None,
        announce: Callable[[str], None] | None = print_notice,
    ) -> Ensemble:  # fmt: skip
        """Worlds of plans that are known to share a kernel, with these starts or random ones."""
        ensemble = cls.__new__(cls)
        starts = random_states(plans, seeds) if states is None else states
        ensemble._begin(plans, seeds, starts, [0] * len(plans), "auto", threads, announce)
        return ensemble

    def _begin(
        self,
        plans: list[Plan],
        seeds: list[int],
        states: list[State],
        step_counts: list[int],
        backend: str,
        threads: int | None,
        announce: Callable[[str], None] | None,
    ) -> None:
        for seed in seeds:
            _, threads = checked(seed, threads, backend)
        if backend not in BACKENDS:
            raise BackendError(
                f"ensembles run on {', '.join(BACKENDS[1:])}, got {backend!r}, which steps one world: choose one of "
                "them, or step a Simulation for each world there"
            )
        self._backend = "cpu" if backend == "auto" else backend
        self._turn = RLock()
        for plan in dict.fromkeys(plans):
            dry_run(plan)
        with announced(plans[0].scenario, announce) as tell:
            last = first_flock(self._backend, plans[0], seed_words(seeds[0]), tell)
        self._worlds_of = []
        flocks = []
        for plan, seed, state, count in zip(plans, seeds, states, step_counts, strict=True):
            last = last.twin(plan, seed_words(seed))
            flocks.append(last)
            self._worlds_of.append(self._new_world(plan, seed, last, state, count))
        self._native = worlds_of(self._backend, flocks, threads)
        self._clock = max(step_counts)
        self._begun = [
            self._clock - count for count in step_counts
        ]  # on the clock, when each was at its step 0
        self._is_caught_up = True

    @staticmethod
    def _new_world(plan: Plan, seed: int, flock: Any, state: State, step_count: int) -> Simulation:
        world = Simulation.__new__(Simulation)
        world._start(plan, seed, flock, state, step_count)
        world._events = EventBuffer(most=0)
        return world

    # Time

    @property
    def step_count(self) -> int:
        """The steps of the world that has done most."""
        return int(self.step_counts.max())

    @property
    def step_counts(self) -> NDArray[np.int64]:
        """The steps of each world, shape (worlds,): fewer in those that were restarted."""
        return np.array(self._own_steps())

    @property
    def backend(self) -> str:
        """The name of the backend in use."""
        return self._backend

    @property
    def threads(self) -> int:
        return self._native.threads

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(world.seed for world in self._worlds_of)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenario of each world."""
        return tuple(world.scenario for world in self._worlds_of)

    def __len__(self) -> int:
        """The number of worlds."""
        return len(self._worlds_of)

    @in_turn
    def step(self, count: int = 1, progress: Callable[[int, int], None] | None = None) -> None:
        """Advance all worlds by whole steps.

        Args:
            count: How many steps.
            progress: Called with the number of steps done and their total. Ctrl-C ends a call between two steps: all
                worlds have then done the same number.
        """
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ScenarioError(f"step takes a whole number of steps, 0 or more, got {count!r}")
        self._is_caught_up = False
        try:
            self._advance_to(self._clock + int(count), progress)
        except KeyboardInterrupt:
            self._advance_to(max(self._steps_done()))  # a world may have waited for memory
            raise
        finally:
            self._clock = max(self._steps_done())

    def _advance_to(self, goal: int, progress: Callable[[int, int], None] | None = None) -> None:
        own = self._own_steps()
        self._native.advance([goal - step for step in self._steps_done()], own, progress)

    def _own_steps(self) -> list[int]:
        return [world._loaded_at + world._backend.completed for world in self._worlds_of]

    def _steps_done(self) -> list[int]:
        return [begun + own for begun, own in zip(self._begun, self._own_steps(), strict=True)]

    @in_turn
    def world(self, number: int, threads: int | None = None) -> Simulation:
        """A simulation that goes on from where this world is; the ensemble stays as it is."""
        return self._all()[self._number(number)].on(self._backend, threads, announce=None)

    def _number(self, number: Any) -> int:
        count = len(self._worlds_of)
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < count:
            raise ScenarioError(f"worlds are numbered from 0 to {count - 1}, got {number!r}")
        return int(number)

    # Changing

    @in_turn
    def retune(self, values: Mapping[str, object], worlds: Iterable[int] | int | None = None) -> None:
        """Change values of the scenarios between two steps, by path, in all worlds or in some.

        Raises:
            ScenarioError: If a value is invalid in one of the worlds, or needs another kernel; then nothing changes.
        """
        chosen: Any = range(len(self)) if worlds is None else worlds
        plans: dict[int, Plan] = {}
        changed: dict[int, Plan] = {}
        for number in map(self._number, [chosen] if is_number(chosen) else chosen):
            before = self._worlds_of[number].scenario
            if id(before) not in plans:
                after = before.with_values(values)
                refuse_start_values(before, after)
                plans[id(before)] = Plan(after)
                check_code(self._worlds_of[0]._plan, plans[id(before)], number)
                dry_run(plans[id(before)])
            changed[number] = plans[id(before)]
        every = self._all()
        for number, plan in changed.items():
            every[number]._last_plan = plan
            every[number].adopt(plan.scenario)

    @in_turn
    def assign(self, values: Mapping[str, ArrayLike]) -> None:
        """Write columns of all worlds between two steps, as those of the rule `action`: shape (worlds, ids) each.

        Entry [k, i] is for the agent with the id i in world k; where nobody has it, it is passed over.

        Raises:
            ScenarioError: If a column cannot be written, or values have the wrong shape or are not finite; then
                nothing changes.
        """
        plan, ids = self._worlds_of[0]._plan, max(world._state.next_id for world in self._worlds_of)
        if plan.has_lifecycle:  # there may be newborns, with further ids
            ids = max(ids, *(np.shape(given)[-1] for given in values.values() if np.ndim(given)), 0)
        given = checked_columns(values, plan, (len(self), ids))
        kept = self._native.flocks[0].row_names
        if given:
            self._native.assign([kept.index(name) for name in given], np.stack(list(given.values())))
        self._is_caught_up = False

    @in_turn
    def restart(
        self, worlds: Iterable[int] | int, seeds: Iterable[int] | int, states: Sequence[State] = ()
    ) -> None:
        """Start some worlds again at step 0, each with its seed; the others go on as they are.

        Args:
            worlds: Numbers of worlds.
            seeds: A seed for each, or one for all.
            states: Their starts; by default random ones.
        """
        numbers = [self._number(each) for each in ([worlds] if is_number(worlds) else worlds)]  # type: ignore[union-attr]
        chosen = [seeds] * len(numbers) if is_number(seeds) else list(seeds)  # type: ignore[arg-type]
        if len(chosen) != len(numbers):
            raise ScenarioError(
                f"seeds must be one number, or one for each of {len(numbers)} worlds, got {len(chosen)}"
            )
        chosen = [checked(seed, None, "auto")[0] for seed in chosen]  # type: ignore[arg-type]
        plans = [self._worlds_of[number]._plan for number in numbers]
        for number, seed, state in zip(numbers, chosen, states or random_states(plans, chosen), strict=True):
            self._begin_world(number, seed, state)
        self._is_caught_up = False

    def _begin_world(self, number: int, seed: int, state: State) -> None:
        old = self._native.flocks[number]
        fresh = old.twin(old.plan, seed_words(seed))
        self._worlds_of[number] = self._new_world(old.plan, seed, fresh, state, 0)
        self._native.replace(number, fresh)
        self._begun[number] = self._clock

    @in_turn
    def save(self, path: str | Path) -> None:
        """Write all worlds to one file: everything needed to continue bit for bit."""
        from murmura.engine.ensemble_file import save

        save(self._all(), self.state_hash(), path)

    @classmethod
    def restore(
        cls,
        path: str | Path,
        backend: str = "auto",
        threads: int | None = None,
        announce: Callable[[str], None] | None = print_notice,
    ) -> Ensemble:
        """Continue from a file that `save` wrote."""
        from murmura.engine.ensemble_file import load

        found = load(path)
        ensemble = cls.__new__(cls)
        plans = plans_of([each.scenario for each in found])
        ensemble._begin(
            plans, [each.seed for each in found], [each.state for each in found],
            [each.step_count for each in found], backend, threads, announce,
        )  # fmt: skip
        return ensemble

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "an ensemble holds compiled code and threads, so it cannot be pickled or copied: save it with "
            "ensemble.save(path) and read it with Ensemble.restore(path)"
        )

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(scenario.name for scenario in self.scenarios))
        agents = sum(len(world._state) for world in self._worlds_of)
        return (
            f"<Ensemble {names!r}: {len(self):,} worlds, {agents:,} agents, step {self.step_count:,}, "
            f"{f'cpu x {self.threads}' if self._backend == 'cpu' else self._backend}>"
        )
