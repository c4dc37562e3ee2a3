"""A scenario in the form that a page can simulate: kernels, initial contents of buffers, and changeable values."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from murmura.compute.cpu.perception.lanes import laid_out, pitch_of
from murmura.compute.gpu.arrays import LEAST_EVENTS
from murmura.compute.gpu.grid import ACROSS, LEAST_BINS, SCAN_BLOCK
from murmura.compute.plan import AFFINITIES, WORLD_NUMBERS, Group, Plan
from murmura.compute.shapes import shapes_of
from murmura.compute.wasm.memory import memory_facts
from murmura.compute.wasm.module import STACK, module_of
from murmura.compute.webgpu.arrays import Layout, head_words
from murmura.compute.webgpu.backend import EVENT_BATCH
from murmura.compute.webgpu.program import THREADS, Kernel, Program, program_of
from murmura.compute.webgpu.records import EVENT_WORDS, HEAD_PLACES, NO_STEP, OUTPUTS_HEAD, YOUNG_WORDS
from murmura.compute.webgpu.target import KernelTarget
from murmura.core.state import State, column_name, column_type, newborn_value
from murmura.core.world.randomness import seed_words
from murmura.engine.census import hunting_species
from murmura.engine.initial import random_start, set_items
from murmura.rules.life.feeding import DRAWN_FOOD
from murmura.scenario import Scenario
from murmura.view.session.editing.tools import STRENGTHS, with_pointer
from murmura.view.standalone.live_values import live_values
from murmura.view.standalone.proof import PROOF_STEPS, state_after
from murmura.view.standalone.templates import templates
from murmura.view.wire.frames import EXTRAS
from murmura.view.wire.hello import hello_facts
from murmura.view.wire.lessons import lessons_for

MOST_EMBEDDED = 20_000
"""Greatest number of agents whose start is stored in the file; for more, the page generates it from the seed."""
DRAWN = ("heading", "gender", "aggression_level")
"""Columns, besides places and velocities, that a page draws like `engine/initial.py`."""
MOST_RUNS = 16
"""Greatest number of runs of equal numbers, by id, in a column that a page fills: each species is such a run."""


def packed_words(words: Any) -> str:
    """32-bit words as text."""
    return base64.b64encode(np.ascontiguousarray(words).tobytes()).decode()


def page_scene(scenario: Scenario, seed: int) -> dict[str, Any]:
    """Everything that a page needs to simulate a scenario."""
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
        # A page's GPU does not compute who hides whom.
        "kernels": [] if plan.occludes else [_kernel(kernel) for kernel in program.kernels],
        "wasm": _wasm(plan),
        "digest": [[name, is_integer(name), newborn_value(name)] for name in state.columns],
        "proof": {"step": PROOF_STEPS, "hash": state_after(scenario, seed, PROOF_STEPS)},
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
        **_start(scenario, plan, state),
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
        "reportWords": KernelTarget.report_words,
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


def _wasm(plan: Plan) -> dict[str, Any]:
    """The kernel as WebAssembly."""
    shapes = shapes_of(plan)
    affinities = laid_out(plan.affinities.reshape(-1, len(AFFINITIES)).T)
    return memory_facts(plan, shapes) | {
        "code": base64.b64encode(module_of(plan, shapes)).decode(),
        "stack": STACK,
        "species": plan.species_count,
        "pitch": pitch_of(plan.species_count),
        "affinities": packed_words(affinities),
    }


def is_integer(column: str) -> bool:
    return column_type(column).kind == "i"


def _start(scenario: Scenario, plan: Plan, state: State) -> dict[str, Any]:
    """The flock at its start, or how a page generates it."""
    columns = {name: column for name, column in state.columns.items() if name != "id"}
    fill = {name: runs for name, column in columns.items() if (runs := _runs(column)) is not None}
    differing = columns.keys() - fill.keys()
    drawn = {*plan.moving_columns, *DRAWN}
    can_draw = differing <= drawn and not scenario.obstacles and not plan.stateful_items
    words = {name: packed_words(columns[name].astype(np.float32)) for name in columns if name in differing}
    return {
        "start": None if can_draw and len(state) > MOST_EMBEDDED else words,
        "canDraw": can_draw,
        "fill": {name: runs for name, runs in fill.items() if not can_draw or name not in drawn},
    }


def _runs(column: Any) -> list[Any] | None:
    """Runs of [count, number], by id; None if there are too many."""
    edges = np.flatnonzero(np.diff(column)) + 1
    if len(edges) > MOST_RUNS or not len(column):
        return None
    return [[len(part), float(part[0])] for part in np.split(column, edges)]


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
