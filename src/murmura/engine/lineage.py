"""The family tree: a row for every agent that ever lived, updated from births and deaths.

A simulation updates a `Register` while it steps: growing columns, 41 bytes per agent. `Lineage` is its frozen copy,
with queries on the tree. Ids are assigned once and in order, so a parent's row comes before its child's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.core.errors import UnknownNameError
from murmura.core.events import Cause, Event
from murmura.core.state import NO_AGENT

ALIVE = -1
"""The step of death of a living agent."""
REMOVED = "removed"
"""The cause if there is no event: a user removed the agent."""
CAUSE_NAMES = (REMOVED, *(cause.name.lower() for cause in Cause))
"""By code; causes are numbered from 1."""
COLUMNS = {
    "ids": np.int32, "species": np.int32, "mothers": np.int32, "fathers": np.int32, "born": np.int64,
    "died": np.int64, "causes": np.int8, "killers": np.int32, "generations": np.int32,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Lineage:
    """All agents that ever lived in a run, one row each in ascending id; arrays of shape (n,).

    Attributes:
        ids: Ids, never used twice.
        species: Numbers of the scenario's species.
        mothers, fathers: Ids; -1 where there is none. Agents without parents are founders: there from the beginning, or
            immigrants.
        born: After which step; for founders, the step at which they were first present.
        died: After which step; -1 while it lives.
        causes: Codes of `murmura.core.events.Cause`; 0 while it lives, and if the cause is unknown.
        killers: The id of the agent or hunter that killed it, or -1.
        generations: 0 for founders, otherwise one more than the parents' maximum.
        species_names: Names of the species.
        first, last: The first and last step of the record.
        time_step: Seconds per step.
    """

    ids: NDArray[np.int32]
    species: NDArray[np.int32]
    mothers: NDArray[np.int32]
    fathers: NDArray[np.int32]
    born: NDArray[np.int64]
    died: NDArray[np.int64]
    causes: NDArray[np.int8]
    killers: NDArray[np.int32]
    generations: NDArray[np.int32]
    species_names: tuple[str, ...]
    first: int
    last: int
    time_step: float

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Which agents live at the last step."""
        return np.asarray(self.died == ALIVE)

    @cached_property
    def founders(self) -> NDArray[np.bool_]:
        """Which agents have no parents."""
        return np.asarray((self.mothers == NO_AGENT) & (self.fathers == NO_AGENT))

    @cached_property
    def mother_rows(self) -> NDArray[np.intp]:
        """The row of each agent's mother; -1 if there is none, or she is not in this table."""
        return rows_of(self.ids, self.mothers)

    @cached_property
    def father_rows(self) -> NDArray[np.intp]:
        return rows_of(self.ids, self.fathers)

    @cached_property
    def young(self) -> NDArray[np.int64]:
        """The number of children of each agent, as mother or father."""
        parents = np.concatenate([self.mother_rows, self.father_rows])
        return np.bincount(parents[parents >= 0], minlength=len(self)).astype(np.int64)

    def row(self, agent_id: int) -> int:
        """The row of an agent that lived at some time."""
        [found] = rows_of(self.ids, np.array([agent_id]))
        if found < 0:
            raise UnknownNameError(f"no agent with the id {agent_id} has lived in this run so far")
        return int(found)

    def children(self, agent_id: int) -> NDArray[np.int32]:
        """Ids of an agent's young, ascending."""
        return np.asarray(self.ids[(self.mothers == agent_id) | (self.fathers == agent_id)])

    def maternal_line(self, agent_id: int) -> list[int]:
        """An agent's mother, her mother and so on up to a founder."""
        line, row = [], int(self.mother_rows[self.row(agent_id)])
        while row >= 0:
            line.append(int(self.ids[row]))
            row = int(self.mother_rows[row])
        return line

    @cached_property
    def families(self) -> NDArray[np.intp]:
        """The row of the first ancestor of each agent's maternal line."""
        found = np.where(self.mother_rows < 0, np.arange(len(self)), -1)
        for level in self._levels():
            heirs = level[self.mother_rows[level] >= 0]
            found[heirs] = found[self.mother_rows[heirs]]
        return found

    def _levels(self) -> list[NDArray[np.intp]]:
        """Rows by generation: a mother's is less than her children's."""
        order = np.argsort(self.generations, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.generations[order])) + 1)

    def line_totals(self, counts: ArrayLike) -> NDArray[np.int64]:
        """Sum a number over each agent and all its descendants in the maternal line."""
        totals = np.array(counts, np.int64)
        for level in reversed(self._levels()):  # from the youngest generation upwards
            heirs = level[self.mother_rows[level] >= 0]
            np.add.at(totals, self.mother_rows[heirs], totals[heirs])
        return totals

    def pruned(self, living: bool = False, least: int = 1) -> Lineage:
        """Leave out maternal lines.

        Args:
            living: Keep only agents that are alive at the end or have a living descendant in their maternal line.
            least: Keep only families (maternal lines of founders) with at least this many members.

        Returns:
            The rest. The mother of every kept agent is kept too, so that lines stay whole.
        """
        keep = np.bincount(self.families, minlength=len(self))[self.families] >= least
        if living:
            keep &= self.line_totals(self.alive) > 0
        return self._only(keep)

    def leading_to(self, chosen: ArrayLike) -> Lineage:
        """The maternal lines that lead to chosen members, given as a mask of shape (n,)."""
        return self._only(self.line_totals(chosen) > 0)

    def _only(self, keep: NDArray[np.bool_]) -> Lineage:
        return replace(self, **{name: getattr(self, name)[keep] for name in COLUMNS})

    def population(self, steps: ArrayLike, species: int | None = None) -> NDArray[np.int64]:
        """How many live after each of these steps; of one species, or of all."""
        chosen = np.ones(len(self), bool) if species is None else self.species == species
        return self._up_to(steps, self.born[chosen]) - self._up_to(
            steps, self.died[chosen & (self.died != ALIVE)]
        )

    def births(self, steps: ArrayLike, species: int | None = None) -> NDArray[np.int64]:
        """How many have been born up to each of these steps, not counting founders and newcomers."""
        chosen = ~self.founders & ((species is None) | (self.species == species))
        return self._up_to(steps, self.born[chosen])

    def arrivals(self, steps: ArrayLike, species: int | None = None) -> NDArray[np.int64]:
        """How many have immigrated up to each of these steps, not counting founders."""
        came = self.founders & (self.born > self.first)
        return self._up_to(steps, self.born[came & ((species is None) | (self.species == species))])

    def deaths(
        self, steps: ArrayLike, species: int | None = None, cause: int | None = None
    ) -> NDArray[np.int64]:
        """How many have died up to each of these steps, of one cause or of any."""
        chosen = (self.died != ALIVE) & ((species is None) | (self.species == species))
        if cause is not None:
            chosen &= self.causes == cause
        return self._up_to(steps, self.died[chosen])

    @staticmethod
    def _up_to(steps: ArrayLike, happened: NDArray[np.int64]) -> NDArray[np.int64]:
        wanted = np.atleast_1d(np.asarray(steps))
        if len(wanted) <= 4:  # counting is cheaper than sorting
            return np.array([np.count_nonzero(happened <= step) for step in wanted], np.int64)
        return np.searchsorted(np.sort(happened), wanted, side="right").astype(np.int64)

    def cause_name(self, row: int) -> str | None:
        """The cause of death as a word; None while it lives."""
        return None if self.died[row] == ALIVE else CAUSE_NAMES[int(self.causes[row])]

    def __repr__(self) -> str:
        return (
            f"<Lineage: {len(self):,} lives, {int(self.alive.sum()):,} of them alive at step {self.last:,}>"
        )


