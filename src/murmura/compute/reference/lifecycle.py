"""The end of a reference step: items are updated, agents die, are born and immigrate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.items import ItemRows, NumpyStorage
from murmura.compute.plan import Plan
from murmura.compute.reference.evaluation import AgentResults, Evaluation, ItemReports
from murmura.core.events import Event
from murmura.core.layout import AXES
from murmura.core.merging import Best, Count
from murmura.core.state import State, column_name
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec


def update_items(
    plan: Plan, evaluation: Evaluation, reports: list[dict[tuple[int, int], ItemReports]]
) -> NDArray[Any]:
    """Update all items, one after the other."""
    storage = NumpyStorage(evaluation.target, evaluation.items)
    p = evaluation.step.parameters(_species(evaluation, 0))
    for k, group, begin, end in plan.stateful_items:
        assert group.functions.turn is not None
        rows = ItemRows(evaluation.target, group.layout, storage, begin, end - begin)
        for row in range(begin, end):
            parts = [part[k, row] for part in reports]
            for _, target_reports in parts:
                for column, value in target_reports.items():
                    evaluation.items[row, group.layout.place[column]] = value
            combined = _combined(evaluation, k, [reports for reports, _ in parts])
            group.functions.turn(p.rules[k], rows[row - begin], combined, rows, evaluation.world)
    return evaluation.items


def _combined(evaluation: Evaluation, k: int, parts: list[dict[str, Any]]) -> Record:
    """The reports of all parts of the flock to an item, reduced, by name."""
    value = evaluation.target.value
    found: dict[str, Any] = {}
    for name, report in evaluation.shapes.reports[k].items():
        if isinstance(report, Best):
            best = max((part[name] for part in parts), key=lambda b: (b[0], -b[1]), default=(0.0, -1.0))
            found[name] = Record("the best", {"score": value(best[0]), "id": value(best[1])})
        elif isinstance(report, Count):
            found[name] = value(sum(part[name] for part in parts))
        else:
            sums = [value(sum(terms)) for terms in zip(*(part[name] for part in parts), strict=True)]
            is_vector = isinstance(report.value, Vec)
            sums = sums or [value(0.0)] * (len(report.value) if is_vector else 1)
            found[name] = Vec(*sums) if is_vector else sums[0]
    return Record("reports", found)


def _species(evaluation: Evaluation, species: int) -> Any:
    return evaluation.target.integer(species) if evaluation.plan.species_count > 1 else None


def apply_outcomes(
    plan: Plan, evaluation: Evaluation, new: State, lived: list[AgentResults], step: int
) -> list[Any]:
    """Record events, remove the dead and add newborns to `new`, the flock after the move."""
    events: list[Any] = []
    dead: list[int] = []
    births: list[tuple[int, int, int]] = []
    for part in lived:
        ids, outcome = part.me.id.code, part.outcome
        place, height = _places([x.code for x in part.me.position])
        count = len(ids)

        def each(x: Any, count: int = count) -> NDArray[Any]:
            return np.broadcast_to(getattr(x, "code", x), (count,))

        for event in outcome.events:
            kind, other, amount = map(each, event)
            for k in np.flatnonzero(kind):
                where, high = place[:, k], height[k]
                events.append((step, kind[k], ids[k], other[k], *where, 0.0, amount[k], high))
        cause, by = each(outcome.cause), each(outcome.by)
        for k in np.flatnonzero(cause):
            events.append((step, Event.DEATH, ids[k], by[k], *place[:, k], cause[k], 0.0, height[k]))
            dead.append(int(ids[k]))
        for number, yes, whom in outcome.births:
            born = each(yes) * (cause == 0.0)
            births += [(int(ids[k]), number, int(each(whom)[k])) for k in np.flatnonzero(born)]
    free = plan.capacity - len(new)
    for mother, number, father in sorted(births)[: max(free, 0)]:
        born = _add_newborn(plan, evaluation, new, number, mother, father)
        here, high = _last_place(plan, new)
        events.append((step, Event.BIRTH, born, mother, *here, 0.0, float(father), high))
    events += _add_arrivals(plan, evaluation, new, step)
    new.remove(np.array(dead, np.int32))
    return events


def _places(coordinates: list[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """x and y of agents, shape (2, n), and their heights, 0 in the plane."""
    x, y, *z = coordinates
    return np.stack([x, y]), z[0] if z else np.zeros_like(x)


def _last_place(plan: Plan, state: State) -> tuple[list[float], float]:
    """x and y of the newest agent, and its height."""
    x, y, *z = (float(state[c][-1]) for c in plan.moving_columns[: plan.dimension])
    return [x, y], z[0] if z else 0.0


def _columns_of(values: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Values of columns as arrays of one number, by the columns' full names."""
    found: dict[str, NDArray[Any]] = {}
    for name, value in values.items():
        parts = (
            {f"{name}_{axis}": part for axis, part in zip(AXES, value, strict=False)}
            if isinstance(value, Vec)
            else {column_name(name): value}
        )
        found |= {column: np.atleast_1d(getattr(part, "code", part)) for column, part in parts.items()}
    return found


