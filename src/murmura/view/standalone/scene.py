"""A scenario as a page can run it by itself: kernels, the first contents of their buffers, and what may be changed."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from murmura.compute.cuda.arrays import LEAST_BINS
from murmura.compute.cuda.index_text import ACROSS, SCAN_BLOCK
from murmura.compute.plan import WORLD_NUMBERS, Plan
from murmura.compute.webgpu.arrays import Layout, head_words
from murmura.compute.webgpu.program import THREADS, program_of
from murmura.compute.webgpu.records import HEAD_PLACES, NO_TROUBLE
from murmura.core.errors import ScenarioError
from murmura.core.randomness import seed_words
from murmura.core.state import State, column_name
from murmura.engine.initial import random_start
from murmura.scenario import Scenario
from murmura.view.session.editing.tools import STRENGTHS, with_hand
from murmura.view.standalone.live_values import MORE, live_values
from murmura.view.wire.frames import EXTRAS
from murmura.view.wire.hello import hello_facts

MOST_EMBEDDED = 20_000
"""Agents whose start the file carries; the start of more is drawn by the page, from the seed."""
MOST_RUNS = 16
"""Of equal numbers, one after the other by id, in a column that a page fills: species follow each other so."""


def why_not(scenario: Scenario) -> str:
    """Why a scenario cannot be simulated by a page alone; empty if it can."""
    plan = Plan(with_hand(scenario, None))
    if plan.dimension == 3:
        return "a world with a depth runs with `murmura live` (backends cpu, cuda, webgpu)"
    minds = [group.name for _, group, _, _ in plan.stateful_items]
    if minds:
        return f"{', '.join(minds)}: what takes turns of its own runs with `murmura live` (backends cpu, cuda, webgpu)"
    if plan.has_lifecycle:
        return "agents are born and die, which runs with `murmura live` (backends cpu, cuda, webgpu)"
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
        raise ScenarioError(f"{scenario.name} cannot be simulated by a page alone: {reason}")
    handed = with_hand(scenario, None)
    plan, words = Plan(handed), seed_words(seed)
    program = program_of(plan)
    state = random_start(scenario, seed)
    layout = Layout(plan, program, len(state))
    tables, starts = layout.tables(plan.item_table(state), words)
    fields = layout.head(state, words, starts, NO_TROUBLE)
    flock = layout.flock(state, words)
    carried = [column_name(name) for name in plan.carried]
    fill = _fill(state, carried)
    is_embedded = len(state) <= MOST_EMBEDDED or fill is None
    return {
        "hello": _hello(scenario, seed),
        "kernels": [
            {
                "name": kernel.name,
                "code": kernel.code,
                "bindings": [list(binding) for binding in kernel.bindings],
                "groups": kernel.groups,
            }
            for kernel in program.kernels
        ],
        "threads": THREADS,
        "index": {"across": ACROSS, "block": SCAN_BLOCK, "leastBins": LEAST_BINS},
        "sizes": layout.sizes,
        "room": layout.room,
        "columns": ["id", *carried, *plan.force_columns],
        "head": packed_words(head_words(fields, layout.sizes["head"])),
        "headPlaces": HEAD_PLACES,
        "tables": packed_words(tables),
        "numbersAt": starts["numbers"],
        "worldNumbers": [f"world_{name}" for name in WORLD_NUMBERS],
        "more": list(MORE),
        "live": live_values(handed),
        "hand": _hand(plan, starts["items"]),
        "start": {name: packed_words(flock[name]) for name in ("places", "columns")} if is_embedded else None,
        "canDraw": not scenario.obstacles,
        "fill": fill or {},
        "extras": {
            name: {"number": number, "column": column, "top": top}
            for name, (number, column, top) in EXTRAS.items()
            if column in {*carried, *plan.force_columns}
        },
    }


def _fill(state: State, carried: list[str]) -> dict[str, Any] | None:
    """What a page writes into columns of a start that it draws by itself: runs of (count, number), by id.

    Nothing where a column differs from agent to agent: then the file must carry it. Headings a page draws.
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


def _hand(plan: Plan, items_at: int) -> dict[str, Any]:
    """Where the tables say what the visitor's hand does."""
    number = next(k for k, group in enumerate(plan.rule_groups) if group.name == "attractors")
    row = int(plan.ranges[number, 1]) - 1
    layout = plan.rule_groups[number].layout
    first = items_at + row * plan.item_width
    places = {name: first + layout.place[name] for name in ("x", "y", "strength")}
    return places | {"strengths": dict(STRENGTHS)}
