"""How a page places a flock at its start: as data, and for other seeds as the traced functions that draw it."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from murmura.compute.plan import Plan, noise_place
from murmura.compute.trace.expression_target import ExpressionTarget, program_of
from murmura.core.algebra import Value
from murmura.core.state import State
from murmura.core.world.randomness import IN_SPACE, STREAM_HUNTER_START, STREAM_NOISE_OFFSET, uniform_from
from murmura.engine.drawing import drawn_columns
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario

MOST_EMBEDDED = 20_000
"""Greatest number of agents whose start is stored in the file; for more, the page draws it."""
MOST_RUNS = 16
"""Greatest number of runs of equal numbers, by id, in a column that a page fills: each species is such a run."""


def packed_words(words: Any) -> str:
    """32-bit words as text."""
    return base64.b64encode(np.ascontiguousarray(words).tobytes()).decode()


def start_facts(scenario: Scenario, plan: Plan, state: State) -> dict[str, Any]:
    """The flock at its start and how a page draws another; `draw` is None where only Python can."""
    columns, fill = _columns(state)
    drawn = _drawn(scenario)
    can_draw = columns.keys() <= drawn.keys() and not scenario.obstacles and not plan.stateful_items
    draw = program_of({name: x for name, x in drawn.items() if name in state.columns}) if can_draw else None
    return {
        "columns": None if can_draw and len(state) > MOST_EMBEDDED else columns,
        "fill": fill,
        "draw": draw,
        "values": [step for step in draw["steps"] if isinstance(step, str) and "." in step] if draw else [],
        "noise": program_of(_noise(plan)),
        "turn": program_of(_turn()),
    }


def moment_facts(scenario: Scenario, plan: Plan, seed: int, step: int) -> dict[str, Any] | None:
    """The flock at the step at which the page begins: that of an ordinary run with the arithmetic of pages."""
    if step == 0:
        return None
    simulation = Simulation(scenario, seed, "cpu", portable=True, announce=None)
    simulation.step(step)
    state = simulation.state
    columns, fill = _columns(state)
    items = packed_words(plan.item_table(state))
    ids = packed_words(state.ids.astype(np.int32))
    return {
        "step": step, "nextId": state.next_id, "ids": ids, "columns": columns, "fill": fill, "items": items,
    }  # fmt: skip


def _columns(state: State) -> tuple[dict[str, str], dict[str, Any]]:
    """The columns of a flock as words; or as runs of equal numbers, if there are few."""
    columns = {name: column for name, column in state.columns.items() if name != "id"}
    fill = {name: runs for name, column in columns.items() if (runs := _runs(column)) is not None}
    differing = [name for name in columns if name not in fill]
    return {name: packed_words(columns[name].astype(np.float32)) for name in differing}, fill


def _words(target: ExpressionTarget) -> tuple[Value, Value]:
    return target.integer_at("seed_low"), target.integer_at("seed_high")


def _drawn(scenario: Scenario) -> dict[str, Any]:
    """The columns that agents draw by themselves, traced for any seed, id and numbers of the start."""
    target = ExpressionTarget()
    start = [name for name, x in scenario.start if isinstance(x, float)]
    parts = {
        part: getattr(scenario, part).model_copy(
            update={name: target.value_at(f"{part}.{name}") for name in names}
        )
        for part, names in {"start": start, "motion": ["speed"]}.items()
    }
    return drawn_columns(scenario.model_copy(update=parts), _words(target), target.integer_at("id"))


def _noise(plan: Plan) -> dict[str, Any]:
    """Where the noise of a seed begins."""
    words = _words(ExpressionTarget())
    x, y = noise_place(words)
    deep = {"noise_z": noise_place(words, STREAM_NOISE_OFFSET + IN_SPACE)[0]} if plan.dimension == 3 else {}
    return {"noise_x": x, "noise_y": y, **deep}


def _turn() -> dict[str, Any]:
    """The direction in which a hunter that is placed sets off, as a share of a turn (`Predators.items_in`)."""
    target = ExpressionTarget()
    turn, _ = uniform_from(*_words(target), 1, target.integer_at("number"), STREAM_HUNTER_START)
    return {"turn": turn}


def _runs(column: Any) -> list[Any] | None:
    """Runs of [count, number], by id; None if there are too many."""
    edges = np.flatnonzero(np.diff(column)) + 1
    if len(edges) > MOST_RUNS or not len(column):
        return None
    return [[len(part), float(part[0])] for part in np.split(column, edges)]
