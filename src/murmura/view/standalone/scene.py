"""A scenario in the form that a page can simulate: kernels, initial contents of buffers, and changeable values."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from murmura.compute.cuda.arrays import LEAST_BINS, LEAST_EVENTS
from murmura.compute.cuda.index_text import ACROSS, SCAN_BLOCK
from murmura.compute.plan import WORLD_NUMBERS, Group, Plan
from murmura.compute.webgpu.arrays import Layout, head_words
from murmura.compute.webgpu.backend import EVENT_BATCH
from murmura.compute.webgpu.program import THREADS, Kernel, Program, program_of
from murmura.compute.webgpu.records import EVENT_WORDS, HEAD_PLACES, NO_STEP, OUTPUTS_HEAD, YOUNG_WORDS
from murmura.compute.webgpu.reports import WORDS
from murmura.core.errors import ScenarioError
from murmura.core.state import State, column_name
from murmura.core.world.randomness import seed_words
from murmura.engine.census import hunting_species
from murmura.engine.initial import random_start, set_items
from murmura.rules.life.feeding import DRAWN_FOOD
from murmura.scenario import Scenario
from murmura.view.session.editing.tools import STRENGTHS, with_pointer
from murmura.view.standalone.live_values import live_values
from murmura.view.standalone.templates import templates
from murmura.view.wire.frames import EXTRAS
from murmura.view.wire.hello import hello_facts

MOST_EMBEDDED = 20_000
"""Greatest number of agents whose start is stored in the file; for more, the page generates it from the seed."""
MOST_RUNS = 16
"""Greatest number of runs of equal numbers, by id, in a column that a page fills: each species is such a run."""


def why_not(scenario: Scenario) -> str:
    """Why a page cannot simulate a scenario by itself; empty if it can."""
    if scenario.perception.occlusion:
        return "perception.occlusion needs `murmura live`: a page cannot compute which animals are hidden"
    return ""


def packed_words(words: Any) -> str:
    """32-bit words as text."""
    return base64.b64encode(np.ascontiguousarray(words).tobytes()).decode()


def page_scene(scenario: Scenario, seed: int) -> dict[str, Any]:
    """Everything that a page needs to simulate a scenario.

    Raises:
        ScenarioError: If it cannot.
    """
    reason = why_not(scenario)
    if reason:
        raise ScenarioError(f"{scenario.name} cannot be simulated by an exported page: {reason}")
    pointed = with_pointer(scenario, None)
    plan, words = Plan(pointed), seed_words(seed)
    program = program_of(plan)
    state = random_start(scenario, seed)
    set_items(pointed, state, seed)
    layout = Layout(plan, program, len(state))
    tables, starts = layout.tables(plan.item_table(state), words)
    fields = layout.head(state, words, starts, 0 if plan.has_lifecycle else NO_STEP)
    columns = [*(column_name(name) for name in plan.carried), *plan.force_columns]
    return {
        "hello": _hello(scenario, seed),
        "kernels": [_kernel(kernel) for kernel in program.kernels],
        "plan": _plan_facts(plan, program),
        "columns": ["id", *columns],
        "head": packed_words(head_words(fields, layout.sizes["head"])),
        "headPlaces": HEAD_PLACES,
        "sections": _sections(tables, starts),
        "groups": [_group(group) for group in plan.rule_groups],
        "worldNumbers": [f"world_{name}" for name in WORLD_NUMBERS],
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
        **_start(scenario, plan, state, layout.flock(state, words)),
    }


def _kernel(kernel: Kernel) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "code": kernel.code,
        "bindings": [list(binding) for binding in kernel.bindings],
        "groups": kernel.groups,
    }


def _plan_facts(plan: Plan, program: Program) -> dict[str, Any]:
    """What determines the buffers of a flock of any size (`compute.webgpu.arrays.Layout`)."""
    return {
        "dimension": plan.dimension,
        "threads": THREADS,
        "across": ACROSS,
        "block": SCAN_BLOCK,
        "leastBins": LEAST_BINS,
        "leastEvents": LEAST_EVENTS,
        "most": plan.capacity if plan.has_lifecycle else 0,
        "lives": plan.has_lifecycle,
        "eventful": plan.eventful,
        "carried": len(plan.carried),
        "forces": len(plan.force_columns),
        "itemWidth": plan.item_width,
        "reportWidth": max(1, program.report_width),
        "bestWidth": program.best_width,
        "eventWords": EVENT_WORDS,
        "youngWords": YOUNG_WORDS,
        "reportWords": WORDS,
        "outputsHead": OUTPUTS_HEAD,
        "eventBatch": EVENT_BATCH,
    }


def _sections(tables: Any, starts: dict[str, int]) -> dict[str, str]:
    """The tables, section by section: a page reassembles them when items are added or removed."""
    ends = [*list(starts.values())[1:], len(tables) - 1]
    return {
        name: packed_words(tables[start:end]) for (name, start), end in zip(starts.items(), ends, strict=True)
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "columns": list(group.layout.columns),
        "lasts": group.functions.turn is not None,
    }


def _start(scenario: Scenario, plan: Plan, state: State, flock: dict[str, Any]) -> dict[str, Any]:
    """The flock at its start, without spare capacity; or how a page generates it."""
    carried, n = [column_name(name) for name in plan.carried], len(state)
    fill = _fill(state, carried)
    can_draw = fill is not None and not scenario.obstacles and not plan.stateful_items
    is_embedded = n <= MOST_EMBEDDED or not can_draw
    room = len(flock["places"]) // (4 * (plan.dimension - 1))
    places = flock["places"].reshape(plan.dimension - 1, room, 4)[:, :n]
    columns = flock["columns"].reshape(-1, room)[:, :n]
    return {
        "start": {"places": packed_words(places), "columns": packed_words(columns)} if is_embedded else None,
        "canDraw": can_draw,
        "fill": fill or {},
    }


def _fill(state: State, carried: list[str]) -> dict[str, Any] | None:
    """The columns of a start that a page generates: runs of (count, number), by id.

    None if a column differs from agent to agent: then the start must be in the file. Headings are drawn by the page.
    """
    found: dict[str, Any] = {}
    for name in carried:
        column = np.asarray(state[name], np.float64)
        edges = np.flatnonzero(np.diff(column)) + 1
        if name == "heading":
            continue
        if len(edges) > MOST_RUNS:
            return None
        found[name] = [[len(part), float(part[0])] for part in np.split(column, edges) if len(part)]
    return found


def _hello(scenario: Scenario, seed: int) -> dict[str, Any]:
    found = hello_facts(scenario)
    del found["schema"], found["scenarios"]
    return found | {
        "type": "hello",
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
