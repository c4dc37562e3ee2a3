"""Explains an agent's behaviour, with the reference backend: what each rule contributes, in words and numbers."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from murmura.compute.reference import Evaluation
from murmura.core.layout import AXES
from murmura.core.merging import FAR, Least, Merge, flatten
from murmura.core.state import FeedingState, Gender, MatingState, State
from murmura.core.vec import Vec
from murmura.core.world.space import offset
from murmura.engine.reading.facts import Explanation
from murmura.rules.evolution.stances import REASONS, STANCES, Reason, Stance
from murmura.rules.life import feeding, mating
from murmura.rules.predators.reading import hunters_in


def explain(evaluation: Evaluation, state: State, row: int) -> Explanation:
    """Neighbours, forces and state of one agent."""
    rows = np.array([row])
    with np.errstate(all="ignore"):
        seen = evaluation.visible(rows)
        _, decision = evaluation.decide(rows)
        contributions, masks = evaluation.contributions(rows)
    me = decision.me
    names = evaluation.plan.scenario.species_names()
    hunters = _hunters(evaluation, state, row)
    rules = {
        group.name: {
            "neighbors": [int(k) for k in state.ids[_used(contributions[number + 1], masks[number + 1][0])]],
            "force": _plain(decision.forces.get(group.name, (0.0,) * evaluation.plan.dimension)),
        }
        for number, group in enumerate(evaluation.plan.rule_groups)
    }
    found = {
        "id": int(state.ids[row]),
        "position": _vector(evaluation, state, "position", row),
        "velocity": _vector(evaluation, state, "velocity", row),
        "neighbors": [int(k) for k in state.ids[seen[0]]],
        "rules": rules,
        "state": {
            "species": names[int(state["species"][row])],
            "gender": Gender(int(state["gender"][row])).name.lower(),
            "panic": _plain([me.panic])[0],
            "energy": _plain([me.energy])[0],
            "feeding": FeedingState(int(state["feeding_state"][row])).name.lower(),
            "mating": MatingState(int(state["mating_state"][row])).name.lower(),
        },
        "target": _targets(state, row),
        "doing": [*_fleeing(hunters), *_doing(state, row)],
        "steering": _plain(decision.force),
    } | _life(state, row, hunters)
    return cast("Explanation", found)


LIFE = ("age", "health", "generation", "mother_id", "father_id")


def _hunters(evaluation: Evaluation, state: State, row: int) -> list[dict[str, Any]]:
    """The hunters that frighten an agent or hunt it, nearest first."""
    found = []
    here = Vec(*_vector(evaluation, state, "position", row))
    for hunter in hunters_in(state.items.get("predators")):
        there = Vec(*(hunter[axis] for axis in AXES[: evaluation.plan.dimension]))
        d = float(offset(evaluation.world, here, there).length)
        frightens, hunts = 0.0 < hunter["fright"] >= d, hunter["target"] == int(state.ids[row])
        if frightens or hunts:
            facts = {name: hunter[name] for name in ("id", "kind", "state")}
            found.append(facts | {"distance": d, "frightens": frightens, "hunts": hunts})
    return sorted(found, key=lambda it: it["distance"])


def _targets(state: State, row: int) -> dict[str, int]:
    """The ids of what it is after, -1 for none; prey only where animals hunt each other."""
    columns = {"food": "target_food_id", "mate": "target_mate_id", "prey": "quarry_id"}
    return {name: int(state[column][row]) for name, column in columns.items() if column in state.columns}


def _vector(evaluation: Evaluation, state: State, name: str, row: int) -> list[float]:
    return [float(state[f"{name}_{axis}"][row]) for axis in AXES[: evaluation.plan.dimension]]


def _fleeing(hunters: list[dict[str, Any]]) -> list[str]:
    """The hunters that an agent flees from or is hunted by, in sentences."""
    sentences = []
    for it in hunters:
        name = f"{it['kind']} {it['id']}".replace("_", " ")
        about = f"{name} ({it['state'].replace('_', ' ')}), {it['distance']:.0f} u away"
        if it["hunts"]:
            sentences.append(
                f"hunted by {about}" + (", and flees from it" if it["frightens"] else ", unaware of it")
            )
        else:
            sentences.append(f"flees from {about}")
    return sentences


def _life(state: State, row: int, hunters: list[dict[str, Any]]) -> dict[str, Any]:
    """Optional facts: hunters nearby; with a genome, the stance and its reason, age and family, and genes."""
    found: dict[str, Any] = {"hunters": hunters} if hunters else {}
    if "stance" in state.columns and "stance_reason" in state.columns:
        found["stance"] = {
            "name": Stance(int(state["stance"][row])).name.lower(),
            "reason": REASONS[Reason(int(state["stance_reason"][row]))],
            "time": float(state["stance_time"][row]),
        }
    life = {name: state[name][row].item() for name in LIFE if name in state.columns}
    genes = {
        name: float(state[name][row]) for name in state.own_columns if name.startswith(("gene_", "part_"))
    }
    return found | ({"life": life} if life else {}) | ({"genome": genes} if "gene_speed" in genes else {})


def _doing(state: State, row: int) -> list[str]:
    """What the agent is doing, in a sentence for each of its active state machines."""
    sentences = []
    if "stance_reason" in state.columns:
        stance, reason = Stance(int(state["stance"][row])), Reason(int(state["stance_reason"][row]))
        time = state["stance_time"][row]
        sentences.append(f"{stance.name.lower()} for {time:.1f} s ({REASONS[reason]}): {STANCES[stance]}")
    food, mate = FeedingState(int(state["feeding_state"][row])), MatingState(int(state["mating_state"][row]))
    if food != FeedingState.NONE:
        time = state["feeding_timer"][row]
        sentences.append(
            f"{food.name.lower()} at food {state['target_food_id'][row]} for {time:.1f} s: {feeding.STAGES[food]}"
        )
    if mate != MatingState.NONE:
        other = state["target_mate_id"][row]
        if mate == MatingState.FIGHTING and "rival_id" in state.columns:
            whom = f" agent {state['rival_id'][row]} over agent {other}"
        else:
            whom = f" with agent {other}" if other >= 0 else ""
        time = state["mating_timer"][row]
        sentences.append(f"{mate.name.lower()}{whom} for {time:.1f} s: {mating.STAGES[mate]}")
    return sentences or [mating.STAGES[MatingState.NONE]]


def _plain(numbers: Any) -> list[float]:
    """Values of one agent as plain numbers."""
    return [float(np.ravel(getattr(x, "code", x))[0]) for x in numbers]


def _used(contributions: dict[str, Merge], visible: Any) -> Any:
    """Which neighbours contribute to a rule: those whose contribution is not zero."""
    used = np.zeros(len(visible), bool)
    for merge in contributions.values():
        terms = [
            np.broadcast_to(getattr(leaf, "code", leaf), (1, len(visible)))[0] for leaf in flatten(merge)
        ]
        if isinstance(merge, Least):
            ranked = np.where(visible, terms[0], FAR)
            used |= (ranked == ranked.min(initial=FAR)) & (ranked < FAR)
        else:
            used |= visible & np.any([term != 0.0 for term in terms], axis=0)
    return used
