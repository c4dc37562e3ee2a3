"""Objects that a page can place by itself: for each kind, an entry of the scenario's list and a row of items."""

from __future__ import annotations

from typing import Any

from murmura.compute.plan import Plan
from murmura.core.errors import MurmuraError
from murmura.core.state import State
from murmura.engine.initial import set_items
from murmura.scenario import Scenario
from murmura.view.session.editing.placement import with_object
from murmura.view.session.editing.tools import with_pointer

PATHS = {"attractors": "points", "feeding": "sources", "predators": "hunters"}
"""The list of each rule that contains placed objects."""


def templates(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """By rule and kind ("" if there is only one kind): an object in the corner, which a page moves to its position.

    A hunter of a kind that is not present needs another kernel, and so does food in a scenario without feeding.
    """
    pointed = with_pointer(scenario, None)
    plan = Plan(pointed)
    taking_part = [group.name for group in plan.rule_groups]
    found = {"attractors": {"": _template(scenario, "attractors", {"kind": "attractor", "strength": 1.0})}}
    if "feeding" in taking_part:
        found["feeding"] = {"": _template(scenario, "feeding", {"kind": "food"})}
    hunters = scenario.rules.predators.hunters
    if "predators" in taking_part and len(hunters) >= scenario.rules.predators.most_hunters:
        kinds = dict.fromkeys(hunter.kind for hunter in hunters)
        found["predators"] = {
            kind: _template(scenario, "predators", {"kind": "predator", "species": kind}) for kind in kinds
        }
    return {rule: {kind: made for kind, made in kinds.items() if made} for rule, kinds in found.items()}


def _template(scenario: Scenario, rule: str, placed: dict[str, Any]) -> dict[str, Any] | None:
    """The list entry and the row of a placed object; None if the scenario refuses it."""
    try:
        changed = with_pointer(with_object(scenario, placed | {"x": 0.0, "y": 0.0}), None)
    except MurmuraError:
        return None
    plan, state = Plan(changed), State()
    set_items(changed, state, 1)
    number = next(k for k, group in enumerate(plan.rule_groups) if group.name == rule)
    # The last attractor is the user's pointer.
    row = int(plan.ranges[number, 1]) - (2 if rule == "attractors" else 1)
    width = len(plan.rule_groups[number].layout)
    things = getattr(getattr(changed.rules, rule), PATHS[rule])
    entry = things[-2 if rule == "attractors" else -1].model_dump(mode="json")
    return {"entry": entry, "row": plan.item_table(state)[row, :width].tolist()}
