"""Random scenario data around the schema: it runs and stays finite, or is refused with a clear message."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import murmura as mm
from murmura.core.errors import ScenarioError
from tests.sizes import size

SCHEMA = mm.Scenario.model_json_schema()
MODELS = {"Scenario": SCHEMA, **SCHEMA["$defs"]}
Strategy = st.SearchStrategy[Any]
# Values that fit no field.
ODD = st.sampled_from(
    [
        None,
        True,
        "",
        "nan",
        [],
        {},
        -1,
        0,
        1,
        0.5,
        -0.0,
        1e-300,
        1e-12,
        1e9,
        1e12,
        1e300,
        10**400,
        math.nan,
        math.inf,
    ]
)
SELDOM = 150


def number(field: dict[str, Any]) -> Strategy:
    """Numbers that a field allows: mostly from its slider, sometimes from its whole range."""
    low = field.get("minimum", field.get("exclusiveMinimum", -1e4))
    high = field.get("maximum", 1e4)
    if field["type"] == "integer":
        return st.integers(int(low), int(min(high, 100)))
    wide = st.floats(low, high, exclude_min="exclusiveMinimum" in field)
    slider = field.get("slider")
    return st.one_of(st.floats(*slider), st.floats(*slider), st.floats(*slider), wide) if slider else wide


def value(field: dict[str, Any]) -> Strategy:
    """Values of a field, by its schema."""
    if "enum" in field:
        return st.sampled_from(field["enum"])
    if "$ref" in field:
        return table(field["$ref"].rsplit("/", 1)[-1])
    if "anyOf" in field:
        rest = {key: field[key] for key in field if key != "anyOf"}
        return st.one_of([value(rest | option) for option in field["anyOf"]])
    kind = field.get("type")
    if kind in ("integer", "number"):
        return st.just(field["const"]) if "const" in field else number(field)
    if kind == "array":
        items = [value(item) for item in field.get("prefixItems", [])]
        return st.tuples(*items).map(list) if items else st.lists(value(field["items"]), max_size=4)
    if kind == "object":
        inner = field["additionalProperties"]
        keys = ["motion.max_speed", "rules.alignment.weight"] if inner == {"type": "number"} else ["a", "b"]
        return st.dictionaries(st.sampled_from(keys), value(inner), max_size=2)
    if kind == "string":
        words = ["#00ff88"] if "#" in field.get("pattern", "") else ["a", "b", "c"]
        return st.just(field["const"]) if "const" in field else st.sampled_from(words)
    return st.booleans() if kind == "boolean" else st.none()


@st.composite
def table(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """A part of a scenario: some of its fields, rarely with a wrong value or an unknown key."""
    fields = MODELS[name]["properties"]
    names = draw(
        st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=8 if name == "Scenario" else 4)
    )
    found = {}
    for field in sorted({*names, *MODELS[name].get("required", [])}):
        found[field] = draw(ODD if draw(st.integers(0, SELDOM)) == 1 else value(fields[field]))
    if draw(st.integers(0, SELDOM)) == 1:
        found[draw(st.sampled_from(["radus", "Weight", "x", ""]))] = draw(ODD)
    return found


def small(data: dict[str, Any]) -> dict[str, Any]:
    """Few agents, so that the reference is fast enough."""
    agents = data.get("agents", 5)
    return data | {"agents": agents % 8 if type(agents) is int else agents}


@settings(
    max_examples=size(120, 400),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(data=table("Scenario").map(small), seed=st.integers(0, 2**64 - 1))
def test_made_up_scenarios_run_or_are_refused(data: dict[str, Any], seed: int) -> None:
    simulation, refusal = _begin(data, seed)
    if simulation is None:
        assert all(len(line) > 10 for line in refusal.split("\n"))
        assert not any(word in refusal for word in ("pydantic", "Traceback", "validation error", "literal["))
        return
    simulation.step(10)
    kinds = [event["kind"] for event in simulation.events()]
    assert simulation.agent_count == simulation.scenario.agents + kinds.count("birth") - kinds.count("death")
    for array in (simulation.positions, simulation.velocities, simulation.forces):
        assert np.isfinite(array).all()
    assert mm.Scenario.from_data(simulation.scenario.model_dump(mode="json")) == simulation.scenario


def _begin(data: dict[str, Any], seed: int) -> tuple[mm.Simulation | None, str]:
    """A simulation, or the message of the refusal; any error but a ScenarioError is a bug."""
    try:
        return mm.Simulation(mm.Scenario.from_data(data), seed=seed, backend="reference"), ""
    except ScenarioError as error:
        return None, str(error)