def _add_arrivals(plan: Plan, evaluation: Evaluation, new: State, step: int) -> list[Any]:
    """Add immigrants, at most one of each species, while there is room; return their events."""
    events: list[Any] = []
    for k, group, begin, end in plan.stateful_items:
        functions = group.functions
        for species in range(min(plan.species_count, end - begin) if functions.arrives else 0):
            assert functions.arrives is not None and functions.settle is not None
            p = evaluation.step.parameters(_species(evaluation, species)).rules[k]
            it = evaluation.step.item(
                k, [evaluation.target.value(x) for x in evaluation.items[begin + species]]
            )
            arrives = functions.arrives(p, it, species, evaluation.world)
            if len(new) >= plan.capacity or not bool(np.all(getattr(arrives, "code", arrives))):
                continue
            values = functions.settle(p, it, evaluation.target.integer(new.next_id), evaluation.world)
            [name] = new.add(_columns_of(values) | {"species_id": np.array([species])})
            here, high = _last_place(plan, new)
            events.append((step, Event.ARRIVAL, name, -1, *here, 0.0, float(species), high))
    return events


def try_births(plan: Plan, evaluation: Evaluation, state: State) -> None:
    """Call `inherit`, `arrives` and `settle` of every rule once, for the dry run."""
    for number, group in enumerate(plan.rule_groups):
        if group.functions.inherit is not None:
            _add_newborn(plan, evaluation, state.copy(), number, 0, 1)
    for k, group, begin, end in plan.stateful_items:
        if group.functions.arrives is not None and group.functions.settle is not None and begin < end:
            p = evaluation.step.parameters(_species(evaluation, 0)).rules[k]
            it = evaluation.step.item(k, [evaluation.target.value(x) for x in evaluation.items[begin]])
            group.functions.arrives(p, it, 0, evaluation.world)
            group.functions.settle(p, it, evaluation.target.integer(state.next_id), evaluation.world)


def _add_newborn(
    plan: Plan, evaluation: Evaluation, new: State, number: int, mother: int, father: int
) -> int:
    """Add a copy of the mother with the inherited values; return its id."""
    functions = plan.rule_groups[number].functions
    assert functions.inherit is not None
    child = new.next_id
    parents = [evaluation.agent_after(new, who) for who in (mother, father if father in new.ids else mother)]
    row = new.rows_of(mother)[0]
    p = evaluation.step.parameters(_species(evaluation, int(new["species"][row]))).rules[number]
    values = functions.inherit(p, *parents, evaluation.target.integer(child), evaluation.world)
    columns = {name: column[row : row + 1] for name, column in new.columns.items() if name != "id"}
    new.add(columns | _columns_of(values))
    return child
