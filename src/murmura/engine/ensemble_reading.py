"""What can be read of many worlds: arrays of all, in one pass where they have equal numbers of agents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError
from murmura.core.layout import AXES, VECTORS
from murmura.core.state import column_name, column_type
from murmura.engine.reading.instant import make_flock, seen_columns
from murmura.engine.reading.turns import in_turn
from murmura.engine.simulation import Simulation
from murmura.measure import MEASURES, Flock, measure_flock
from murmura.measure.together import TOGETHER, Flocks

if TYPE_CHECKING:
    from murmura.compute.worlds import Worlds


class EnsembleReader:
    """Reads worlds that share a kernel."""

    _turn: AbstractContextManager[Any]
    _worlds_of: list[Simulation]
    _native: Worlds
    _is_caught_up: bool

    def _all(self) -> list[Simulation]:
        """The worlds, after they have taken over what was done."""
        if not self._is_caught_up:
            for world in self._worlds_of:
                world._catch_up()
            self._is_caught_up = True
        return self._worlds_of

    @property
    @in_turn
    def agent_counts(self) -> NDArray[np.int64]:
        """Agents alive in each world, shape (worlds,)."""
        return np.array([world.agent_count for world in self._all()])

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions, shape (worlds, agents, 2) [u], (worlds, agents, 3) in space, in ascending id.

        Where worlds have different numbers of agents, the array is as long as the largest and masked behind the others.
        """
        return self._vectors("position")

    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities, as `positions`; per second or per tick as `scenario.motion.velocity_unit` says."""
        return self._vectors("velocity")

    @property
    def forces(self) -> NDArray[np.float64]:
        """Forces that the last step applied, as `positions`."""
        return self._vectors("acceleration")

    @in_turn
    def column(self, name: str) -> NDArray[Any]:
        """A column of all worlds, shape (worlds, agents), in ascending id; masked where numbers of agents differ."""
        return self._vectors(name) if name in VECTORS else self._columns([name])[0]

    def _vectors(self, name: str) -> NDArray[Any]:
        with self._turn:
            plan = self._worlds_of[0]._plan
            axes = [f"{name}_{axis}" for axis in AXES[: plan.dimension]]
            columns = self._columns(plan.vectors.get(name, axes))
        stack = np.ma.stack if isinstance(columns[0], np.ma.MaskedArray) else np.stack
        found: NDArray[Any] = stack(columns, axis=-1)
        return found

    def _columns(self, names: Sequence[str]) -> list[NDArray[Any]]:
        """Columns of all worlds by name."""
        full = [column_name(name) for name in names]
        size = self._equal_size()
        if size is None:
            return [self._masked(name) for name in full]
        kept = self._native.flocks[0].row_names
        moving = [name for name in full if name in kept]
        rows = self._native.collect([kept.index(name) for name in moving], size)
        found: dict[str, Any] = dict(zip(moving, rows, strict=True))
        for name in full:
            if name not in found:  # no step changes it
                found[name] = np.stack([world._state[name] for world in self._worlds_of])
            elif column_type(name) != np.float32:
                found[name] = found[name].astype(column_type(name))
        return [found[name] for name in full]

    def _equal_size(self) -> int | None:
        """The number of agents of every world, if they are as many, never die and have the ids from 0 on."""
        sizes = {len(world._state) for world in self._worlds_of}
        if len(sizes) > 1 or any(world._plan.has_lifecycle for world in self._worlds_of):
            return None
        [size] = sizes
        dense = all(size == 0 or world._state.ids[-1] == size - 1 for world in self._worlds_of)
        return size if dense else None

    def _masked(self, name: str) -> Any:
        states = [world.state for world in self._all()]
        most = max(map(len, states))
        found: Any = np.ma.masked_all((len(states), most), column_type(name))  # type: ignore[no-untyped-call]
        for k, state in enumerate(states):
            found[k, : len(state)] = state[name]
        return found if any(len(state) < most for state in states) else found.data

    @in_turn
    def by_id(self, names: Sequence[str], ids: int) -> dict[str, NDArray[np.float32]]:
        """Columns that steps change, by id: shape (worlds, ids) each, NaN where nobody with that id lives."""
        kept = self._native.flocks[0].row_names
        full = [column_name(name) for name in names]
        for name in full:
            if name not in kept:
                raise ScenarioError(
                    f"no step changes {name!r}: read it with column, or one of {', '.join(kept)}"
                )
        rows = self._native.collect([kept.index(name) for name in full], ids)
        return dict(zip(names, rows, strict=True))

    @in_turn
    def items(self, rule: str) -> dict[str, NDArray[np.float32]]:
        """The fields of a rule's hunters or food in all worlds, by name, shape (worlds, items) each; {} without any."""
        tables = []
        for world, flock in zip(self._worlds_of, self._native.flocks, strict=True):
            for _, group, begin, end in world._plan.stateful_items:
                if group.name == rule:
                    tables.append(flock.read_items()[begin:end])
                    columns = group.layout.columns
        if len({len(table) for table in tables}) > 1:
            raise ScenarioError(
                f"worlds have different numbers of items of rules.{rule}: read those of world(k)"
            )
        return {name: np.stack([t[:, k] for t in tables]) for k, name in enumerate(columns)} if tables else {}

    @in_turn
    def measure(self, names: Sequence[str] | None = None) -> dict[str, NDArray[np.float64]]:
        """Measures of all worlds now, as `Simulation.measure`: one row a world in each, shape (worlds,).

        NaN where a measure is undefined, as for a world that has died out.
        """
        together = self._measured_together(names) if names is not None else {}
        others = names if not together else [name for name in names or () if name not in together]
        rows = [measure_flock(flock, others) for flock in self.flocks()] if others or not together else [{}]
        found = together | {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return {name: found[name] for name in (found if names is None else names)}

    def _measured_together(self, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """Those of these measures that can be taken of all worlds at once; worlds for which they cannot, one by one."""
        quick = [name for name in names if name in MEASURES and MEASURES[name].function in TOGETHER]
        flocks = self._in_equal_worlds() if quick and not isinstance(names, str) else None
        if flocks is None:
            return {}
        with np.errstate(invalid="ignore"):
            found = {name: TOGETHER[MEASURES[name].function](flocks) for name in quick}
            odd = np.flatnonzero(~flocks.are_plain).tolist()
        for k, flock in zip(odd, self.flocks(odd), strict=True):
            for name, value in measure_flock(flock, quick).items():
                found[name][k] = value
        return found

    def _in_equal_worlds(self) -> Flocks | None:
        """All agents, if the worlds are equal planes with equal numbers of agents."""
        first = self._worlds_of[0].scenario
        plans = {id(world._plan): world._plan for world in self._worlds_of}.values()
        if not self._equal_size() or any(plan.scenario.world != first.world for plan in plans):
            return None
        if first.world.depth is not None or any(plan.scenario.motion != first.motion for plan in plans):
            return None
        x, y, vx, vy = self._columns(["position_x", "position_y", "velocity_x", "velocity_y"])
        pace = first.motion.stride / first.motion.time_step
        places, flights = (np.stack(pair, axis=-1).astype(np.float64) for pair in ((x, y), (vx, vy)))
        size = first.world.width, first.world.height
        return Flocks(places, flights * pace, size, first.world.boundary == "wrap")

    @in_turn
    def flocks(self, worlds: Sequence[int] | None = None) -> list[Flock]:
        """This instant of each world, or of some, as measures see it."""
        chosen = range(len(self._worlds_of)) if worlds is None else worlds
        if self._equal_size() is None:
            every = self._all()
            return [every[k].flock() for k in chosen]
        columns = self._columns(seen_columns(self._worlds_of[0]._plan))
        return [make_flock([column[k] for column in columns], self._worlds_of[k]._plan, None) for k in chosen]

    @in_turn
    def state_hashes(self) -> list[str]:
        """The state hash of each world: that of its own simulation."""
        return [world.state_hash() for world in self._all()]

    def state_hash(self) -> str:
        """SHA-256 of all worlds' hashes."""
        return hashlib.sha256("".join(self.state_hashes()).encode()).hexdigest()
