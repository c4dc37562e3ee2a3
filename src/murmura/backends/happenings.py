"""What the definition does after all agents have moved: items take their turns, agents die and are born."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murmura.backends.plan import PLACES, Plan, record_type
from murmura.core.events import Event
from murmura.core.state import State, column_name

if TYPE_CHECKING:
    from murmura.backends.moment import Moment, Tale


def take_turns(plan: Plan, moment: Moment, told: list[dict[tuple[int, int], Any]]) -> NDArray[Any]:
    """The items after their turns, one after the other."""
    items = moment.items
    p = moment.species_parameters(0)
    for number, group, begin, end in plan.lasting:
        assert group.kind.turn is not None
        kinds = group.kind.gathers if group.kind.gather else ()
        for row in range(begin, end):
            heard: list[float] = []
            parts = [part[number, row] for part in told]
            for k, kind in enumerate(kinds):
                if kind == "best":
                    score, name = max(
                        (part[0][k] for part in parts),
                        key=lambda best: (best[0], -best[1]),
                        default=(0.0, -1.0),
                    )
                    heard += [score, name]
                else:
                    heard.append(sum(part[0][k][0] for part in parts))
            for _, news in parts:
                for field, value in news.items():
                    items[row, field] = value
            group.kind.turn(p[2 + number], items, row, np.array(heard or [0.0]), moment.world)
    return items


def come_to_pass(plan: Plan, moment: Moment, new: State, tales: list[Tale], step: int) -> list[Any]:
    """Note events, let the dead go and the young come; `new` is the flock after the move."""
    events: list[Any] = []
    dead: list[int] = []
    young: list[tuple[Any, ...]] = []
    for tale in tales:
        me = tale.me
        for kind, other, amount in tale.events:
            for k in np.flatnonzero(kind):
                events.append((step, kind[k], me.id[k], other[k], me.x[k], me.y[k], 0.0, amount[k]))
        for k in np.flatnonzero(tale.cause):
            events.append((step, Event.DEATH, me.id[k], tale.by[k], me.x[k], me.y[k], tale.cause[k], 0.0))
            dead.append(int(me.id[k]))
        for number, yes, whom in tale.young:
            alive = yes * (tale.cause == 0.0)
            young += [(int(me.id[k]), number, int(whom[k])) for k in np.flatnonzero(alive)]
    room = plan.capacity - len(new)
    for mother, number, father in sorted(young)[: max(room, 0)]:
        born = _bear(plan, moment, new, number, mother, father)
        at = len(new) - 1
        events.append(
            (
                step,
                Event.BIRTH,
                born,
                mother,
                new["position_x"][at],
                new["position_y"][at],
                0.0,
                float(father),
            )
        )
    events += _welcome(plan, moment, new, step)
    new.remove(np.array(dead, np.int32))
    return events


def _welcome(plan: Plan, moment: Moment, new: State, step: int) -> list[Any]:
    """Let newcomers in, at most one of each species, as far as there is room; returns their events."""
    events: list[Any] = []
    for number, group, begin, end in plan.lasting:
        kind = group.kind
        for species in range(min(plan.species_count, end - begin) if kind.arrives else 0):
            assert kind.arrives is not None and kind.settle is not None
            p = moment.species_parameters(species)[2 + number]
            it = record_type("Item", kind.item_fields)(
                *moment.items[begin + species][: len(kind.item_fields)]
            )
            if len(new) >= plan.capacity or not kind.arrives(p, it, species, moment.world):
                continue
            values = kind.settle(p, it, new.next_id, moment.world)
            columns = {
                column_name(PLACES.get(name, name)): np.array([value])
                for name, value in zip(kind.settles, values, strict=True)
            }
            [name] = new.add(columns | {"species_id": np.array([species])})
            place = (float(new[c][-1]) for c in ("position_x", "position_y"))
            events.append((step, Event.ARRIVAL, name, -1, *place, 0.0, float(species)))
    return events


def _bear(plan: Plan, moment: Moment, new: State, number: int, mother: int, father: int) -> int:
    """One newborn: its mother's copy but for what it inherits otherwise."""
    kind = plan.rule_groups[number].kind
    assert kind.inherit is not None
    child = new.next_id
    parents = [moment.agent_after(new, who) for who in (mother, father if father in new.ids else mother)]
    p = moment.species_parameters(int(new["species"][new.rows_of(mother)[0]]))[2 + number]
    values = kind.inherit(p, *parents, child, moment.world)
    row = new.rows_of(mother)[0]
    columns = {name: column[row : row + 1] for name, column in new.columns.items() if name != "id"}
    for name, value in zip(kind.inherits, values, strict=True):
        columns[column_name(PLACES.get(name, name))] = np.array([value])
    new.add(columns)
    return child
