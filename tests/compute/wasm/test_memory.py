"""The layout that a page computes, against the arrays and the record of the native kernel."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute.cpu.backend import BackendCpu
from murmura.compute.cpu.frame import ARRAYS, CALLED, PLACES, WORLD
from murmura.compute.wasm.memory import memory_facts
from murmura.view.session.editing.placement import with_object

PLAIN: dict[str, Callable[..., float]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "quotient": lambda a, b: math.trunc(a / b), "minimum": min, "maximum": max, "floor": math.floor, "sqrt": math.sqrt,
}  # fmt: skip


def computed(expression: Any, names: dict[str, float]) -> float:
    if isinstance(expression, str):
        return names[expression]
    if isinstance(expression, list):
        return PLAIN[expression[0]](*(computed(x, names) for x in expression[1:]))
    return float(expression)


def backend_of(scenario: mm.Scenario) -> BackendCpu:
    backend = mm.Simulation(scenario, 1, "cpu", threads=1, portable=True, announce=None)._backend
    assert isinstance(backend, BackendCpu)
    backend._filled_frame(1, 0)
    return backend


def widened(scenario: mm.Scenario) -> mm.Scenario:
    """Other numbers for the same kernel: more agents, which see less far, and one more attractor."""
    values = {"agents": 3 * scenario.agents + 7, "perception.radius": 0.9 * scenario.perception.radius}
    return with_object(
        scenario.with_values(values), {"kind": "attractor", "strength": 1.0, "x": 5.0, "y": 5.0}
    )


@pytest.mark.parametrize("name", ["roadmap", "starlings", "couzin-space", "shark-and-herring"])
def test_a_page_lays_out_what_the_native_kernel_has(name: str):
    scenario = mm.load_scenario(name).with_values({"agents": 150})
    scenario = with_object(scenario, {"kind": "attractor", "strength": 1.0, "x": 9.0, "y": 9.0})
    first = backend_of(scenario)
    facts = memory_facts(first.plan, first.shapes)
    for backend in (first, backend_of(widened(scenario))):
        plan, arrays, frame = backend.plan, backend._arrays, backend.frame()
        names = {
            "agents": backend.count, "items": len(plan.items), "listeners": plan.stateful_item_count,
            "reach": plan.reach, "needed": 1000.0,
        }  # fmt: skip
        names["room"] = computed(facts["room"], names)
        for array, factors in facts["arrays"].items():
            assert math.prod(computed(x, names) for x in factors) == arrays[array].nbytes, array
        for integer, expression in facts["integers"].items():
            assert computed(expression, names) == frame[PLACES[integer]], integer
        for number, expression in facts["grid"].items():
            assert np.float32(computed(expression, names)) == arrays["world"][WORLD.index(number)], number
        unset = (
            set(PLACES) - set(facts["integers"]) - {"first_step", "seed_low", "seed_high", *CALLED, *ARRAYS}
        )
        assert unset == set()