def rows_of(ids: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.intp]:
    """The row of each wanted id in ascending ids; -1 where it is missing."""
    if not len(ids):
        return np.full(len(wanted), -1, np.intp)
    rows = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[rows] == wanted, rows, -1)


class Register:
    """Records births and deaths.

    Args:
        ids: The agents at the beginning, ascending.
        species: Their species.
        step: The step of the beginning.
        generations: Their generations; by default 0.
    """

    def __init__(
        self, ids: NDArray[Any], species: NDArray[Any], step: int, generations: NDArray[Any] | None = None
    ) -> None:
        self.first = step
        self._count = 0
        self._columns = {name: np.zeros(0, kind) for name, kind in COLUMNS.items()}
        self._add(ids, species, NO_AGENT, NO_AGENT, step, 0 if generations is None else generations)

    @classmethod
    def of(cls, lineage: Lineage) -> Register:
        """Continue from a lineage."""
        register = cls(lineage.ids[:0], lineage.species[:0], lineage.first)
        register._columns = {name: getattr(lineage, name).copy() for name in COLUMNS}
        register._count = len(lineage)
        return register

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name][: self._count]

    def _add(self, ids: Any, species: Any, mothers: Any, fathers: Any, born: Any, generations: Any) -> None:
        begin, end = self._count, self._count + len(ids)
        if end > len(self._columns["ids"]):
            room = max(end, 2 * len(self._columns["ids"]))
            self._columns = {
                name: np.concatenate([old[:begin], np.zeros(room - begin, old.dtype)])
                for name, old in self._columns.items()
            }
        values = {"ids": ids, "species": species, "mothers": mothers, "fathers": fathers, "born": born}
        values |= {"died": ALIVE, "causes": 0, "killers": NO_AGENT, "generations": generations}
        for name, value in values.items():
            self._columns[name][begin:end] = value
        self._count = end

    def note(self, rows: NDArray[Any]) -> None:
        """Record births, arrivals and deaths from raw rows of events (see `murmura.core.events.EVENT_FIELDS`)."""
        new = rows[np.isin(rows[:, 1], (Event.BIRTH, Event.ARRIVAL))]
        if len(new):
            step, kind, ids, mothers, _, _, _, last = new[np.argsort(new[:, 2]), :8].T.astype(np.int64)
            was_born = kind == Event.BIRTH
            fathers = np.where(was_born, np.maximum(last, NO_AGENT), NO_AGENT)
            self._bear(ids, np.where(was_born, 0, last), mothers, fathers, step)
        deaths = rows[rows[:, 1] == Event.DEATH]
        if len(deaths):
            step, _, ids, killers, _, _, causes, _ = deaths[:, :8].T.astype(np.int64)
            gone = rows_of(self["ids"], ids)
            known = gone >= 0
            for name, values in (("died", step), ("causes", causes), ("killers", np.maximum(killers, -1))):
                self[name][gone[known]] = values[known]

    def _bear(self, ids: Any, known: Any, mothers: Any, fathers: Any, steps: Any) -> None:
        """Add newborns and immigrants; `known` is the species of agents without parents."""
        begin = self._count
        self._add(ids, known, np.maximum(mothers, NO_AGENT), fathers, steps, 0)
        species, generations = self["species"], self["generations"]
        parents = np.stack([rows_of(self["ids"], self[name][begin:]) for name in ("mothers", "fathers")])
        nearest = np.where(parents[0] >= 0, parents[0], parents[1])
        waiting = np.flatnonzero(nearest >= 0)
        while len(waiting):
            # Parents may have been born in the same batch of steps: their children wait until they are known.
            unknown = np.zeros(len(ids), bool)
            unknown[waiting] = True
            own = parents[:, waiting]
            ready = ~(unknown[np.maximum(own - begin, 0)] & (own >= begin)).any(axis=0)
            rows, of = begin + waiting[ready], own[:, ready]
            species[rows] = species[nearest[waiting[ready]]]
            generations[rows] = 1 + np.where(of >= 0, generations[of], 0).max(axis=0)
            waiting = waiting[~ready]

    def add_unknown(self, ids: NDArray[Any], species: NDArray[Any], step: int) -> None:
        """Update the register after a user added or removed agents."""
        living = self["ids"][self["died"] == ALIVE]
        if np.array_equal(living, ids):
            return
        gone = rows_of(self["ids"], np.setdiff1d(living, ids, assume_unique=True))
        self["died"][gone] = step
        rows = rows_of(self["ids"], ids)
        self["died"][rows[rows >= 0]] = ALIVE  # a user may bring back an earlier flock
        new = rows < 0
        if new.any() and self._count and ids[new][0] < self["ids"][-1]:
            self.__init__(ids, species, step)  # type: ignore[misc]  # an unrelated flock: start again
        else:
            self._add(ids[new], species[new], NO_AGENT, NO_AGENT, step, 0)

    def go_back(self, step: int) -> None:
        """Forget what happened after a step."""
        self._count = int(np.count_nonzero(self["born"] <= step))  # rows are in the order of births
        alive = self["died"] > step
        for name, value in (("died", ALIVE), ("causes", 0), ("killers", NO_AGENT)):
            self[name][alive] = value

    def correct(self, ids: NDArray[Any], species: NDArray[Any]) -> None:
        """Set the species of agents from a frame: events lack it for newborns without a mother."""
        rows = rows_of(self["ids"], ids)
        self["species"][rows[rows >= 0]] = species[rows >= 0]

    def lineage(self, species_names: tuple[str, ...], last: int, time_step: float) -> Lineage:
        """The lineage as it is now."""
        columns = {name: self[name].copy() for name in COLUMNS}
        return Lineage(
            **columns, species_names=species_names, first=self.first, last=last, time_step=time_step
        )
