"""A scenario in the form that a page can simulate: its kernel, its start, and changeable values."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from murmura.compute.cpu.perception.lanes import laid_out, pitch_of
from murmura.compute.plan import AFFINITIES, WORLD_NUMBERS, Group, Plan
from murmura.compute.shapes import shapes_of
from murmura.compute.wasm.memory import memory_facts
from murmura.compute.wasm.module import STACK, module_of
from murmura.core.state import State, column_name, column_type, newborn_value
from murmura.engine.census import hunting_species
from murmura.engine.initial import random_start, set_items
from murmura.rules.life.feeding import DRAWN_FOOD
from murmura.scenario import Scenario
from murmura.view.session.editing.tools import STRENGTHS, with_pointer
from murmura.view.session.good_moments import moment_step
from murmura.view.standalone.live_values import live_values
from murmura.view.standalone.proof import PROOF_STEPS, state_after
from murmura.view.standalone.start import moment_facts, packed_words, start_facts
from murmura.view.standalone.templates import templates
from murmura.view.wire.frames import EXTRAS
from murmura.view.wire.hello import hello_facts
from murmura.view.wire.lessons import lessons_for


def page_scene(scenario: Scenario, seed: int) -> dict[str, Any]:
    """Everything that a page needs to simulate a scenario."""
    pointed = with_pointer(scenario, None)
    plan = Plan(pointed)
    state = random_start(scenario, seed)
    set_items(pointed, state, seed)
    columns = [*(column_name(name) for name in plan.carried), *plan.force_columns]
    return {
        "hello": _hello(scenario, seed),
        "wasm": _wasm(plan),
        "digest": [[name, is_integer(name), newborn_value(name)] for name in state.columns],
        "proof": {"step": PROOF_STEPS, "hash": state_after(scenario, seed, PROOF_STEPS)},
        "plan": {
            "dimension": plan.dimension,
            "most": plan.capacity if plan.has_lifecycle else 0,
            "itemWidth": plan.item_width,
        },
        "columns": ["id", *columns],
        "tables": _tables(plan, state),
        "groups": [_group(group) for group in plan.rule_groups],
        "worldNumbers": list(WORLD_NUMBERS),
        "live": live_values(pointed),
        "hand": _hand(plan),
        "hunting": hunting_species(scenario),
        "templates": templates(scenario),
        "drawnFood": DRAWN_FOOD,
        "extras": {
            name: {"number": number, "column": column, "top": top}
            for name, (number, column, top) in EXTRAS.items()
            if column in columns
        },
        "start": start_facts(scenario, plan, state),
        "moment": moment_facts(pointed, plan, seed, moment_step(pointed, seed)),
    }


def _tables(plan: Plan, state: State) -> dict[str, str]:
    """Items and obstacles, of which a page adds, moves and removes some."""
    tables = {
        "items": plan.item_table(state),
        "ranges": plan.ranges.astype(np.int32),
        "tracked": plan.tracked.astype(np.int32),
        "shapes": plan.shapes.astype(np.float32),
    }
    return {name: packed_words(table) for name, table in tables.items()}


def _group(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "columns": list(group.layout.columns),
        "lasts": group.functions.turn is not None,
    }


def _wasm(plan: Plan) -> dict[str, Any]:
    """The kernel as WebAssembly."""
    shapes = shapes_of(plan)
    affinities = laid_out(plan.affinities.reshape(-1, len(AFFINITIES)).T)
    return memory_facts(plan, shapes) | {
        "code": base64.b64encode(module_of(plan, shapes)).decode(),
        "stack": STACK,
        "numbers": plan.numbers.size,
        "species": plan.species_count,
        "pitch": pitch_of(plan.species_count),
        "affinities": packed_words(affinities),
    }


def is_integer(column: str) -> bool:
    return column_type(column).kind == "i"


def _hello(scenario: Scenario, seed: int) -> dict[str, Any]:
    found = hello_facts(scenario)
    del found["schema"], found["scenarios"]
    return found | {
        "type": "hello",
        "lessons": lessons_for(scenario.name),
        "seed": seed,
        "running": True,
        "speed": 1.0,
        "loaded": found["scenario"],
        "places": [],
        "hunters": [],
    }


def _hand(plan: Plan) -> dict[str, Any]:
    """The item of the user's pointer, which is the last of its rule, and its effect."""
    number = next(k for k, group in enumerate(plan.rule_groups) if group.name == "attractors")
    return {"group": number, "strengths": dict(STRENGTHS)}
