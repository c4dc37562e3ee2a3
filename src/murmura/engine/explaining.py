"""Why an agent does what it does: each rule's part in words and numbers, by the definition of the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.backends.reference import Moment
from murmura.core.state import FeedingState, Gender, MatingState, State


def explain(moment: Moment, state: State, row: int) -> dict[str, Any]:
    """Neighbours, forces and state of one agent."""
    rows = np.array([row])
    seen, _, _ = moment.visible(rows)
    me, total, _, details = moment.decide(rows)
    names = moment.plan.scenario.species_names()
    rules = {
        group.name: {
            "neighbors": [int(k) for k in state.ids[_used(moment, number, rows, seen)]],
            "force": [
                float(component[0]) for component in details["forces"].get(group.name, np.zeros((2, 1)))
            ],
        }
        for number, group in enumerate(moment.plan.rule_groups)
    }
    return {
        "id": int(state.ids[row]),
        "position": [float(state["position_x"][row]), float(state["position_y"][row])],
        "velocity": [float(state["velocity_x"][row]), float(state["velocity_y"][row])],
        "neighbors": [int(k) for k in state.ids[seen[0]]],
        "rules": rules,
        "state": {
            "species": names[int(state["species"][row])],
            "gender": Gender(int(state["gender"][row])).name.lower(),
            "panic": float(me.panic[0]),
            "energy": float(me.energy[0]),
            "feeding": FeedingState(int(state["feeding_state"][row])).name.lower(),
            "mating": MatingState(int(state["mating_state"][row])).name.lower(),
        },
        "target": {"food": int(state["target_food_id"][row]), "mate": int(state["target_mate_id"][row])},
        "steering": [float(total[0, 0]), float(total[1, 0])],
    }


def _used(moment: Moment, number: int, rows: Any, seen: Any) -> Any:
    """Which visible neighbours add anything to a rule: those with a contribution that is not zero."""
    group = moment.plan.rule_groups[number]
    if not group.kinds:
        return np.zeros(seen.shape[1], bool)
    assert group.kind.pair is not None
    _, me, others = moment.visible(rows)
    q = moment.parameters(rows, (1, 1))[2 + number]
    terms = np.broadcast_arrays(*group.kind.pair(q, me, others, moment.world), others.d2)[:-1]
    if group.kinds[0] == "least":
        ranked = np.where(seen, terms[0], 3.0e38)
        return (ranked[0] == ranked.min()) & (ranked[0] < 3.0e38)
    return seen[0] & np.any([term[0] != 0.0 for term in terms], axis=0)
